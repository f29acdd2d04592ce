// A Session in this process: the instance, one open device, its variants.
#include <algorithm>
#include <filesystem>
#include <list>
#include <mutex>
#include <thread>

#include <fmt/format.h>

#include "engine/peaks/measure.hpp"
#include "engine/session/error_map.hpp"
#include "engine/session/peaks_store.hpp"
#include "engine/session/request_run.hpp"
#include "engine/session/runner.hpp"
#include "engine/session/session.hpp"
#include "engine/session/stamp.hpp"
#include "engine/variant/planner.hpp"
#include "engine/vulkan/device.hpp"

namespace attnscope {
namespace {

constexpr size_t kInspectionsKept = 1024;

struct Loaded {
  VariantSource source;
  std::optional<Variant> variant;
  std::string error;
};

/// What inspect() reads while a run goes on: replaced as a whole, never changed.
struct Snapshot {
  DeviceInfo device;
  std::shared_ptr<const std::vector<Loaded>> loaded = std::make_shared<std::vector<Loaded>>();
};

VariantInfo describe(const Loaded& loaded, const DeviceInfo& device) {
  VariantInfo info;
  info.name = loaded.source.name;
  info.error = loaded.error;
  info.shadows = loaded.source.shadows;
  if (!loaded.variant) return info;
  const Variant& v = *loaded.variant;
  const Manifest& m = v.manifest;
  info.title = m.title;
  info.summary = m.summary;
  info.system = m.system;
  info.hash = v.hash;
  info.features = m.features;
  info.dtypes = m.dtypes;
  info.options = m.options;
  info.parameters = v.parameters;
  info.constraints = m.constraints;
  info.supports = m.supports;
  info.configs = m.configs;
  info.rank = m.rank;
  info.why_not = why_not(v, device);
  return info;
}

Inspection look(const Variant& v, const Problem& problem, const Config& config, const DeviceInfo& device,
                Compiler& compiler) {
  Inspection i;
  i.flops = problem_flops(problem);
  i.bytes = problem_bytes(problem);
  i.choices = parameter_choices(v, problem, config, device, compiler);
  Plan plan;
  if (const auto refused = Planner(v, problem, device, compiler).plan_with_advice(config, plan)) {
    i.why_not = refused->error.message;
    i.broken = refused->broken;
    Nearest nearest = nearest_legal(v, problem, config, device, compiler);
    i.nearest = std::move(nearest.config);
    if (nearest.end != Nearest::End::found) i.no_nearest = nearest.why.message;
    return i;
  }
  i.nearest = config;
  i.shared_bytes = plan.shared_bytes;
  i.private_bytes = plan.private_bytes;
  i.scratch_bytes = plan.scratch_bytes;
  i.extra_bytes = plan.extra_bytes;
  i.precision = plan.precision;
  for (const PlanPass& pass : plan.passes) {
    i.grids.push_back(pass.grid);
    i.local_sizes.push_back(pass.facts.local_size);
  }
  return i;
}

class LocalSession final : public Session {
 public:
  explicit LocalSession(const SessionOptions& options)
      : options_(options),
        compiler_(
            options.cache_dir.empty() ? std::filesystem::path() : std::filesystem::path(options.cache_dir) / "spirv",
            options.on_endless_compile),
        peaks_store_(options.cache_dir) {}

  std::string machine() override { return running_machine(); }

  Result<std::vector<DeviceInfo>> devices() override {
    Result<vulkan::Instance> instance = the_instance();
    if (!instance) return instance.error();
    return instance->devices();
  }

  Result<DeviceInfo> open(const std::string& selector) override {
    const std::lock_guard one(run_mutex_);
    Result<vulkan::Instance> instance = the_instance();
    if (!instance) return instance.error();
    vulkan::DeviceOptions device_options;
    if (!options_.cache_dir.empty()) device_options.cache_dir = options_.cache_dir;
    Result<vulkan::Device> device = vulkan::Device::open(*instance, selector, device_options);
    if (!device) return device.error();
    runner_ = std::make_unique<Runner>(*device, options_.clock);
    peaks_note_.clear();
    peaks_ = peaks_store_.load(device->info(), peaks_note_);
    const std::lock_guard lock(state_mutex_);
    now_.device = device->info();
    inspections_.clear();
    return now_.device;
  }

  Result<std::vector<VariantInfo>> load_variants(const std::vector<VariantSource>& sources) override {
    const std::lock_guard one(run_mutex_);
    auto loaded = std::make_shared<std::vector<Loaded>>(sources.size());
    std::atomic<size_t> next{0};
    const auto work = [&] {
      for (size_t i = next++; i < sources.size(); i = next++) load((*loaded)[i], sources[i]);
    };
    std::vector<std::thread> helpers;
    for (unsigned i = 1; i < std::min<size_t>(std::thread::hardware_concurrency(), sources.size()); ++i)
      helpers.emplace_back(work);
    work();
    for (std::thread& t : helpers) t.join();
    return take(std::move(loaded));
  }

  Result<std::vector<VariantInfo>> load_one_by_one(const std::vector<VariantSource>& sources,
                                                   const std::function<void(const std::string&)>& begin) override {
    const std::lock_guard one(run_mutex_);
    auto loaded = std::make_shared<std::vector<Loaded>>(sources.size());
    for (size_t i = 0; i < sources.size(); ++i) {
      begin(sources[i].name);
      load((*loaded)[i], sources[i]);
    }
    return take(std::move(loaded));
  }

  Result<Inspection> inspect(const Problem& problem, const std::string& name, const Config& config) override {
    const std::string key = name + "|" + to_text(problem) + "|" + to_text(config);
    Snapshot now;
    {
      const std::lock_guard lock(state_mutex_);
      for (auto it = inspections_.begin(); it != inspections_.end(); ++it)
        if (it->first == key) {
          inspections_.splice(inspections_.begin(), inspections_, it);
          return it->second;
        }
      now = now_;
    }
    Result<const Loaded*> found = find(now, name);
    if (!found) return found.error();
    if (Result<void> ok = check_problem(problem); !ok) return ok.error();
    const Variant& variant = *(*found)->variant;
    Inspection inspection = look(variant, problem, whole(variant, config), now.device, compiler_);
    const std::lock_guard lock(state_mutex_);
    if (now.loaded == now_.loaded && now.device == now_.device) {
      inspections_.emplace_front(key, inspection);
      if (inspections_.size() > kInspectionsKept) inspections_.pop_back();
    }
    return inspection;
  }

  Result<ConfigChoice> choose_config(const Problem& problem, const std::string& name,
                                     const std::string& text) override {
    const Snapshot now = snapshot();
    Result<const Loaded*> found = find(now, name);
    if (!found) return found.error();
    if (Result<void> ok = check_problem(problem); !ok) return ok.error();
    return attnscope::choose_config(*(*found)->variant, problem, text, now.device, compiler_);
  }

  Result<std::vector<VariantRank>> rank_variants(const Problem& problem) override {
    const Snapshot now = snapshot();
    if (Result<void> ok = check_problem(problem); !ok) return ok.error();
    std::vector<VariantRank> ranks;
    for (const Loaded& l : *now.loaded)
      if (l.variant) ranks.push_back(rank_of(*l.variant, problem, now.device));
    std::stable_sort(ranks.begin(), ranks.end(), [](const VariantRank& a, const VariantRank& b) {
      if (a.why_not.empty() != b.why_not.empty()) return a.why_not.empty();
      return a.rank > b.rank;
    });
    return ranks;
  }

  Result<SpaceBatch> plan_space(const Problem& problem, const std::string& name, const SpaceRequest& request,
                                const std::atomic<bool>& cancel) override {
    const Snapshot now = snapshot();
    Result<const Loaded*> found = find(now, name);
    if (!found) return found.error();
    if (Result<void> ok = check_problem(problem); !ok) return ok.error();
    return attnscope::plan_space(*(*found)->variant, problem, now.device, compiler_, request, &cancel);
  }

  Result<Record> run(const RunRequest& request, const EventSink& sink, const std::atomic<bool>& cancel) override {
    const std::lock_guard one(run_mutex_);
    if (!runner_) return bad_input("No device is open.");
    if (runner_->device().lost())
      return Error{ErrorKind::device_lost,
                   "The device was lost in an earlier run; open it again, best in a new process."};
    Snapshot now;
    {
      const std::lock_guard lock(state_mutex_);
      now = now_;
    }
    Result<const Loaded*> found = find(now, request.variant);
    if (!found) return found.error();
    if (Result<void> ok = check_problem(request.problem); !ok) return ok.error();
    if (Result<void> ok = check_request(request); !ok) return ok.error();

    const Variant& variant = *(*found)->variant;
    Run begun = run_of(request, describe(**found, now.device), now.device);
    begun.environment.peaks = peaks_;
    Record record = make_record(begun);
    EventStream events(sink);
    events.stage("compile");
    Result<Plan> plan = make_plan(variant, request.problem, record.config, now.device, compiler_);
    if (!plan) {
      conclude(record, outcome_of(plan.error().kind), plan.error().message);
      return record;
    }
    (void)instance_->take_validation_messages();
    runner_->run(*plan, request, events, cancel, record);
    if (const std::vector<std::string> said = instance_->take_validation_messages(); !said.empty()) {
      record.message.clear();
      conclude(record, Outcome::error,
               fmt::format("The validation layers have {} objections, the first: {}", said.size(), said.front()));
    }
    return record;
  }

  Result<RaceResult> race(const RaceRequest& request, const EventSink& sink, const std::atomic<bool>& cancel) override {
    const std::lock_guard one(run_mutex_);
    Result<Snapshot> now = ready_for(request.problem);
    if (!now) return now.error();
    EventStream events(sink);
    events.stage("compile");
    RaceResult result;
    std::vector<std::optional<Plan>> plans;
    for (const RaceEntry& entry : request.entries) {
      Result<const Loaded*> found = find(*now, entry.variant);
      if (!found) return found.error();
      RunRequest run;
      run.problem = request.problem;
      run.variant = entry.variant;
      run.config = entry.config;
      run.protocol = request.protocol;
      run.seed = request.seed;
      Record record = make_record(run_of(run, describe(**found, now->device), now->device));
      Result<Plan> plan = make_plan(*(*found)->variant, request.problem, record.config, now->device, compiler_);
      if (!plan) conclude(record, outcome_of(plan.error().kind), plan.error().message);
      plans.push_back(plan ? std::optional(std::move(*plan)) : std::nullopt);
      result.records.push_back(std::move(record));
    }
    (void)instance_->take_validation_messages();
    if (Result<void> raced = runner_->race(plans, request, events, cancel, result); !raced) return raced.error();
    if (const std::vector<std::string> said = instance_->take_validation_messages(); !said.empty())
      return internal_error(
          fmt::format("The validation layers have {} objections, the first: {}", said.size(), said.front()));
    return result;
  }

  Result<TrialsReport> trials(const TrialsRequest& request, const EventSink& sink,
                              const std::atomic<bool>& cancel) override {
    const std::lock_guard one(run_mutex_);
    Result<Snapshot> now = ready_for(request.problem);
    if (!now) return now.error();
    Result<const Loaded*> found = find(*now, request.variant);
    if (!found) return found.error();
    EventStream events(sink);
    (void)instance_->take_validation_messages();
    Result<TrialsReport> report = runner_->trials(*(*found)->variant, request, compiler_, events, cancel);
    if (const std::vector<std::string> said = instance_->take_validation_messages(); !said.empty())
      return internal_error(
          fmt::format("The validation layers have {} objections, the first: {}", said.size(), said.front()));
    return report;
  }

  Result<Surroundings> look_around(const Problem& problem, const std::string& name, const Config& config) override {
    const Snapshot now = snapshot();
    Result<const Loaded*> found = find(now, name);
    if (!found) return found.error();
    if (Result<void> ok = check_problem(problem); !ok) return ok.error();
    const Variant& variant = *(*found)->variant;
    return attnscope::look_around(variant, problem, whole(variant, config), now.device, compiler_);
  }

  Result<PeaksAnswer> peaks(const PeaksRequest& request, const EventSink& sink,
                            const std::atomic<bool>& cancel) override {
    const std::lock_guard one(run_mutex_);
    if (!runner_) return bad_input("No device is open.");
    const vulkan::Device& device = runner_->device();
    PeaksAnswer answer;
    answer.note = std::exchange(peaks_note_, {});
    if (request.measure && (request.again || !peaks_)) {
      peaks::Effort effort = peaks::usual_effort(device.info());
      if (request.warmup_ms > 0) effort.warmup_ms = request.warmup_ms;
      if (request.target_ms > 0) effort.target_ms = request.target_ms;
      if (request.copy_bytes > 0) effort.copy_bytes = request.copy_bytes;
      EventStream events(sink);
      const vulkan::Wait wait = events.wait(cancel);
      (void)instance_->take_validation_messages();
      Result<Peaks> measured = peaks::measure(
          device, effort, [&](const std::string& stage) { events.stage(stage); }, wait);
      if (!measured) return measured.error();
      if (const std::vector<std::string> said = instance_->take_validation_messages(); !said.empty())
        return internal_error(
            fmt::format("The validation layers have {} objections, the first: {}", said.size(), said.front()));
      measured->time_utc = stamp(device.info()).time_utc;
      peaks_ = std::move(*measured);
      answer.measured = true;
      if (const std::string why = peaks_store_.store(device.info(), *peaks_); !why.empty())
        answer.note += (answer.note.empty() ? "" : " ") + why;
    }
    answer.peaks = peaks_;
    return answer;
  }

  Result<ErrorMapAnswer> error_map(const ErrorMapRequest& request, const EventSink& sink,
                                   const std::atomic<bool>& cancel) override {
    const std::lock_guard one(run_mutex_);
    Result<Snapshot> now = ready_for(request.problem);
    if (!now) return now.error();
    Result<const Loaded*> found = find(*now, request.variant);
    if (!found) return found.error();
    if (Result<void> ok = check_request(request); !ok) return ok.error();
    RunRequest run;
    run.problem = request.problem;
    run.variant = request.variant;
    run.config = request.config;
    run.seed = request.seed;
    ErrorMapAnswer answer;
    answer.record = make_record(run_of(run, describe(**found, now->device), now->device));
    EventStream events(sink);
    events.stage("compile");
    Result<Plan> plan = make_plan(*(*found)->variant, request.problem, answer.record.config, now->device, compiler_);
    if (!plan) {
      conclude(answer.record, outcome_of(plan.error().kind), plan.error().message);
      return answer;
    }
    (void)instance_->take_validation_messages();
    runner_->error_map(*plan, request, events, cancel, answer);
    if (const std::vector<std::string> said = instance_->take_validation_messages(); !said.empty())
      return internal_error(
          fmt::format("The validation layers have {} objections, the first: {}", said.size(), said.front()));
    return answer;
  }

 private:
  /// What is loaded, for work on this problem; runs one at a time.
  Result<Snapshot> ready_for(const Problem& problem) {
    if (!runner_) return bad_input("No device is open.");
    if (runner_->device().lost())
      return Error{ErrorKind::device_lost,
                   "The device was lost in an earlier run; open it again, best in a new process."};
    if (Result<void> ok = check_problem(problem); !ok) return ok.error();
    return snapshot();
  }

  void load(Loaded& l, const VariantSource& source) {
    l.source = source;
    Result<Variant> variant = load_variant(source, compiler_);
    if (variant)
      l.variant = std::move(*variant);
    else
      l.error = variant.error().message;
  }

  /// Makes what was loaded the set of variants.
  std::vector<VariantInfo> take(std::shared_ptr<const std::vector<Loaded>> loaded) {
    const std::lock_guard lock(state_mutex_);
    now_.loaded = std::move(loaded);
    inspections_.clear();
    std::vector<VariantInfo> infos;
    for (const Loaded& l : *now_.loaded) infos.push_back(describe(l, now_.device));
    return infos;
  }

  Result<vulkan::Instance> the_instance() {
    const std::lock_guard lock(instance_mutex_);
    if (instance_) return *instance_;
    Result<vulkan::Instance> made = vulkan::Instance::create({options_.validation});
    if (made) instance_ = *made;
    return made;
  }

  Snapshot snapshot() {
    const std::lock_guard lock(state_mutex_);
    return now_;
  }

  /// A variant that did load.
  static Result<const Loaded*> find(const Snapshot& now, const std::string& name) {
    std::string known;
    for (const Loaded& l : *now.loaded) {
      if (l.source.name == name && l.variant) return &l;
      if (l.source.name == name) return bad_input(fmt::format("The variant '{}' does not load: {}", name, l.error));
      known += (known.empty() ? "" : ", ") + l.source.name;
    }
    return bad_input(fmt::format("There is no variant '{}'; loaded are: {}.", name, known.empty() ? "none" : known));
  }

  /// Parameters that the config leaves out are at their defaults.
  static Config whole(const Variant& v, const Config& config) {
    Config full = default_config(v);
    for (const auto& [key, value] : config) full[key] = value;
    return full;
  }

  const SessionOptions options_;
  Compiler compiler_;
  std::mutex run_mutex_;  ///< one open, load or run at a time; the first lock to take
  std::mutex instance_mutex_;
  std::optional<vulkan::Instance> instance_;
  std::unique_ptr<Runner> runner_;
  const PeaksStore peaks_store_;
  std::optional<Peaks> peaks_;  ///< of the open device; this and the next under run_mutex_
  std::string peaks_note_;
  std::mutex state_mutex_;
  Snapshot now_;
  std::list<std::pair<std::string, Inspection>> inspections_;  ///< most recent first
};

}  // namespace

std::unique_ptr<Session> make_local_session(const SessionOptions& options) {
  return std::make_unique<LocalSession>(options);
}

}  // namespace attnscope
