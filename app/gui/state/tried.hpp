// The session log: every run, in the order tried; the best of each problem is marked.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/record/run.hpp"

namespace attnscope::gui {

class Tried {
 public:
  struct Entry {
    uint64_t number = 0;  ///< counted from 1 over the whole session
    std::shared_ptr<const Record> record;
    bool best = false;  ///< least median among the measured of its problem, device and modes
  };
  /// The same run again: the newer numbers, in the old place.
  void note(const Record&);
  const std::vector<Entry>& entries() const { return entries_; }
  /// The run of that run_key() on a problem by its text; nullptr: it was not tried, or so long ago that it is dropped.
  std::shared_ptr<const Record> find(const std::string& key, const std::string& problem) const;
  /// Raised by every note.
  uint64_t version() const { return version_; }

 private:
  static constexpr size_t kKept = 2000;
  void rank(const std::string& group);
  std::vector<Entry> entries_;
  std::map<std::string, size_t> index_;                ///< by run: into entries_
  std::map<std::string, std::vector<size_t>> groups_;  ///< what competes with each other
  uint64_t next_ = 1, version_ = 0;
};

}  // namespace attnscope::gui
