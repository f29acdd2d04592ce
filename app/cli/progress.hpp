// Progress of long work on stderr: a bar with an estimate on a terminal, plain lines elsewhere, nothing when quiet.
#pragma once

#include "engine/clock.hpp"
#include "engine/standard.hpp"

namespace attnscope::cli {

/// `bar`: no lines where there is no terminal, for work whose rows tell already how far it is.
enum class ProgressKind { none, bar, bar_or_lines };

class ProgressLine {
 public:
  ProgressLine(size_t total, ProgressKind kind);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  /// Adds items to the total.
  void expect(std::ptrdiff_t more) { total_ += static_cast<size_t>(more); }
  /// The current item, number `done` + 1 of the total.
  void begin(const std::string& what);
  void stage(const std::string& stage);
  void finished();
  /// Takes the bar off the terminal, so that something else can be printed.
  void clear();

 private:
  void draw(bool force);
  std::string left() const;
  size_t total_, done_ = 0;
  ProgressKind kind_;
  bool terminal_;
  bool drawn_ = false;
  std::string what_, stage_;
  Clock::time_point start_, last_draw_{};
};

}  // namespace attnscope::cli
