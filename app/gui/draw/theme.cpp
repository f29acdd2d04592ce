#include "app/gui/draw/theme.hpp"

#include <implot.h>

namespace attnscope::gui {

namespace {

float scale_now = 1;

/// Heights of lines, ascent to descent: text of 14, 13, 13 and 26 pixels to the em with the fonts that are found.
constexpr float kBody = 17, kSmall = 16, kMono = 17, kNumber = 34;

ImFont* add(const std::filesystem::path& file, float size) {
  // Latin, Greek mu, arrows, mathematical signs and shapes that the panels use.
  static constexpr ImWchar ranges[] = {0x20,   0xFF,   0x370,  0x3FF,  0x2010, 0x2027, 0x2030, 0x205E, 0x2190,
                                       0x21FF, 0x2200, 0x22FF, 0x25A0, 0x25FF, 0x2713, 0x2717, 0};
  ImFontConfig config;
  config.OversampleH = 2;
  config.OversampleV = 1;
  return ImGui::GetIO().Fonts->AddFontFromFileTTF(file.string().c_str(), size, &config, ranges);
}

/// To the font added last, when there is such a file. As wide as each other: a button stays where its icon changes.
bool add_icons(const std::filesystem::path& file, float size) {
  static constexpr ImWchar ranges[] = {0xF000, 0xF0FF, 0};
  std::error_code ec;
  if (!std::filesystem::exists(file, ec)) return false;
  ImFontConfig config;
  config.MergeMode = true;
  config.OversampleH = 1;
  config.GlyphMinAdvanceX = config.GlyphMaxAdvanceX = std::round(size * 0.9f);
  return ImGui::GetIO().Fonts->AddFontFromFileTTF(file.string().c_str(), std::round(size * 0.75f), &config, ranges);
}

bool have_icons = false;

ImFont* add_default(float size) {
  ImFontConfig config;
  config.SizePixels = size;
  return ImGui::GetIO().Fonts->AddFontDefault(&config);
}

Theme theme = Theme::dark;

struct Ink {
  ImU32 &colour, dark, light;
};

constexpr ImU32 rgb(int r, int g, int b, int a = 255) { return IM_COL32(r, g, b, a); }

const Ink inks[] = {
    {colours::window, rgb(13, 16, 21), rgb(236, 239, 243)},
    {colours::panel, rgb(21, 26, 33), rgb(252, 253, 254)},
    {colours::raised, rgb(32, 39, 49), rgb(233, 237, 241)},
    {colours::raised_hover, rgb(41, 49, 61), rgb(222, 228, 235)},
    {colours::chosen, rgb(56, 68, 84), rgb(196, 205, 216)},
    {colours::line, rgb(41, 49, 60), rgb(204, 211, 220)},
    {colours::popup, rgb(27, 33, 42), rgb(255, 255, 255)},
    {colours::plot, rgb(16, 20, 26), rgb(246, 248, 250)},
    {colours::stripe, rgb(255, 255, 255, 6), rgb(0, 0, 0, 8)},
    {colours::text, rgb(229, 235, 242), rgb(24, 30, 38)},
    {colours::soft, rgb(166, 178, 193), rgb(66, 77, 91)},
    {colours::faint, rgb(142, 154, 169), rgb(90, 100, 114)},
    {colours::accent, rgb(86, 180, 233), rgb(0, 102, 165)},
    {colours::accent_hover, rgb(122, 198, 240), rgb(0, 84, 140)},
    {colours::accent_dim, rgb(38, 92, 128), rgb(152, 202, 234)},
    {colours::second, rgb(164, 146, 234), rgb(108, 80, 187)},
    {colours::good, rgb(46, 196, 150), rgb(0, 114, 78)},
    {colours::warning, rgb(236, 170, 44), rgb(142, 87, 0)},
    {colours::bad, rgb(244, 118, 62), rgb(184, 50, 0)},
};

/// Before anything asks for a colour.
[[maybe_unused]] const bool coloured = (use_theme(Theme::dark), true);

}  // namespace

void use_theme(Theme to) {
  theme = to;
  for (const Ink& ink : inks) ink.colour = to == Theme::dark ? ink.dark : ink.light;
}

Theme theme_now() { return theme; }

ImU32 with_alpha(ImU32 colour, float alpha) {
  return (colour & ~IM_COL32_A_MASK) | (ImU32(alpha * 255) << IM_COL32_A_SHIFT);
}

float px(float at_scale_1) { return at_scale_1 * scale_now; }

std::string with_icon(const char* icon, const std::string& word) {
  return have_icons ? std::string(icon) + " " + word : word;
}

const char* icon_or(const char* icon, const char* word) { return have_icons ? icon : word; }

bool load_fonts(const std::vector<std::filesystem::path>& dirs, float scale) {
  scale_now = scale;
  ImGui::GetIO().Fonts->Clear();
  for (const auto& dir : dirs) {
    const auto ui = dir / "ui.font", mono = dir / "mono.font";
    std::error_code ec;
    if (!std::filesystem::exists(ui, ec) || !std::filesystem::exists(mono, ec)) continue;
    const auto bold = std::filesystem::exists(dir / "ui-bold.font", ec) ? dir / "ui-bold.font" : ui;
    const auto icons = dir / "icons.font";
    fonts.body = add(ui, px(kBody));
    have_icons = add_icons(icons, px(kBody));
    fonts.small = add(ui, px(kSmall));
    add_icons(icons, px(kSmall));
    fonts.bold = add(bold, px(kBody));
    fonts.mono = add(mono, px(kMono));
    fonts.number = add(mono, px(kNumber));
    if (fonts.body && fonts.small && fonts.bold && fonts.mono && fonts.number) return true;
    ImGui::GetIO().Fonts->Clear();
  }
  have_icons = false;
  fonts = {add_default(px(kBody)), add_default(px(kSmall)), add_default(px(kBody)), add_default(px(kMono)),
           add_default(px(kNumber))};
  // What it lacks is written with what it has.
  constexpr std::pair<ImWchar, ImWchar> kLike[] = {
      {0x2010, '-'}, {0x2013, '-'}, {0x2014, '-'}, {0x2212, '-'}, {0x2026, '.'}, {0x2019, '\''}, {0x2190, '<'},
      {0x2192, '>'}, {0x2193, 'v'}, {0x2191, '^'}, {0x2264, '<'}, {0x2265, '>'}, {0x2713, '+'},  {0x3bc, 0xB5}};
  ImGui::GetIO().Fonts->Build();
  for (ImFont* font : ImGui::GetIO().Fonts->Fonts)
    for (const auto& [sign, like] : kLike) font->AddRemapChar(sign, like);
  return false;
}

void apply_style(float scale) {
  scale_now = scale;
  ImGuiStyle& s = ImGui::GetStyle();
  s = ImGuiStyle();
  theme == Theme::dark ? ImGui::StyleColorsDark() : ImGui::StyleColorsLight();
  s.WindowPadding = {12, 10};
  s.FramePadding = {8, 4};
  s.ItemSpacing = {8, 5};
  s.ItemInnerSpacing = {6, 4};
  s.CellPadding = {7, 3};
  s.ScrollbarSize = 10;
  s.WindowRounding = 8;
  s.ChildRounding = 7;
  s.FrameRounding = 5;
  s.PopupRounding = 7;
  s.ScrollbarRounding = 5;
  s.WindowBorderSize = 0;
  s.ChildBorderSize = 1;
  s.PopupBorderSize = 1;
  s.FrameBorderSize = 1;
  s.DisabledAlpha = 0.66f;
  s.HoverDelayNormal = 0.25f;
  const std::pair<ImU32, std::vector<ImGuiCol>> parts[] = {
      {colours::text, {ImGuiCol_Text}},
      {colours::faint, {ImGuiCol_TextDisabled}},
      {colours::soft, {ImGuiCol_CheckMark}},
      {colours::window, {ImGuiCol_WindowBg}},
      {colours::panel, {ImGuiCol_ChildBg, ImGuiCol_TableHeaderBg}},
      {colours::popup, {ImGuiCol_PopupBg}},
      {colours::stripe, {ImGuiCol_TableRowBgAlt}},
      {colours::line, {ImGuiCol_Border, ImGuiCol_Separator, ImGuiCol_TableBorderStrong}},
      {with_alpha(colours::line, 0.6f), {ImGuiCol_TableBorderLight}},
      {colours::raised, {ImGuiCol_FrameBg, ImGuiCol_Button, ImGuiCol_HeaderHovered}},
      {colours::raised_hover,
       {ImGuiCol_FrameBgHovered, ImGuiCol_FrameBgActive, ImGuiCol_ButtonHovered, ImGuiCol_Header, ImGuiCol_HeaderActive,
        ImGuiCol_ScrollbarGrab}},
      {colours::chosen, {ImGuiCol_ButtonActive}},
      {colours::accent, {ImGuiCol_NavHighlight}},
      {colours::accent_dim, {ImGuiCol_TextSelectedBg}},
      {IM_COL32(0, 0, 0, 0), {ImGuiCol_ScrollbarBg}}};
  for (const auto& [colour, all] : parts)
    for (const ImGuiCol which : all) s.Colors[which] = ImGui::ColorConvertU32ToFloat4(colour);
  s.ScaleAllSizes(scale);
  s.ChildBorderSize = s.PopupBorderSize = s.FrameBorderSize = 1;

  ImPlotStyle& p = ImPlot::GetStyle();
  p = ImPlotStyle();
  theme == Theme::dark ? ImPlot::StyleColorsDark() : ImPlot::StyleColorsLight();
  p.PlotPadding = {px(6), px(10)};  // half a label is above the highest tick
  p.LabelPadding = {px(5), px(4)};
  p.PlotBorderSize = 0;
  p.PlotMinSize = {px(120), px(40)};
  p.MinorAlpha = 0;
  p.MajorTickLen = {px(5), px(5)};
  const std::pair<ImPlotCol, ImU32> plot_inks[] = {
      {ImPlotCol_FrameBg, IM_COL32(0, 0, 0, 0)}, {ImPlotCol_PlotBg, colours::plot},
      {ImPlotCol_PlotBorder, colours::line},     {ImPlotCol_AxisGrid, with_alpha(colours::line, 0.8f)},
      {ImPlotCol_AxisText, colours::soft},       {ImPlotCol_AxisTick, with_alpha(colours::line, 0.8f)}};
  for (const auto& [which, colour] : plot_inks) p.Colors[which] = ImGui::ColorConvertU32ToFloat4(colour);
}

}  // namespace attnscope::gui
