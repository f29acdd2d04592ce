// Progress of long work on stderr: a bar with an estimate on a terminal, plain lines elsewhere, nothing when quiet.
#pragma once

#include <chrono>
#include <string>

namespace attnscope::cli {

class ProgressLine {
 public:
  ProgressLine(size_t total, bool quiet);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  /// What is being worked on, item `done` + 1 of the total.
  void begin(const std::string& what);
  void stage(const std::string& stage);
  void finished();
  /// Takes the bar off the terminal, so that something else can be printed.
  void clear();

 private:
  void draw(bool force);
  std::string left() const;
  size_t total_, done_ = 0;
  bool quiet_, terminal_;
  bool drawn_ = false;
  std::string what_, stage_;
  std::chrono::steady_clock::time_point start_, last_draw_{};
};

}  // namespace attnscope::cli
