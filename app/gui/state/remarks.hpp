// What a person wrote about a run: a name, a note, a colour. They belong to the run, wherever it is listed.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "engine/record/record.hpp"

namespace attnscope::gui {

struct Remark {
  std::string name;  ///< in place of the one made of what it differs in; "" = that one
  std::string note;
  int colour = -1;  ///< of kRemarkColours; -1 = none
  bool empty() const { return name.empty() && note.empty() && colour < 0; }
  bool operator==(const Remark&) const = default;
};

inline constexpr int kRemarkColours = 6;
inline constexpr size_t kLongestName = 80, kLongestNote = 2000;  ///< bytes

class Remarks {
 public:
  /// By identity_of(); nullptr: nothing was written.
  const Remark* of(const std::string& identity) const;
  /// An empty one is forgotten. Longer texts than may be are cut, at a character.
  void set(const std::string& identity, Remark);
  void clear();
  const std::map<std::string, Remark>& all() const { return all_; }
  /// Raised by every change.
  uint64_t version() const { return version_; }

 private:
  std::map<std::string, Remark> all_;
  uint64_t version_ = 0;
};

}  // namespace attnscope::gui
