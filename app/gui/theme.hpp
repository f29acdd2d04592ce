// How everything looks: colours, type scale, spacing.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include <imgui.h>

namespace attnscope::gui {

namespace colours {
inline constexpr ImU32 window = IM_COL32(13, 16, 21, 255);
inline constexpr ImU32 panel = IM_COL32(21, 26, 33, 255);
inline constexpr ImU32 raised = IM_COL32(32, 39, 49, 255);
inline constexpr ImU32 raised_hover = IM_COL32(43, 52, 65, 255);
inline constexpr ImU32 line = IM_COL32(41, 49, 60, 255);
inline constexpr ImU32 text = IM_COL32(229, 235, 242, 255);
inline constexpr ImU32 soft = IM_COL32(153, 165, 180, 255);
inline constexpr ImU32 faint = IM_COL32(96, 108, 123, 255);
inline constexpr ImU32 accent = IM_COL32(86, 180, 233, 255);
inline constexpr ImU32 accent_dim = IM_COL32(38, 92, 128, 255);
inline constexpr ImU32 good = IM_COL32(46, 196, 150, 255);
inline constexpr ImU32 warning = IM_COL32(236, 170, 44, 255);
inline constexpr ImU32 bad = IM_COL32(240, 108, 50, 255);
}  // namespace colours

ImU32 with_alpha(ImU32 colour, float alpha);

struct Fonts {
  ImFont* body = nullptr;    ///< 15 px at scale 1
  ImFont* small = nullptr;   ///< 13
  ImFont* bold = nullptr;    ///< 15, semibold
  ImFont* title = nullptr;   ///< 18, semibold
  ImFont* mono = nullptr;    ///< 14
  ImFont* number = nullptr;  ///< 28, monospaced: the one number to see from afar
};
extern Fonts fonts;

/// Adds the fonts of the first of `dirs` that has them (ui.font, mono.font), else ImGui's own at the same sizes.
void load_fonts(const std::vector<std::filesystem::path>& dirs, float scale);
void apply_style(float scale);
/// A length in pixels at scale 1, in pixels now.
float px(float at_scale_1);

}  // namespace attnscope::gui
