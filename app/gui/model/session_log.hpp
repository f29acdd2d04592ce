// What a person wrote about a run: a name and a note. They belong to the run, wherever it is listed.
#pragma once

#include "engine/record/run.hpp"

namespace attnscope::gui {

struct Remark {
  std::string name;  ///< in place of the one made of what it differs in; "" = that one
  std::string note;
  bool empty() const { return name.empty() && note.empty(); }
  bool operator==(const Remark&) const = default;
};

inline constexpr size_t kLongestName = 80, kLongestNote = 2000;  ///< bytes

class Remarks {
 public:
  /// By the text of its RunId (remark_key() of a pin); empty: nothing was written.
  Remark of(const std::string& key) const { return at_or(all_, key); }
  /// An empty one is forgotten. Longer texts than may be are cut, at a character.
  void set(const std::string& key, Remark);
  void clear() {
    all_.clear();
    ++version_;
  }
  const std::map<std::string, Remark>& all() const { return all_; }
  uint64_t version() const { return version_; }

 private:
  std::map<std::string, Remark> all_;
  uint64_t version_ = 0;
};

/// The session log: every run, in the order tried; the best of each problem is marked.
class SessionLog {
 public:
  static constexpr size_t kKept = 10'000;  ///< beyond it the oldest tenth goes at once

  struct Entry {
    uint64_t number = 0;  ///< counted from 1 over the whole session
    std::shared_ptr<const Record> record;
    RunId run;
    bool best = false;       ///< least median among the measured of its problem, device and modes
    std::string group = {};  ///< what competes with each other: of one problem, device and modes
    bool earlier = false;    ///< of a session that was read from its file
    bool operator==(const Entry&) const = default;
  };
  Remarks remarks;

  /// The same run again: the newer numbers, in the old place; a wrong result has a place of its own. `earlier`: of a
  /// file, a row of its own, as is what is measured after it.
  void note(const Record&, bool earlier = false);
  const std::vector<Entry>& entries() const;
  /// nullptr: it was not tried, or so long ago that it is dropped.
  std::shared_ptr<const Record> find(const RunId&) const;
  /// What is taken out can be put back, in its old place.
  std::vector<Entry> remove(const std::set<uint64_t>& numbers);
  void put_back(const std::vector<Entry>&);
  void clear();
  uint64_t version() const { return version_; }

 private:
  void index();
  mutable std::vector<Entry> entries_;
  mutable uint64_t ranked_ = 0;                     ///< the version that the best are marked of
  std::map<std::pair<RunId, bool>, size_t> index_;  ///< by run, what was wrong apart: into entries_
  uint64_t next_ = 1, version_ = 0;
};

/// Names of the variants whose newest verdict on this problem (as text) and device (device_key) failed.
std::set<std::string> last_wrong(const SessionLog&, const std::string& problem, const std::string& device);

}  // namespace attnscope::gui
