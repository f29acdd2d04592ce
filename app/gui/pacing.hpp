// When to draw: keeps drawing out of the samples on a device that shares the CPU with the window (quiet mode), and the
// window alive all the same. Plain numbers (seconds), no clock and no window of its own.
//
// Quiet mode: the worker takes a batch of samples, then waits; the window draws while it waits, and lets it go on.
//   - While a batch is being taken nothing is drawn, unless input waits for longer than kInputPatience, or nothing was
//     drawn for kLongestGap (one execution of the kernel can outlast any frame). Input frames mark the batch disturbed.
//   - After a batch frames are drawn until the window owes none at kLeastRate (debts die after kWindow), but for no
//   longer
//     than the batch took (or kLeastTurn): on a machine too busy for that rate, measuring goes on all the same.
// Otherwise frames come at `rate` a second.
#pragma once

#include <deque>

namespace attnscope::gui {

class Pacing {
 public:
  static constexpr double kLeastRate = 21;        ///< frames a second that quiet mode owes on average
  static constexpr double kWindow = 2.0;          ///< seconds of which frames can be owed
  static constexpr double kLongestGap = 0.18;     ///< seconds without a frame, at most
  static constexpr double kLeastTurn = 0.1;       ///< seconds that drawing may take after a batch, at least
  static constexpr double kInputPatience = 0.05;  ///< seconds that input waits for the batch in flight to end

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
  bool take_disturbed();

  // Statistics of the frames drawn.
  unsigned long long frames() const { return frames_; }
  double fps(double now) const;
  double last_ms() const { return last_ms_; }
  double max_ms() const { return max_ms_; }
  double mean_ms() const { return frames_ ? sum_ms_ / double(frames_) : 0; }
  double min_ms() const { return min_ms_; }
  double max_gap_ms() const { return max_gap_ms_; }  ///< longest time from one frame on screen to the next
  double counted_s(double now) const { return first_ < 0 ? 0 : now - first_; }
  double mean_fps(double now) const { return counted_s(now) > 0 ? double(frames_) / counted_s(now) : 0; }
  void reset_statistics(double now);

 private:
  Step decide(const Scene&, double now) const;
  std::deque<double> recent_;  ///< when frames ended, the last kWindow seconds
  double first_ = -1, last_end_ = -1;
  double batch_began_ = 0, turn_began_ = -1, batch_s_ = 0;  ///< turn: from a batch's end to its resume
  double debt_ = 1, debt_at_ = -1;                          ///< frames owed
  bool disturbed_ = false;
  unsigned long long frames_ = 0;
  double last_ms_ = 0, max_ms_ = 0, min_ms_ = 0, sum_ms_ = 0, max_gap_ms_ = 0;
};

}  // namespace attnscope::gui
