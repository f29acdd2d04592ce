#include "engine/session/runner.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/record/run.hpp"
#include "engine/session/rates.hpp"
#include "engine/session/resources.hpp"
#include "engine/session/timing.hpp"

namespace attnscope {
namespace {

/// Of host and device memory together, for inputs and references.
constexpr uint64_t kWorkloadBudget = uint64_t{2} << 30;
constexpr size_t kResourcesKept = 256;
/// Some dozens of executions of this length still answer a cancel in time.
constexpr double kPromptNs = 20e6;

/// What tells one plan's pipelines from another's.
std::string pipelines_key(const Plan& plan, const std::string& shader_hash) {
  std::string key = shader_hash;
  for (const PlanPass& pass : plan.passes) {
    key += fmt::format("|{} {:x} {}", pass.name, reinterpret_cast<uintptr_t>(pass.spirv.get()), pass.subgroup_size);
    for (const auto& [id, bits] : pass.constants) key += fmt::format(" {}={:x}", id, bits);
  }
  return key;
}

}  // namespace

Runner::Runner(vulkan::Device device, std::function<double()> clock)
    : device_(device),
      judge_(std::move(device)),
      workloads_(kWorkloadBudget),
      clock_(device_, false, std::move(clock)),
      trials_(device_, workloads_, judge_, clock_, judge_.full_check()) {}

void Runner::run(const Plan& plan, const RunRequest& request, EventStream& events, const std::atomic<bool>& cancel,
                 Record& record) {
  record.precision = plan.precision;
  record.extra_bytes = plan.extra_bytes;
  record.scratch_bytes = plan.scratch_bytes;
  record.resources = planned_resources(plan);
  events.emit(RunBegan{std::make_shared<const Record>(record)});
  const Result<Outcome> done = carry_out(plan, request, events, cancel, record);
  // Drift and an unsettled warm-up are fields of the record: whoever shows it says so.
  if (done)
    conclude(record, *done);
  else
    conclude(record, outcome_of(done.error().kind), done.error().message);
}

Result<Prepared> Runner::prepare(const Plan& plan, Workload& work, bool sliceable, const vulkan::Wait& wait) {
  Result<std::vector<vulkan::Pipeline>> pipelines = pipelines_of(device_, plan, sliceable);
  if (!pipelines) return pipelines.error();
  return attnscope::prepare(device_, plan, *pipelines, work, wait);
}

Result<double> Runner::first_run(const Plan& plan, const RunRequest& request, Prepared& prepared, Workload& work,
                                 EventStream& events, const vulkan::Wait& wait, Record& record) {
  if (request.verify) {
    events.stage("reference");
    prepared.references = references_of(work, device_, plan.precision, *wait.cancel);
    if (!prepared.references.usual)
      return Error{ErrorKind::cancelled, "Cancelled while the CPU reference was computed."};
  }
  events.stage("verify");
  return judge_.first(plan, prepared, work, events, wait, record);
}

Result<Runner::Ready> Runner::make_ready(const Plan& plan, const RunRequest& request, Workload& work,
                                         EventStream& events, const vulkan::Wait& wait, Record& record) {
  // Work that may be long is first tried piece by piece; what is then timed is verified again in its own form.
  bool sliceable = may_be_long(device_.info(), record.flops);
  Result<Prepared> prepared = prepare(plan, work, sliceable, wait);
  if (!prepared) return prepared.error();
  Result<double> ns = first_run(plan, request, *prepared, work, events, wait, record);
  if (!ns) return ns.error();
  const uint32_t slices = slices_for(*ns);
  if (sliceable && slices == 1 && request.measure && !(record.verdict && !record.verdict->pass)) {
    events.stage("compile");
    prepared = prepare(plan, work, false, wait);
    if (!prepared) return prepared.error();
    ns = first_run(plan, request, *prepared, work, events, wait, record);
    if (!ns) return ns.error();
    sliceable = false;
  }
  return Ready{std::move(*prepared), *ns, sliceable ? slices : 1};
}

Result<Outcome> Runner::carry_out(const Plan& plan, const RunRequest& request, EventStream& events,
                                  const std::atomic<bool>& cancel, Record& record) {
  const vulkan::Wait wait = events.wait(cancel);
  events.stage("compile");
  // The workload comes before the pipelines need it, and under the stage whose silence the watcher forgives.
  Result<std::shared_ptr<Workload>> found = judge_.untouched(workloads_, plan.problem, request.seed, wait);
  if (!found) return found.error();
  Workload& work = **found;
  const auto failed = [&] { return record.verdict && !record.verdict->pass; };
  Result<Ready> ready = make_ready(plan, request, work, events, wait, record);
  if (!ready) return ready.error();
  Prepared* const prepared = &ready->prepared;
  const uint32_t slices = ready->slices;
  // What is timed with an end is judged again after it; a live run now, and as it goes on.
  if (record.verdict && !failed() && (request.live || !request.measure))
    if (Result<void> ok = judge_.again(plan, *prepared, work, {}, wait, record); !ok) return ok.error();
  if (record.verdict) events.emit(*record.verdict);
  if (failed()) {
    // A kernel that writes where it must not may have changed the inputs.
    workloads_.forget(*found);
    return Outcome::failed_verdict;
  }
  const auto ask_resources = [&]() -> Result<void> {
    if (!request.resources) return {};
    events.stage("resources");
    Result<Resources> r = resources_of(plan, record.environment.shader_hash, events);
    if (!r) return r.error();
    record.resources = *r;
    events.emit(ResourcesReady{*r});
    return {};
  };
  // A live run has no end to ask them at.
  if (request.live || !request.measure)
    if (Result<void> ok = ask_resources(); !ok) return ok.error();
  if (!request.measure) return Outcome::verified;
  const auto judge_again = [&]() -> Result<bool> {
    if (!record.verdict || record.samples_ns.empty()) return true;
    const Timed timed{record.samples_ns.size() * record.dispatches_per_sample, summarize(record.samples_ns)->median,
                      slices};
    vulkan::Wait to_the_end = wait;
    // What is cancelled keeps its samples, so it is judged all the same, where that takes no time to speak of.
    if (cancel && timed.typical_ns > kPromptNs) return true;
    if (cancel) to_the_end.cancel = nullptr;
    Result<void> ok = judge_.again(plan, *prepared, work, timed, to_the_end, record);
    if (!ok) return ok.error();
    return !failed();
  };
  TimingRequest timing{&device_,         &clock_,      &prepared->execution, ready->first_ns, slices,
                       request.protocol, request.live, request.batch_ms,     judge_again};
  Result<void> sampled = take_samples(timing, events, wait, record);
  if (!sampled && sampled.error().kind != ErrorKind::cancelled) return sampled.error();
  if (!request.live) {
    events.stage("verify");
    if (Result<bool> right = judge_again(); !right) return right.error();
  }
  if (failed()) {
    events.emit(*record.verdict);
    workloads_.forget(*found);
    return Outcome::failed_verdict;
  }
  if (!sampled) return sampled.error();
  if (!request.live)
    if (Result<void> ok = ask_resources(); !ok) return ok.error();
  return record.samples_ns.empty() ? Outcome::cancelled : Outcome::measured;
}

Result<Resources> Runner::resources_of(const Plan& plan, const std::string& shader_hash, EventStream& events) {
  const std::string key = pipelines_key(plan, shader_hash);
  const auto known =
      std::find_if(known_resources_.begin(), known_resources_.end(), [&](const auto& r) { return r.first == key; });
  if (known != known_resources_.end()) {
    Resources r = known->second;
    const Resources now = planned_resources(plan);
    r.workgroups = now.workgroups;  // of this problem
    r.workgroup_invocations = now.workgroup_invocations;
    return r;
  }
  Result<Resources> r = driver_resources(device_, plan, events);
  if (!r) return r.error();
  known_resources_.emplace_front(key, *r);
  if (known_resources_.size() > kResourcesKept) known_resources_.pop_back();
  return r;
}

}  // namespace attnscope
