#include "app/gui/charts/chart.hpp"

#include "app/gui/draw/theme.hpp"
#include "engine/words.hpp"

namespace attnscope::gui {
namespace {

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      // XML knows no other control characters.
      default: out += static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' ? ' ' : c;
    }
  return out;
}

std::string colour_text(ImU32 c) {
  return fmt::format("#{:02x}{:02x}{:02x}", (c >> IM_COL32_R_SHIFT) & 0xFF, (c >> IM_COL32_G_SHIFT) & 0xFF,
                     (c >> IM_COL32_B_SHIFT) & 0xFF);
}

std::string dash_text(const SeriesStyle& style) {
  std::string out;
  for (const float length : pattern(style.dash)) out += fmt::format("{}{:g}", out.empty() ? "" : " ", length);
  return out.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", out);
}

std::vector<Tick> ticks_of(const ChartAxis& axis) { return axis.ticks ? axis.ticks(8) : std::vector<Tick>{}; }

class Svg {
 public:
  Svg(const Chart& chart, int width, int height) : chart_(chart), width_(float(width)), height_(float(height)) {}

  std::string write() {
    out_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
        "font-family=\"Inter, 'DejaVu Sans', sans-serif\" font-size=\"12\">\n<title>{2}</title>\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"{3}\"/>\n",
        width_, height_, escaped(chart_.title), colour_text(colours::panel));
    float y = 24;
    text(16, y, chart_.title, colours::text, "start", " font-size=\"16\" font-weight=\"600\"");
    for (const std::string& line : chart_.about) text(16, y += 17, line, colours::soft, "start");
    y = legend(y + 18);
    float label = 0;
    for (const Tick& t : y_ticks_) label = std::max(label, 7.f * float(t.text.size()));
    f_ = {{16 + std::clamp(label, 30.f, 180.f) + 8, y + 6},
          {width_ - 24, height_ - 46},
          chart_.x.range,
          chart_.y.range,
          chart_.y.log};
    f_.max.y = std::max(f_.max.y, f_.min.y + 20);
    axes();
    out_ += fmt::format(
        "<clipPath id=\"data\"><rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/></clipPath>\n<g "
        "clip-path=\"url(#data)\">\n",
        f_.min.x, f_.min.y, f_.max.x - f_.min.x, f_.max.y - f_.min.y);
    for (const ChartSeries& s : chart_.series) series(s);
    return out_ + "</g>\n</svg>\n";
  }

 private:
  void text(float x, float y, const std::string& words, ImU32 colour, const char* anchor,
            const std::string& more = "") {
    out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" fill=\"{}\" text-anchor=\"{}\"{}>{}</text>\n", x, y,
                        colour_text(colour), anchor, more, escaped(words));
  }
  void rect(float x, float y, float wide, float tall, ImU32 fill) {
    out_ += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n", x, y,
                        wide, tall, colour_text(fill));
  }
  void filled(const std::string& path, ImU32 colour, double opacity = 1) {
    if (!path.empty())
      out_ += fmt::format("<path d=\"{}\" fill=\"{}\" fill-opacity=\"{:g}\"/>\n", path, colour_text(colour), opacity);
  }
  void stroked(const std::string& path, const SeriesStyle& style, float width = 1, double opacity = 1) {
    if (!path.empty())
      out_ += fmt::format("<path d=\"{}\" stroke=\"{}\" stroke-width=\"{:g}\" fill=\"none\"{}{}/>\n", path,
                          colour_text(style.colour), width, dash_text(style),
                          opacity < 1 ? fmt::format(" stroke-opacity=\"{:g}\"", opacity) : "");
  }

  void swatch(const ChartSeries& s, float x, float y) {
    if (s.kind == ChartSeries::Kind::points)
      filled(fmt::format("M{:.1f} {:.1f}h3v3h-3zm8 0h3v3h-3zm8 0h3v3h-3z", x, y - 1.5f), s.style.colour);
    else if (s.kind == ChartSeries::Kind::band || s.kind == ChartSeries::Kind::bars)
      filled(fmt::format("M{:.1f} {:.1f}h20v8h-20z", x, y - 4), s.style.colour,
             s.kind == ChartSeries::Kind::band ? 0.3 : 1);
    else
      stroked(fmt::format("M{:.1f} {:.1f}h20", x, y), s.style, 3);
  }

  /// The place below.
  float legend(float y) {
    float x = 16;
    bool any = false;
    for (const ChartSeries& s : chart_.series) {
      if (s.name.empty()) continue;
      const float wide = 34 + 7 * float(s.name.size());
      if (x > 16 && x + wide > width_ - 16) {
        x = 16;
        y += 17;
      }
      swatch(s, x, y - 4);
      text(x + 26, y, s.name, colours::soft, "start");
      x += wide;
      any = true;
    }
    return any ? y : y - 12;
  }

  /// Of the x axis too, which Frame has no logarithm for.
  ImVec2 at(double x, double y) const {
    const Range& r = chart_.x.range;
    if (chart_.x.log && r.low > 0)
      x = r.low + std::log(std::max(x, 1e-300) / r.low) / std::log(r.high / r.low) * r.width();
    const ImVec2 p = f_.pixel(x, y);
    const auto drawn = [](float v) { return std::isfinite(v) ? std::clamp(v, -1e5f, 1e5f) : 0.f; };
    return {drawn(p.x), drawn(p.y)};
  }

  void axes() {
    rect(f_.min.x, f_.min.y, f_.max.x - f_.min.x, f_.max.y - f_.min.y, colours::plot);
    for (const Tick& t : ticks_of(chart_.x)) {
      const float x = at(t.at, f_.y.low).x;
      if (x < f_.min.x - 1 || x > f_.max.x + 1) continue;
      stroked(fmt::format("M{:.1f} {:.1f}V{:.1f}", x, f_.min.y, f_.max.y), {colours::line});
      text(x, f_.max.y + 16, t.text, colours::soft, "middle");
    }
    for (const Tick& t : y_ticks_) {
      const float y = at(f_.x.low, t.at).y;
      if (y < f_.min.y - 1 || y > f_.max.y + 1) continue;
      stroked(fmt::format("M{:.1f} {:.1f}H{:.1f}", f_.min.x, y, f_.max.x), {colours::line});
      text(f_.min.x - 6, y + 4, t.text, colours::soft, "end");
    }
    text((f_.min.x + f_.max.x) / 2, height_ - 12, chart_.x.name, colours::faint, "middle");
    if (!chart_.y.name.empty())
      text(14, (f_.min.y + f_.max.y) / 2, chart_.y.name, colours::faint, "middle",
           fmt::format(" transform=\"rotate(-90 14 {:.1f})\"", (f_.min.y + f_.max.y) / 2));
  }

  void series(const ChartSeries& s) {
    const size_t count = std::min(s.x.size(), s.y.size());
    std::string path;
    const auto point = [&](size_t i, double y) {
      const ImVec2 p = at(s.x[i], y);
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", p.x, p.y);
    };
    switch (s.kind) {
      case ChartSeries::Kind::line:
        for (size_t i = 0; i < count; ++i) point(i, s.y[i]);
        stroked(path, s.style, 2);
        for (size_t i = 0; i < count && (count == 1 || !s.text.empty()); ++i) {
          const ImVec2 p = at(s.x[i], s.y[i]);
          out_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\" fill=\"{}\"/>\n", p.x, p.y,
                              colour_text(s.style.colour));
        }
        break;
      case ChartSeries::Kind::band:
        for (size_t i = 0; i < count; ++i) point(i, s.y[i]);
        for (size_t i = std::min(count, s.high.size()); i-- > 0;) point(i, s.high[i]);
        if (count == 1)
          stroked(path, {s.style.colour}, 2, 0.5);
        else
          filled(path, s.style.colour, 0.22);
        break;
      case ChartSeries::Kind::points:
        for (size_t i = 0; i < count; ++i) {
          const ImVec2 p = at(s.x[i], s.y[i]);
          path += fmt::format("M{:.1f} {:.1f}h2v2h-2z", p.x - 1, p.y - 1);
        }
        filled(path, s.style.colour);
        break;
      case ChartSeries::Kind::bars:
        for (size_t i = 0; i < count; ++i) {
          const ImVec2 a = at(s.x[i] - s.width / 2, s.y[i]), b = at(s.x[i] + s.width / 2, f_.y.low);
          const float top = std::max(f_.min.y, std::min(a.y, b.y));
          rect(a.x, top, std::max(0.5f, b.x - a.x), std::max(0.f, std::max(a.y, b.y) - top), s.style.colour);
        }
        break;
    }
  }

  const Chart& chart_;
  float width_, height_;
  Frame f_;
  std::vector<Tick> y_ticks_ = ticks_of(chart_.y);
  std::string out_;
};

std::string quoted(const std::string& cell) {
  if (cell.find_first_of(",\"\n\r") == std::string::npos) return cell;
  std::string out = "\"";
  for (const char c : cell) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string number(double value) { return std::isfinite(value) ? fmt::format("{}", value) : ""; }

const char* kind_text(ChartSeries::Kind kind) {
  constexpr const char* names[] = {"line", "points", "band", "bars"};
  return names[size_t(kind)];
}

}  // namespace

ChartAxis count_axis(const char* name, const Range& range) {
  return {name, range, false, [range](int most) { return count_ticks(range, most); }};
}

ChartAxis metric_axis(const Range& range, bool log, Metric metric) {
  const char* name = word_of(metric, {"time", "arithmetic rate", "bandwidth"});
  const char* unit = word_of(metric, {"\u00b5s", "TFLOP/s", "GB/s"});
  return {name, range, log, [=](int most) { return metric_ticks(range, log, metric, most); }, unit};
}

std::string to_svg(const Chart& chart, int width, int height) { return Svg(chart, width, height).write(); }

std::string to_csv(const Chart& chart) {
  std::string out;
  const auto comment = [&](std::string line) {
    for (char& c : line)
      if (c == '\n' || c == '\r') c = ' ';
    out += "# " + line + "\n";
  };
  comment(chart.title);
  for (const std::string& line : chart.about) comment(line);
  const auto column = [](const ChartAxis& axis, const char* otherwise) {
    if (axis.name.empty()) return std::string(otherwise);
    return quoted(axis.unit.empty() ? axis.name : fmt::format("{} ({})", axis.name, axis.unit));
  };
  out += fmt::format("series,kind,{},{},high,text\n", column(chart.x, "x"), column(chart.y, "y"));
  // Below bars, a place is a name.
  const std::vector<Tick> x_ticks = ticks_of(chart.x);
  const auto place = [&](double at, bool by_name) {
    if (by_name)
      for (const Tick& t : x_ticks)
        if (std::abs(t.at - at) < 1e-9) return quoted(t.text);
    return number(at);
  };
  for (const ChartSeries& s : chart.series) {
    const bool named = s.kind == ChartSeries::Kind::bars;
    for (size_t i = 0; i < s.y.size(); ++i)
      out += fmt::format("{},{},{},{},{},{}\n", quoted(s.name), kind_text(s.kind),
                         i < s.x.size() ? place(s.x[i], named) : "", number(s.y[i]),
                         i < s.high.size() ? number(s.high[i]) : "", i < s.text.size() ? quoted(s.text[i]) : "");
  }
  return out;
}

std::string to_csv(const TextTable& table) {
  std::string out;
  const std::vector<size_t> used = used_columns(table);
  const auto line = [&](const auto& cell) {
    for (size_t k = 0; k < used.size(); ++k) out += (k > 0 ? "," : "") + quoted(cell(used[k]));
    out += "\n";
  };
  line([&](size_t i) { return table.columns[i].title; });
  for (const auto& row : table.rows) line([&](size_t i) { return row[i]; });
  return out;
}

}  // namespace attnscope::gui
