// How everything looks: colours, type scale, spacing.
#pragma once

#include <filesystem>
#include <vector>

#include <imgui.h>

namespace attnscope::gui {

enum class Theme { dark, light };

/// Of the theme in use: they change with it, so none is kept beyond a frame.
namespace colours {
/// On `chosen`, the ground of a selected tab or segment, only text and soft are written; on `accent_dim` only text.
inline ImU32 window, panel, raised, raised_hover, chosen, line;
inline ImU32 popup, plot, stripe;  ///< grounds: of menus, of data, of every other row
inline ImU32 text, soft, faint;
inline ImU32 accent, accent_hover, accent_dim;
inline ImU32 second;  ///< a kind beside the accent's, which is no state
inline ImU32 good, warning, bad;
}  // namespace colours

/// Sets the colours; apply_style() gives them to what is drawn.
void use_theme(Theme);
Theme theme_now();

ImU32 with_alpha(ImU32 colour, float alpha);

struct Fonts {
  ImFont* body = nullptr;    ///< 15 px at scale 1
  ImFont* small = nullptr;   ///< 13
  ImFont* bold = nullptr;    ///< 15, semibold
  ImFont* mono = nullptr;    ///< 14
  ImFont* number = nullptr;  ///< 28, monospaced: the one number to see from afar
};
inline Fonts fonts;

/// Adds the fonts of the first of `dirs` that has them (ui.font, mono.font), else ImGui's own at the same sizes.
bool load_fonts(const std::vector<std::filesystem::path>& dirs, float scale);
void apply_style(float scale);
/// A length in pixels at scale 1, in pixels now.
float px(float at_scale_1);

}  // namespace attnscope::gui
