#include "app/gui/charts/roofline_plot.hpp"

#include "app/gui/model/pins.hpp"
#include "engine/device_info.hpp"

namespace attnscope::gui {
namespace {

/// FLOP per byte that the kernel moves, from wherever.
double intensity(const Record& r) {
  const double moved = r.bytes + r.extra_bytes;
  return moved > 0 ? r.flops / moved : 0;
}

std::vector<Roof> roofs_of(const Peaks& peaks) {
  std::vector<Roof> roofs;
  if (const auto copy = ceiling(peaks, CeilingKind::copy)) roofs.push_back({"device memory", *copy, true});
  if (const auto cache = ceiling(peaks, CeilingKind::cache)) roofs.push_back({"caches", *cache, true});
  if (const auto fma = ceiling(peaks, CeilingKind::fma, "f32")) roofs.push_back({"fma f32", *fma, false});
  // Sums in f32 are what attention kernels take; of each type the fastest shape.
  std::set<std::string> seen;
  for (const Ceiling& c : peaks.ceilings)
    if (c.kind == CeilingKind::matrix && c.accumulate == "f32" && c.value && seen.insert(c.type).second)
      roofs.push_back({"matrix " + c.type + " f32", *ceiling(peaks, c.kind, c.type, c.accumulate), false});
  return roofs;
}

}  // namespace

std::vector<Tick> intensity_ticks(const Range& x) {
  std::vector<Tick> ticks;
  // Powers of ten, and where there are fewer than two of them the steps between.
  for (const auto& steps : {std::vector<double>{1}, {1, 2, 5}, {1, 1.5, 2, 3, 4, 5, 6, 8}}) {
    ticks.clear();
    for (const double at : decades(Range::of(std::pow(10, x.low), std::pow(10, x.high)), steps))
      ticks.push_back({std::log10(at), at < 10 ? fmt::format("{:.3g}", at) : count_text(uint64_t(std::lround(at)))});
    if (ticks.size() >= 2) break;
  }
  return ticks;
}

double Roof::at(double x) const { return memory ? x * value * 1e-3 : value; }

RooflinePlot roofline_plot(const std::optional<Peaks>& peaks, const std::vector<SessionLog::Entry>& tried,
                           const std::string& device, const Record* now) {
  RooflinePlot plot;
  if (peaks) plot.roofs = roofs_of(*peaks);
  const auto add = [&](const Record& r, bool current, bool best) {
    const double x = intensity(r);
    if (r.outcome != Outcome::measured || !r.statistics || !(x > 0) || !(r.tflops > 0)) return;
    if (device_key(r.environment.device) != device) return;
    plot.points.push_back({x, r.tflops, &r, current, best});
    plot.x.include(std::log10(x));
    plot.y.include(r.tflops);
  };
  const std::string key = now == nullptr ? "" : identity_of(*now);
  bool fastest = false;
  for (const SessionLog::Entry& e : tried)
    if (e.key == key)
      fastest = e.best;
    else
      add(*e.record, false, e.best);
  if (now != nullptr) add(*now, true, fastest);
  if (plot.x.empty) plot.x = Range::of(0, 3);
  // The ridge of the slowest arithmetic is part of the picture: left of it memory decides.
  for (const Roof& memory : plot.roofs)
    for (const Roof& compute : plot.roofs)
      if (memory.memory && !compute.memory) plot.x.include(std::log10(compute.value / memory.value * 1e3));
  plot.x.low -= 0.3;
  plot.x.high += 0.3;
  // Up to the highest level roof, with room for its name.
  for (const Roof& roof : plot.roofs)
    if (!roof.memory) plot.y.include(roof.value);
  if (!plot.y.empty) plot.y.high *= 1.6;
  if (plot.y.empty) plot.y = Range::of(0.01, 1);
  if (plot.points.empty()) plot.y.low /= 30;
  plot.y.pad(true);
  std::stable_sort(plot.points.begin(), plot.points.end(), [](const RoofedPoint& a, const RoofedPoint& b) {
    return a.current * 2 + a.best < b.current * 2 + b.best;
  });
  // What lies on one spot is drawn once: ten thousand points cost as little as fill the picture.
  constexpr double kSpots = 400;
  std::set<std::tuple<int, int, bool>> taken;
  std::erase_if(plot.points, [&](const RoofedPoint& p) {
    const auto x = int(kSpots * std::log10(p.x) / plot.x.width()),
               y = int(kSpots * std::log10(p.y) / std::log10(plot.y.high / plot.y.low));
    return !p.current && !taken.emplace(x, y, p.best).second;
  });
  return plot;
}

const RoofedPoint* point_at(const RooflinePlot& plot, const Frame& frame, ImVec2 mouse, float reach) {
  const RoofedPoint* nearest = nullptr;
  for (const RoofedPoint& p : plot.points)
    if (nearer(frame.pixel(std::log10(p.x), p.y), mouse, reach)) nearest = &p;
  return nearest;
}

}  // namespace attnscope::gui
