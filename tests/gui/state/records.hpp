// Records of runs that nobody made: what tests of lists, plots and comparisons are given.
#pragma once

#include "engine/record/run.hpp"
#include "tests/has.hpp"

namespace attnscope::gui {

struct Made {
  std::string problem = "1x4x32x32", variant = "tiled";
  Config config = {};
  double ns = 1e6;      ///< around which the samples lie
  size_t samples = 40;  ///< 0: none, and the outcome is `outcome`
  double spread = 0.02;
  unsigned seed = 1;  ///< of the run, and of its samples
  std::string hash = "h", device = "Test GPU", uuid = {}, time = {};
  Outcome outcome = Outcome::measured;
};

inline std::vector<double> noisy(size_t count, double ns, double spread = 0.02, unsigned seed = 5) {
  std::mt19937 random(seed);
  std::normal_distribution<double> by(0, 1);
  std::vector<double> out;
  for (size_t i = 0; i < count; ++i) out.push_back(ns * (1 + spread * by(random)));
  return out;
}

/// Verified, and measured where it has samples.
inline Record made(const Made& m) {
  Record run;
  run.problem = *parse_problem(m.problem);
  run.variant = m.variant;
  run.config = m.config;
  run.seed = m.seed;
  run.environment.device.name = m.device;
  run.environment.device.device_uuid = m.uuid;
  run.environment.device.type = DeviceType::discrete_gpu;
  run.environment.device.driver = "1.0";
  run.environment.shader_hash = m.hash;
  run.environment.program_version = "0.1.0";
  run.environment.time_utc = m.time;
  Record r = make_record(run);
  if (m.outcome != Outcome::refused) r.verdict.emplace().pass = m.outcome != Outcome::failed_verdict;
  r.samples_ns = noisy(m.samples, m.ns, m.spread, m.seed);
  conclude(r, m.outcome);
  return r;
}

}  // namespace attnscope::gui
