#include "app/gui/theme.hpp"

#include <implot.h>

namespace attnscope::gui {

Fonts fonts;

namespace {

float scale_now = 1;

ImFont* add(const std::filesystem::path& file, float size) {
  // Latin, Greek mu, arrows, mathematical signs and shapes that the panels use.
  static constexpr ImWchar ranges[] = {0x20,   0xFF,   0x370,  0x3FF,  0x2010, 0x2027, 0x2030, 0x205E, 0x2190,
                                       0x21FF, 0x2200, 0x22FF, 0x25A0, 0x25FF, 0x2713, 0x2717, 0};
  ImFontConfig config;
  config.OversampleH = 2;
  config.OversampleV = 1;
  return ImGui::GetIO().Fonts->AddFontFromFileTTF(file.c_str(), size, &config, ranges);
}

ImFont* add_default(float size) {
  ImFontConfig config;
  config.SizePixels = size;
  return ImGui::GetIO().Fonts->AddFontDefault(&config);
}

}  // namespace

ImU32 with_alpha(ImU32 colour, float alpha) {
  return (colour & ~IM_COL32_A_MASK) | (ImU32(alpha * 255) << IM_COL32_A_SHIFT);
}

float px(float at_scale_1) { return at_scale_1 * scale_now; }

void load_fonts(const std::vector<std::filesystem::path>& dirs, float scale) {
  scale_now = scale;
  ImGui::GetIO().Fonts->Clear();
  for (const auto& dir : dirs) {
    const auto ui = dir / "ui.font", mono = dir / "mono.font";
    std::error_code ec;
    if (!std::filesystem::exists(ui, ec) || !std::filesystem::exists(mono, ec)) continue;
    const auto bold = std::filesystem::exists(dir / "ui-bold.font", ec) ? dir / "ui-bold.font" : ui;
    fonts.body = add(ui, px(15));
    fonts.small = add(ui, px(13));
    fonts.bold = add(bold, px(15));
    fonts.title = add(bold, px(18));
    fonts.mono = add(mono, px(14));
    fonts.number = add(mono, px(30));
    if (fonts.body && fonts.small && fonts.bold && fonts.title && fonts.mono && fonts.number) return;
    ImGui::GetIO().Fonts->Clear();
  }
  fonts = {add_default(px(15)), add_default(px(13)), add_default(px(15)),
           add_default(px(18)), add_default(px(14)), add_default(px(30))};
}

void apply_style(float scale) {
  scale_now = scale;
  ImGuiStyle& s = ImGui::GetStyle();
  s = ImGuiStyle();
  ImGui::StyleColorsDark();
  s.WindowPadding = {12, 10};
  s.FramePadding = {8, 5};
  s.ItemSpacing = {8, 7};
  s.ItemInnerSpacing = {6, 4};
  s.CellPadding = {8, 4};
  s.ScrollbarSize = 10;
  s.GrabMinSize = 10;
  s.WindowRounding = 8;
  s.ChildRounding = 7;
  s.FrameRounding = 5;
  s.PopupRounding = 7;
  s.ScrollbarRounding = 5;
  s.GrabRounding = 4;
  s.TabRounding = 5;
  s.WindowBorderSize = 0;
  s.ChildBorderSize = 1;
  s.PopupBorderSize = 1;
  s.FrameBorderSize = 1;
  s.TabBarBorderSize = 0;
  s.DisabledAlpha = 0.45f;
  s.HoverDelayNormal = 0.25f;
  const auto set = [&](ImGuiCol which, ImU32 colour) { s.Colors[which] = ImGui::ColorConvertU32ToFloat4(colour); };
  set(ImGuiCol_Text, colours::text);
  set(ImGuiCol_TextDisabled, colours::faint);
  set(ImGuiCol_WindowBg, colours::window);
  set(ImGuiCol_ChildBg, colours::panel);
  set(ImGuiCol_PopupBg, IM_COL32(27, 33, 42, 255));
  set(ImGuiCol_TitleBg, colours::raised);
  set(ImGuiCol_TitleBgActive, colours::raised);
  set(ImGuiCol_ModalWindowDimBg, IM_COL32(4, 6, 8, 150));
  set(ImGuiCol_Border, colours::line);
  set(ImGuiCol_BorderShadow, 0);
  set(ImGuiCol_FrameBg, colours::raised);
  set(ImGuiCol_FrameBgHovered, colours::raised_hover);
  set(ImGuiCol_FrameBgActive, colours::raised_hover);
  set(ImGuiCol_Button, colours::raised);
  set(ImGuiCol_ButtonHovered, colours::raised_hover);
  set(ImGuiCol_ButtonActive, colours::accent_dim);
  set(ImGuiCol_Header, with_alpha(colours::accent_dim, 0.65f));
  set(ImGuiCol_HeaderHovered, colours::raised_hover);
  set(ImGuiCol_HeaderActive, colours::accent_dim);
  set(ImGuiCol_CheckMark, colours::accent);
  set(ImGuiCol_SliderGrab, colours::accent);
  set(ImGuiCol_SliderGrabActive, colours::accent);
  set(ImGuiCol_Separator, colours::line);
  set(ImGuiCol_SeparatorHovered, colours::accent_dim);
  set(ImGuiCol_SeparatorActive, colours::accent);
  set(ImGuiCol_Tab, colours::panel);
  set(ImGuiCol_TabHovered, colours::raised_hover);
  set(ImGuiCol_TabActive, colours::raised);
  set(ImGuiCol_TabUnfocused, colours::panel);
  set(ImGuiCol_TabUnfocusedActive, colours::raised);
  set(ImGuiCol_TableHeaderBg, colours::panel);
  set(ImGuiCol_TableBorderStrong, colours::line);
  set(ImGuiCol_TableBorderLight, with_alpha(colours::line, 0.6f));
  set(ImGuiCol_TableRowBgAlt, IM_COL32(255, 255, 255, 6));
  set(ImGuiCol_ScrollbarBg, IM_COL32(0, 0, 0, 0));
  set(ImGuiCol_ScrollbarGrab, colours::raised_hover);
  set(ImGuiCol_PlotHistogram, colours::accent);
  set(ImGuiCol_TextSelectedBg, colours::accent_dim);
  set(ImGuiCol_NavHighlight, colours::accent);
  s.ScaleAllSizes(scale);
  s.ChildBorderSize = s.PopupBorderSize = s.FrameBorderSize = 1;

  ImPlotStyle& p = ImPlot::GetStyle();
  p = ImPlotStyle();
  ImPlot::StyleColorsDark();
  p.PlotPadding = {px(6), px(6)};
  p.LabelPadding = {px(5), px(4)};
  p.LegendPadding = {px(8), px(6)};
  p.LegendInnerPadding = {px(6), px(4)};
  p.LegendSpacing = {px(6), px(3)};
  p.PlotBorderSize = 0;
  p.PlotMinSize = {px(120), px(40)};
  p.MinorAlpha = 0;
  p.LineWeight = px(1.6f);
  p.MarkerSize = px(2);
  p.MajorTickLen = {px(5), px(5)};
  p.MinorTickLen = {px(3), px(3)};
  const auto plot = [&](ImPlotCol which, ImU32 colour) { p.Colors[which] = ImGui::ColorConvertU32ToFloat4(colour); };
  plot(ImPlotCol_FrameBg, IM_COL32(0, 0, 0, 0));
  plot(ImPlotCol_PlotBg, IM_COL32(16, 20, 26, 255));
  plot(ImPlotCol_PlotBorder, colours::line);
  plot(ImPlotCol_AxisGrid, with_alpha(colours::line, 0.8f));
  plot(ImPlotCol_AxisText, colours::soft);
  plot(ImPlotCol_AxisTick, with_alpha(colours::line, 0.8f));
  plot(ImPlotCol_LegendBg, with_alpha(colours::panel, 0.85f));
  plot(ImPlotCol_LegendBorder, colours::line);
  plot(ImPlotCol_LegendText, colours::text);
  plot(ImPlotCol_TitleText, colours::text);
}

}  // namespace attnscope::gui
