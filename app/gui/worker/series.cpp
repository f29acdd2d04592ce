#include "app/gui/worker/series.hpp"

namespace attnscope::gui {
MetricUnit unit_for(Metric metric, double value) {
  const double size = std::abs(value);
  if (metric == Metric::time) {
    const TimeUnit unit = choose_time_unit({{size * 1e3}});
    return {unit.name, unit.ns / 1e3};
  }
  const double one = metric == Metric::tflops ? 1e12 : 1e9, per_second = size * one;
  const RateUnit unit = choose_rate_unit({&per_second, 1}, metric == Metric::tflops ? "FLOP/s" : "B/s");
  return {unit.name, unit.size / one};
}

const char* title(Metric metric) {
  return metric == Metric::time ? "Time" : metric == Metric::tflops ? "TFLOP/s" : "GB/s";
}

double in_metric(Metric metric, double ns, const Work& work) {
  if (metric == Metric::time) return ns / 1e3;
  return ns <= 0 ? 0 : metric == Metric::tflops ? work.flops / ns / 1e3 : work.bytes / ns;
}

uint64_t Series::next_id() {
  static std::atomic<uint64_t> next = 0;
  return ++next;
}

void Series::add(std::span<const double> samples_ns) {
  taken_ += samples_ns.size();
  samples_.insert(samples_.end(), samples_ns.begin(), samples_ns.end());
  if (samples_.size() > kMost) samples_.erase(samples_.begin(), samples_.end() - kMost * 3 / 4);
  statistics_ = summarize(samples());
}

std::span<const double> samples_of(const MarkedSamples& m, const Series& series) {
  if (m.series != series.id()) return {};
  const uint64_t from = std::clamp(m.from, series.first(), series.taken()), to = std::clamp(m.to, from, series.taken());
  return series.all().subspan(size_t(from - series.first()), size_t(to - from));
}

std::vector<double> judged_samples(const MarkedSamples& m, const Series& series) {
  const auto marked = samples_of(m, series);
  if (m.use == MarkedSamples::Use::only && !marked.empty()) return {marked.begin(), marked.end()};
  std::vector<double> all(series.samples().begin(), series.samples().end());
  if (m.use != MarkedSamples::Use::without || marked.empty()) return all;
  const uint64_t first = series.taken() - all.size();
  const auto at = [&](uint64_t number) {
    return all.begin() + std::ptrdiff_t(std::clamp(number, first, series.taken()) - first);
  };
  all.erase(at(m.from), at(m.to));
  return all;
}

std::string left_out_text(const MarkedSamples& m) {
  if (m.use == MarkedSamples::Use::all) return "";
  return fmt::format("{} samples {}\u2013{}", m.use == MarkedSamples::Use::only ? "only" : "without",
                     count_text(m.from), count_text(m.to - 1));
}

std::string metric_text(Metric metric, double value) {
  const MetricUnit unit = unit_for(metric, value);
  return short_number(value / unit.size) + " " + unit.name;
}

std::string time_text(double ns) { return metric_text(Metric::time, ns / 1e3); }

std::string count_text(uint64_t count) { return grouped(count); }

Rolling roll(std::span<const double> samples_ns, size_t from, size_t to, Metric metric, const Work& work,
             uint64_t number) {
  constexpr size_t kJudged = 256;  // samples of a stretch that its quantiles are taken of
  Rolling r;
  to = std::min(to, samples_ns.size());
  if (from >= to) return r;
  const size_t stretch = std::max<size_t>(1, (to - from + kStretches - 1) / kStretches);
  std::vector<double> sorted;
  for (size_t begin = from; begin < to;) {
    // A rest too short to judge belongs to its neighbour.
    size_t end = begin + stretch - size_t((number + begin) % stretch);
    if (end - begin < (stretch + 1) / 2) end += stretch;
    if (end + stretch / 2 > to) end = to;
    sorted.clear();
    for (size_t i = begin; i < end; i += std::max<size_t>(1, (end - begin) / kJudged)) sorted.push_back(samples_ns[i]);
    std::sort(sorted.begin(), sorted.end());
    const double a = in_metric(metric, quantile(sorted, 0.2), work), b = in_metric(metric, quantile(sorted, 0.8), work);
    r.x.push_back(double(begin + end) / 2);
    r.median.push_back(in_metric(metric, quantile(sorted, 0.5), work));
    r.low.push_back(std::min(a, b));
    r.high.push_back(std::max(a, b));
    begin = end;
  }
  // A line from edge to edge, also of one stretch.
  const auto edge = [](std::vector<double>& v) {
    v.insert(v.begin(), v.front());
    v.push_back(v.back());
  };
  for (auto* v : {&r.x, &r.median, &r.low, &r.high}) edge(*v);
  r.x.front() = double(from);
  r.x.back() = double(to);
  return r;
}

}  // namespace attnscope::gui
