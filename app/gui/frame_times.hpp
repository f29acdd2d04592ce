// How long frames took, and where the time went: what the program says of its own drawing. Plain numbers, no clock.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace attnscope::gui {

/// Seconds of one frame, beside its begin and end.
struct FrameParts {
  double news = 0;   ///< folding in what the links told since the frame before; not a part of the frame itself
  double build = 0;  ///< the panels; what is left of the frame is drawing
};

class FrameTimes {
 public:
  static constexpr size_t kKept = 1 << 16;  ///< the newest, that quantiles are of: 18 minutes at 60 a second

  void add(double begin, double end, const FrameParts& = {});
  /// Begins anew. The first gap counts from here.
  void reset(double now);

  unsigned long long count() const { return count_; }
  double last_ms() const { return last_ms_; }
  double min_ms() const { return min_ms_; }
  double max_ms() const { return max_ms_; }
  double mean_ms() const { return count_ ? sum_ms_ / double(count_) : 0; }
  double max_gap_ms() const { return max_gap_ms_; }  ///< longest time from the end of one frame to that of the next
  double seconds(double now) const { return first_ < 0 ? 0 : now - first_; }
  double mean_fps(double now) const { return seconds(now) > 0 ? double(count_) / seconds(now) : 0; }
  /// Quantiles of the frames kept; 0 when there are none.
  double frame_ms(double q) const { return quantile_of(frames_, q); }
  double gap_ms(double q) const { return quantile_of(gaps_, q); }
  struct Part {
    double mean_ms = 0, max_ms = 0;
  };
  Part news() const { return part(news_); }
  Part build() const { return part(build_); }
  Part drawing() const { return part(drawing_); }
  /// All of it for a person, in one line.
  std::string text(double now) const;

 private:
  struct Sum {
    double sum = 0, most = 0;
    void add(double seconds);
  };
  Part part(const Sum& s) const { return {count_ ? s.sum * 1e3 / double(count_) : 0, s.most * 1e3}; }
  static double quantile_of(std::vector<float>, double q);
  unsigned long long count_ = 0;
  double first_ = -1, last_end_ = -1;
  double last_ms_ = 0, min_ms_ = 0, max_ms_ = 0, sum_ms_ = 0, max_gap_ms_ = 0;
  Sum news_, build_, drawing_;
  std::vector<float> frames_, gaps_;  ///< ms, a ring once they are kKept
};

}  // namespace attnscope::gui
