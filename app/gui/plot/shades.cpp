#include "app/gui/plot/shades.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "app/gui/plot/sweep_grid.hpp"
#include "app/gui/state/correctness.hpp"
#include "app/gui/theme.hpp"

namespace attnscope::gui {
namespace {

ImU32 mixed(ImU32 a, ImU32 b, float share) {
  const ImVec4 x = ImGui::ColorConvertU32ToFloat4(a), y = ImGui::ColorConvertU32ToFloat4(b);
  const auto mix = [&](float u, float v) { return u + (v - u) * share; };
  return ImGui::ColorConvertFloat4ToU32({mix(x.x, y.x), mix(x.y, y.y), mix(x.z, y.z), 1});
}

}  // namespace

ImU32 error_colour(double ratio) {
  switch (class_of(ratio)) {
    case ErrorClass::unchecked: return colours::raised;
    case ErrorClass::right: return heat_colour(kBrightestError * heat_of_error(ratio));
    case ErrorClass::failing:
    case ErrorClass::not_a_number: break;
  }
  return colours::bad;
}

std::string error_text(double ratio) {
  switch (class_of(ratio)) {
    case ErrorClass::unchecked: return "not compared";
    case ErrorClass::not_a_number: return "no number";
    case ErrorClass::right:
    case ErrorClass::failing: break;
  }
  return fmt::format("{} of what is allowed", ratio >= 0.01 && ratio < 100 ? fmt::format("{:.0f} %", 100 * ratio)
                                                                           : fmt::format("{:.1e} \u00d7", ratio));
}

namespace shade {
ImU32 whole() { return colours::accent; }
ImU32 partial() { return colours::second; }
ImU32 skipped() { return colours::raised; }
ImU32 padded() { return colours::warning; }
}  // namespace shade

ImU32 tile_colour(const TileCell& cell) {
  const ImU32 colour = mixed(shade::skipped(), shade::whole(), std::min(1.f, cell.whole));
  if (cell.partial <= 0) return colour;
  return mixed(colour, shade::partial(), std::min(1.f, cell.partial / (cell.partial + cell.whole)));
}

}  // namespace attnscope::gui
