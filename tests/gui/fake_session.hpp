// A Session of made-up numbers, so that the workbench, the link and the drawing can be tested without a device.
#pragma once

#include "app/gui/worker/worker_thread.hpp"
#include "tests/has.hpp"

namespace attnscope::gui {

constexpr int kBatch = 20;  ///< samples at a time

/// How the fake behaves; shared with the test, which may change it while the link runs.
struct FakeWorld {
  std::atomic<int> runs = 0, loads = 0;
  std::atomic<bool> die_in_run = false;                      ///< the next run ends as if its worker was killed
  std::atomic<bool> die_at_start = false;                    ///< the same before it says what it is
  std::atomic<bool> open_fails = false, load_fails = false;  ///< as if the worker was killed over each attempt
  std::atomic<bool> hold_load = false;                       ///< loading waits until this is false, or is abandoned
  std::shared_ptr<std::atomic<bool>> abandon = std::make_shared<std::atomic<bool>>(false);
  std::atomic<bool> vanished = false;                            ///< tiled's folder is not there
  std::atomic<bool> wrong_results = false, wrong_later = false;  ///< the latter: but for the first execution
  std::atomic<double> sample_ms = 1;
  std::atomic<int> batches_before_death = 3;
  std::atomic<int> shader = 1;             ///< "edited" by raising it: tiled's hash, and with it its speed
  std::atomic<bool> syntax_error = false;  ///< tiled does not load
  std::atomic<bool> twins = false;         ///< a fourth device, of the first one's name and driver
  std::atomic<int> more_variants = 0;      ///< "extra-0" and on, which all run
  std::atomic<int> trials = 0;             ///< made so far
  std::atomic<int> trials_allowed = 1000;  ///< further ones wait until this is raised, or a cancel
  std::atomic<bool> die_in_trial = false;  ///< the next trial ends as if its worker was killed
  std::atomic<bool> silent = false;        ///< the batch being taken never ends, until this is false, or a cancel
  std::atomic<bool> hold_end = false;      ///< a run that is cancelled does not return until this is false
  std::atomic<bool> busy = false;     ///< runs stay in their verify stage until this is false; cancelled, it is ended
  std::atomic<bool> sensors = false;  ///< the device has some
  std::atomic<bool> hold_compile = false;  ///< runs stay in their compile stage until this is false, or a cancel
};

struct FakeSession final : Session {
  explicit FakeSession(std::shared_ptr<FakeWorld> world) : world_(std::move(world)) {}

  Result<std::vector<DeviceInfo>> devices() override {
    DeviceInfo gpu{.name = "Test GPU", .type = DeviceType::discrete_gpu, .driver = "test driver 1.0"};
    gpu.limits = {.max_shared_bytes = 49152, .core_count = 24};
    DeviceInfo cpu = gpu;
    cpu.index = 1;
    cpu.name = "Test CPU device";
    cpu.type = DeviceType::software;
    const DeviceInfo old{.index = 2, .name = "Old GPU", .unsuitable = "It has Vulkan 1.1; 1.3 is needed."};
    std::vector<DeviceInfo> all{gpu, cpu, old};
    if (!world_->twins) return all;
    all[0].device_uuid = "aa";
    all.push_back(all[0]);
    all[3].index = 3;
    all[3].device_uuid = "bb";
    return all;
  }

  Result<DeviceInfo> open(const std::string& selector) override {
    if (world_->open_fails) return Error{ErrorKind::device_lost, "The worker was killed by signal 9, twice."};
    const auto all = *devices();
    if (selector == "1" || selector == "cpu") return device_ = all[1];
    if (selector.empty() || selector == "0") return device_ = all[0];
    if (selector == "3" && all.size() > 3) return device_ = all[3];
    return unsupported("There is no device '" + selector + "'.");
  }

  Result<std::vector<VariantInfo>> load_variants(const std::vector<VariantSource>&) override {
    ++world_->loads;
    while (world_->hold_load) {
      if (world_->abandon->exchange(false)) return Error{ErrorKind::cancelled, "The worker was ended."};
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    if (world_->load_fails) return Error{ErrorKind::device_lost, "The worker was killed by signal 9."};
    VariantInfo tiled{.name = "tiled",
                      .title = "Flash tiling through shared memory",
                      .system = "A.v2",
                      .hash = "tiled-" + std::to_string(world_->shader),
                      .dtypes = {"f32", "f16"},
                      .parameters = {{"BLOCK_M", "query rows a workgroup", {16, 32, 64, 128}, 32},
                                     {"BLOCK_N", "key rows a step", {16, 32, 64}, 32}},
                      .configs = {{"small", "least memory", {{"BLOCK_M", 16}, {"BLOCK_N", 16}}}}};
    if (world_->syntax_error) tiled = {.name = "tiled", .error = "tiled/flash.comp:3: error: syntax error"};
    const VariantInfo naive{.name = "naive",
                            .title = "Three passes, scores in memory",
                            .parameters = {{"WG", "invocations a workgroup", {64, 128}, 64}}},
        matrix{.name = "matrix", .why_not = "It needs coopmat, which this device lacks."},
        broken{.name = "broken", .error = "broken/main.comp:12: error: 'x' : undeclared identifier"};
    infos_ = {tiled, naive, matrix, broken};
    if (world_->vanished) infos_.erase(infos_.begin());
    for (int i = 0; i < world_->more_variants; ++i) {
      infos_.push_back(naive);
      infos_.back().name = "extra-" + std::to_string(i);
    }
    return infos_;
  }

  Result<Inspection> inspect(const Problem& problem, const std::string& variant, const Config& config) override {
    Inspection i{.flops = problem_flops(problem), .bytes = problem_bytes(problem)};
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
    if (const VariantInfo* v = this->variant(variant))
      return ConfigChoice{default_config(*v), "default", How::as_asked, {}};
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
    const VariantInfo* v = variant(request.variant);
    if (v == nullptr || !v->error.empty()) return bad_input("The variant does not load.");
    Record r = make_record(request, *v, device_);
    if (request.variant == "naive") r.scratch_bytes = 4096, r.extra_bytes = 8192;
    if (world_->die_at_start.exchange(false)) {
      conclude(r, Outcome::error, "The worker was killed by signal 9; it was started again.");
      return r;
    }
    sink(Progress{"compile"});
    sink(RunBegan{std::make_shared<const Record>(r)});
    rest_while([&] { return world_->hold_compile && !cancel; });
    rest_while([&] { return world_->busy && !cancel; });
    if (world_->busy) {
      conclude(r, Outcome::cancelled, "The worker did not stop within 2 s of being asked to and was ended.");
      return r;
    }
    Verdict& verdict = r.verdict.emplace();
    verdict.pass = !world_->wrong_results && !world_->wrong_later;
    if (!verdict.pass) verdict.reason = "max abs error 0.5 is over 1e-5.";
    verdict.rows_checked = verdict.rows_total = 64;
    verdict.max_abs = verdict.pass ? 3.1e-7 : 0.5;
    verdict.allowed_max_abs = 1e-5;
    verdict.nmse = 4e-14;
    verdict.allowed_nmse = 1e-10;
    sink(verdict);
    if (!verdict.pass) {
      conclude(r, Outcome::failed_verdict);
      return r;
    }
    sink(ResourcesReady{{.shared_bytes = 16384, .compile_ms = 12.5, .compile = Compile::measured}});
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
      rest_while([&] { return world_->silent && !cancel; });
      SampleBatch batch;
      for (int i = 0; i < kBatch; ++i)
        batch.samples_ns.push_back(world_->sample_ms * 1e6 * world_->shader * spread(random));
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      r.samples_ns.insert(r.samples_ns.end(), batch.samples_ns.begin(), batch.samples_ns.end());
      sink(batch);
      if (world_->sensors && batches == 0)
        sink(Telemetry{"NVML", 2, 80, 412.5, 0.00193, 1755, 2619, 61, {{"power", 0.83}}});
      ++batches;
    }
    rest_while([&] { return bool(world_->hold_end); });
    conclude(r, cancel && !request.live ? Outcome::cancelled : Outcome::measured);
    return r;
  }

  /// Of tiled's twelve configs three need too much shared memory; 64, 16 gives wrong results; 64, 32 is the fastest.
  Result<SpaceBatch> plan_space(const Problem& problem, const std::string& variant, const SpaceRequest& request,
                                const std::atomic<bool>&) override {
    const VariantInfo* v = this->variant(variant);
    if (!v) return bad_input("There is no variant " + variant + ".");
    const ConfigProduct product(v->parameters);
    SpaceBatch batch{.size = product.size(), .first = request.first, .next = product.size(), .done = true};
    for (uint64_t i = batch.first; i < batch.size; ++i) {
      const std::string why = inspect(problem, variant, product.at(i))->why_not;
      if (why.empty())
        batch.legal.push_back(product.at(i));
      else if (batch.refused.size() < request.keep_refused)
        batch.refused.push_back({product.at(i), why});
    }
    return batch;
  }

  /// With wrong results one element of the last head fails.
  Result<ErrorMapAnswer> error_map(const ErrorMapRequest& request, const EventSink& sink,
                                   const std::atomic<bool>& cancel) override {
    sink(Progress{"reference"});
    ErrorMapAnswer answer;
    answer.record =
        make_record(RunRequest{request.problem, request.variant, request.config}, *variant(request.variant), device_);
    if (cancel) {
      conclude(answer.record, Outcome::cancelled);
      return answer;
    }
    const Problem& p = request.problem;
    Verdict& verdict = answer.record.verdict.emplace();
    verdict.pass = !world_->wrong_results;
    verdict.allowed_max_abs = 1e-5;
    verdict.allowed_nmse = 1e-10;
    verdict.rows_checked = verdict.rows_total = uint64_t{p.batch} * p.heads_q * p.seq_q;
    conclude(answer.record, verdict.pass ? Outcome::verified : Outcome::failed_verdict);
    ErrorMap& map = answer.map.emplace();
    map.batch = request.worst_head ? p.batch - 1 : request.batch;
    map.head = request.worst_head ? p.heads_q - 1 : request.head;
    map.queries = map.rows = p.seq_q;
    map.dims = map.columns = p.v_dim;
    map.rows_checked = p.seq_q;
    map.heads.assign(size_t{p.batch} * p.heads_q, 0.2);
    for (uint32_t i = 0; i < map.rows * map.columns; ++i) map.cells.push_back(double(i % 97) / 100);
    if (verdict.pass) return answer;
    map.heads.back() = 50;
    if (map.head != p.heads_q - 1) return answer;
    for (const uint32_t query : {3u, 7u}) {
      map.cells[query * map.columns + 5] = 50;
      map.first.push_back({map.batch, map.head, query, 5, 1.5, 1, 1e-2, ""});
    }
    map.failing = 2;
    map.worst = map.first_of_all = map.first.front();
    return answer;
  }

  Result<TrialsReport> trials(const TrialsRequest& request, const EventSink& sink,
                              const std::atomic<bool>& cancel) override {
    TrialsReport report;
    for (size_t i = 0; i < request.configs.size(); ++i) {
      sink(Progress{"sample"});
      rest_while([&] { return world_->trials >= world_->trials_allowed && !cancel; });
      if (cancel) break;
      ++world_->trials;
      Trial trial{.index = i, .config = request.configs[i]};
      if (world_->die_in_trial.exchange(false)) {
        trial.message = "The worker was killed by signal 9; it was started again.";
      } else if (const double ns = time_of(request.variant, trial.config); ns > 0) {
        trial.outcome = Outcome::measured;
        trial.median_ns = ns;
        trial.samples_ns.assign(5, ns);
      } else {
        trial.outcome = Outcome::failed_verdict;
        trial.message = "max abs error 0.5 is over 1e-5.";
      }
      ++report.done;
      report.measuring_ms += 1;
      report.wall_ms += 1;
      sink(TrialDone{trial});
    }
    return report;
  }

  Result<RaceResult> race(const RaceRequest& request, const EventSink&, const std::atomic<bool>&) override {
    RaceResult result;
    for (const RaceEntry& entry : request.entries) {
      const RunRequest run{request.problem, entry.variant, entry.config, request.protocol};
      Record& record = result.records.emplace_back(make_record(run, *variant(entry.variant), device_));
      record.samples_ns.assign(40, time_of(entry.variant, entry.config));
      conclude(record, Outcome::measured);
      result.turns.push_back({std::vector<uint32_t>(20, 2)});
    }
    return result;
  }

 private:
  static void rest_while(const std::function<bool()>& held) {
    while (held()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  const VariantInfo* variant(const std::string& name) const { return find_by(infos_, name, &VariantInfo::name); }
  double time_of(const std::string& variant, const Config& config) const {
    if (variant != "tiled") return 5e6;
    const int64_t m = config.at("BLOCK_M"), n = config.at("BLOCK_N");
    if (m == 64 && n == 16) return 0;
    return 1e6 * (1 + std::abs(std::log2(double(m) / 64)) + 0.5 * std::abs(std::log2(double(n) / 32)));
  }

  std::shared_ptr<FakeWorld> world_;
  DeviceInfo device_;
  std::vector<VariantInfo> infos_;
};

inline std::vector<WorkerThreadOptions> fake_links(const std::shared_ptr<FakeWorld>& world) {
  WorkerThreadOptions link;
  link.session = [world] { return std::make_unique<FakeSession>(world); };
  link.abandon = world->abandon;
  link.settle_s = 0.01;
  return {link};
}

}  // namespace attnscope::gui
