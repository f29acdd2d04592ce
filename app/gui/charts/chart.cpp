#include "app/gui/charts/chart.hpp"

#include "app/gui/draw/theme.hpp"
#include "engine/words.hpp"

namespace attnscope::gui {
namespace {

constexpr size_t kEnough = 4096;  ///< values that quantiles are taken of
constexpr double kFar = 3;        ///< interquartile distances

double forward(double v, bool log) { return log ? std::log10(std::max(v, 1e-300)) : v; }
double backward(double v, bool log) { return log ? std::pow(10, v) : v; }

/// 1, 2 or 5 times a power of ten, so that `width` has at most `most` of it.
double round_step(double width, int most) {
  const double least = width / std::max(1, most), power = std::pow(10, std::floor(std::log10(least)));
  for (double m : {1.0, 2.0, 5.0})
    if (m * power >= least * (1 - 1e-9)) return m * power;
  return 10 * power;
}

std::vector<double> stepped(const Range& r, double step) {
  std::vector<double> at;
  const double first = std::ceil(r.low / step - 1e-9);
  for (int i = 0; i < 64 && (first + i) * step <= r.high + step * 1e-9; ++i) at.push_back((first + i) * step);
  return at;
}

/// Within less than this ratio round steps are closer together than powers of ten.
constexpr double kFewSteps = 3;

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
  explicit Svg(const Chart& chart) : chart_(chart) {}

  std::string write() {
    out_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
        "font-family=\"Inter, 'DejaVu Sans', sans-serif\" font-size=\"12\">\n<title>{2}</title>\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"{3}\"/>\n",
        kWidth, kHeight, escaped(chart_.title), colour_text(colours::panel));
    float y = 24;
    text(16, y, chart_.title, colours::text, "start", " font-size=\"16\" font-weight=\"600\"");
    for (const std::string& line : chart_.about) text(16, y += 17, line, colours::soft, "start");
    y = legend(y + 18);
    float label = 0;
    for (const Tick& t : y_ticks_) label = std::max(label, 7.f * float(t.text.size()));
    f_ = {{16 + std::clamp(label, 30.f, 180.f) + 8, y + 6},
          {kWidth - 24, kHeight - 46},
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
  static constexpr float kWidth = 960, kHeight = 540;
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
      if (x > 16 && x + wide > kWidth - 16) {
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
    text((f_.min.x + f_.max.x) / 2, kHeight - 12, chart_.x.name, colours::faint, "middle");
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

// Searched for the greatest least distance (OKLab) among themselves and from the live colour, as seen with protanopia,
// deuteranopia, tritanopia and without, each of a hue of its own; tests/gui/state/style_test.cpp measures it again.
constexpr std::array kOnDark = {IM_COL32(252, 252, 72, 255),  IM_COL32(174, 96, 144, 255),
                                IM_COL32(132, 252, 246, 255), IM_COL32(132, 108, 240, 255),
                                IM_COL32(174, 216, 132, 255), IM_COL32(246, 0, 0, 255)};
constexpr std::array kOnLight = {IM_COL32(156, 66, 246, 255), IM_COL32(192, 120, 18, 255), IM_COL32(18, 156, 150, 255),
                                 IM_COL32(126, 66, 90, 255),  IM_COL32(30, 60, 0, 255),    IM_COL32(90, 6, 90, 255)};
constexpr std::array kDashes = {Dash::solid, Dash::dashed, Dash::dotted, Dash::dash_dot};
static_assert(kOnLight.size() == kOnDark.size());
static_assert(kOnDark.size() * kDashes.size() == kSeriesStyles);

constexpr std::array dashed = {7.f, 4.f};
constexpr std::array dotted = {2.f, 3.f};
constexpr std::array dash_dot = {9.f, 3.f, 2.f, 3.f};

/// Where a segment enters the box and leaves it, of its length; the other way round: it does not.
std::pair<double, double> inside(ImVec2 a, ImVec2 b, const Box& box) {
  double enter = 0, leave = 1;
  const auto clip = [&](double from, double by, double low, double high) {
    if (by == 0 && (from < low || from > high)) leave = 0;
    if (by == 0) return;
    const double x = (low - from) / by, y = (high - from) / by;
    enter = std::max(enter, std::min(x, y));
    leave = std::min(leave, std::max(x, y));
  };
  clip(a.x, double(b.x) - a.x, box.min.x, box.max.x);
  clip(a.y, double(b.y) - a.y, box.min.y, box.max.y);
  return {enter, leave};
}

/// Whole numbers: "12,000".
std::vector<Tick> count_ticks(const Range& r, int most) {
  std::vector<Tick> ticks;
  if (!(r.width() > 0)) return ticks;
  for (const double at : stepped(r, std::max(1.0, round_step(r.width(), most))))
    if (at >= 0) ticks.push_back({at, count_text(uint64_t(at))});
  return ticks;
}

}  // namespace

void Range::include(double value) {
  low = empty ? value : std::min(low, value);
  high = empty ? value : std::max(high, value);
  empty = false;
}

void Range::include(const Range& other) {
  if (other.empty) return;
  include(other.low);
  include(other.high);
}

void Range::pad(bool log) {
  if (empty) *this = log ? of(0.1, 1) : of(0, 1);
  if (log) {
    const double room = std::max(std::pow(high / low, 0.08), 1.01);
    low /= room;
    high *= room;
    return;
  }
  const double room = std::max((high - low) * 0.08, std::abs(high) * 0.01);
  // Nothing measured is below nothing.
  low = low >= 0 ? std::max(0.0, low - room) : low - room;
  high += room > 0 ? room : 1;
}

Range robust_range(std::span<const double> values, bool log) {
  const size_t step = std::max<size_t>(1, values.size() / kEnough);
  std::vector<double> some;
  some.reserve(values.size() / step + 1);
  for (size_t i = 0; i < values.size(); i += step)
    if (std::isfinite(values[i]) && (!log || values[i] > 0)) some.push_back(forward(values[i], log));
  Range r;
  if (some.empty()) return r;
  std::sort(some.begin(), some.end());
  const double q1 = quantile(some, 0.25), q3 = quantile(some, 0.75), room = kFar * (q3 - q1);
  // A second mode is no outlier: only a few of each side are left out, however far they lie.
  const size_t few = std::min(std::max<size_t>(2, some.size() / 20), (some.size() - 1) / 4);
  r.include(backward(std::max(some.front(), std::min(some[few], q1 - room)), log));
  r.include(backward(std::min(some.back(), std::max(some[some.size() - 1 - few], q3 + room)), log));
  return r;
}

Range zoomed(const Range& r, double at, double factor, bool log) {
  const double middle = forward(at, log);
  const double low = middle + (forward(r.low, log) - middle) * factor,
               high = middle + (forward(r.high, log) - middle) * factor;
  return Range::of(backward(low, log), backward(high, log));
}

Range panned(const Range& r, double from, double to, bool log) {
  const double by = forward(from, log) - forward(to, log);
  return Range::of(backward(forward(r.low, log) + by, log), backward(forward(r.high, log) + by, log));
}

ImVec2 Frame::pixel(double at_x, double at_y) const {
  const double low = forward(y.low, log), high = forward(y.high, log);
  return {float(min.x + (at_x - x.low) / x.width() * (max.x - min.x)),
          float(max.y - (forward(at_y, log) - low) / (high - low) * (max.y - min.y))};
}

double Frame::y_at(float pixel) const {
  const double low = forward(y.low, log), high = forward(y.high, log);
  return backward(low + double(max.y - pixel) / (max.y - min.y) * (high - low), log);
}

std::vector<double> decades(const Range& r, const std::vector<double>& multiples, int every) {
  std::vector<double> at;
  for (int d = int(std::floor(std::log10(r.low))); d <= int(std::floor(std::log10(r.high))); ++d)
    for (const double m : multiples)
      if (const double value = m * std::pow(10, d); d % every == 0 && value >= r.low && value <= r.high)
        at.push_back(value);
  return at;
}

std::vector<Tick> metric_ticks(const Range& r, bool log, Metric metric, int most) {
  if (!(r.width() > 0)) return {};
  std::vector<double> values;
  if (log && r.low > 0 && r.high / r.low > kFewSteps)
    for (const auto& [multiples, every] : std::initializer_list<std::pair<std::vector<double>, int>>{
             {{1}, 8}, {{1}, 4}, {{1}, 2}, {{1}, 1}, {{1, 3}, 1}, {{1, 2, 5}, 1}})
      if (auto found = decades(r, multiples, every); int(found.size()) <= most && found.size() > values.size())
        values = std::move(found);
  std::vector<Tick> ticks;
  const auto add = [&](double at, const MetricUnit& unit, const std::string& number) {
    ticks.push_back({at, at == 0 ? "0" : number + " " + unit.name});
  };
  if (values.size() >= 2) {
    for (const double at : values) {
      const MetricUnit unit = unit_for(metric, at);
      add(at, unit, fmt::format("{:.3g}", at / unit.size));
    }
    return ticks;
  }
  // Two at the least, as far apart as can be: one value tells no scale.
  double step = round_step(r.width(), most);
  values = stepped(r, step);
  for (int count = 2 * most; values.size() < 2 && count <= 128; count *= 2) {
    step = round_step(r.width(), count);
    if (const auto finer = stepped(r, step); finer.size() > 2) values = {finer.front(), finer.back()};
  }
  // Where it does not begin at 0 that of its middle, which is that of most of what is drawn.
  const MetricUnit unit =
      unit_for(metric, r.low > 0 ? (r.low + r.high) / 2 : std::max(std::abs(r.low), std::abs(r.high)));
  const int digits = std::clamp(int(-std::floor(std::log10(step / unit.size) + 1e-9)), 0, 9);
  for (const double at : values) add(at, unit, fmt::format("{:.{}f}", at / unit.size, digits));
  return ticks;
}

ChartAxis count_axis(const char* name, const Range& range) {
  return {name, range, false, [range](int most) { return count_ticks(range, most); }};
}

ChartAxis metric_axis(const Range& range, bool log, Metric metric) {
  const char* name = word_of(metric, {"time", "arithmetic rate", "bandwidth"});
  const char* unit = word_of(metric, {"\u00b5s", "TFLOP/s", "GB/s"});
  return {name, range, log, [=](int most) { return metric_ticks(range, log, metric, most); }, unit};
}

std::string to_svg(const Chart& chart) { return Svg(chart).write(); }

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

std::span<const float> pattern(Dash dash) {
  return std::array<std::span<const float>, 4>{{{}, dashed, dotted, dash_dot}}[size_t(dash)];
}

SeriesStyle series_style(size_t slot) {
  const auto& colours = theme_now() == Theme::dark ? kOnDark : kOnLight;
  return {colours[slot % colours.size()], kDashes[slot / colours.size() % kDashes.size()]};
}

SeriesStyle live_style() { return {colours::accent, Dash::solid}; }

SeriesStyle variant_style(size_t number) {
  return {number / 4 % 2 == 0 ? colours::text : colours::faint, kDashes[number % 4]};
}

Strokes strokes(std::span<const ImVec2> line, Dash dash, float scale, const Box& box) {
  constexpr double kNudge = 1e-6;  // past where a stroke or a gap ends
  Strokes out;
  const std::span<const float> lengths = pattern(dash);
  double period = 0, phase = 0;  // how far along the pattern the line has come
  for (const float length : lengths) period += length * scale;
  double way_x = 0, way_y = 0;  // of the piece before, of length 1
  bool down = false;
  const auto lift = [&] {
    if (std::exchange(down, false)) out.ends.push_back(out.points.size());
  };
  for (size_t i = 1; i < line.size(); ++i) {
    const ImVec2 a = line[i - 1], b = line[i];
    const double dx = double(b.x) - a.x, dy = double(b.y) - a.y, length = std::hypot(dx, dy);
    if (length == 0) continue;
    if (!std::isfinite(length)) {
      lift();
      continue;
    }
    // One polyline that turns back so sharply is drawn with gaps.
    if (way_x * dx + way_y * dy < -0.7 * length) lift();
    way_x = dx / length;
    way_y = dy / length;
    const auto [enter, leave] = inside(a, b, box);
    if (enter > 0 || enter >= leave) lift();
    const auto at = [&](double along) {
      return ImVec2{float(a.x + dx * along / length), float(a.y + dy * along / length)};
    };
    const double end = enter < leave ? leave * length : 0;
    for (double along = enter * length; along < end;) {
      double left = INFINITY;  // of this stroke or gap
      size_t piece = 0;
      if (period > 0) {
        double come = std::fmod(phase + along + kNudge, period);
        while (piece + 1 < lengths.size() && come >= lengths[piece] * scale) come -= lengths[piece++] * scale;
        left = std::max(kNudge, lengths[piece] * scale - come + kNudge);
      }
      const double next = std::min(end, along + left);
      if (piece % 2 == 0) {
        if (!std::exchange(down, true)) out.points.push_back(at(along));
        out.points.push_back(at(next));
      }
      if (along + left <= end) lift();
      along = next;
    }
    if (end < length) lift();
    if (period > 0) phase = std::fmod(phase + length, period);
  }
  lift();
  return out;
}

}  // namespace attnscope::gui
