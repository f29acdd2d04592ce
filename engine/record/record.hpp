// Record: one measured (problem, variant, config) with its verdict, every sample, resources and the environment.
#pragma once

#include "engine/attention/verdict.hpp"
#include "engine/insight/fit.hpp"
#include "engine/insight/peaks.hpp"
#include "engine/measure/statistics.hpp"
#include "engine/record/advice.hpp"
#include "engine/resources.hpp"
#include "engine/telemetry/telemetry.hpp"
#include "engine/variant/variant.hpp"

namespace attnscope {

inline constexpr int kRecordSchema = 1;

struct Environment {
  DeviceInfo device;
  std::string program_version, shader_hash, time_utc, host_os;
  std::optional<Peaks> peaks;          ///< the device's ceilings, where they were measured before
  std::optional<Telemetry> telemetry;  ///< while the samples were taken, where the device tells
  bool operator==(const Environment&) const = default;
};
/// The prediction of a model of the device or of a related one (engine/tune/cost_model.hpp).
struct PredictedTime {
  double ns = 0;
  std::string model;  ///< when it was made, in UTC; "of DEVICE" or "with driver DRIVER" where that is another
  bool operator==(const PredictedTime&) const = default;
};
/// `compiled`: nothing was executed, so there is neither a verdict nor a time.
enum class Outcome { measured, verified, compiled, failed_verdict, refused, cancelled, error };
std::string_view to_text(Outcome);  ///< the same words, but "failed"
struct Record {
  Problem problem;
  std::string variant;
  Config config;
  std::string config_name;  ///< of the manifest's named config, if it is one
  std::string chosen;       ///< where variant or config were chosen and not asked for: which way, and why; a sentence
  Outcome outcome = Outcome::measured;
  std::string message;  ///< for refused / error: why; else notes such as throttling
  std::optional<Verdict> verdict;
  Precision precision;
  Protocol protocol;
  std::vector<double> samples_ns;  ///< GPU time of one execution of the plan, in the order taken
  uint32_t dispatches_per_sample = 1;
  bool settled = true;  ///< warm-up reached its goal
  std::optional<Statistics> statistics;
  std::optional<PredictedTime> predicted;  ///< of an execution; absent where no model knows the run
  double tflops = 0, gbps = 0;             ///< from the median; 0 when not measured
  double flops = 0, bytes = 0, extra_bytes = 0;
  std::optional<Floor> floor;    ///< of the median, where the environment has peaks
  std::optional<LaunchFit> fit;  ///< this and the advice: filled by explain(), where it was asked for
  std::vector<Advice> advice;    ///< most to win first
  uint64_t scratch_bytes = 0;
  Resources resources;
  uint64_t seed = 0;
  Environment environment;
  bool wrong() const { return verdict && !verdict->pass; }
  const std::string& why() const { return wrong() ? verdict->reason : message; }
  bool operator==(const Record&) const = default;
};

}  // namespace attnscope
