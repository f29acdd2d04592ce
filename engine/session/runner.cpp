#include "engine/session/runner.hpp"

#include <ctime>

#include <fmt/chrono.h>

#include "engine/attention/layout.hpp"
#include "engine/attention/parallel.hpp"
#include "engine/session/resources.hpp"

namespace attnscope {
namespace {

/// Host and device memory together, for inputs and references.
constexpr uint64_t kWorkloadBudget = uint64_t{2} << 30;
constexpr size_t kResourcesKept = 256;
/// Some dozens of executions of this length still answer a cancel in time.
constexpr double kPromptNs = 20e6;
/// Double-precision work for the rows of one head of an error map, for each thread of this machine.
constexpr double kHeadFlops = 2e8;

}  // namespace

Runner::Runner(const vulkan::Device& device, std::function<double()> clock, std::shared_ptr<telemetry::Source> sensors)
    : device_(device),
      sensors_(std::move(sensors)),
      sensors_known_(sensors_ || device.is_software()),
      workloads_(device_, kWorkloadBudget),
      clock_(device_, false, std::move(clock)) {}

telemetry::Source* Runner::sensors() {
  if (!sensors_known_)
    sensors_ = telemetry::find_source({device_.info().vendor_id, device_.info().device_uuid, device_.pci_address()});
  sensors_known_ = true;
  return sensors_.get();
}

void Runner::run(const Plan& plan, const RunRequest& request, EventStream& events, const Cancel& cancel,
                 Record& record) {
  stop_compiling();
  events.emit(RunBegan{std::make_shared<const Record>(record)});
  // Drift and an unsettled warm-up are fields of the record: whoever shows it says so.
  conclude(record, carry_out(plan, request, events, cancel, record));
  // They were told as they came: whoever drags a value waits for no second copy of a long run.
  if (request.live) record.samples_ns.clear();
}

Result<double> Runner::first_run(const Plan& plan, const RunRequest& request, PreparedPlan& prepared, Workload& work,
                                 EventStream& events, const vulkan::Wait& wait, Record& record) {
  if (request.verify) {
    events.stage("reference");
    prepared.references = TRY(references_of(work, plan.precision, *wait.cancel));
  }
  events.stage("verify");
  const Judge judge{plan, prepared, work, wait, record};
  const double ns = TRY(judge.first(events));
  // A wrong result stays wrong, whether its key is found or not.
  if (Result<void> found = judge.find_key(ns); !found && found.error().kind == ErrorKind::device_lost)
    return found.error();
  return ns;
}

Result<Runner::Ready> Runner::make_ready(const Plan& plan, const RunRequest& request, Workload& work,
                                         EventStream& events, const vulkan::Wait& wait, Record& record) {
  // Work that may be long is first tried piece by piece; what is then timed is verified again in its own form.
  bool sliceable = may_be_long(device_.info(), record.flops);
  PreparedPlan prepared = TRY(prepare(plan, TRY(pipelines_of(device_, plan, sliceable)), work, wait));
  double ns = TRY(first_run(plan, request, prepared, work, events, wait, record));
  const uint32_t slices = slices_for(ns);
  if (sliceable && slices == 1 && request.measure && !record.wrong()) {
    events.stage("compile");
    prepared = TRY(prepare(plan, TRY(pipelines_of(device_, plan, false)), work, wait));
    ns = TRY(first_run(plan, request, prepared, work, events, wait, record));
    sliceable = false;
  }
  return Ready{std::move(prepared), ns, sliceable ? slices : 1};
}

Result<Outcome> Runner::carry_out(const Plan& plan, const RunRequest& request, EventStream& events,
                                  const Cancel& cancel, Record& record) {
  const vulkan::Wait wait = events.wait(cancel);
  events.stage("compile");
  // The workload comes before the pipelines need it, and under the stage whose silence the watcher forgives.
  std::shared_ptr<Workload> found = TRY(untouched(workloads_, plan.problem, request.seed, wait));
  Workload& work = *found;
  Ready ready = TRY(make_ready(plan, request, work, events, wait, record));
  PreparedPlan& prepared = ready.prepared;
  const Judge judge{plan, prepared, work, wait, record};
  // What is timed with an end is judged again after it; a live run now, and as it goes on.
  TimedRuns timed;
  if (record.verdict && !record.wrong() && (request.live || !request.measure)) TRY(judge.again(timed));
  if (record.verdict) events.emit(*record.verdict);
  if (record.wrong()) {
    // A kernel that writes where it must not may have changed the inputs.
    workloads_.forget(found);
    return Outcome::failed_verdict;
  }
  const auto ask_resources = [&]() -> Result<void> {
    if (!request.resources) return {};
    events.stage("resources");
    Resources r = TRY(resources_of(plan, events));
    record.resources = r;
    events.emit(ResourcesReady{r});
    return {};
  };
  // A live run has no end to ask them at.
  if (request.live || !request.measure) TRY(ask_resources());
  if (!request.measure) return Outcome::verified;
  Sampling sampling =
      TRY(Sampling::create(device_, prepared.execution, request.protocol, ready.first_ns, ready.slices, wait));
  timed.sampling = &sampling;
  TRY(judge.watch(sampling));
  bool check_broke_off = false, was_busy = false;
  const auto judge_again = [&]() -> Result<bool> {
    if (!record.verdict || record.samples_ns.empty()) return true;
    timed.executions = record.samples_ns.size() * record.dispatches_per_sample;
    timed.typical_ns = summarize(record.samples_ns)->median;
    timed.least_ns = least_of(record.samples_ns);
    // What is cancelled keeps its samples where they can be judged quickly, on inputs that no check left changed.
    if (check_broke_off || (cancel && timed.typical_ns > kPromptNs)) {
      if (!request.live) record.samples_ns.clear();
      return true;
    }
    // A live run is checked anew each time: earlier checks say nothing of the executions since.
    if (request.live) {
      timed.spots.clear();
      timed.between = {};
    }
    vulkan::Wait to_the_end = wait;
    if (cancel) to_the_end.cancel = nullptr;
    // A check may have been the last thing, and leaves the output in disorder.
    if (cancel) TRY(prepared.execution.run(to_the_end));
    TRY(Judge{plan, prepared, work, to_the_end, record}.again(timed));
    if (record.wrong()) return false;
    // A live run goes on and is judged again later, but not twice in vain.
    const bool ends = timed.busy && (!request.live || was_busy);
    was_busy = timed.busy;
    if (!ends) return true;
    record.samples_ns.clear();
    if (cancel) return true;
    return too_busy(timed);
  };
  const auto spot_check = [&]() -> Result<bool> {
    if (!record.verdict) return true;
    check_broke_off = true;
    timed.spots.push_back(TRY(judge.spot_check(&sampling, InputSet::changed)));
    check_broke_off = false;
    return !record.wrong();
  };
  const auto single_check = [&]() -> Result<bool> {
    if (!record.verdict) return true;
    TRY(judge.single_check(timed));
    return !record.wrong();
  };
  // A live run may last for hours, and nobody asks its record.
  const TimingRequest timing{request,     clock_,     sampling,    sensors(), device_.is_software(),
                             judge_again, spot_check, single_check};
  Result<void> sampled = take_samples(timing, events, wait, record);
  if (!sampled && sampled.error().kind != ErrorKind::cancelled) {
    record.samples_ns.clear();
    return sampled.error();
  }
  if (!request.live && !record.wrong()) {
    events.stage("verify");
    if (Result<bool> judged = judge_again(); !judged) {
      record.samples_ns.clear();
      return judged.error();
    }
  }
  if (record.wrong()) {
    events.emit(*record.verdict);
    workloads_.forget(found);
    return Outcome::failed_verdict;
  }
  if (!sampled) return sampled.error();
  if (!request.live) TRY(ask_resources());
  return record.samples_ns.empty() ? Outcome::cancelled : Outcome::measured;
}

Result<Resources> Runner::resources_of(const Plan& plan, EventStream& events) {
  const std::string key = pipelines_key(plan);
  if (const Resources* known = find_at(known_resources_, key)) return for_plan(*known, plan);
  const Resources found = TRY(driver_resources(device_, plan, events));
  if (known_resources_.size() == kResourcesKept) known_resources_.clear();
  return known_resources_[key] = found;
}

// Where a config's result is wrong: one execution, judged, and the errors of one batch and head.

Result<void> check_request(const ErrorMapRequest& r) {
  if (r.batch >= r.problem.batch || r.head >= r.problem.heads_q)
    return bad_input("batch {}, head {} does not exist in {}: it has batches 0 to {} and heads 0 to {}.", r.batch,
                     r.head, to_text(r.problem), r.problem.batch - 1, r.problem.heads_q - 1);
  if (r.cells < 1 || r.cells > kMostErrorCells)
    return bad_input("cells is {}; it has to be from 1 to {}.", r.cells, kMostErrorCells);
  if (r.elements > kMostErrorElements)
    return bad_input("elements is {}; it has to be {} at most.", r.elements, kMostErrorElements);
  return {};
}

Result<Outcome> Runner::error_map(const Plan& plan, const ErrorMapRequest& request, EventStream& events,
                                  const Cancel& cancel, ErrorMapAnswer& answer) {
  const vulkan::Wait wait = events.wait(cancel);
  events.stage("compile");
  std::shared_ptr<Workload> found = TRY(untouched(workloads_, plan.problem, request.seed, wait));
  Workload& work = *found;
  const Problem& p = plan.problem;
  const RunRequest run{.problem = p, .seed = request.seed, .measure = false};
  Ready ready = TRY(make_ready(plan, run, work, events, wait, answer.record));
  const Reference& judged = *ready.prepared.references[InputSet::own];
  // In the state of the verdict: nothing has run since.
  std::vector<std::byte> bytes = TRY(work.buffer(binding_o).download(wait));
  // A kernel that writes where it must not may have changed the inputs.
  if (!answer.record.verdict->pass) workloads_.forget(found);
  const Tensor output{p.dtype, std::move(bytes)};

  events.stage("reference");
  std::pair<uint32_t, uint32_t> place{request.batch, request.head};
  if (request.worst_head) place = worst_head(p, judged, output);
  const auto [batch, head] = place;
  std::vector<uint64_t> also;
  if (const auto& worst = answer.record.verdict->worst)
    also.push_back((uint64_t{worst->batch} * p.heads_q + worst->head) * p.seq_q + worst->query);
  std::optional<Inputs> again;
  if (!work.inputs) again = make_inputs(p, request.seed);
  const Reference slice =
      make_reference_of(p, again ? *again : *work.inputs, plan.precision,
                        rows_of_head(p, batch, head, request.seed, kHeadFlops * worker_threads(), also), &cancel);
  if (cancel) return cancelled_error("Cancelled while the CPU reference was computed.");
  answer.map = make_error_map(p, judged, slice, batch, head, output, request.cells, request.elements);
  return answer.record.verdict->pass ? Outcome::verified : Outcome::failed_verdict;
}

Environment stamp(const DeviceInfo& device) {
  Environment e;
  e.device = device;
  e.program_version = ATTNSCOPE_VERSION;
  e.time_utc = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  // No node name: a record may be published.
  e.host_os = system_name();
  return e;
}

Result<void> check_request(const RunRequest& request) {
  constexpr NumberRange<double> kBatchMs{0.001, 60'000};
  if (!kBatchMs.holds(request.batch_ms))
    return bad_input("batch_ms is {}; it has to be {}.", request.batch_ms, range_text(kBatchMs));
  return check_protocol(request.protocol);
}

Record make_record(const RunRequest& request, const VariantInfo& variant, const DeviceInfo& device) {
  Record run;
  run.problem = request.problem;
  run.variant = request.variant;
  run.config = full_config(variant, {"", "", request.config});
  // A variant that did not load has no configs, so no defaults either.
  if (variant.error.empty()) run.config_name = config_name(variant, run.config);
  run.protocol = request.protocol;
  run.seed = request.seed;
  run.environment = stamp(device);
  run.environment.shader_hash = variant.hash;
  run.predicted = request.predicted;
  return make_record(std::move(run));
}

}  // namespace attnscope
