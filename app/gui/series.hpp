// A rolling series of samples and what is read off it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/gui/sample_store.hpp"
#include "engine/measure/statistics.hpp"

namespace attnscope::gui {

enum class Metric { time, tflops, gbps };
/// What a rate counts, before any prefix: "FLOP/s", "B/s"; "" for times.
const char* axis_unit(Metric);
const char* title(Metric);

/// Work of one execution: what turns a time into a rate.
struct Work {
  double flops = 0, bytes = 0;
};
/// `ns` as the metric shows it: microseconds, TFLOP/s or GB/s.
double in_metric(Metric, double ns, const Work&);

class Series {
 public:
  static constexpr size_t kKept = 4000;      ///< the newest: what statistics are of, and what a pin keeps
  static constexpr size_t kDriftsFrom = 30;  ///< samples before a drift is told

  void clear();
  void add(std::span<const double> samples_ns);
  /// A batch that a frame was drawn in: counted, and left out of everything shown.
  void add_disturbed(size_t count) { disturbed_ += count; }

  /// In the order taken; the first has number first().
  const std::vector<double>& samples() const { return samples_; }
  uint64_t first() const { return taken_ - samples_.size(); }
  uint64_t taken() const { return taken_; }
  uint64_t disturbed() const { return disturbed_; }
  /// All of them, as far as they are in reach: what is drawn.
  const SampleStore& whole() const { return whole_; }
  /// Another number for every series that was begun: samples of one number go on where they were.
  uint64_t id() const { return id_; }
  const std::optional<Statistics>& statistics() const { return statistics_; }
  /// "drift +2.1 % over the newest 4,000": the one figure of it, Statistics::drift of the samples that the median is
  /// of, and over which; "" = too few to tell.
  std::string drift_text() const;
  bool drifting() const;

 private:
  static uint64_t next_id();
  std::vector<double> samples_;
  SampleStore whole_;
  uint64_t taken_ = 0, disturbed_ = 0, id_ = next_id();
  std::optional<Statistics> statistics_;
};

/// "12.3 us", "4.56 ms": three significant digits with a unit.
std::string time_text(double ns);
/// A value as in_metric() gives it, three significant digits in the unit that suits its size: "12.3 µs", "860 MFLOP/s".
std::string metric_text(Metric, double value);
/// `value` with three significant digits.
std::string short_number(double value);
/// "1.5 KiB", "32 KiB"
std::string bytes_text(double bytes);
/// "1,234,567"
std::string count_text(uint64_t count);

}  // namespace attnscope::gui
