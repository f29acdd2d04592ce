// How long frames took, and where the time went: what the program says of its own drawing. Plain numbers, no clock.
#pragma once

#include <cstddef>
#include <deque>
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
  double max_ms() const { return max_ms_; }
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
  double last_ms_ = 0, max_ms_ = 0, max_gap_ms_ = 0;
  Sum news_, build_, drawing_;
  std::vector<float> frames_, gaps_;  ///< ms, a ring once they are kKept
};

// When to draw: keeps drawing out of the samples on a device that shares the CPU with the window (quiet mode), and the
// window alive all the same. Plain numbers (seconds), no clock and no window of its own.
//
// Quiet mode: the worker takes a batch of samples, then waits; the window draws while it waits, and lets it go on.
//   - While a batch is being taken nothing is drawn, unless input waits for longer than kInputPatience, or nothing was
//     drawn for kLongestGap (one execution of the kernel can outlast any frame). Input frames mark the batch disturbed.
//   - After a batch frames are drawn until the window owes none at kLeastRate (debts die after kWindow), but for no
//   longer
//     than the batch took (or kLeastTurn): on a machine too busy for that rate, measuring goes on all the same.
// Otherwise frames come at `rate` a second, counted from begin to begin: how long one takes does not lower the rate,
// and a late one does not move those after it. Between two of them is a pause of kLeastPause, so that a frame that
// takes longer than the rate allows leaves something to others.

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
  void drawn(double begin, double end, const Scene&, const FrameParts& = {});
  /// True when the batch that ended had a frame drawn for input in it; reset by asking.
  bool take_disturbed();

  const FrameTimes& times() const { return times_; }
  double fps(double now) const;  ///< of the last kWindow seconds
  void reset_statistics(double now);

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
