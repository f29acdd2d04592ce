#include "app/gui/model/scaling.hpp"

#include <sstream>

namespace attnscope::gui {
namespace {

/// Of one execution, for values that nobody chose: what a device computes in about a second, and holds with ease.
constexpr double kSoftwareFlops = 4e8, kFlops = 4e12, kSoftwareBytes = 256e6, kBytes = 4e9;
constexpr int kOctaves = 3;

Error packed(ScaleAxis axis) {
  return {ErrorKind::bad_input,
          fmt::format("Packed sequences have no one {}: choose another axis, or a dense problem.", title(axis))};
}

/// Where queries and keys differ in number they do not grow together.
Error not_together(const Problem& p) {
  return {ErrorKind::bad_input,
          fmt::format("There are {} queries and {} keys: scale the K/V length instead.", p.seq_q, p.seq_kv)};
}

/// The field that each axis sets.
constexpr uint32_t Problem::*kFields[] = {&Problem::seq_kv, &Problem::head_dim, &Problem::batch, &Problem::heads_q,
                                          &Problem::seq_kv};
static_assert(std::size(kFields) == std::size(kScaleAxes));

/// Sorted, each once.
std::vector<uint32_t> in_order(std::vector<uint32_t> values) {
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

bool fits(const Problem& p, bool software) {
  return problem_flops(p) <= (software ? kSoftwareFlops : kFlops) &&
         problem_bytes(p) <= (software ? kSoftwareBytes : kBytes);
}

}  // namespace

const char* name_of(ScaleAxis axis) { return word_of(axis, {"seq", "head_dim", "batch", "heads", "kv"}); }

const char* title(ScaleAxis axis) {
  return word_of(axis, {"sequence length", "head dim", "batch", "query heads", "K/V length"});
}

Result<uint32_t> value_on(const Problem& p, ScaleAxis axis) {
  const bool lengths = axis == ScaleAxis::seq || axis == ScaleAxis::kv || axis == ScaleAxis::batch;
  if (lengths && !p.varlen.empty()) return packed(axis);
  if (axis == ScaleAxis::seq && p.seq_q != p.seq_kv) return not_together(p);
  return p.*kFields[size_t(axis)];
}

Result<Problem> scaled(const Problem& base, ScaleAxis axis, uint32_t value) {
  if (const Result<uint32_t> now = value_on(base, axis); !now) return now.error();
  Problem p = base;
  p.*kFields[size_t(axis)] = value;
  if (axis == ScaleAxis::seq) p.seq_q = value;
  if (axis == ScaleAxis::head_dim && base.v_dim == base.head_dim) p.v_dim = value;
  if (axis == ScaleAxis::heads) {
    const uint32_t group = base.group();
    if (value % group != 0)
      return bad_input(fmt::format("{} query heads share each K/V head, and {} is no multiple of that.", group, value));
    p.heads_kv = value / group;
  }
  TRY(check_problem(p));
  return p;
}

std::vector<uint32_t> default_values(const Problem& base, ScaleAxis axis, bool software) {
  const Result<uint32_t> now = value_on(base, axis);
  if (!now) return {};
  std::vector<uint32_t> values{*now};
  uint64_t power = 1;
  while (power * 2 <= *now) power *= 2;
  for (int octave = -kOctaves; octave <= kOctaves; ++octave) {
    const uint64_t value = octave < 0 ? power >> -octave : power << octave;
    if (value == 0 || value > kMaxCount) continue;
    const Result<Problem> p = scaled(base, axis, uint32_t(value));
    if (p && (value <= *now || fits(*p, software))) values.push_back(uint32_t(value));
  }
  return in_order(std::move(values));
}

Result<std::vector<uint32_t>> parse_values(std::string_view text) {
  std::vector<uint32_t> values;
  std::string spaced(text);
  std::ranges::replace(spaced, ',', ' ');
  std::stringstream words(spaced);
  for (std::string word; words >> word && values.size() <= 4 * kScaleValues;) {
    const auto value = parse_number<uint32_t>(word, {1, kMaxCount});
    if (!value)
      return bad_input(
          fmt::format("'{}' is not a whole number from 1 to {}.", word.substr(0, 40), count_text(kMaxCount)));
    values.push_back(*value);
  }
  values = in_order(std::move(values));
  if (values.size() > kScaleValues)
    return bad_input(fmt::format("There are more than {} values; leave some out.", kScaleValues));
  return values;
}

std::string values_text(const std::vector<uint32_t>& values) { return fmt::format("{}", fmt::join(values, ", ")); }

}  // namespace attnscope::gui
