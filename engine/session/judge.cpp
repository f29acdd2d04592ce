#include "engine/session/judge.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace attnscope {
namespace {

/// On turned inputs the question is whether the work was done at all, and the rows are few: the worst error of a CPU
/// run on those says little of the worst that rounding does on others (coopmat, causal, on an H200: 2.5 times it).
constexpr double kTurnedSlack = 4;
/// Where the device's reference takes longer, the verdict is of a sample of rows, and says so.
constexpr double kFullCheckS = 3;
/// An execution that cannot have been prepared by an earlier one may take this much longer than one that can: twice
/// is beyond what caches explain where both find them overwritten.
constexpr double kFactor = 2, kSlackNs = 10e3;

void fail(Record& record, std::string reason) {
  record.verdict->pass = false;
  record.verdict->reason = std::move(reason);
}

}  // namespace

/// What all of it is about.
struct Judge::Case {
  const Plan& plan;
  const Prepared& prepared;
  Workload& work;
  const vulkan::Wait& wait;
  Record& record;
  /// As the kernel writes it. bring_home() makes work.buffer(binding_o) of it, which is what references judge.
  const GuardedBuffer& output() const { return tensor_for(plan, work, binding_o); }
};

Result<void> Judge::need_tools() {
  if (tools_) return {};
  Result<Fingerprint> fingerprint = Fingerprint::create(device_);
  if (!fingerprint) return fingerprint.error();
  Result<SignTurn> turn = SignTurn::create(device_);
  if (!turn) return turn.error();
  Result<SharedSpoil> spoil = SharedSpoil::create(device_);
  if (!spoil) return spoil.error();
  tools_.emplace(Tools{std::move(*fingerprint), std::move(*turn), std::move(*spoil)});
  return {};
}

Result<void> Judge::take_fingerprints(Workload& work, const vulkan::Wait& wait) {
  if (Result<void> ok = need_tools(); !ok) return ok;
  for (FormedTensor& formed : work.formed) {
    if (formed.binding == binding_o || formed.fingerprint) continue;
    Result<uint64_t> value = tools_->fingerprint.of(formed.buffer.whole(), wait);
    if (!value) return value.error();
    formed.fingerprint = *value;
  }
  if (!work.fingerprints.empty()) return {};
  for (const auto& [binding, buffer] : work.buffers) {
    if (binding == binding_o || buffer.bytes() == 0) continue;
    Result<uint64_t> value = tools_->fingerprint.of(buffer.whole(), wait);
    if (!value) return value.error();
    work.fingerprints.emplace_back(binding, *value);
  }
  return {};
}

Result<std::shared_ptr<Workload>> Judge::untouched(WorkloadCache& cache, const Problem& problem, uint64_t seed,
                                                   const vulkan::Wait& wait) {
  Result<std::shared_ptr<Workload>> work = cache.get(device_, problem, seed, wait);
  if (!work) return work;
  if (!(*work)->fingerprints.empty()) {
    const Result<std::string> changed = changed_inputs(**work, wait);
    if (!changed) return changed.error();
    if (changed->empty()) return work;
    cache.forget(*work);
    work = cache.get(device_, problem, seed, wait);
    if (!work) return work;
  }
  if (Result<void> ok = take_fingerprints(**work, wait); !ok) return ok.error();
  return work;
}

Result<std::string> Judge::changed_inputs(const Workload& work, const vulkan::Wait& wait) const {
  std::string changed;
  const auto compare = [&](uint32_t binding, const GuardedBuffer& buffer, uint64_t was) -> Result<void> {
    Result<uint64_t> now = tools_->fingerprint.of(buffer.whole(), wait);
    if (!now) return now.error();
    if (*now == was) return {};
    const Role* role = find_role(binding);
    const std::string name(role ? role->text : "an input");
    if (changed.find(name) == std::string::npos) changed += (changed.empty() ? "" : ", ") + name;
    return {};
  };
  for (const auto& [binding, was] : work.fingerprints)
    if (Result<void> ok = compare(binding, work.buffer(binding), was); !ok) return ok.error();
  for (const FormedTensor& formed : work.formed)
    if (formed.fingerprint)
      if (Result<void> ok = compare(formed.binding, formed.buffer, *formed.fingerprint); !ok) return ok.error();
  return changed;
}

Result<void> Judge::turn_inputs(const Case& c) const {
  const Problem& p = c.plan.problem;
  for (const auto& [binding, packed] : {std::pair{binding_q, KvType::as_dtype}, {binding_v, p.kv_type}})
    if (Result<void> ok = tools_->turn(c.work.buffer(binding), p.dtype, packed, c.wait); !ok) return ok;
  for (const FormedTensor& formed : c.work.formed)
    if (formed.binding == binding_q || formed.binding == binding_v)
      if (Result<void> ok = tools_->turn(formed.buffer, formed.form.dtype, KvType::as_dtype, c.wait); !ok) return ok;
  return {};
}

Result<void> Judge::poison(const Case& c, bool scratch) const {
  if (Result<void> ok = c.output().poison(c.wait); !ok) return ok;
  if (scratch)
    for (const GuardedBuffer& s : c.prepared.scratch)
      if (Result<void> ok = s.poison(c.wait); !ok) return ok;
  return tools_->spoil_shared(c.wait);
}

Result<void> Judge::check_zeroed(const Case& c) const {
  for (size_t i = 0; i < c.prepared.scratch.size(); ++i) {
    Result<bool> zero = c.prepared.scratch[i].left_as_declared(c.wait);
    if (!zero) return zero.error();
    if (!*zero && c.record.verdict->pass)
      fail(c.record,
           fmt::format("It leaves other than zeros in scratch memory '{}', which its manifest declares zeroed.",
                       c.plan.scratch[i].name));
  }
  return {};
}

/// Of what kernels may write to; of the inputs the guards are part of the fingerprint.
Result<bool> Judge::guards_intact(const Case& c) const {
  Result<bool> intact = c.output().guards_intact(c.wait);
  for (const GuardedBuffer& s : c.prepared.scratch) {
    if (!intact || !*intact) break;
    intact = s.guards_intact(c.wait);
  }
  return intact;
}

Result<Verdict> Judge::verdict_of(const Case& c, const Reference& reference) {
  if (Result<void> ok = bring_home(c.plan, c.work, c.wait); !ok) return ok.error();
  Result<std::vector<std::byte>> bytes = c.work.buffer(binding_o).download(c.wait);
  if (!bytes) return bytes.error();
  Result<bool> intact = guards_intact(c);
  if (!intact) return intact.error();
  const auto& usual = c.prepared.references.usual;
  Verdict verdict = judge(c.plan.problem, reference, Tensor{c.plan.problem.dtype, std::move(*bytes)}, *intact,
                          &reference == usual.get() ? 1 : kTurnedSlack);
  if (!verdict.pass || verdict.rows_checked == verdict.rows_total || &reference != usual.get()) return verdict;
  // A sample of rows says nothing of the others.
  Result<FullCheck::Yardstick> y = full_check_.yardstick(c.work, usual, kFullCheckS, c.wait);
  if (!y) return y.error();
  if (!y->elements) return verdict;
  Result<std::string> why = full_check_.wrong(c.work, *y, c.wait);
  if (!why) return why.error();
  verdict.all_on_device = true;
  verdict.pass = why->empty();
  verdict.reason = *why;
  return verdict;
}

Result<double> Judge::first(const Plan& plan, Prepared& prepared, Workload& work, EventStream& events,
                            const vulkan::Wait& wait, Record& record) {
  const Case c{plan, prepared, work, wait, record};
  // Of the forms that were made for this plan.
  if (Result<void> ok = take_fingerprints(work, wait); !ok) return ok.error();
  if (Result<void> ok = poison(c, true); !ok) return ok.error();
  Result<double> ns = prepared.execution.run(wait);
  if (!ns || !prepared.references.usual) return ns;
  events.alive();
  Result<Verdict> verdict = verdict_of(c, *prepared.references.usual);
  if (!verdict) return verdict.error();
  record.verdict = *verdict;
  Result<uint64_t> print = tools_->fingerprint.of(c.output().whole(), wait);
  if (!print) return print.error();
  prepared.output = *print;
  if (Result<void> ok = check_zeroed(c); !ok) return ok.error();
  Result<std::string> changed = changed_inputs(work, wait);
  if (!changed) return changed.error();
  if (!changed->empty())
    fail(record, record.verdict->pass
                     ? fmt::format("It changed an input: {}.", *changed)
                     : fmt::format("{} It also changed an input: {}.", record.verdict->reason, *changed));
  return ns;
}

Result<void> Judge::compare_output(const Case& c, const std::string& when) {
  Result<uint64_t> now = tools_->fingerprint.of(c.output().whole(), c.wait);
  if (!now) return now.error();
  if (*now == c.prepared.output) return {};
  Result<Verdict> verdict = verdict_of(c, *c.prepared.references.usual);
  if (!verdict) return verdict.error();
  if (!verdict->pass) {
    c.record.verdict = *verdict;
    fail(c.record, fmt::format("{} gives another result than the first: {}", when, verdict->reason));
  } else if (c.plan.bit_stable) {
    fail(c.record, fmt::format("{} gives other bits than the first, and the manifest does not say that it may "
                               "('nondeterministic').",
                               when));
  }
  return {};
}

Result<double> Judge::on_turned_inputs(const Case& c) {
  if (Result<void> ok = poison(c, false); !ok) return ok.error();
  if (Result<void> ok = turn_inputs(c); !ok) return ok.error();
  Result<double> ns = c.prepared.execution.run(c.wait);
  if (!ns) return ns;
  Result<Verdict> verdict = verdict_of(c, *c.prepared.references.turned);
  if (!verdict) return verdict.error();
  if (Result<void> ok = turn_inputs(c); !ok) return ok.error();
  if (!verdict->pass) {
    c.record.verdict = *verdict;
    fail(c.record, fmt::format("On other inputs (the signs of Q and V turned), with scratch memory as earlier "
                               "executions left it, it is wrong: {}",
                               verdict->reason));
  }
  return ns;
}

Result<void> Judge::compare_times(const Case& c, uint32_t slices) const {
  // The least of some, in several rounds: beyond what a busy machine does. Each kind runs on both sets of inputs as
  // often as the other, and finds the caches overwritten, so that they differ in nothing but what is left over.
  constexpr int kRounds = 4, kPairs = 4;
  constexpr uint64_t kFlush = uint64_t{64} << 20;
  const DeviceLimits& limits = device_.info().limits;
  Result<vulkan::Buffer> flush = vulkan::Buffer::create(
      device_, std::min({kFlush, limits.max_storage_buffer_bytes, limits.max_allocation_bytes}) / 4 * 4);
  if (!flush) return flush.error();
  const vulkan::SampleRequest one{.samples = 1, .flush = *flush, .slices = slices};
  double fresh = 0, used = 0;
  for (int round = 0; round < kRounds; ++round) {
    fresh = used = std::numeric_limits<double>::infinity();
    for (int i = 0; i < kPairs; ++i) {
      if (Result<void> ok = turn_inputs(c); !ok) return ok;
      if (Result<void> ok = poison(c, true); !ok) return ok;
      for (double* least : {&fresh, &used}) {
        Result<std::vector<double>> ns = c.prepared.execution.sample(one, c.wait);
        if (!ns) return ns.error();
        *least = std::min(*least, ns->front());
      }
    }
    if (fresh <= kFactor * used + kSlackNs) return {};
  }
  fail(c.record,
       fmt::format("An execution takes {:.3g} ms where inputs, scratch memory and output are fresh and {:.3g} "
                   "ms where an earlier one ran on the same: what was timed is not the work.",
                   fresh / 1e6, used / 1e6));
  return {};
}

Result<void> Judge::again(const Plan& plan, const Prepared& prepared, Workload& work, const Timed& timed,
                          const vulkan::Wait& wait, Record& record) {
  const Case c{plan, prepared, work, wait, record};
  const auto failed = [&] { return !record.verdict->pass; };
  if (timed.executions > 0) {
    if (Result<void> ok = compare_output(c, fmt::format("The last of {} timed executions", timed.executions)); !ok)
      return ok;
    if (failed()) return {};
  }
  Result<double> turned = on_turned_inputs(c);
  if (!turned) return turned.error();
  if (failed()) return {};
  // The output now holds what is right for the other inputs.
  Result<double> last = prepared.execution.run(wait);
  if (!last) return last.error();
  const std::string when = timed.executions > 0 ? fmt::format("After {} timed executions, one more", timed.executions)
                                                : std::string("A later execution");
  if (Result<void> ok = compare_output(c, when); !ok || failed()) return ok;
  Result<bool> intact = guards_intact(c);
  if (!intact) return intact.error();
  Result<std::string> changed = changed_inputs(work, wait);
  if (!changed) return changed.error();
  if (!*intact) fail(record, fmt::format("{} writes beyond the end of a buffer.", when));
  if (!changed->empty()) fail(record, fmt::format("{} changed an input: {}.", when, *changed));
  if (Result<void> ok = check_zeroed(c); !ok) return ok;
  if (failed() || timed.typical_ns <= 0) return {};
  // Compared with care only where there is reason to.
  const double longest = std::max(*turned, *last);
  return longest > kFactor * timed.typical_ns + kSlackNs ? compare_times(c, timed.slices) : Result<void>();
}

}  // namespace attnscope
