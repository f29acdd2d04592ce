// How everything looks: colours, type scale, spacing.
#pragma once

#include <filesystem>

#include <imgui.h>

#include "engine/standard.hpp"

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

/// Characters of the icon font, Font Awesome 4.
namespace icons {
inline constexpr const char *search = "\uf002", *close = "\uf00d", *trash = "\uf014", *reload = "\uf021",
                            *flag = "\uf024", *edit = "\uf040", *play = "\uf04b", *pause = "\uf04c", *stop = "\uf04d",
                            *add = "\uf067", *warning = "\uf071", *folder = "\uf07c", *pin = "\uf08d",
                            *panels = "\uf0db", *undo = "\uf0e2", *copy = "\uf0c5", *save = "\uf0c7", *table = "\uf0ce",
                            *page = "\uf0f6";
}  // namespace icons
/// An icon before a word; the word alone where the icon font (icons.font) is missing.
std::string with_icon(const char* icon, const std::string& word);
const char* icon_or(const char* icon, const char* word);

/// Adds the fonts of the first of `dirs` that has them (ui.font, mono.font), else ImGui's own at the same sizes.
bool load_fonts(const std::vector<std::filesystem::path>& dirs, float scale);
void apply_style(float scale);
/// A length in pixels at scale 1, in pixels now.
float px(float at_scale_1);

}  // namespace attnscope::gui
