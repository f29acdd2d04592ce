// A Session in this process: the instance, one open device, its variants.

#include "engine/attention/parallel.hpp"
#include "engine/doctor/doctor.hpp"
#include "engine/peaks/measure.hpp"
#include "engine/platform/system.hpp"
#include "engine/session/peaks_store.hpp"
#include "engine/session/resources.hpp"
#include "engine/session/runner.hpp"
#include "engine/variant/planner.hpp"

namespace attnscope {
namespace {

constexpr size_t kInspectionsKept = 1024;

struct LoadedVariant {
  VariantSource source;
  std::optional<Variant> variant;
  std::string error;
};

/// Read by inspect() during a run: replaced as a whole, never changed.
struct Snapshot {
  DeviceInfo device;                   ///< its name is empty where no device is open
  std::optional<vulkan::Device> open;  ///< absent as long
  std::shared_ptr<const std::vector<LoadedVariant>> loaded = std::make_shared<std::vector<LoadedVariant>>();
};

Error no_device() { return bad_input("No device is open."); }

VariantInfo describe(const Variant& v, const DeviceInfo& device) {
  const Manifest& m = v.manifest;
  return {.name = v.name,
          .title = m.title,
          .summary = m.summary,
          .system = m.system,
          .hash = v.hash,
          .features = m.features,
          .dtypes = m.dtypes,
          .options = m.options,
          .parameters = v.parameters,
          .constraints = m.constraints,
          .supports = m.supports,
          .no_spills = m.no_spills,
          .configs = m.configs,
          .rank = m.rank,
          .why_not = device.name.empty() ? no_device().message : why_not(v, device),
          .error = {},
          .shadows = v.source.shadows};
}

Inspection look(const Planner& planner, const Problem& problem, const Config& config) {
  Inspection i;
  i.flops = problem_flops(problem);
  i.bytes = problem_bytes(problem);
  i.choices = parameter_choices(planner, config);
  Plan plan;
  if (const auto refused = planner.plan_with_advice(config, plan)) {
    i.why_not = refused->error.message;
    i.broken = refused->broken;
    Nearest nearest = nearest_legal(planner, config);
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
        compiler_(cache_folder("spirv"), options.on_endless_compile),
        peaks_store_(options.cache_dir) {}

  /// Containers of one machine share it, as they do its devices.
  std::string machine() override { return boot_id(); }

  Result<std::vector<DeviceInfo>> devices() override {
    vulkan::Instance instance = TRY(the_instance());
    return instance.devices();
  }

  Result<DeviceInfo> open(const std::string& selector) override {
    const std::lock_guard one(run_mutex_);
    vulkan::Instance instance = TRY(the_instance());
    vulkan::DeviceOptions device_options;
    if (!options_.cache_dir.empty()) device_options.cache_dir = options_.cache_dir;
    device_options.compile_only = options_.compile_only;
    vulkan::Device device = TRY(vulkan::Device::open(instance, selector, device_options));
    runner_.reset();
    peaks_note_.clear();
    peaks_.reset();
    if (device.info().use == DeviceUse::run) {
      runner_ = std::make_unique<Runner>(device, options_.clock, options_.sensors);
      peaks_ = peaks_store_.load(device.info(), peaks_note_);
    }
    const std::lock_guard lock(state_mutex_);
    now_.device = device.info();
    now_.open = device;
    inspections_.clear();
    return now_.device;
  }

  Result<std::vector<VariantInfo>> load_variants(const std::vector<VariantSource>& sources) override {
    const std::lock_guard one(run_mutex_);
    auto loaded = std::make_shared<std::vector<LoadedVariant>>(sources.size());
    parallel_for(sources.size(), 1, [&](size_t i, size_t) {
      LoadedVariant& l = (*loaded)[i];
      l.source = sources[i];
      Result<Variant> variant = load_variant(sources[i], compiler_);
      if (variant)
        l.variant = std::move(*variant);
      else
        l.error = variant.error().message;
    });
    const std::lock_guard lock(state_mutex_);
    now_.loaded = std::move(loaded);
    inspections_.clear();
    return mapped(*now_.loaded, [&](const LoadedVariant& l) {
      if (l.variant) return describe(*l.variant, now_.device);
      VariantInfo broken;
      broken.name = l.source.name;
      broken.error = l.error;
      broken.shadows = l.source.shadows;
      return broken;
    });
  }

  Result<Inspection> inspect(const Problem& problem, const std::string& name, const Config& config) override {
    const std::string key = name + "|" + to_text(problem) + "|" + to_text(config);
    Snapshot now;
    {
      const std::lock_guard lock(state_mutex_);
      if (const Inspection* known = find_at(inspections_, key)) return *known;
      now = now_;
    }
    const Variant& variant = *TRY(find(now, name, problem));
    Inspection inspection = look(Planner(variant, problem, now.device, compiler_), problem, whole(variant, config));
    const std::lock_guard lock(state_mutex_);
    if (now.loaded == now_.loaded && now.device == now_.device) {
      if (inspections_.size() == kInspectionsKept) inspections_.clear();
      inspections_[key] = inspection;
    }
    return inspection;
  }

  Result<ConfigChoice> choose_config(const Problem& problem, const std::string& name,
                                     const std::string& text) override {
    const Snapshot now = snapshot();
    return attnscope::choose_config(Planner(*TRY(find(now, name, problem)), problem, now.device, compiler_), text);
  }

  Result<std::vector<VariantRank>> rank_variants(const Problem& problem) override {
    const Snapshot now = snapshot();
    if (now.device.name.empty()) return no_device();
    TRY(check_problem(problem));
    std::vector<VariantRank> ranks;
    for (const LoadedVariant& l : *now.loaded)
      if (l.variant) {
        ranks.push_back(rank_of(*l.variant, problem, now.device));
        if (ranks.back().why_not.empty())
          ranks.back().configs = work_of_named_configs(Planner(*l.variant, problem, now.device, compiler_));
      }
    std::ranges::stable_sort(ranks, [](const VariantRank& a, const VariantRank& b) {
      if (a.why_not.empty() != b.why_not.empty()) return a.why_not.empty();
      return a.rank > b.rank;
    });
    return ranks;
  }

  Result<SpaceBatch> plan_space(const Problem& problem, const std::string& name, const SpaceRequest& request,
                                const Cancel& cancel) override {
    const Snapshot now = snapshot();
    const Variant* variant = TRY(find(now, name, problem));
    return attnscope::plan_space(*variant, problem, now.device, compiler_, request, &cancel);
  }

  Result<std::vector<ShaderText>> shader_texts(const TextRequest& request) override {
    const Snapshot now = snapshot();
    const Variant& variant = *TRY(find(now, request.variant, request.problem));
    const Plan plan = TRY(make_plan(variant, request.problem, whole(variant, request.config), now.device, compiler_));
    return attnscope::shader_texts(*now.open, plan);
  }

  Result<Record> run(const RunRequest& request, const EventSink& sink, const Cancel& cancel) override {
    const bool executes = request.verify || request.measure;
    const auto work = [&](const Snapshot& now, EventStream& events) -> Result<Record> {
      const Variant& variant = *TRY(find(now, request.variant, request.problem));
      if (executes) TRY(check_request(request));
      events.stage("compile");
      Record record;
      const std::optional<Plan> plan = begin(now, variant, request, executes ? peaks_ : std::nullopt, record);
      if (!plan) return record;
      if (!executes) {
        conclude(record, compile(now, *plan, events, record));
        return record;
      }
      runner_->run(*plan, request, events, cancel, record);
      name_key_tile(variant, now.device, record);
      return record;
    };
    return with_device(sink, &request.problem, work, executes);
  }

  Result<RaceResult> race(const RaceRequest& request, const EventSink& sink, const Cancel& cancel) override {
    return with_device(sink, &request.problem, [&](const Snapshot& now, EventStream& events) -> Result<RaceResult> {
      events.stage("compile");
      RaceResult result;
      std::vector<std::optional<Plan>> plans;
      for (const RaceEntry& entry : request.entries) {
        const Variant& variant = *TRY(find(now, entry.variant, request.problem));
        RunRequest run{.problem = request.problem,
                       .variant = entry.variant,
                       .config = entry.config,
                       .protocol = request.protocol,
                       .seed = request.seed};
        plans.push_back(begin(now, variant, run, {}, result.records.emplace_back()));
      }
      TRY(runner_->race(plans, request, events, cancel, result));
      return result;
    });
  }

  Result<TrialsReport> trials(const TrialsRequest& request, const EventSink& sink, const Cancel& cancel) override {
    return with_device(sink, &request.problem, [&](const Snapshot& now, EventStream& events) -> Result<TrialsReport> {
      std::vector<std::shared_ptr<const Variant>> variants;
      variants.emplace_back(now.loaded, TRY(find(now, request.variant, request.problem)));
      for (const ConfigsOfVariant& later : request.next)
        variants.emplace_back(now.loaded, TRY(find(now, later.variant, later.problem)));
      return runner_->trials(variants, request, compiler_, events, cancel);
    });
  }

  Result<NeighbourPlans> plan_neighbours(const Problem& problem, const std::string& name,
                                         const Config& config) override {
    const Snapshot now = snapshot();
    const Variant& variant = *TRY(find(now, name, problem));
    return attnscope::plan_neighbours(Planner(variant, problem, now.device, compiler_), whole(variant, config));
  }

  Result<PeaksAnswer> peaks(const PeaksRequest& request, const EventSink& sink, const Cancel& cancel) override {
    return with_device(sink, nullptr, [&](const Snapshot&, EventStream& events) -> Result<PeaksAnswer> {
      const vulkan::Device& device = runner_->device();
      PeaksAnswer answer;
      answer.note = std::exchange(peaks_note_, {});
      if (request.measure && (request.again || !peaks_)) {
        Peaks measured = TRY(peaks::measure(
            device, peaks::usual_effort(device.info()), [&](const std::string& stage) { events.stage(stage); },
            events.wait(cancel)));
        if (const std::string why = objection(); !why.empty()) return internal_error(why);
        measured.time_utc = stamp(device.info()).time_utc;
        peaks_ = std::move(measured);
        answer.measured = true;
        if (const std::string why = peaks_store_.store(device.info(), *peaks_); !why.empty())
          answer.note += (answer.note.empty() ? "" : " ") + why;
      }
      answer.peaks = peaks_;
      return answer;
    });
  }

  Result<ErrorMapAnswer> error_map(const ErrorMapRequest& request, const EventSink& sink,
                                   const Cancel& cancel) override {
    return with_device(sink, &request.problem, [&](const Snapshot& now, EventStream& events) -> Result<ErrorMapAnswer> {
      const Variant& variant = *TRY(find(now, request.variant, request.problem));
      TRY(check_request(request));
      const RunRequest run{
          .problem = request.problem, .variant = request.variant, .config = request.config, .seed = request.seed};
      events.stage("compile");
      ErrorMapAnswer answer;
      if (const std::optional<Plan> plan = begin(now, variant, run, {}, answer.record))
        conclude(answer.record, runner_->error_map(*plan, request, events, cancel, answer));
      return answer;
    });
  }

  Result<CheckResult> check(const CheckRequest& request, const EventSink& sink, const Cancel& cancel) override {
    return with_device(sink, nullptr, [&](const Snapshot&, EventStream& events) -> Result<CheckResult> {
      events.stage("verify");
      return doctor::examine(runner_->device(), request.check, request.fault, events.wait(cancel));
    });
  }

 private:
  /// Empty: nothing is kept.
  std::filesystem::path cache_folder(const char* name) const {
    return options_.cache_dir.empty() ? std::filesystem::path() : std::filesystem::path(options_.cache_dir) / name;
  }

  /// Names the tile of the key that a NaN comes with, if the manifest has tiles.
  void name_key_tile(const Variant& variant, const DeviceInfo& device, Record& record) {
    const std::string& tile = variant.manifest.tiles.key;
    if (!record.verdict || !record.verdict->not_finite || !record.verdict->not_finite->key || tile.empty()) return;
    const Planner planner(variant, record.problem, device, compiler_);
    const Result<double> keys = planner.value(tile, record.config);
    if (!keys || !(*keys >= 1 && *keys <= 1e6)) return;
    const auto of = uint32_t(*keys);
    const uint32_t n = *record.verdict->not_finite->key / of;
    record.verdict->reason += fmt::format(" That is tile {} of {} keys, {} to {}.", n, of, n * of,
                                          std::min((n + 1) * of, std::max(record.problem.seq_kv, n * of + 1)) - 1);
  }

  Result<Outcome> compile(const Snapshot& now, const Plan& plan, EventStream& events, Record& record) const {
    record.resources = TRY(compiled_resources(*now.open, plan, FileCache(cache_folder("compiled")), events));
    return Outcome::compiled;
  }

  /// What every use of the device has in common: one at a time, with what is loaded, and an error where the validation
  /// layers object; of a run that is its outcome. `problem` nullptr: it is of none. What does not execute may be on a
  /// device that only compiles.
  template <class Work>
  auto with_device(const EventSink& sink, const Problem* problem, const Work& work, bool executes = true)
      -> std::invoke_result_t<Work, const Snapshot&, EventStream&> {
    const std::lock_guard one(run_mutex_);
    if (const DeviceInfo device = snapshot().device; device.name.empty() || (executes && !runner_))
      return device.name.empty() ? no_device() : unsupported(why_not_run(device));
    if (executes && problem && runner_->device().lost())
      return device_lost("The device was lost in an earlier run; open it again, best in a new process.");
    if (problem) TRY(check_problem(*problem));
    (void)instance_->take_validation_messages();
    EventStream events(sink);
    auto result = work(snapshot(), events);
    const std::string why = objection();
    if (why.empty() || !result) return result;
    if constexpr (std::is_same_v<decltype(result), Result<Record>>) {
      result->message.clear();
      conclude(*result, Outcome::error, why);
      return result;
    } else {
      return internal_error(why);
    }
  }
  std::string objection() {
    const std::vector<std::string> messages = instance_->take_validation_messages();
    return messages.empty() ? ""
                            : fmt::format("The validation layers have {} objections, the first: {}", messages.size(),
                                          messages.front());
  }

  /// Makes the record of a run, and its plan, which the record tells of; where there is none it says why.
  std::optional<Plan> begin(const Snapshot& now, const Variant& variant, const RunRequest& request,
                            const std::optional<Peaks>& peaks, Record& record) {
    record = make_record(request, describe(variant, now.device), now.device);
    record.environment.peaks = peaks;
    Result<Plan> plan = make_plan(variant, request.problem, record.config, now.device, compiler_);
    if (!plan) {
      conclude(record, plan.error());
      return std::nullopt;
    }
    record_plan(*plan, record);
    return std::move(*plan);
  }

  Result<vulkan::Instance> the_instance() {
    const std::lock_guard lock(instance_mutex_);
    if (instance_) return *instance_;
    Result<vulkan::Instance> made = vulkan::Instance::create({options_.validation, !options_.compile_only});
    if (made) instance_ = *made;
    return made;
  }

  Snapshot snapshot() {
    const std::lock_guard lock(state_mutex_);
    return now_;
  }

  /// A variant that did load, for a problem that can be and an open device.
  static Result<const Variant*> find(const Snapshot& now, const std::string& name, const Problem& problem) {
    if (now.device.name.empty()) return no_device();
    for (const LoadedVariant& l : *now.loaded) {
      if (l.source.name == name && l.variant) {
        TRY(check_problem(problem));
        return &*l.variant;
      }
      if (l.source.name == name) return bad_input("The variant '{}' does not load: {}", name, l.error);
    }
    const std::string known = joined(*now.loaded, ", ", [](const LoadedVariant& l) { return l.source.name; });
    return bad_input("There is no variant '{}'; loaded are: {}.", name, known.empty() ? "none" : known);
  }

  /// Parameters that the config leaves out are at their defaults.
  static Config whole(const Variant& v, const Config& config) { return full_config(v, {"", "", config}); }

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
  std::map<std::string, Inspection> inspections_;
};

}  // namespace

std::unique_ptr<Session> make_local_session(const SessionOptions& options) {
  return std::make_unique<LocalSession>(options);
}

}  // namespace attnscope
