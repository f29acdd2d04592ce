#include "app/gui/series.hpp"

#include <atomic>
#include <cmath>

#include <fmt/format.h>

#include "engine/record/units.hpp"

namespace attnscope::gui {

namespace {

/// A rate per second: what one of in_metric() is in, and the engine's unit for its size.
struct Rate {
  double per_second;
  RateUnit unit;
};
Rate rate_of(Metric metric, double value) {
  const double per_second = value * (metric == Metric::tflops ? 1e12 : 1e9);
  const double size = std::abs(per_second);
  return {per_second, choose_rate_unit({&size, 1}, axis_unit(metric))};
}

}  // namespace

const char* axis_unit(Metric metric) {
  return metric == Metric::time ? "" : metric == Metric::tflops ? "FLOP/s" : "B/s";
}

const char* title(Metric metric) {
  return metric == Metric::time ? "Time" : metric == Metric::tflops ? "TFLOP/s" : "GB/s";
}

double in_metric(Metric metric, double ns, const Work& work) {
  if (metric == Metric::time) return ns / 1e3;
  if (ns <= 0) return 0;
  return metric == Metric::tflops ? work.flops / ns / 1e3 : work.bytes / ns;
}

void Series::clear() { *this = {}; }

uint64_t Series::next_id() {
  static std::atomic<uint64_t> next = 0;
  return ++next;
}

void Series::add(std::span<const double> samples_ns) {
  whole_.add(samples_ns);
  if (samples_ns.size() > kKept) {
    taken_ += samples_ns.size() - kKept;
    samples_ns = samples_ns.last(kKept);
  }
  samples_.insert(samples_.end(), samples_ns.begin(), samples_ns.end());
  taken_ += samples_ns.size();
  if (samples_.size() > kKept) samples_.erase(samples_.begin(), samples_.end() - kKept);
  statistics_ = summarize(samples_);
}

std::string Series::drift_text() const {
  if (!statistics_ || statistics_->count < kDriftsFrom) return "";
  const double drift = std::abs(statistics_->drift) < 0.0005 ? 0.0 : statistics_->drift;
  return fmt::format("drift {:+.1f} % over {}", 100 * drift,
                     taken_ > samples_.size() ? "the newest " + count_text(samples_.size()) : "all of them");
}

bool Series::drifting() const {
  return statistics_ && statistics_->count >= kDriftsFrom && std::abs(statistics_->drift) > kDriftWarning;
}

std::string short_number(double value) {
  const double magnitude = std::abs(value);
  if (magnitude >= 1e6 || (magnitude > 0 && magnitude < 1e-3)) return fmt::format("{:.2e}", value);
  if (magnitude >= 100) return fmt::format("{:.0f}", value);
  if (magnitude >= 10) return fmt::format("{:.1f}", value);
  if (magnitude >= 1) return fmt::format("{:.2f}", value);
  return fmt::format("{:.3f}", value);
}

std::string metric_text(Metric metric, double value) {
  if (metric == Metric::time) return time_text(value * 1e3);
  const Rate rate = rate_of(metric, value);
  return short_number(rate.per_second / rate.unit.size) + " " + rate.unit.name;
}

std::string time_text(double ns) {
  if (ns < 1e3) return short_number(ns) + " ns";
  if (ns < 1e6) return short_number(ns / 1e3) + " \u00b5s";
  if (ns < 1e9) return short_number(ns / 1e6) + " ms";
  return short_number(ns / 1e9) + " s";
}

std::string bytes_text(double bytes) {
  if (bytes < 1024) return fmt::format("{:.0f} B", bytes);
  const char* units[] = {"KiB", "MiB", "GiB", "TiB"};
  int u = -1;
  while (bytes >= 1024 && u < 3) {
    bytes /= 1024;
    ++u;
  }
  return fmt::format(
      "{}{}",
      bytes >= 100 || bytes == std::floor(bytes) ? fmt::format("{:.0f} ", bytes) : fmt::format("{:.1f} ", bytes),
      units[u]);
}

std::string count_text(uint64_t count) {
  const std::string digits = std::to_string(count);
  std::string text;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

}  // namespace attnscope::gui
