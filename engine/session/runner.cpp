#include "engine/session/runner.hpp"

#include <algorithm>
#include <array>
#include <limits>

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

struct Runner::Prepared {
  vulkan::Execution execution;
  std::vector<GuardedBuffer> scratch;
  uint64_t output = 0;                         ///< fingerprint of what was judged
  std::shared_ptr<const Reference> reference;  ///< that it was judged by
};

Runner::Runner(vulkan::Device device)
    : device_(std::move(device)), workloads_(kWorkloadBudget), trials_(device_, workloads_) {}

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

Result<Runner::Prepared> Runner::prepare(const Plan& plan, const Workload& work, bool sliceable,
                                         const vulkan::Wait& wait) {
  std::vector<GuardedBuffer> scratch;
  std::vector<vulkan::BoundBuffer> bound;
  for (const auto& [binding, buffer] : work.buffers) bound.push_back(buffer.at(binding));
  for (const PlanScratch& s : plan.scratch) {
    Result<GuardedBuffer> buffer = GuardedBuffer::create(device_, s.bytes, poison_word(DType::f32), wait);
    if (!buffer) return buffer.error();
    bound.push_back(buffer->at(s.binding));
    scratch.push_back(std::move(*buffer));
  }
  std::vector<vulkan::Pass> passes;
  for (const PlanPass& pass : plan.passes) {
    Result<vulkan::Pipeline> pipeline = vulkan::Pipeline::create(device_, pipeline_request(plan, pass, sliceable));
    if (!pipeline) return pipeline.error();
    passes.push_back({*pipeline, pass.grid, pass.push, bound});
  }
  Result<vulkan::Execution> execution = vulkan::Execution::create(device_, std::move(passes));
  if (!execution) return execution.error();
  return Prepared{std::move(*execution), std::move(scratch), 0, nullptr};
}

Result<void> Runner::take_fingerprints(Workload& work, const vulkan::Wait& wait) {
  if (!work.fingerprints.empty()) return {};
  if (!fingerprint_) {
    Result<Fingerprint> made = Fingerprint::create(device_);
    if (!made) return made.error();
    fingerprint_ = std::move(*made);
  }
  for (const auto& [binding, buffer] : work.buffers) {
    if (binding == binding_o) continue;
    Result<uint64_t> value = fingerprint_->of(buffer.whole(), wait);
    if (!value) return value.error();
    work.fingerprints.emplace_back(binding, *value);
  }
  return {};
}

Result<std::string> Runner::changed_inputs(const Workload& work, const vulkan::Wait& wait) const {
  std::string changed;
  for (const auto& [binding, was] : work.fingerprints) {
    Result<uint64_t> now = fingerprint_->of(work.buffer(binding).whole(), wait);
    if (!now) return now.error();
    if (*now == was) continue;
    constexpr std::array names{"Q", "K", "V", "O", "the offsets", "the page table"};
    changed += (changed.empty() ? "" : ", ") + std::string(binding < names.size() ? names[binding] : "an input");
  }
  return changed;
}

Result<void> Runner::judge_again(const Plan& plan, const Prepared& prepared, Workload& work, const std::string& when,
                                 const vulkan::Wait& wait, Record& record) {
  const GuardedBuffer& output = work.buffer(binding_o);
  if (Result<void> ok = output.poison(wait); !ok) return ok.error();
  if (Result<double> ran = prepared.execution.run(wait); !ran) return ran.error();
  Result<uint64_t> now = fingerprint_->of(output.whole(), wait);
  if (!now) return now.error();
  Result<std::string> changed = changed_inputs(work, wait);
  if (!changed) return changed.error();
  if (*now != prepared.output) {
    Result<std::vector<std::byte>> bytes = output.download(wait);
    if (!bytes) return bytes.error();
    Result<bool> intact = output.guards_intact(wait);
    if (!intact) return intact.error();
    const Verdict again =
        judge(plan.problem, *prepared.reference, Tensor{plan.problem.dtype, std::move(*bytes)}, *intact);
    if (!again.pass) {
      record.verdict = again;
      record.verdict->reason = fmt::format("{} gives another result than the first: {}", when, again.reason);
    }
  }
  if (record.verdict->pass && !changed->empty()) {
    record.verdict->pass = false;
    record.verdict->reason = fmt::format("{} changed an input: {}.", when, *changed);
  }
  return {};
}

Result<void> Runner::compare_with_fresh_scratch(const Prepared& prepared, Workload& work, const vulkan::Wait& wait,
                                                Record& record) {
  // Twice as long is beyond what caches explain; the least of some, in several rounds, beyond what a busy machine does.
  constexpr double kFactor = 2, kSlackNs = 50e3;
  constexpr int kRounds = 4, kSamples = 3;
  double fresh = 0, used = 0;
  for (int round = 0; round < kRounds; ++round) {
    fresh = used = std::numeric_limits<double>::infinity();
    for (int i = 0; i < kSamples; ++i) {
      for (const bool poisoned : {true, false}) {
        if (poisoned) {
          if (Result<void> ok = work.buffer(binding_o).poison(wait); !ok) return ok.error();
          for (const GuardedBuffer& s : prepared.scratch)
            if (Result<void> ok = s.poison(wait); !ok) return ok.error();
        }
        Result<std::vector<double>> ns = prepared.execution.sample({.samples = 1}, wait);
        if (!ns) return ns.error();
        double& least = poisoned ? fresh : used;
        least = std::min(least, ns->front());
      }
    }
    if (fresh <= kFactor * used + kSlackNs) return {};
  }
  record.verdict->pass = false;
  record.verdict->reason = fmt::format(
      "An execution takes {:.3g} ms where its scratch memory and output are fresh and {:.3g} ms where an earlier "
      "one left its own there: what was timed is not the work.",
      fresh / 1e6, used / 1e6);
  return {};
}

Result<double> Runner::verified_run(const Plan& plan, const RunRequest& request, Prepared& prepared, Workload& work,
                                    EventStream& events, const vulkan::Wait& wait, Record& record) {
  std::shared_ptr<const Reference> reference;
  if (request.verify) {
    events.stage("reference");
    reference = reference_of(work, device_, plan.precision, *wait.cancel);
    if (!reference) return Error{ErrorKind::cancelled, "Cancelled while the CPU reference was computed."};
  }
  events.stage("verify");
  const GuardedBuffer& output = work.buffer(binding_o);
  if (Result<void> ok = output.poison(wait); !ok) return ok.error();
  for (const GuardedBuffer& s : prepared.scratch)
    if (Result<void> ok = s.poison(wait); !ok) return ok.error();
  Result<double> ns = prepared.execution.run(wait);
  if (!ns || !request.verify) return ns;
  Result<std::vector<std::byte>> bytes = output.download(wait);
  if (!bytes) return bytes.error();
  bool intact = true;
  for (const auto& [binding, buffer] : work.buffers) {
    Result<bool> ok = buffer.guards_intact(wait);
    if (!ok) return ok.error();
    intact = intact && *ok;
  }
  for (const GuardedBuffer& s : prepared.scratch) {
    Result<bool> ok = s.guards_intact(wait);
    if (!ok) return ok.error();
    intact = intact && *ok;
  }
  events.alive();
  record.verdict = judge(plan.problem, *reference, Tensor{plan.problem.dtype, std::move(*bytes)}, intact);
  Result<uint64_t> print = fingerprint_->of(output.whole(), wait);
  if (!print) return print.error();
  prepared.output = *print;
  prepared.reference = reference;
  Result<std::string> changed = changed_inputs(work, wait);
  if (!changed) return changed.error();
  if (record.verdict->pass && !changed->empty()) {
    record.verdict->pass = false;
    record.verdict->reason = fmt::format("It changed an input: {}.", *changed);
  }
  return ns;
}

Result<Outcome> Runner::carry_out(const Plan& plan, const RunRequest& request, EventStream& events,
                                  const std::atomic<bool>& cancel, Record& record) {
  const std::function<void()> alive = [&] { events.alive(); };
  vulkan::Wait wait;
  wait.cancel = &cancel;
  wait.between = &alive;
  events.stage("compile");
  // Work that may be long is first tried piece by piece; what is then timed is verified again in its own form.
  bool sliceable = may_be_long(device_.info(), record.flops);
  // The workload comes before the pipelines need it, and under the stage whose silence the watcher forgives.
  Result<std::shared_ptr<Workload>> found = workloads_.get(device_, plan.problem, request.seed, wait);
  if (!found) return found.error();
  // A run that broke off, or sampled for long, may have left other inputs than it found: nobody is judged on those.
  if (!(*found)->fingerprints.empty()) {
    const Result<std::string> changed = changed_inputs(**found, wait);
    if (!changed) return changed.error();
    if (!changed->empty()) {
      workloads_.forget(*found);
      found = workloads_.get(device_, plan.problem, request.seed, wait);
      if (!found) return found.error();
    }
  }
  Workload& work = **found;
  if (Result<void> ok = take_fingerprints(work, wait); !ok) return ok.error();
  Result<Prepared> prepared = prepare(plan, work, sliceable, wait);
  if (!prepared) return prepared.error();
  Result<double> ns = verified_run(plan, request, *prepared, work, events, wait, record);
  if (!ns) return ns.error();
  uint32_t slices = slices_for(*ns);
  const auto failed = [&] { return record.verdict && !record.verdict->pass; };
  if (sliceable && slices == 1 && request.measure && !failed()) {
    events.stage("compile");
    prepared = prepare(plan, work, false, wait);
    if (!prepared) return prepared.error();
    ns = verified_run(plan, request, *prepared, work, events, wait, record);
    if (!ns) return ns.error();
    sliceable = false;
  }
  // What is not judged after its timing is judged a second time now: a result may be left over from the first
  // execution, in scratch memory or in the output itself.
  if (record.verdict && !failed() && (request.live || !request.measure))
    if (Result<void> ok = judge_again(plan, *prepared, work, "Its second execution", wait, record); !ok)
      return ok.error();
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
  if (!sliceable) slices = 1;
  TimingRequest timing{&device_, &prepared->execution, *ns, slices, request.protocol, request.live, request.batch_ms};
  if (Result<void> ok = take_samples(timing, events, wait, record); !ok) return ok.error();
  if (!request.live && record.verdict && !record.samples_ns.empty()) {
    events.stage("verify");
    const std::string when =
        fmt::format("After {} timed executions, one more", record.samples_ns.size() * record.dispatches_per_sample);
    if (Result<void> ok = judge_again(plan, *prepared, work, when, wait, record); !ok) return ok.error();
    if (!failed() && !prepared->scratch.empty() && slices == 1)
      if (Result<void> ok = compare_with_fresh_scratch(*prepared, work, wait, record); !ok) return ok.error();
    if (failed()) {
      events.emit(*record.verdict);
      workloads_.forget(*found);
      return Outcome::failed_verdict;
    }
  }
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
