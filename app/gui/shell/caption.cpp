#include "app/gui/shell/caption.hpp"

#include <algorithm>
#include <cmath>

#include <imgui.h>
#include <imgui_internal.h>

#include "app/gui/charts/style.hpp"
#include "app/gui/draw/theme.hpp"

namespace attnscope::gui {
namespace {

struct Atlas {
  unsigned char* alpha = nullptr;
  int width = 0, height = 0;
};

void put(Picture& picture, int x, int y, ImU32 colour, unsigned alpha) {
  if (x < 0 || y < 0 || x >= picture.width || y >= picture.height) return;
  auto* pixel = picture.rgba.data() + (size_t(y) * size_t(picture.width) + size_t(x)) * 4;
  const unsigned parts[] = {(colour >> IM_COL32_R_SHIFT) & 0xFF, (colour >> IM_COL32_G_SHIFT) & 0xFF,
                            (colour >> IM_COL32_B_SHIFT) & 0xFF};
  for (int i = 0; i < 3; ++i)
    pixel[i] = static_cast<unsigned char>((parts[i] * alpha + pixel[i] * (255 - alpha)) / 255);
}

/// One line, its glyphs as they lie in the atlas: fonts are made at the size that they are shown in.
void write(Picture& picture, const Atlas& atlas, const ImFont& font, float x, float y, ImU32 colour,
           const std::string& text) {
  const char* end = text.data() + text.size();
  for (const char* c = text.data(); c < end;) {
    unsigned code = 0;
    c += std::max(1, ImTextCharFromUtf8(&code, c, end));
    const ImFontGlyph* glyph = font.FindGlyph(ImWchar(code));
    if (!glyph) continue;
    if (glyph->Visible) {
      const int left = int(std::floor(x + glyph->X0)), top = int(std::floor(y + glyph->Y0));
      const int wide = int(std::lround(glyph->X1 - glyph->X0)), high = int(std::lround(glyph->Y1 - glyph->Y0));
      for (int row = 0; row < high; ++row)
        for (int column = 0; column < wide; ++column) {
          // The middle of what the pixel covers: glyphs may be drawn finer than they are shown.
          const float u = glyph->U0 + (glyph->U1 - glyph->U0) * (float(column) + 0.5f) / float(wide);
          const float v = glyph->V0 + (glyph->V1 - glyph->V0) * (float(row) + 0.5f) / float(high);
          const int at_x = std::clamp(int(u * float(atlas.width)), 0, atlas.width - 1);
          const int at_y = std::clamp(int(v * float(atlas.height)), 0, atlas.height - 1);
          put(picture, left + column, top + row, colour,
              atlas.alpha[size_t(at_y) * size_t(atlas.width) + size_t(at_x)]);
        }
    }
    x += glyph->AdvanceX;
  }
}

std::vector<std::string> folded(const ImFont& font, const std::string& text, float width) {
  std::vector<std::string> lines;
  const char *at = text.data(), *end = at + text.size();
  while (at < end) {
    const char* stop = font.CalcWordWrapPositionA(1, at, end, width);
    if (stop == at) ++stop;
    lines.emplace_back(at, stop);
    for (at = stop; at < end && *at == ' ';) ++at;
  }
  return lines;
}

/// As the chart draws the series.
void swatch(Picture& picture, const ChartSeries& s, float x, float y, float width, float height) {
  const auto box = [&](float left, float top, float wide, float high, unsigned alpha) {
    for (int row = 0; row < int(std::lround(high)); ++row)
      for (int column = 0; column < int(std::lround(wide)); ++column)
        put(picture, int(left) + column, int(top) + row, s.style.colour, alpha);
  };
  using Kind = ChartSeries::Kind;
  const float middle = y + height / 2, thick = std::max(2.f, px(2));
  if (s.kind == Kind::band) return box(x, middle - height * 0.3f, width, height * 0.6f, 80);
  if (s.kind == Kind::bars) return box(x, middle - height * 0.3f, width, height * 0.6f, 255);
  if (s.kind == Kind::points) {
    for (const float part : {0.15f, 0.5f, 0.85f}) box(x + part * width - 1, middle - 1, thick, thick, 255);
    return;
  }
  std::vector<float> lengths;
  for (const float length : pattern(s.style.dash)) lengths.push_back(px(length));
  float at = 0;
  for (size_t i = 0; at < width; ++i) {
    const float length = lengths.empty() ? width : std::min(lengths[i % lengths.size()], width - at);
    if (i % 2 == 0 || lengths.empty()) box(x + at, middle - thick / 2, length, thick, 255);
    at += std::max(1.f, length);
  }
}

}  // namespace

Picture captioned(const Picture& below, const Chart& of) {
  Atlas atlas;
  ImGui::GetIO().Fonts->GetTexDataAsAlpha8(&atlas.alpha, &atlas.width, &atlas.height);
  if (!atlas.alpha || below.width <= 0) return below;
  const float pad = px(12), room = std::max(px(40), float(below.width) - 2 * pad);
  struct Line {
    const ImFont* font;
    ImU32 colour;
    std::string text;
  };
  std::vector<Line> all;
  for (const std::string& line : folded(*fonts.bold, of.title, room)) all.push_back({fonts.bold, colours::text, line});
  std::vector<std::string> lines = of.about;
  if (!of.x.name.empty() && !of.y.name.empty()) lines.push_back("across: " + of.x.name + "; upwards: " + of.y.name);
  if (of.y.down && !lines.empty()) lines.back() = "across: " + of.x.name + "; downwards: " + of.y.name;
  for (const std::string& text : lines)
    for (const std::string& line : folded(*fonts.small, text, room)) all.push_back({fonts.small, colours::soft, line});
  // The legend, which stands beside what the picture was cut from.
  struct Entry {
    const ChartSeries* series;
    float x;
    size_t row;
  };
  const float swatched = px(20), step = std::ceil(fonts.small->FontSize + px(2));
  std::vector<Entry> entries;
  float along = 0;
  size_t rows = 0;
  for (const ChartSeries* s : legend_of(of, true)) {
    const float wide =
        swatched + px(6) + fonts.small->CalcTextSizeA(fonts.small->FontSize, FLT_MAX, 0, s->name.c_str()).x + px(16);
    if (rows == 0 || (along > 0 && along + wide > room)) {
      ++rows;
      along = 0;
    }
    entries.push_back({s, along, rows - 1});
    along += wide;
  }
  float height = pad + float(rows) * step;
  for (const Line& l : all) height += std::ceil(l.font->FontSize + px(2));
  height = std::ceil(height + px(8));
  Picture out{below.width, below.height + int(height), {}};
  out.rgba.resize(size_t(out.width) * size_t(out.height) * 4);
  for (size_t i = 0; i < size_t(out.width) * size_t(height); ++i) {
    out.rgba[4 * i] = (colours::panel >> IM_COL32_R_SHIFT) & 0xFF;
    out.rgba[4 * i + 1] = (colours::panel >> IM_COL32_G_SHIFT) & 0xFF;
    out.rgba[4 * i + 2] = (colours::panel >> IM_COL32_B_SHIFT) & 0xFF;
    out.rgba[4 * i + 3] = 255;
  }
  std::copy(below.rgba.begin(), below.rgba.end(),
            out.rgba.begin() + std::ptrdiff_t(size_t(out.width) * size_t(height) * 4));
  float y = pad;
  for (const Line& l : all) {
    write(out, atlas, *l.font, pad, y, l.colour, l.text);
    y += std::ceil(l.font->FontSize + px(2));
  }
  for (const Entry& e : entries) {
    const float top = y + float(e.row) * step;
    swatch(out, *e.series, pad + e.x, top, swatched, fonts.small->FontSize);
    write(out, atlas, *fonts.small, pad + e.x + swatched + px(6), top, colours::soft, e.series->name);
  }
  return out;
}

}  // namespace attnscope::gui
