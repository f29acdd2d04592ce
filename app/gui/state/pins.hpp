// Configs kept for comparison: their records as they were when pinned.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/record/run.hpp"

namespace attnscope::gui {

struct Pin {
  uint64_t id = 0;
  size_t slot = 0;  ///< colour and dash, the same for as long as it lives
  bool shown = true;
  std::shared_ptr<const Record> record;
  std::string key;                   ///< of its run without the problem (run_key)
  std::vector<double> quantiles_ns;  ///< quantiles() of its samples
};

/// What two records share when they are of one config on one device, in the same modes, whatever the problem.
std::string run_key(const Record&);
/// The same with the problem: what two records share when they are of one run.
std::string identity_of(const Record&);

class Pins {
 public:
  const std::vector<Pin>& all() const { return pins_; }
  bool empty() const { return pins_.empty(); }
  /// In the first free slot.
  const Pin& add(Record record);
  /// As it was kept in a file, in its slot unless that is taken.
  void restore(Record record, size_t slot, bool shown);
  void show(uint64_t id, bool shown);
  /// Colour and dash of another slot; whoever has it takes this one's.
  void recolour(uint64_t id, size_t slot);
  /// What is taken out can be put back, in its old place and colour.
  std::vector<Pin> remove(uint64_t id);
  std::vector<Pin> clear();
  void put_back(const std::vector<Pin>&);
  const Pin* find(uint64_t id) const;
  /// A pin of the same run, if there is one.
  const Pin* same(const Record&) const;
  /// Raised by every change of what is pinned.
  uint64_t version() const { return version_; }
  /// Raised when one is shown or hidden.
  uint64_t shown_version() const { return shown_version_; }

 private:
  size_t free_slot() const;
  bool taken(size_t slot) const;
  std::vector<Pin> pins_;
  uint64_t next_id_ = 1, version_ = 0, shown_version_ = 0;
};

}  // namespace attnscope::gui
