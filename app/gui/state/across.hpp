// The pinned configs on a list of problems: what is to be measured, and what was.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/gui/ask.hpp"
#include "app/gui/state/pins.hpp"

namespace attnscope::gui {

struct JobState {
  uint64_t id = 0;
  size_t done = 0, total = 0;
  std::optional<Ask> current;
  double began = 0;
  bool running = false;
};

class Across {
 public:
  JobState job;

  const std::vector<Problem>& problems() const { return problems_; }
  bool listed(const Problem& problem) const { return listed_.contains(to_text(problem)); }
  /// Once each.
  void add(const Problem&);
  void remove(size_t index);
  void set_problems(const std::vector<Problem>&);
  /// Keeps a measured record; one of the same run replaces the one before.
  void note(const Record&);
  const std::vector<std::shared_ptr<const Record>>& results() const { return results_; }
  /// Of the pin's own run on that problem: the pin itself where that is its problem, else the newest measured one.
  const Record* result(const Pin&, size_t problem) const;
  /// Raised by every change of the list or the results.
  uint64_t version() const { return version_; }

 private:
  std::vector<Problem> problems_;
  std::vector<std::string> texts_;  ///< of problems_
  std::set<std::string> listed_;    ///< the same, to look one up
  std::vector<std::shared_ptr<const Record>> results_;
  uint64_t version_ = 0;
  std::map<std::pair<std::string, std::string>, size_t> index_;  ///< by run_key and problem: into results_
};

}  // namespace attnscope::gui
