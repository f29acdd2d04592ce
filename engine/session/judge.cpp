#include "engine/session/judge.hpp"

#include <random>

#include "engine/attention/layout.hpp"
#include "engine/session/resources.hpp"

namespace attnscope {
namespace {

/// On changed inputs rows are few, and the question is whether the work was done (coopmat on an H200: 2.5 times).
constexpr double kChangedSlack = 4;
/// Where scores are far from 0, and a type of 16 bits holds them or what they are of, the order of sums matters more.
constexpr double kFarSlack = 32;
/// Reference::rounding from 2^this on is of such rows; each factor of 16 has its own.
constexpr int kFarRounding = -38, kRoundings = 9;
/// Where the device's reference takes longer, the verdict is of a sample of rows. Trials share the reference.
constexpr double kFullCheckS = 3, kChangedCheckS = 0.1, kTrialsCheckS = 10, kTrialsChangedCheckS = 1;
/// An execution on changed inputs may take this much longer than one on known inputs that finds the caches alike.
/// Inputs of a special kind (InputKind) lose what is special about them by a change, and a CPU is shared.
constexpr double kFresh = 1.25, kFreshSpecial = 2, kFreshSoftware = 1.5;
constexpr double kFreshSlackNs = 2e3, kFreshSlackSoftwareNs = 50e3;
/// And this much longer than the typical sample, which may find the caches hotter and overlaps with its neighbours. An
/// execution that comes alone has barriers around it (6 us on an H200), and a software device wakes its threads for it.
constexpr double kFactor = 2, kSlackNs = 50e3, kSlackSoftwareNs = 500e3;
/// Than the fastest sample: on a CPU that other programs share this may be a rare one that had it alone.
constexpr double kFactorLeast = 2, kFactorLeastSoftware = 4, kSlackLeastSoftwareNs = 20e6;
/// Executions on known inputs in a spot check: a kernel may leave out the work of some alone.
constexpr int kKnown = 4;
/// Executions compared in the end, unless they take longer than that; more where they are quick; then some together.
constexpr int kOften = 16, kMostOften = 128;
constexpr double kMostOftenMs = 200, kOftenMs = 40, kBurstNs = 1e8, kMostBurst = 500;
/// Of fewer executions between samples one that was interrupted, or found a faster clock, would count too much.
constexpr size_t kFewBetween = 3;
/// Untimed executions before one of these, fewer than a sample has.
constexpr uint32_t kMostBefore = 256;
/// More spot checks where those of the run look wrong: beyond what a busy machine does.
constexpr int kRounds = 8;
/// On a software device, whose CPU other programs interrupt, work shorter than kLongNs has at least so many.
constexpr int kLeastRounds = 3;
/// There a median counts as the whole work's time where that is at most so much longer.
constexpr double kSameTime = 1.05;
constexpr double kLongNs = 10e6;
/// Threads of an idle machine wait for a CPU up to 0.07 times as long as they have one; at a load of 16, twice as long.
constexpr double kSharedCpu = 0.2;
/// Of the single checks of a variant whose bits may differ one in so many is compared.
constexpr unsigned kOneOf = 4;
/// Executions between these, at least: a kernel that keeps results has time to keep them.
constexpr double kSettleMs = 20;
/// Of the output, in another order before an execution on known inputs: a multiple of what offsets of buffers must be.
constexpr uint64_t kLittleBytes = 256;
constexpr uint32_t kSettleSamples = 4;
constexpr const char* kOtherBits =
    "other bits than the first, and the manifest does not say that it may ('nondeterministic')";
constexpr const char* kAbsent = "a buffer that the problem does not have or the manifest leaves unused";

bool coarse(const Precision& p) {
  return p.accumulate != DType::f32 || p.scores != DType::f32 || p.kv != DType::f32 || p.f16_pairs;
}

void fail(Record& record, std::string reason) {
  record.verdict->pass = false;
  record.verdict->reason = std::move(reason);
}

}  // namespace

Result<std::vector<vulkan::Pipeline>> pipelines_of(const vulkan::Device& device, const Plan& plan, bool sliceable) {
  std::vector<vulkan::Pipeline> pipelines;
  for (const PlanPass& pass : plan.passes) {
    vulkan::Pipeline pipeline = TRY(vulkan::Pipeline::create(device, pipeline_request(plan, pass, sliceable)));
    pipelines.push_back(std::move(pipeline));
  }
  return pipelines;
}

Result<PreparedPlan> prepare(const Plan& plan, const std::vector<vulkan::Pipeline>& pipelines, Workload& work,
                             const vulkan::Wait& wait) {
  const vulkan::Device& device = work.kernels->device();
  TRY(need_forms(plan, work, wait));
  std::vector<GuardedBuffer> scratch;
  for (const PlanScratch& s : plan.scratch) {
    GuardedBuffer buffer =
        TRY(GuardedBuffer::create(device, s.bytes, padding_word(DType::f32), wait, s.zeroed, s.addressed));
    scratch.push_back(std::move(buffer));
  }
  const auto buffer_of = [&](const Slot& slot) -> const GuardedBuffer& {
    if (slot.tensor) return tensor_for(plan, work, *slot.tensor);
    const auto at = std::ranges::find(plan.scratch, slot.scratch, &PlanScratch::name);
    return scratch.at(size_t(at - plan.scratch.begin()));
  };
  const auto put = [&](std::vector<std::byte>& bytes, const std::vector<Address>& addresses) {
    for (const Address& a : addresses) {
      const uint64_t address = buffer_of(a.slot).address();
      std::memcpy(bytes.data() + a.offset, &address, sizeof address);
    }
  };
  const bool shares = std::ranges::any_of(plan.scratch, [](const PlanScratch& s) { return s.name != kDummy; });
  std::vector<vulkan::Pass> passes;
  for (size_t i = 0; i < plan.passes.size(); ++i) {
    const PlanPass& pass = plan.passes[i];
    auto bound = mapped(pass.slots, [&](const Slot& slot) { return buffer_of(slot).at(slot.place); });
    for (PlanBlock block : pass.uniforms) {
      put(block.bytes, block.addresses);
      auto buffer = TRY(vulkan::Buffer::create(device, block.bytes.size(), false, vulkan::BufferUse::uniform));
      TRY(buffer.upload(block.bytes, 0, wait));
      bound.push_back({block.place, std::move(buffer)});
    }
    std::vector<std::byte> push = pass.push;
    put(push, pass.push_addresses);
    passes.push_back({pipelines[i], pass.grid, std::move(push), std::move(bound)});
  }
  vulkan::Execution execution = TRY(vulkan::Execution::create(device, std::move(passes), !shares));
  return PreparedPlan{std::move(execution), std::move(scratch)};
}

SpotTimes spot_times(const TimedRuns& timed, size_t later, bool software) {
  const auto faster = [&](std::span<const double> all) {
    std::vector<double> ns = sorted(all);
    ns.resize(software ? (ns.size() + 1) / 2 : (3 * ns.size() + 3) / 4);
    return mean_of(ns);
  };
  const auto undisturbed = [&](const std::vector<double>& ns) { return software ? std::ranges::min(ns) : faster(ns); };
  std::vector<double> known = timed.last.touched_ns, fresh;
  for (const SpotCheck& spot : timed.spots) {
    known.insert(known.end(), spot.known_ns.begin(), spot.known_ns.end());
    fresh.push_back(spot.fresh_ns);
  }
  const double usual = software ? std::ranges::min(fresh) : median_of(fresh);
  SpotTimes most{faster(known), usual};
  const auto consider = [&](SpotTimes other) {
    if (other.fresh_ns / other.known_ns > most.fresh_ns / most.known_ns) most = other;
  };
  for (const std::vector<double>* ns : {&timed.between.touched_ns, &timed.between.untouched_ns})
    if (ns->size() >= kFewBetween) consider({faster(*ns), usual});
  for (const CheckTimes* times : {&timed.between, &timed.last})
    if (std::min(times->untouched_ns.size(), times->touched_ns.size()) >= kFewBetween)
      consider({undisturbed(times->untouched_ns), undisturbed(times->touched_ns)});
  if (software || timed.last.touched_ns.empty()) return most;
  consider({faster(timed.last.touched_ns), median_of(std::span(fresh).subspan(later < fresh.size() ? later : 0))});
  return most;
}

double least_of(std::vector<double> samples_ns) {
  const size_t at = std::min(samples_ns.size() - 1, std::max<size_t>(1, samples_ns.size() / 100));
  std::ranges::nth_element(samples_ns, samples_ns.begin() + ptrdiff_t(at));
  return samples_ns[at];
}

Error too_busy(const TimedRuns& timed) {
  return internal_error(
      "The samples took {:.3g} ms in the median and {:.3g} ms at the least, and later executions of the same "
      "work several times as long: other programs use this CPU, so there is no time to show. Run it again "
      "when it is idle.",
      timed.typical_ns / 1e6, timed.least_ns / 1e6);
}

namespace {

/// Before anything runs on these inputs: what kernels must leave alone, as it was uploaded.
Result<void> take_fingerprints(Workload& work, const vulkan::Wait& wait) {
  for (FormedTensor& formed : work.formed) {
    if (formed.binding == binding_o || formed.fingerprint) continue;
    formed.fingerprint = TRY(fingerprint(*work.kernels, formed.buffer.whole(), wait));
  }
  if (!work.fingerprints.empty()) return {};
  for (const auto& [binding, buffer] : work.buffers) {
    if (binding == binding_o || buffer.bytes() == 0) continue;
    uint64_t value = TRY(fingerprint(*work.kernels, buffer.whole(), wait));
    work.fingerprints.emplace_back(binding, value);
  }
  return {};
}

/// To that set and back again; own: written, and as they were.
Result<void> change_inputs(const Judge& c, InputSet set) {
  const Problem& p = c.plan.problem;
  const uint32_t tensors = set == InputSet::own ? 0
                           : set == InputSet::changed
                               ? kAllTensors
                               : parts_of_tensors(p, c.work.change_seed).at(size_t(set) - size_t(InputSet::part));
  const auto one = [&](InputTensor tensor, uint32_t binding) -> Result<void> {
    const GuardedBuffer& buffer = c.work.buffer(binding);
    const uint32_t seed = (tensors >> uint32_t(tensor) & 1) != 0 ? c.work.change_seed : 0;
    return change_tensor(*c.work.kernels, buffer.at(0), buffer.bytes(),
                         input_change(p, tensor, buffer.bytes(), seed, (tensors & kSomeRows) != 0), c.wait);
  };
  if (p.page_size != 0) TRY(one(InputTensor::pages, binding_pages));
  if (p.sinks) TRY(one(InputTensor::sinks, binding_sinks));
  if (changes_mask(p)) TRY(one(InputTensor::mask, binding_mask));
  if (p.topk != 0) TRY(one(InputTensor::lists, binding_lists));
  TRY(one(InputTensor::q, binding_q));
  TRY(one(InputTensor::k, binding_k));
  if (!p.mla) TRY(one(InputTensor::v, binding_v));
  return refresh_forms(c.work, c.wait);
}

/// Everything that a spot check on changed inputs would write, as it is, in the same order.
Result<void> rewrite_all(const Judge& c) {
  TRY(rewrite(*c.work.kernels, c.output(), c.wait));
  for (const GuardedBuffer& s : c.prepared.scratch) TRY(rewrite(*c.work.kernels, s, c.wait));
  return change_inputs(c, InputSet::own);
}

/// Some elements of the output get other signs: of all, so that rows show that are left out from then on, or of a few
/// rows at the most, so that a kernel that knows its results again has nothing to do in the others.
enum class Disorder { all, little };
Result<void> disorder(const Judge& c, Disorder how) {
  const GuardedBuffer& output = c.output();
  // In a form of its own there may be gaps between rows, which no kernel writes, and which hold this from the first on.
  if (&output != &c.work.buffer(binding_o)) return how == Disorder::all ? output.poison(c.wait) : Result<void>();
  std::random_device random;
  vulkan::BoundBuffer part = output.at(0);
  uint64_t bytes = output.bytes();
  if (how == Disorder::little) {
    const uint64_t at = random() % ((bytes + kLittleBytes - 1) / kLittleBytes) * kLittleBytes;
    part.offset += at;
    part.bytes -= at;
    bytes = std::min(bytes - at, kLittleBytes);
  }
  InputChange signs{.words = uint32_t((bytes + 3) / 4), .seed = random() | 1u};
  signs.last_mask = 0xffffffffu >> (24 - 8 * ((bytes + 3) % 4));
  signs.signs = dtype_bytes(c.plan.problem.dtype) == 4 ? 0x80000000u : 0x80008000u;
  return change_tensor(*c.work.kernels, part, bytes, signs, c.wait);
}

/// Fails what left something in scratch memory that it declares zeroed: what it finds there next would be more.
Result<void> check_zeroed(const Judge& c) {
  for (size_t i = 0; i < c.prepared.scratch.size(); ++i) {
    bool zero = TRY(c.prepared.scratch[i].left_as_declared(c.wait));
    if (!zero && c.record.verdict->pass)
      fail(c.record,
           fmt::format("It leaves other than zeros in scratch memory '{}', which its manifest declares zeroed.",
                       c.plan.scratch[i].name));
  }
  return {};
}

/// "the output", "scratch memory 'partial'": beyond the end of what was written; "" = of nothing.
/// Guards of what kernels may write, and all of what they may not; the inputs' are part of the fingerprint.
Result<std::string> overrun_of(const Judge& c) {
  if (const bool intact = TRY(c.output().guards_intact(c.wait)); !intact) return std::string("the output");
  for (size_t i = 0; i < c.prepared.scratch.size(); ++i) {
    const GuardedBuffer& scratch = c.prepared.scratch[i];
    const bool dummy = c.plan.scratch[i].name == kDummy;
    if (!TRY(scratch.guards_intact(c.wait)))
      return dummy ? std::string(kAbsent) : fmt::format("scratch memory '{}'", c.plan.scratch[i].name);
    // What stands for an absent tensor holds nothing, also nothing that serves later executions.
    if (dummy && !TRY(scratch.holds_poison(c.wait))) return std::string(kAbsent);
  }
  return std::string();
}

Result<Verdict> verdict_of(const Judge& c, InputSet set) {
  TRY(bring_home(c.plan, c.work, c.wait));
  const std::string overrun = TRY(overrun_of(c));
  const bool changed = set != InputSet::own;
  const auto& reference = c.prepared.references[set];
  const auto on_device = [&](Verdict& verdict) -> Result<void> {
    const bool trials = c.compare == Compare::elements;
    const double most_s =
        changed ? (trials ? kTrialsChangedCheckS : kChangedCheckS) : (trials ? kTrialsCheckS : kFullCheckS);
    auto y = TRY(make_yardstick(c.work, set, reference, most_s, c.wait));
    if (!y.elements) return {};
    if (changed) y.allowed *= kChangedSlack;
    if (changed) y.allowed_nmse = at_most_a_row(y.allowed_nmse * kChangedSlack * kChangedSlack);
    std::string why = TRY(wrong_element(c.work, y, c.wait));
    verdict.all_on_device = true;
    verdict.reason =
        !why.empty() || overrun.empty() ? why : fmt::format("Memory beyond the end of {} was written.", overrun);
    verdict.pass = verdict.reason.empty();
    return {};
  };
  Verdict verdict;
  if (c.compare == Compare::elements) {
    TRY(on_device(verdict));
    if (verdict.all_on_device) return verdict;
  }
  std::vector<std::byte> bytes = TRY(c.work.buffer(binding_o).download(c.wait));
  verdict = judge(c.plan.problem, *reference, Tensor{c.plan.problem.dtype, std::move(bytes)}, overrun,
                  changed ? kChangedSlack : 1);
  // A sample of rows says nothing of the others.
  if (verdict.pass && verdict.rows_checked < verdict.rows_total) TRY(on_device(verdict));
  return verdict;
}

Result<std::string> wrong_on_draw(const Judge& c, uint32_t draw, bool spoil, Sampling* sampling) {
  const Workload& work = c.work;
  TRY(refresh_forms(c.work, c.wait));
  if (spoil) TRY(c.poison());
  // Trials are many.
  const double settle_ms =
      c.compare == Compare::elements ? kSettleMs / double(c.prepared.references.extreme.size()) : kSettleMs;
  const uint32_t before = sampling ? std::random_device{}() % (sampling->samples_in(settle_ms) + 1) : 0;
  if (before > 0) TRY(sampling->take(before, c.wait));
  TRY(sampling ? sampling->once(c.wait) : c.prepared.execution.run(c.wait));
  TRY(bring_home(c.plan, c.work, c.wait));
  std::vector<std::byte> output = TRY(work.buffer(binding_o).download(c.wait));
  Tensor result{work.problem.dtype, std::move(output)};
  const Reference& all = *c.prepared.references.extreme[draw];
  const Reference reference = all.overflows ? without_overflow(work.problem, all, result) : all;
  // Rows are judged with those whose scores round about as much as theirs.
  Verdict verdict;
  verdict.pass = true;
  for (int round = 0; round < kRoundings && verdict.pass; ++round) {
    const Reference rows = rows_where(work.problem, reference, [&](size_t i) {
      return round == std::clamp((std::ilogb(reference.rounding[i]) - kFarRounding + 4) / 4, 0, kRoundings - 1);
    });
    if (rows.rows.empty()) continue;
    verdict = judge(work.problem, rows, result, "", round > 0 && coarse(rows.precision) ? kFarSlack : kChangedSlack);
  }
  if (verdict.pass) return std::string();
  const Problem& p = work.problem;
  return fmt::format("On extreme inputs (scores far from 0, a few large elements{}{}{}{}) it is wrong: {}",
                     p.mask != MaskKind::none ? ", far masks" : "", p.sinks ? ", far sinks" : "",
                     p.topk != 0 ? ", lists of neighbours" : "",
                     p.packed_kv() ? ", any codes and scales of packed K and V" : "", verdict.reason);
}

/// An execution on extremes() and the verdict on some of its rows: why it fails, or "". Leaves the inputs as they
/// were. Without `spoil` memory is as earlier executions left it, and with `sampling` a random number of others come
/// before: a kernel may be right at first alone.
Result<std::string> wrong_on_extremes(const Judge& c, bool spoil, Sampling* sampling) {
  // What the tensors held that every draw replaces: on the device, or where that is short of memory on the host.
  struct Kept {
    const GuardedBuffer& buffer;
    std::optional<vulkan::Buffer> copy;
    std::vector<std::byte> bytes;
  };
  std::vector<Kept> own;
  const auto draw_all = [&]() -> Result<std::string> {
    std::string wrong;
    for (uint32_t draw = 0; draw < c.prepared.references.extreme.size() && wrong.empty(); ++draw) {
      // A declared precision may hold none of its rows, and is judged on what is drawn.
      if (c.prepared.references.extreme[draw]->rows.empty()) continue;
      const auto extremes = extremes_of(c.work, draw);
      const std::pair<uint32_t, std::span<const std::byte>> others[] = {
          {binding_q, extremes->q.bytes},
          {binding_k, extremes->k.bytes},
          {binding_v, extremes->v.bytes},
          {binding_mask, extremes->mask.bytes},
          {binding_sinks, std::as_bytes(std::span(extremes->sinks))},
          {binding_lists, std::as_bytes(std::span(extremes->lists))}};
      for (const auto& [binding, tensor] : others) {
        if (tensor.empty()) continue;
        const GuardedBuffer& buffer = c.work.buffer(binding);
        if (std::ranges::none_of(own, [&](const Kept& kept) { return &kept.buffer == &buffer; })) {
          const vulkan::Buffer& held = buffer.whole();
          Result<vulkan::Buffer> copy = vulkan::Buffer::create(c.work.kernels->device(), held.bytes(), true);
          std::vector<std::byte> bytes;
          if (!copy)
            bytes = TRY(buffer.download(c.wait));
          else
            TRY(copy->copy_from(held, GuardedBuffer::kGuard, buffer.bytes(), c.wait));
          own.push_back({buffer, copy ? std::optional(*copy) : std::nullopt, std::move(bytes)});
        }
        TRY(buffer.upload(tensor, c.wait));
      }
      wrong = TRY(wrong_on_draw(c, draw, spoil, sampling));
    }
    return wrong;
  };
  Result<std::string> wrong = draw_all();
  // Also when it was cancelled: what runs next on these inputs need not make them again.
  vulkan::Wait to_the_end = c.wait;
  to_the_end.cancel = nullptr;
  for (const auto& [buffer, copy, bytes] : own)
    TRY(copy ? buffer.whole().copy_from(*copy, GuardedBuffer::kGuard, buffer.bytes(), to_the_end)
             : buffer.upload(bytes, to_the_end));
  TRY(refresh_forms(c.work, to_the_end));
  return wrong;
}

/// The output against the fingerprint of an earlier one on the same inputs: the same to the bit, or where the
/// manifest says that bits may differ, as near to the reference. Takes the fingerprint where none is known.
Result<void> compare_output(const Judge& c, InputSet set, const std::string& when) {
  std::optional<uint64_t>& known = c.prepared.outputs[size_t(set)];
  const bool changed = set != InputSet::own;
  uint64_t now = TRY(fingerprint(*c.work.kernels, c.output().whole(), c.wait));
  if (known == now) return {};
  Verdict verdict = TRY(verdict_of(c, set));
  if (!verdict.pass) {
    if (verdict.rows_total > 0) c.record.verdict = verdict;  // of elements alone it has no rows
    fail(c.record, changed ? fmt::format("On other inputs, {}, it is wrong: {}", when, verdict.reason)
                           : fmt::format("{} gives another result than the first: {}", when, verdict.reason));
  } else if (known && c.plan.bit_stable) {
    fail(c.record,
         fmt::format("{} gives {}.", changed ? "On the same changed inputs a later execution" : when, kOtherBits));
  }
  if (!known) known = now;
  return {};
}

/// Of single_check() the execution and, with `compare`, the comparison. All but a little of the output, with
/// `touched`, is as earlier executions left it, as for those that are timed.
Result<double> known_execution(const Judge& c, const Sampling& sampling, bool touched, bool compare) {
  // A kernel may count from where the output is in disorder: what is timed is any of a sample's executions.
  for (uint32_t before = std::random_device{}() % std::clamp(sampling.repetitions(), 1u, kMostBefore); before > 0;
       --before)
    TRY(sampling.once(c.wait));
  // All is written before, as before changed inputs: what a kernel reads here and there is far from the caches then.
  if (touched) TRY(disorder(c, Disorder::little));
  TRY(rewrite_all(c));
  const double ns = TRY(sampling.once(c.wait));
  if (compare) TRY(compare_output(c, InputSet::own, "A later execution"));
  return ns;
}

/// On the own inputs: a race may show in one of many executions, and a kernel may count them.
Result<void> check_often(const Judge& c) {
  // A comparison where bits may differ is a verdict, for which of large problems the device alone has time.
  const bool sampled = c.record.verdict->rows_checked < c.record.verdict->rows_total;
  if (c.failed() || (!c.plan.bit_stable && sampled && !c.record.verdict->all_on_device)) return {};
  Judge quick = c;
  if (sampled && !c.plan.bit_stable) quick.compare = Compare::elements;
  const auto began = Clock::now();
  double ns = 0;
  for (int i = 0; i < kMostOften && ms_since(began) < (i < kOften ? kMostOftenMs : kOftenMs) && !c.failed(); ++i) {
    // An execution that does no work leaves the output as it finds it.
    TRY(disorder(c, i % 2 == 0 ? Disorder::all : Disorder::little));
    ns = TRY(c.prepared.execution.run(c.wait));
    TRY(compare_output(quick, InputSet::own, "A later execution"));
  }
  const double fit = std::min(kBurstNs / std::max(ns, 1.0), kMostBurst);
  if (c.failed() || fit < 2) return {};
  const auto sums = TRY(c.work.kernels->results());
  const FingerprintSums outputs = TRY(fingerprint_sums(*c.work.kernels, c.output().whole(), sums, c.wait));
  TRY(c.prepared.execution.sample({.samples = uint32_t(fit), .repetitions = 1, .after = &outputs.add}, c.wait));
  const uint64_t first = *c.prepared.outputs[size_t(InputSet::own)];
  const bool alike = !c.plan.bit_stable || TRY(outputs.all_are(first, uint32_t(fit), c.wait));
  TRY(compare_output(quick, InputSet::own, "A later execution"));
  if (!alike && !c.failed())
    fail(c.record, fmt::format("One of {} later executions gives {}.", uint32_t(fit), kOtherBits));
  return {};
}

Result<void> compare_times(const Judge& c, TimedRuns& timed) {
  const InputKind kind = c.plan.problem.inputs;
  const bool special = kind == InputKind::one_hot || kind == InputKind::ramp;
  const double factor = special ? kFreshSpecial : c.software() ? kFreshSoftware : kFresh;
  const double slack = c.software() ? kFreshSlackSoftwareNs : kFreshSlackNs;
  const double least = timed.least_ns > 0 ? timed.least_ns : timed.typical_ns;
  // A sample of long work is one execution, alone and with no more in the caches than a spot check's.
  const bool alone = timed.sampling->repetitions() == 1 && timed.typical_ns > kLongNs;
  const double whole = (alone ? factor : kFactor) * timed.typical_ns;
  const double most = c.software()
                          ? std::min(whole + kSlackSoftwareNs, kFactorLeastSoftware * least + kSlackLeastSoftwareNs)
                          : std::min(whole, kFactorLeast * least) + kSlackNs;
  const size_t later = timed.spots.size();
  double pace_ns = 0;  // of samples since, at the most
  CheckTimes since;
  const CpuUse cpu = c.software() ? cpu_use() : CpuUse();
  for (int round = 0;; ++round) {
    const auto [known, fresh] = spot_times(timed, later, c.software());
    const double fastest = std::ranges::min_element(timed.spots, {}, &SpotCheck::fresh_ns)->fresh_ns;
    const bool enough = !c.software() || known > kLongNs || round + 1 >= kLeastRounds;
    if (enough && fresh <= factor * known + slack && fastest <= most) return {};
    if (round == kRounds) {
      const bool slower_now = fastest <= kFactor * pace_ns + kSlackSoftwareNs;
      // So many times as long as alone, by what other programs had of the CPU meanwhile.
      const CpuUse now = c.software() ? cpu_use() : CpuUse();
      const double waited = (now.waited_ns - cpu.waited_ns) / std::max(now.ran_ns - cpu.ran_ns, 1.0);
      const double slowdown = waited > kSharedCpu ? 1 + waited : 1;
      // What is shown is not less than the whole work takes.
      if (c.software() && fresh <= kSameTime * timed.typical_ns) return {};
      timed.busy =
          c.software() && fresh <= factor * slowdown * known + slack && (slower_now || fastest <= slowdown * most);
      if (timed.busy) return {};
      fail(c.record, fmt::format("An execution takes {:.3g} ms where inputs and output are fresh, {:.3g} ms where "
                                 "earlier ones ran on the same, and of what was timed {:.3g} ms in the median and "
                                 "{:.3g} ms at the least: what was timed is not the work.",
                                 fresh / 1e6, known / 1e6, timed.typical_ns / 1e6, least / 1e6));
      return {};
    }
    const uint32_t settle = std::max(timed.sampling->samples_in(kSettleMs), kSettleSamples);
    pace_ns = std::max(pace_ns, summarize(TRY(timed.sampling->take(settle, c.wait)))->median);
    since.untouched_ns.push_back(TRY(known_execution(c, *timed.sampling, false, c.plan.bit_stable)));
    if (c.failed()) return {};
    since.touched_ns.push_back(TRY(known_execution(c, *timed.sampling, true, c.plan.bit_stable)));
    SpotCheck spot = TRY(c.spot_check(timed.sampling, InputSet::changed));
    if (c.failed()) return {};
    timed.spots.push_back(spot);
    // The device's clock may have changed since the samples.
    if (since.touched_ns.size() < kFewBetween) continue;
    timed.between = since;
    timed.last.untouched_ns.clear();
  }
}

}  // namespace

Result<std::string> changed_inputs(const Workload& work, const vulkan::Wait& wait) {
  std::string changed;
  const auto compare = [&](uint32_t binding, const GuardedBuffer& buffer, uint64_t was) -> Result<void> {
    uint64_t now = TRY(fingerprint(*work.kernels, buffer.whole(), wait));
    if (now == was) return {};
    const Role* role = find_role(binding);
    const std::string name(role ? role->text : "an input");
    if (changed.find(name) == std::string::npos) changed += (changed.empty() ? "" : ", ") + name;
    return {};
  };
  for (const auto& [binding, was] : work.fingerprints) TRY(compare(binding, work.buffer(binding), was));
  for (const FormedTensor& formed : work.formed)
    if (formed.fingerprint) TRY(compare(formed.binding, formed.buffer, *formed.fingerprint));
  return changed;
}

Result<std::shared_ptr<Workload>> untouched(WorkloadCache& cache, const Problem& problem, uint64_t seed,
                                            const vulkan::Wait& wait) {
  std::shared_ptr<Workload> work = TRY(cache.get(problem, seed, wait));
  if (!work->fingerprints.empty()) {
    const std::string changed = TRY(changed_inputs(*work, wait));
    if (changed.empty()) return work;
    cache.forget(work);
    work = TRY(cache.get(problem, seed, wait));
  }
  TRY(take_fingerprints(*work, wait));
  return work;
}

Result<void> Judge::poison() const {
  TRY(output().poison(wait));
  for (const GuardedBuffer& s : prepared.scratch) TRY(s.poison(wait));
  return spoil_shared(*work.kernels, wait);
}

Result<double> Judge::first(EventStream& events) const {
  // The converted tensors of this plan.
  TRY(take_fingerprints(work, wait));
  // Before the execution whose result others look at. Trials are many: of those it is asked what is not dropped.
  const std::string wrong = compare == Compare::elements ? std::string() : TRY(wrong_on_extremes(*this, true, nullptr));
  TRY(poison());
  Result<double> ns = prepared.execution.run(wait);
  if (!ns || !prepared.references[InputSet::own]) return ns;
  events.alive();
  record.verdict = TRY(verdict_of(*this, InputSet::own));
  prepared.outputs[size_t(InputSet::own)] = TRY(fingerprint(*work.kernels, output().whole(), wait));
  TRY(check_zeroed(*this));
  if (record.verdict->pass && !wrong.empty()) fail(record, wrong);
  std::string changed = TRY(changed_inputs(work, wait));
  if (!changed.empty())
    fail(record, record.verdict->pass
                     ? fmt::format("It changed an input: {}.", changed)
                     : fmt::format("{} It also changed an input: {}.", record.verdict->reason, changed));
  return ns;
}

Result<void> Judge::single_check(TimedRuns& timed) const {
  // By turns: a kernel cannot foresee the moment.
  const bool touched = timed.between.touched_ns.size() <= timed.between.untouched_ns.size();
  const bool compared = plan.bit_stable || std::random_device{}() % kOneOf == 0;
  const double ns = TRY(known_execution(*this, *timed.sampling, touched, compared));
  (touched ? timed.between.touched_ns : timed.between.untouched_ns).push_back(ns);
  return disorder(*this, Disorder::all);
}

Result<void> Judge::check_memory() const {
  const std::string overrun = TRY(overrun_of(*this));
  std::string changed = TRY(changed_inputs(work, wait));
  if (!overrun.empty()) fail(record, fmt::format("A later execution writes beyond the end of {}.", overrun));
  if (!changed.empty()) fail(record, fmt::format("A later execution changed an input: {}.", changed));
  return check_zeroed(*this);
}

Result<SpotCheck> Judge::spot_check(const Sampling* sampling, InputSet set) const {
  SpotCheck out;
  const auto execute = [&]() -> Result<double> {
    return sampling ? sampling->once(wait) : prepared.execution.run(wait);
  };
  if (sampling) {
    // A kernel may be wrong now and then. Where bits may differ a comparison is a whole verdict: of the last alone.
    for (int i = 0; i < kKnown; ++i) {
      out.known_ns.push_back(TRY(known_execution(*this, *sampling, true, plan.bit_stable || i + 1 == kKnown)));
      if (failed()) return out;
    }
    // Before other inputs tell a kernel to put back what it kept in or beside the inputs.
    TRY(check_memory());
    if (failed()) return out;
  }
  const bool spoil = set == InputSet::changed;
  if (spoil)
    TRY(poison());
  else
    TRY(rewrite_all(*this));
  TRY(change_inputs(*this, set));
  double ns = TRY(execute());
  if (sampling) out.fresh_ns = ns;
  const char* const scratch =
      spoil ? "with scratch memory full of NaN" : "with all memory as earlier executions left it";
  TRY(compare_output(*this, set, scratch));
  TRY(change_inputs(*this, set));
  if (failed()) return out;
  // The output now holds what is right for the other inputs.
  TRY(prepared.execution.run(wait));
  TRY(compare_output(*this, InputSet::own, "A later execution"));
  if (sampling) TRY(disorder(*this, Disorder::all));
  return out;
}

Result<void> Judge::watch(Sampling& sampling) const {
  return plan.bit_stable && record.verdict ? sampling.watch(*work.kernels, output().whole(), wait) : Result<void>();
}

Result<void> Judge::again(TimedRuns& timed) const {
  timed.busy = false;
  if (timed.executions > 0) {
    const std::string when = fmt::format("The last of {} timed executions", timed.executions);
    if (Result<void> ok = compare_output(*this, InputSet::own, when); !ok || failed()) return ok;
  }
  if (const auto& known = prepared.outputs[size_t(InputSet::own)]; timed.sampling && known)
    if (!TRY(timed.sampling->all_gave(*known, wait)))
      fail(record, fmt::format("One of the {} timed executions gives {}.", timed.executions, kOtherBits));
  if (failed()) return {};
  timed.last = {};
  for (int i = 0; i < kKnown && timed.typical_ns > 0 && timed.sampling && !failed(); ++i)
    timed.last.untouched_ns.push_back(TRY(known_execution(*this, *timed.sampling, false, plan.bit_stable)));
  if (failed()) return {};
  // With scratch memory as it is: what a kernel keeps may be of other inputs, whose time says nothing. Those on known
  // inputs come right after the last samples: a kernel may work in later executions alone.
  timed.last.touched_ns = TRY(spot_check(timed.sampling, InputSet::part)).known_ns;
  if (failed()) return {};
  // Trials are many: of those the other parts of Q, K and V are asked when they become the choice.
  constexpr uint32_t kQkv = (1u << uint32_t(InputTensor::sinks)) - 1;
  const std::vector<uint32_t> parts = parts_of_tensors(plan.problem, work.change_seed);
  for (size_t i = 1; i < parts.size() && !failed(); ++i)
    if (compare != Compare::elements || (parts[i] & kQkv) == 0)
      TRY(spot_check(nullptr, InputSet(size_t(InputSet::part) + i)));
  if (compare != Compare::elements && !failed()) TRY(check_often(*this));
  if (failed()) return {};
  if (!timed.sampling) TRY(spot_check(nullptr, InputSet::changed));
  if (failed()) return {};
  if (timed.sampling && timed.spots.empty()) {
    const uint32_t settle = std::max(timed.sampling->samples_in(kSettleMs), kSettleSamples);
    TRY(timed.sampling->take(settle, wait));
    SpotCheck spot = TRY(spot_check(timed.sampling, InputSet::changed));
    if (failed()) return {};
    timed.spots.push_back(spot);
  }
  if (timed.typical_ns > 0 && timed.sampling) TRY(compare_times(*this, timed));
  if (failed()) return {};
  // A kernel may count, and be right on any inputs at first alone.
  if (const std::string wrong = TRY(wrong_on_extremes(*this, false, timed.sampling)); !wrong.empty())
    fail(record, wrong);
  return failed() ? Result<void>() : check_memory();
}

}  // namespace attnscope
