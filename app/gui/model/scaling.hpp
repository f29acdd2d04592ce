// How a problem is made larger and smaller along one axis, and what is asked and known of that. Values.
#pragma once

#include "engine/record/record.hpp"

namespace attnscope::gui {

/// seq: queries and keys together. heads: query heads, and K/V heads in the same proportion. kv: keys alone.
enum class ScaleAxis { seq, head_dim, batch, heads, kv };
inline constexpr ScaleAxis kScaleAxes[] = {ScaleAxis::seq, ScaleAxis::head_dim, ScaleAxis::batch, ScaleAxis::heads,
                                           ScaleAxis::kv};
/// Of widgets and settings: "seq", "head_dim", "batch", "heads", "kv".
const char* name_of(ScaleAxis);
/// "sequence length", "K/V length".
const char* title(ScaleAxis);

/// The most values of a list: a curve is of so many points at most.
inline constexpr size_t kScaleValues = 64;

/// The problem's own value on the axis; an error says why it has none (packed sequences have many lengths).
Result<uint32_t> value_on(const Problem&, ScaleAxis);
/// The problem with that value on the axis and everything else as it is; an error says why there is none.
Result<Problem> scaled(const Problem&, ScaleAxis, uint32_t value);
/// Powers of two from an eighth to eight times the problem's own value, as far as such a device computes them.
std::vector<uint32_t> default_values(const Problem&, ScaleAxis, bool software);
/// "128, 256 512": sorted, each once. The error names what is no number, or how many are too many.
Result<std::vector<uint32_t>> parse_values(std::string_view text);
std::string values_text(const std::vector<uint32_t>&);

struct Scaling {
  ScaleAxis axis = ScaleAxis::seq;
  std::vector<uint32_t> chosen;  ///< by hand; empty: default_values()
  bool log = true;               ///< of the value axis

  std::vector<uint32_t> values(const Problem& base, bool software) const {
    return chosen.empty() ? default_values(base, axis, software) : chosen;
  }
};

}  // namespace attnscope::gui
