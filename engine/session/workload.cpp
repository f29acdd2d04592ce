#include "engine/session/workload.hpp"

#include <random>

#include "engine/attention/layout.hpp"
#include "engine/attention/parallel.hpp"
#include "engine/attention/verdict.hpp"
#include "engine/vulkan/keep_warm.hpp"

namespace attnscope {
namespace {

/// Host copies of inputs beyond this are made again when another precision asks for them.
constexpr uint64_t kHostCopy = uint64_t{256} << 20;
/// An index that points nowhere: what lies around page tables and offsets.
constexpr uint32_t kBadIndex = 0xffffffffu;

/// Double-precision work of a reference, for each thread here: bounds time, not rows. For changed inputs, for extremes.
constexpr double kReferenceFlops = 2e8, kChangedFlops = 1e7, kExtremeFlops = 5e7;
/// Rows, and heads of K and V, that extremes() draws in all, unless that is more elements or draws than these.
constexpr uint64_t kRowsDrawn = 256, kHeadsDrawn = 16, kMostDrawn = uint64_t{1} << 24, kMostDraws = 32;

std::span<const std::byte> bytes_of(const std::vector<uint32_t>& words) { return std::as_bytes(std::span(words)); }

uint64_t host_bytes(const Inputs& in) {
  return in.q.bytes.size() + in.k.bytes.size() + in.v.bytes.size() + in.sinks.size() * 4 + in.mask.bytes.size() +
         in.lists.size() * 4;
}

/// All, or where that is over `max_flops` random ones of each RowExtreme, half of them near the edges of the sequence.
std::vector<uint64_t> extreme_rows(const Problem& p, uint32_t seed, double max_flops) {
  const Layout layout(p, {});
  const double rows = double(p.total_q()) * p.heads_q, fit = max_flops / problem_flops(p) * rows;
  std::vector<uint64_t> out;
  for (uint32_t b = 0; b < p.batch && fit >= rows; ++b)
    for (uint32_t h = 0; h < p.heads_q; ++h)
      for (uint32_t i = 0; i < layout.queries(b); ++i) out.push_back((uint64_t{b} * p.heads_q + h) * p.seq_q + i);
  std::mt19937_64 random(seed);
  for (uint32_t n = 0; fit < rows && n < std::max<double>(fit, kRowExtremes); ++n) {
    uint64_t row = 0;
    const uint64_t where = random() % 4;
    for (int tries = 0; tries < 64; ++tries) {
      const auto b = uint32_t(random() % p.batch), h = uint32_t(random() % p.heads_q), queries = layout.queries(b);
      const auto from_edge = uint32_t(random() % std::min<uint64_t>(uint64_t{1} << random() % 6, queries));
      const auto i = where < 2 ? uint32_t(random() % queries) : where == 2 ? from_edge : queries - 1 - from_edge;
      row = (uint64_t{b} * p.heads_q + h) * p.seq_q + i;
      if (row_extreme(seed, layout.q_row(b, h, i)) == row_extreme(0, n)) break;
    }
    out.push_back(row);
  }
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

Result<std::shared_ptr<Workload>> make_workload(std::shared_ptr<vulkan::Kernels> kernels, const Problem& problem,
                                                uint64_t seed, const vulkan::Wait& wait) {
  const vulkan::Device device = kernels->device();
  auto work = std::make_shared<Workload>();
  work->kernels = std::move(kernels);
  work->problem = problem;
  work->seed = seed;
  work->change_seed = std::max(std::random_device{}(), 1u);
  Inputs inputs = [&] {
    const vulkan::KeepWarm warm(device);
    return make_inputs(problem, seed);
  }();
  const auto add = [&](uint32_t binding, std::span<const std::byte> data, uint64_t bytes,
                       uint32_t word) -> Result<void> {
    GuardedBuffer buffer = TRY(GuardedBuffer::create(device, bytes, word, wait));
    if (!data.empty()) TRY(buffer.upload(data, wait));
    work->buffers.emplace_back(binding, std::move(buffer));
    return {};
  };
  for (const auto& [binding, tensor] :
       {std::pair{binding_q, &inputs.q}, {binding_k, &inputs.k}, {binding_v, &inputs.v}})
    if (!problem.mla || binding != binding_v)
      TRY(add(binding, tensor->bytes, tensor->bytes.size(),
              kv_padding_word(packed_as(problem, binding), problem.dtype)));
  TRY(add(binding_o, {}, problem.o_elements() * dtype_bytes(problem.dtype), poison_word(problem.dtype)));
  for (const auto& [binding, words] :
       {std::pair{binding_offsets, &inputs.offsets}, {binding_pages, &inputs.page_table}})
    TRY(add(binding, bytes_of(*words), words->size() * 4, kBadIndex));
  // Where there are none, none are bound: plain problems lie in memory as they always did.
  if (problem.sinks)
    TRY(add(binding_sinks, std::as_bytes(std::span(inputs.sinks)), inputs.sinks.size() * 4, padding_word(DType::f32)));
  if (problem.mask != MaskKind::none)
    TRY(add(binding_mask, inputs.mask.bytes, inputs.mask.bytes.size(), padding_word(DType::f16)));
  if (problem.topk != 0) TRY(add(binding_lists, bytes_of(inputs.lists), inputs.lists.size() * 4, kBadIndex));
  if (host_bytes(inputs) <= kHostCopy) work->inputs = std::move(inputs);
  return work;
}

/// How often extremes() are drawn, draw n by change_seed + n: where rows are few each has a few of RowExtreme.
uint32_t extreme_draws(const Problem& p) {
  const uint64_t wanted = std::max(kRowsDrawn / (p.total_q() * p.heads_q), kHeadsDrawn / (p.batch * p.heads_kv));
  return uint32_t(
      std::clamp<uint64_t>(std::min(wanted, kMostDrawn / (p.k_elements() + p.v_elements() + 1)), 1, kMostDraws));
}

}  // namespace

const GuardedBuffer& Workload::buffer(uint32_t binding) const {
  if (problem.mla && binding == binding_v) binding = binding_k;
  return std::ranges::find(buffers, binding, [](const auto& b) { return b.first; })->second;
}

uint64_t Workload::bytes() const {
  uint64_t total = 0;
  for (const auto& [binding, buffer] : buffers) total += buffer.bytes();
  for (const FormedTensor& f : formed) total += f.buffer.bytes();
  for (const auto& c : computed)
    if (c) total += c->o.bytes();
  if (inputs) total += 2 * host_bytes(*inputs);
  using Rows = std::span<const std::shared_ptr<const Reference>>;
  for (const References& all : references)
    for (const Rows& some : {Rows(all.of), Rows(all.extreme)})
      for (const auto& r : some)
        if (r) total += r->exact.size() * sizeof(double) + r->own.size() * sizeof(float) + r->rows.size() * 8;
  return total;
}

Result<std::shared_ptr<Workload>> WorkloadCache::get(const Problem& problem, uint64_t seed, const vulkan::Wait& wait) {
  const auto it =
      std::ranges::find_if(entries_, [&](const auto& w) { return w->problem == problem && w->seed == seed; });
  if (it != entries_.end()) {
    entries_.splice(entries_.begin(), entries_, it);
    return entries_.front();
  }
  // Before the new one takes its memory; what it will take is about what the problem moves.
  uint64_t held = uint64_t(2 * problem_bytes(problem));
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    held += (*entry)->bytes();
    entry = held > budget_ ? entries_.erase(entry) : std::next(entry);
  }
  Result<std::shared_ptr<Workload>> made = make_workload(kernels_, problem, seed, wait);
  if (made) entries_.push_front(*made);
  return made;
}

void WorkloadCache::forget(const std::shared_ptr<Workload>& work) { entries_.remove(work); }

Result<References> references_of(Workload& work, const Precision& precision, const Cancel& cancel, bool own_only) {
  const auto known = std::ranges::find_if(
      work.references, [&](const References& r) { return r[InputSet::own]->precision == precision; });
  if (known != work.references.end() && (own_only || !known->extreme.empty())) return *known;
  const vulkan::KeepWarm warm(work.kernels->device());
  std::optional<Inputs> again;
  if (!work.inputs) again = make_inputs(work.problem, work.seed);
  const double threads = worker_threads();
  Inputs& inputs = again ? *again : *work.inputs;
  // The seed of the rows is no one's to choose: a kernel could else work for the rows that are compared alone.
  References out;
  if (known != work.references.end()) {
    out = *known;
    work.references.erase(known);
  } else {
    out.of[size_t(InputSet::own)] = std::make_shared<Reference>(make_reference(
        work.problem, inputs, precision, ~uint64_t{work.change_seed}, kReferenceFlops * threads, &cancel));
  }
  const auto keep = [&]() -> Result<References> {
    if (cancel) return cancelled_error("Cancelled while the CPU reference was computed.");
    return work.references.emplace_back(out);
  };
  if (own_only) return keep();
  std::vector<uint32_t> changes = parts_of_tensors(work.problem, work.change_seed);
  changes.insert(changes.begin(), kAllTensors);
  for (size_t i = 0; i < changes.size(); ++i) {
    change_inputs(work.problem, inputs, work.change_seed, changes[i]);
    out.of[size_t(InputSet::changed) + i] = std::make_shared<Reference>(make_reference(
        work.problem, inputs, precision, work.change_seed, kChangedFlops * threads, &cancel, Heads::some));
    change_inputs(work.problem, inputs, work.change_seed, changes[i]);
  }
  const auto exchange = [&](Extremes& others) {
    std::swap(inputs.q, others.q);
    std::swap(inputs.k, others.k);
    if (!others.v.bytes.empty()) std::swap(inputs.v, others.v);
    if (!others.mask.bytes.empty()) std::swap(inputs.mask, others.mask);
    if (!others.sinks.empty()) std::swap(inputs.sinks, others.sinks);
    if (!others.lists.empty()) std::swap(inputs.lists, others.lists);
  };
  work.extremes.clear();
  const uint32_t draws = extreme_draws(work.problem);
  for (uint32_t draw = 0; draw < draws; ++draw) {
    const uint32_t seed = work.change_seed + draw;
    Extremes others = extremes(work.problem, inputs, seed);
    exchange(others);
    const Reference all = make_reference_of(work.problem, inputs, precision,
                                            extreme_rows(work.problem, seed, kExtremeFlops * threads / draws), &cancel);
    exchange(others);
    if (work.inputs) work.extremes.push_back(std::make_shared<Extremes>(std::move(others)));
    out.extreme.push_back(std::make_shared<Reference>(sound_rows(work.problem, seed, all)));
  }
  return keep();
}

std::shared_ptr<const Extremes> extremes_of(const Workload& work, uint32_t draw) {
  if (draw < work.extremes.size()) return work.extremes[draw];
  return std::make_shared<Extremes>(
      extremes(work.problem, make_inputs(work.problem, work.seed), work.change_seed + draw));
}

}  // namespace attnscope
