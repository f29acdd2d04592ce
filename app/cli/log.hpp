// The session log of `bench --log`: every config in the order tried, with its verdict, its times, the best so far
// marked.
#pragma once

#include <map>
#include <string>

#include "app/cli/jobs.hpp"
#include "app/cli/streamed_table.hpp"

namespace attnscope::cli {

/// One ranking a problem; what failed its verdict, or was not timed, is listed and never ranked.
class SessionLog {
 public:
  /// `by`: the name of a statistic; `width`: of the terminal.
  SessionLog(const std::string& by, size_t width);
  void print(const Row&);
  void print_best() const;

 private:
  struct Best {
    double ns = 0;
    size_t number = 0;
    std::string what;
  };
  std::string by_;
  double Statistics::*rank_;
  size_t width_;
  StreamedTable table_;
  size_t count_ = 0;
  std::map<std::string, Best> best_;  ///< by problem
};

}  // namespace attnscope::cli
