// How long frames took: what the program says of its own drawing. Plain numbers, no clock.
#pragma once

#include <deque>

#include "engine/standard.hpp"

namespace attnscope::gui {

class FrameTimes {
 public:
  static constexpr size_t kKept = 1 << 16;  ///< the newest, that quantiles are of: 18 minutes at 60 a second

  void add(double begin, double end);
  /// Begins anew. The first gap counts from here.
  void reset(double now) {
    *this = {};
    first_ = last_end_ = now;
  }

  unsigned long long count() const { return count_; }
  double last_ms() const { return last_ms_; }
  double max_ms() const { return max_ms_; }
  double max_gap_ms() const { return max_gap_ms_; }  ///< longest time from the end of one frame to that of the next
  double seconds(double now) const { return first_ < 0 ? 0 : now - first_; }
  double mean_fps(double now) const { return seconds(now) > 0 ? double(count_) / seconds(now) : 0; }
  /// Quantiles of the frames kept; 0 when there are none.
  double frame_ms(double q) const { return quantile_of(frames_, q); }
  double gap_ms(double q) const { return quantile_of(gaps_, q); }
  std::string text(double now) const {
    return fmt::format(
        "frames: {} in {:.1f} s, {:.1f} a second; median {:.1f} ms, p99 {:.1f} ms, longest {:.1f} ms; from one to the "
        "next: median {:.1f} ms, p99 {:.1f} ms, longest {:.1f} ms",
        count_, seconds(now), mean_fps(now), frame_ms(0.5), frame_ms(0.99), max_ms_, gap_ms(0.5), gap_ms(0.99),
        max_gap_ms_);
  }

 private:
  static double quantile_of(std::vector<float> values, double q) {
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    return values[size_t(std::lround(q * double(values.size() - 1)))];
  }
  unsigned long long count_ = 0;
  double first_ = -1, last_end_ = -1;
  double last_ms_ = 0, max_ms_ = 0, max_gap_ms_ = 0;
  std::vector<float> frames_, gaps_;  ///< ms, a ring once they are kKept
};

/// When to draw: keeps drawing out of the samples on a device that shares the CPU with the window (quiet mode), and the
/// window alive all the same. Plain numbers (seconds), no clock and no window of its own.
///
/// Quiet mode: the worker takes a batch of samples, then waits; the window draws while it waits, and lets it go on.
///   - While a batch is being taken nothing is drawn, unless input waits for longer than kInputPatience, or nothing was
///     drawn for kLongestGap (one execution can outlast any frame). Input frames mark the batch disturbed.
///   - After a batch frames are drawn until the window owes none at kLeastRate (debts die after kWindow), but for no
///     longer than the batch took (or kLeastTurn): on a machine too busy for that rate, measuring goes on all the same.
/// Otherwise frames come at `rate` a second, counted from begin to begin: how long one takes does not lower the rate,
/// and a late one does not move those after it. Between two of them is a pause of kLeastPause, so that a frame that
/// takes longer than the rate allows leaves something to others.
class Pacing {
 public:
  static constexpr double kLeastRate = 21;        ///< frames a second that quiet mode owes on average
  static constexpr double kWindow = 2.0;          ///< seconds of which frames can be owed
  static constexpr double kLongestGap = 0.18;     ///< seconds without a frame, at most
  static constexpr double kLeastTurn = 0.1;       ///< seconds that drawing may take after a batch, at least
  static constexpr double kInputPatience = 0.05;  ///< seconds that input waits for the batch in flight to end
  static constexpr double kLeastPause = 0.004;    ///< seconds between two frames when not quiet, at least

  struct Step {
    bool draw = false;    ///< draw a frame now
    bool resume = false;  ///< let the worker take its next batch (no frame will be drawn in it by plan)
    double wait = 0;      ///< neither: seconds until asking again; input and news end the wait
  };
  /// `sampling`: a batch is in flight. `held`: the worker waits to be let on.
  struct Scene {
    bool quiet = false, sampling = false, held = false, input = false;
    double rate = 60;  ///< frames a second wanted when not quiet
  };
  Step next(const Scene&, double now);
  void drawn(double begin, double end, const Scene&);
  /// True when the batch that ended had a frame drawn for input in it; reset by asking.
  bool take_disturbed() {
    const bool was = disturbed_;
    disturbed_ = false;
    return was;
  }

  const FrameTimes& times() const { return times_; }
  /// of the last kWindow seconds
  double fps(double now) const {
    if (first_ < 0 || now <= first_) return 0;
    const double span = std::min(kWindow, now - first_);
    return double(recent_.end() - std::lower_bound(recent_.begin(), recent_.end(), now - span)) / span;
  }
  void reset_statistics(double now) {
    times_.reset(now);
    first_ = now;
    recent_.clear();
  }

 private:
  Step decide(const Scene&, double now) const;
  std::deque<double> recent_;  ///< when frames ended, the last kWindow seconds
  double first_ = -1, last_begin_ = -1, last_end_ = -1;
  double due_ = -1;                                         ///< of the next frame when not quiet
  double batch_began_ = 0, turn_began_ = -1, batch_s_ = 0;  ///< turn: from a batch's end to its resume
  double debt_ = 1, debt_at_ = -1;                          ///< frames owed
  bool disturbed_ = false;
  FrameTimes times_;
};

}  // namespace attnscope::gui
