#include "engine/tune/problem_class.hpp"

#include <cmath>

#include <fmt/format.h>

#include "engine/attention/options.hpp"

namespace attnscope::tune {
namespace {

uint64_t to_power_of_two(double value) { return uint64_t{1} << static_cast<int>(std::lround(std::log2(value))); }

double heads(const Problem& p) { return double(p.batch) * p.heads_q; }

double doublings(double a, double b) { return std::fabs(std::log2(a / b)); }

}  // namespace

std::string exact_class(const Problem& p) {
  std::string text = fmt::format("{} d{}", to_text(p.dtype), p.head_dim);
  if (p.v_dim != p.head_dim) text += fmt::format(" dv{}", p.v_dim);
  if (p.causal) text += " causal";
  if (!p.varlen.empty()) text += " packed";
  if (p.window != 0) text += fmt::format(" window{}", p.window);
  for (const ProblemOption& option : kProblemOptions)
    if (option.name != "window" && option.name != "packed_kv" && option.asked(p))
      text += fmt::format(" {}", option.name);
  if (p.packed_kv())
    text += p.k_type == p.v_type ? fmt::format(" {}", to_text(p.k_type))
                                 : fmt::format(" k={} v={}", to_text(p.k_type), to_text(p.v_type));
  if (p.page_size != 0) text += fmt::format(" page{}", p.page_size);
  return text;
}

std::string problem_class(const Problem& p) {
  return fmt::format("{} q{} kv{} bh{} g{}", exact_class(p), to_power_of_two(p.seq_q), to_power_of_two(p.seq_kv),
                     to_power_of_two(heads(p)), to_power_of_two(p.group()));
}

std::optional<double> distance(const Problem& a, const Problem& b) {
  if (exact_class(a) != exact_class(b)) return std::nullopt;
  return kSeqQWeight * doublings(a.seq_q, b.seq_q) + kSeqKvWeight * doublings(a.seq_kv, b.seq_kv) +
         kHeadsWeight * doublings(heads(a), heads(b)) + kGroupWeight * doublings(a.group(), b.group());
}

}  // namespace attnscope::tune
