// Judge::find_key: where the first result that is not a number comes from.

#include "engine/attention/layout.hpp"
#include "engine/measure/units.hpp"
#include "engine/session/judge.hpp"

namespace attnscope {
namespace {

/// The time of all executions together.
constexpr double kMostNs = 5e9;
/// Of the first one of a run, in which a software device compiles as well.
constexpr double kMostFirstNs = 60e9;
/// K and V, which are on the host meanwhile; what is larger is not searched.
constexpr uint64_t kMostBytes = uint64_t{1} << 28;

}  // namespace

Result<void> Judge::find_key(double first_ns) const {
  if (!record.verdict || !record.verdict->not_finite || record.verdict->unwritten_count > 0) return {};
  Verdict& verdict = *record.verdict;
  NotFinite& at = *verdict.not_finite;
  const Problem& p = plan.problem;
  std::vector<uint32_t> pages;
  if (p.page_size != 0) {
    const std::vector<std::byte> bytes = TRY(work.buffer(binding_pages).download(wait));
    pages.resize(bytes.size() / 4);
    std::memcpy(pages.data(), bytes.data(), pages.size() * 4);
  }
  const Layout layout(p, std::move(pages));
  const uint32_t keys = layout.keys(at.batch);
  const auto not_searched = [](const std::string& why) { return "Which key it comes with was not searched: " + why; };
  if (first_ns > kMostFirstNs) {
    verdict.reason += " " + not_searched(fmt::format("an execution takes {}.", time_text(first_ns)));
    return {};
  }
  // With mla they are one.
  const GuardedBuffer &k = work.buffer(binding_k), &v = work.buffer(binding_v);
  if (k.bytes() + v.bytes() > kMostBytes) {
    verdict.reason += " " + not_searched("K and V take more than 256 MiB.");
    return {};
  }
  const std::vector<std::byte> all_k = TRY(k.download(wait)), all_v = TRY(v.download(wait));
  const uint64_t k_row = kv_bytes(p.k_type, p.dtype, p.head_dim);
  const uint64_t v_row = p.mla ? k_row : kv_bytes(p.v_type, p.dtype, p.v_dim);
  const uint64_t element = layout.q_row(at.batch, at.head, at.query) * p.v_dim + at.dim, size = dtype_bytes(p.dtype);

  double spent_ns = 0;
  const auto give = [&](const std::vector<std::byte>& with_k, const std::vector<std::byte>& with_v,
                        const vulkan::Wait& how) -> Result<void> {
    TRY(k.upload(with_k, how));
    TRY(v.upload(with_v, how));
    return refresh_forms(work, how);
  };
  const auto execute = [&](const std::vector<std::byte>& with_k, const std::vector<std::byte>& with_v) -> Result<void> {
    TRY(give(with_k, with_v, wait));
    TRY(poison());
    spent_ns += TRY(prepared.execution.run(wait));
    return bring_home(plan, work, wait);
  };
  /// With the first `count` keys of the sequence alone: in its head the others are zero, as their values are.
  const auto finite_with = [&](uint32_t count) -> Result<bool> {
    std::vector<std::byte> some_k = all_k, some_v = all_v;
    for (uint32_t key = count; key < keys; ++key) {
      const uint64_t row = layout.kv_row(at.batch, at.head / p.group(), key);
      std::fill_n(some_k.begin() + ptrdiff_t(row * k_row), k_row, std::byte{0});
      std::fill_n(some_v.begin() + ptrdiff_t(row * v_row), v_row, std::byte{0});
    }
    TRY(execute(some_k, some_v));
    Tensor one{p.dtype, TRY(work.buffer(binding_o).element(element * size, size, wait))};
    return std::isfinite(one.at(0));
  };
  const auto search = [&]() -> Result<std::string> {
    if (const bool finite = TRY(finite_with(keys)); finite) return std::string("It is finite when executed again.");
    if (spent_ns > kMostNs) return not_searched(fmt::format("an execution takes {}.", time_text(spent_ns)));
    if (const bool finite = TRY(finite_with(0)); !finite)
      return std::string("It is so whatever K and V are: all zeros give the same.");
    uint32_t fine = 0, wrong = keys;
    while (wrong - fine > 1 && spent_ns < kMostNs) {
      const uint32_t middle = fine + (wrong - fine) / 2;
      const bool finite = TRY(finite_with(middle));
      (finite ? fine : wrong) = middle;
    }
    if (wrong - fine > 1) return fmt::format("It comes with one of the keys {} to {}.", fine, wrong - 1);
    at.key = fine;
    return fmt::format("It comes with key {}: with the keys before it alone, and zeros after them, it is finite.",
                       fine);
  };
  const Result<std::string> found = search();
  vulkan::Wait to_the_end = wait;
  to_the_end.cancel = nullptr;
  TRY(give(all_k, all_v, to_the_end));
  if (!found) return found.error();
  TRY(execute(all_k, all_v));
  verdict.reason += " " + *found;
  return {};
}

}  // namespace attnscope
