// Every sample of a run, in the order taken, and the least and greatest of stretches of them: what a plot asks of a
// million samples costs as little as of a thousand.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace attnscope::gui {

class SampleStore {
 public:
  /// In reach; beyond it the oldest quarter goes at once. 16 MiB.
  static constexpr size_t kMost = size_t{1} << 21;

  void add(std::span<const double> samples_ns);
  /// The first has number first().
  std::span<const double> all() const { return samples_; }
  uint64_t first() const { return dropped_; }
  uint64_t taken() const { return dropped_ + samples_.size(); }

  struct Extremes {
    double low = 0, high = 0;
  };
  /// Of all()[from..to), which is not empty.
  Extremes extremes(size_t from, size_t to) const;

 private:
  static constexpr size_t kFan = 64, kLevels = 3;
  static constexpr size_t kDropped = kMost / 4;
  static_assert(kDropped % (kFan * kFan * kFan) == 0, "what is left lies in whole stretches of every level");
  void extend();
  std::vector<double> samples_;
  std::array<std::vector<Extremes>, kLevels> levels_;  ///< of kFan, kFan^2, … samples each; the last one is still open
  std::array<size_t, kLevels> done_{};                 ///< samples that the level holds
  uint64_t dropped_ = 0;
};

}  // namespace attnscope::gui
