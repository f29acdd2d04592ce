// The run in flight, or the last one, and what it told so far: every number in it is of one run.
#pragma once

#include "app/gui/worker/memo.hpp"
#include "app/gui/worker/selection.hpp"
#include "app/gui/worker/series.hpp"

namespace attnscope::gui {

/// Of Progress, as the window tells it: "verifying".
std::string stage_text(const std::string& stage);

class Live {
 public:
  Selection selection;  ///< what was dispatched
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
  void start(const Selection& asked, const Modes& in) {
    // What was wrong stays so until it is judged again.
    if (selection != asked || modes != in || !failure.empty()) *this = {};
    selection = asked;
    modes = in;
    stage = "start";
    ended.reset();
    last_.reset();
  }
  /// It could not be dispatched.
  void fail(const Selection& asked, const Modes& in, const std::string& why) {
    *this = {};
    selection = asked;
    modes = in;
    failure = why;
  }
  /// Drops what was measured and judged of another run than this (another shader, another device).
  void begin(const Record& record) {
    if (began && run_id(*began) != run_id(record)) {
      series.clear();
      resources.reset();
      verdict.reset();
      sampling.reset();
    }
    began = record;
  }
  /// What its worker tells of it. `disturbed`: a frame was drawn meanwhile; these samples are counted and left out.
  void hear(const Event& event, bool disturbed) {
    if (const auto* progress = std::get_if<Progress>(&event)) stage = progress->stage;
    if (const auto* told = std::get_if<RunBegan>(&event)) begin(*told->record);
    if (const auto* told = std::get_if<SamplingBegan>(&event)) sampling = *told;
    if (const auto* told = std::get_if<ResourcesReady>(&event)) resources = told->resources;
    if (const auto* batch = std::get_if<SampleBatch>(&event))
      disturbed ? series.add_disturbed(batch->samples_ns.size()) : series.add(batch->samples_ns);
    if (const auto* told = std::get_if<Verdict>(&event)) verdict = *told;
    if (const auto* told = std::get_if<Telemetry>(&event); told && began) began->environment.telemetry = *told;
  }
  void end(const Record&);

  bool wrong() const { return verdict && !verdict->pass; }
  /// Verified, and not broken off: its samples may be shown as a time.
  bool timed() const { return began && verdict && verdict->pass && failure.empty() && series.statistics(); }
  /// The run so far as a record: what pinning keeps. Only when there is one (began or ended).
  std::optional<Record> record() const;
  /// The same of a timed() run, with its newest statistics and rates and without its samples.
  Record slim_record() const {
    Record r = *began;
    r.verdict = verdict;
    if (resources) r.resources = *resources;
    r.outcome = Outcome::measured;
    r.statistics = series.statistics();
    rate(r);
    return r;
  }

 private:
  std::optional<Record> last_;  ///< as it ended
};

/// Why the shown config takes its time: its floor, how it fits the device, and advice, as the engine explains it.
class Why {
 public:
  /// Explains anew when the run, its resources, the plan's neighbours or the ceilings are others, and about twice a
  /// second while samples come in. `live`: with a time that may be shown, or nullptr.
  void step(const Live* live, const NeighbourPlans*, const std::optional<Peaks>&, double now);
  /// The run with its statistics, floor, fit and advice, without samples; nullptr when there is nothing to explain.
  const Record* record() const { return made_.value() ? &*made_.value() : nullptr; }
  /// Raised by every change of record().
  uint64_t version() const { return made_.made(); }

 private:
  /// Of a series, at a time.
  using Key =
      std::tuple<uint64_t, uint64_t, std::optional<Peaks>, std::optional<Resources>, std::optional<NeighbourPlans>>;
  Memo<Key, std::optional<Record>> made_;
};

}  // namespace attnscope::gui
