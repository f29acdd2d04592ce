// A Session of made-up numbers, so that the workbench, the link and the drawing can be tested without a device.
#pragma once

#include <chrono>
#include <cmath>
#include <memory>
#include <random>
#include <thread>

#include "app/gui/link.hpp"
#include "engine/session/request_run.hpp"

namespace attnscope::gui::test {

/// How the fake behaves; shared with the test, which may change it while the link runs.
struct FakeWorld {
  std::atomic<int> runs = 0, inspections = 0, opens = 0;
  std::atomic<bool> die_in_run = false;  ///< the next run ends as if its worker was killed
  std::atomic<bool> wrong_results = false;
  std::atomic<double> sample_ms = 1;
  std::atomic<int> batches_before_death = 3;
  std::atomic<int> shader = 1;             ///< "edited" by raising it: tiled's hash, and with it its speed
  std::atomic<bool> syntax_error = false;  ///< tiled does not load
  std::atomic<bool> shadowing = false;     ///< tiled replaces one of the same name
  std::atomic<int> more_variants = 0;      ///< "extra-0" and on, which all run
  std::atomic<int> rows_total = 64;        ///< of which 64 are checked
  std::atomic<bool> hold_compile = false;  ///< runs stay in their compile stage until this is false, or a cancel
};

class FakeSession final : public Session {
 public:
  explicit FakeSession(std::shared_ptr<FakeWorld> world) : world_(std::move(world)) {}

  Result<std::vector<DeviceInfo>> devices() override {
    DeviceInfo gpu, cpu, old;
    gpu.name = "Test GPU";
    gpu.type = DeviceType::discrete_gpu;
    gpu.driver = "test driver 1.0";
    gpu.limits.max_shared_bytes = 49152;
    gpu.limits.core_count = 24;
    cpu = gpu;
    cpu.index = 1;
    cpu.name = "Test CPU device";
    cpu.type = DeviceType::software;
    old.index = 2;
    old.name = "Old GPU";
    old.unsuitable = "It has Vulkan 1.1; 1.3 is needed.";
    return std::vector{gpu, cpu, old};
  }

  Result<DeviceInfo> open(const std::string& selector) override {
    ++world_->opens;
    const auto all = *devices();
    if (selector == "1" || selector == "cpu") return device_ = all[1];
    if (selector.empty() || selector == "0") return device_ = all[0];
    return unsupported("There is no device '" + selector + "'.");
  }

  Result<std::vector<VariantInfo>> load_variants(const std::vector<VariantSource>&) override {
    VariantInfo tiled;
    tiled.name = "tiled";
    tiled.title = "Flash tiling through shared memory";
    tiled.system = "A.v2";
    tiled.dtypes = {"f32", "f16"};
    tiled.parameters = {{"BLOCK_M", "query rows a workgroup", {16, 32, 64, 128}, 32},
                        {"BLOCK_N", "key rows a step", {16, 32, 64}, 32}};
    tiled.configs = {{"small", "least memory", {{"BLOCK_M", 16}, {"BLOCK_N", 16}}}};
    tiled.hash = "tiled-" + std::to_string(world_->shader);
    if (world_->shadowing) tiled.shadows = "/usr/share/shaders/tiled";
    if (world_->syntax_error) {
      VariantInfo none;
      none.name = "tiled";
      none.error = "tiled/flash.comp:3: error: syntax error";
      tiled = none;
    }
    VariantInfo naive;
    naive.name = "naive";
    naive.title = "Three passes, scores in memory";
    naive.parameters = {{"WG", "invocations a workgroup", {64, 128}, 64}};
    VariantInfo matrix;
    matrix.name = "matrix";
    matrix.why_not = "It needs coopmat, which this device lacks.";
    VariantInfo broken;
    broken.name = "broken";
    broken.error = "broken/main.comp:12: error: 'x' : undeclared identifier";
    infos_ = {tiled, naive, matrix, broken};
    for (int i = 0; i < world_->more_variants; ++i) {
      infos_.push_back(naive);
      infos_.back().name = "extra-" + std::to_string(i);
    }
    return infos_;
  }

  Result<Inspection> inspect(const Problem& problem, const std::string& variant, const Config& config) override {
    ++world_->inspections;
    Inspection i;
    i.flops = problem_flops(problem);
    i.bytes = problem_bytes(problem);
    i.grids = {{4, 2, 1}};
    i.local_sizes = {{64, 1, 1}};
    if (variant == "naive") i.scratch_bytes = 4096, i.extra_bytes = 8192;
    if (variant != "tiled") return i;
    const auto shared = [](int64_t m, int64_t n) { return (m + n) * 256; };
    const auto why = [&](int64_t m, int64_t n) -> std::string {
      if (shared(m, n) <= 32768) return "";
      return "Needs " + std::to_string(shared(m, n)) + " bytes of shared memory; the limit is 32768.";
    };
    const int64_t m = config.at("BLOCK_M"), n = config.at("BLOCK_N");
    i.shared_bytes = uint64_t(shared(m, n));
    i.why_not = why(m, n);
    i.choices = {{"BLOCK_M", {why(16, n), why(32, n), why(64, n), why(128, n)}},
                 {"BLOCK_N", {why(m, 16), why(m, 32), why(m, 64)}}};
    i.nearest = {{"BLOCK_M", 64}, {"BLOCK_N", 64}};
    return i;
  }

  Result<ConfigChoice> choose_config(const Problem& problem, const std::string& variant, const std::string&) override {
    using How = ConfigChoice::How;
    if (variant == "tiled" && problem.head_dim == 16)
      return ConfigChoice{{{"BLOCK_M", 16}, {"BLOCK_N", 16}}, "small", How::suited, "for head_dim 16"};
    if (variant == "tiled" && problem.head_dim == 1024)
      return ConfigChoice{{{"BLOCK_M", 16}, {"BLOCK_N", 32}}, "", How::nearest, "32 rows of 1024 do not fit."};
    for (const VariantInfo& v : infos_)
      if (v.name == variant) return ConfigChoice{default_config(v), "default", How::as_asked, {}};
    return bad_input("There is no variant " + variant + ".");
  }

  /// tiled, and naive for long sequences.
  Result<std::vector<VariantRank>> rank_variants(const Problem& problem) override {
    std::vector<VariantRank> ranks{{"tiled", problem.seq_kv < 4096 ? 2.0 : 0.5, ""}, {"naive", 1, ""}};
    if (problem.seq_kv >= 4096) std::swap(ranks[0], ranks[1]);
    if (world_->syntax_error) std::erase_if(ranks, [](const VariantRank& r) { return r.variant == "tiled"; });
    return ranks;
  }

  Result<Record> run(const RunRequest& request, const EventSink& sink, const std::atomic<bool>& cancel) override {
    ++world_->runs;
    const VariantInfo* variant = nullptr;
    for (const VariantInfo& v : infos_)
      if (v.name == request.variant) variant = &v;
    if (variant == nullptr || !variant->error.empty()) return bad_input("The variant does not load.");
    Record r = make_record(run_of(request, *variant, device_));
    if (request.variant == "naive") r.scratch_bytes = 4096, r.extra_bytes = 8192;
    sink(Progress{"compile"});
    sink(RunBegan{std::make_shared<const Record>(r)});
    while (world_->hold_compile && !cancel) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    sink(Progress{"verify"});
    Verdict v;
    v.pass = !world_->wrong_results;
    if (!v.pass) v.reason = "max abs error 0.5 is over 1e-5.";
    v.rows_checked = 64;
    v.rows_total = uint64_t(world_->rows_total);
    v.max_abs = v.pass ? 3.1e-7 : 0.5;
    v.allowed_max_abs = 1e-5;
    v.nmse = 4e-14;
    v.allowed_nmse = 1e-10;
    sink(v);
    r.verdict = v;
    if (!v.pass) {
      conclude(r, Outcome::failed_verdict);
      return r;
    }
    Resources resources;
    resources.shared_bytes = 16384;
    resources.compile_ms = 12.5;
    resources.compile = Compile::measured;
    sink(ResourcesReady{resources});
    sink(Progress{"sample"});
    std::mt19937 random(7);
    std::lognormal_distribution<double> spread(0, 0.04);
    int batches = 0;
    while (!cancel && (request.live || batches < 3)) {
      if (world_->die_in_run && batches >= world_->batches_before_death) {
        world_->die_in_run = false;
        conclude(r, Outcome::error, "The worker was killed by signal 9; it was started again.");
        return r;
      }
      SampleBatch batch;
      for (int i = 0; i < 20; ++i)
        batch.samples_ns.push_back(world_->sample_ms * 1e6 * world_->shader * spread(random));
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      r.samples_ns.insert(r.samples_ns.end(), batch.samples_ns.begin(), batch.samples_ns.end());
      sink(batch);
      ++batches;
    }
    conclude(r, cancel && !request.live ? Outcome::cancelled : Outcome::measured);
    return r;
  }

 private:
  std::shared_ptr<FakeWorld> world_;
  DeviceInfo device_;
  std::vector<VariantInfo> infos_;
};

inline std::vector<LinkOptions> fake_links(const std::shared_ptr<FakeWorld>& world) {
  LinkOptions link;
  link.session = [world] { return std::make_unique<FakeSession>(world); };
  link.settle_s = 0.01;
  return {link};
}

}  // namespace attnscope::gui::test
