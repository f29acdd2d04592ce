// The samples of a run, in the order taken, and what is read off them.
#pragma once

#include "engine/attention/problem.hpp"
#include "engine/measure/statistics.hpp"
#include "engine/measure/units.hpp"

namespace attnscope::gui {

enum class Metric { time, tflops, gbps };
const char* title(Metric);

/// Work of one execution: what turns a time into a rate.
struct Work {
  double flops = 0, bytes = 0;
};
inline Work work_of(const Problem& problem) { return {problem_flops(problem), problem_bytes(problem)}; }
/// `ns` as the metric shows it: microseconds, TFLOP/s or GB/s.
double in_metric(Metric, double ns, const Work&);

class Series {
 public:
  static constexpr size_t kKept = 4000;             ///< the newest: what statistics are of, and what a pin keeps
  static constexpr size_t kMost = size_t{1} << 21;  ///< in reach; beyond it the oldest quarter goes at once. 16 MiB
  static constexpr size_t kDriftsFrom = 30;         ///< samples before a drift is told

  void clear() { *this = {}; }
  void add(std::span<const double> samples_ns);
  /// A batch that a frame was drawn in: counted, and left out of everything shown.
  void add_disturbed(size_t count) { disturbed_ += count; }

  /// All in reach, which are drawn; the first has number first().
  std::span<const double> all() const { return samples_; }
  uint64_t first() const { return taken_ - samples_.size(); }
  /// The newest kKept.
  std::span<const double> samples() const { return all().last(std::min(kKept, samples_.size())); }
  uint64_t taken() const { return taken_; }
  uint64_t disturbed() const { return disturbed_; }
  /// Another number for every series that was begun: samples of one number go on where they were.
  uint64_t id() const { return id_; }
  const std::optional<Statistics>& statistics() const { return statistics_; }
  bool drifting() const {
    return statistics_ && statistics_->count >= kDriftsFrom && std::abs(statistics_->drift) > kDriftWarning;
  }

 private:
  static uint64_t next_id();
  std::vector<double> samples_;
  uint64_t taken_ = 0, disturbed_ = 0, id_ = next_id();
  std::optional<Statistics> statistics_;
};

/// Samples that a person marked, by their numbers, and whether the shown statistics are of them. Records keep all.
struct MarkedSamples {
  enum class Use { all, only, without };
  uint64_t series = 0, from = 0, to = 0;  ///< Series::id(); from..to-1
  Use use = Use::all;
  bool operator==(const MarkedSamples&) const = default;
};
/// Those of them that are in reach.
std::span<const double> samples_of(const MarkedSamples&, const Series&);
/// What the shown statistics are of: the newest samples, the newest without the marked ones, or those alone.
std::vector<double> judged_samples(const MarkedSamples&, const Series&);
/// "only samples 100-199", "without samples 100-199"; "" = all of the newest.
std::string left_out_text(const MarkedSamples&);

/// "12.3 us", "4.56 ms": three significant digits with a unit.
std::string time_text(double ns);
/// The engine's unit for a value of in_metric() of this size: "ms", "GFLOP/s", and how much of the metric one is.
struct MetricUnit {
  std::string name;
  double size = 1;
};
MetricUnit unit_for(Metric, double value);
/// A value of in_metric() with three significant digits in the unit that suits its size: "12.3 µs", "860 MFLOP/s".
std::string metric_text(Metric, double value);
inline std::string short_number(double value) { return significant(value, 3); }
/// "1,234,567"
std::string count_text(uint64_t count);

/// "1 record", "2 records": a number with its noun, of those that take an s.
inline std::string counted(size_t count, const std::string& noun) {
  return count_text(count) + " " + noun + (count == 1 ? "" : "s");
}

/// Median and p20-p80 of consecutive stretches of samples, in a metric; parallel vectors.
struct Rolling {
  std::vector<double> x, median, low, high;
};

inline constexpr size_t kShown = 600;  ///< samples in view while the newest are followed
inline constexpr size_t kStretches = 48;

/// Of samples_ns[from..to), in about kStretches stretches; x is a sample's index, its middle at one half. Stretches
/// begin at multiples of their length, counted from sample number `number` for index 0, so that they stay when samples
/// are added. A stretch of very many is judged by some of them.
Rolling roll(std::span<const double> samples_ns, size_t from, size_t to, Metric, const Work&, uint64_t number = 0);

}  // namespace attnscope::gui
