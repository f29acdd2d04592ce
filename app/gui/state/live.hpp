// The run in flight, or the last one, and what it told so far: every number in it is of one run.
#pragma once

#include <optional>
#include <string>

#include "app/gui/ask.hpp"
#include "app/gui/series.hpp"
#include "engine/record/run.hpp"

namespace attnscope::gui {

class Live {
 public:
  Ask ask;  ///< what was dispatched
  Modes modes;
  std::string stage;            ///< of Progress; "" when nothing runs
  std::optional<Record> began;  ///< what it is: all that follows belongs to this run
  std::optional<Verdict> verdict;
  std::optional<Resources> resources;
  std::optional<SamplingBegan> sampling;  ///< how its samples are made
  std::optional<Outcome> ended;
  std::string failure;  ///< why it could not go on
  Series series;

  /// The same config in the same modes goes on where it was, unless begin() then tells of another run.
  void start(const Ask&, const Modes&);
  /// Drops what was measured and judged of another run than this (another shader, another device).
  void begin(const Record&);
  /// `disturbed`: a frame was drawn while these samples were taken; they are counted and left out.
  void add(std::span<const double> samples_ns, bool disturbed);
  void end(const Record&);

  /// Verified, and not broken off: its samples may be shown as a time.
  bool timed() const { return began && verdict && verdict->pass && failure.empty() && series.statistics(); }
  /// The run so far as a record: what pinning keeps. Only when there is one (began or ended).
  std::optional<Record> record() const;

 private:
  std::optional<Record> last_;  ///< as it ended
};

}  // namespace attnscope::gui
