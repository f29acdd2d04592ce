#include "app/gui/model/live.hpp"

namespace attnscope::gui {

std::string stage_text(const std::string& stage) {
  constexpr std::pair<const char*, const char*> kWords[] = {{"start", "starting"},
                                                            {"compile", "compiling"},
                                                            {"verify", "verifying"},
                                                            {"reference", "computing the reference"},
                                                            {"warm-up", "warming up"},
                                                            {"sample", "sampling"},
                                                            {"resources", "reading the resources"}};
  for (const auto& [name, words] : kWords)
    if (stage == name) return words;
  return stage;
}

void Live::end(const Record& record) {
  // One that ended before it began is another all the same.
  if (began && run_id(*began) != run_id(record)) begin(record);
  stage.clear();
  ended = record.outcome;
  last_ = record;
  if (record.outcome == Outcome::error || record.outcome == Outcome::refused)
    failure = record.message.empty() ? "The run ended without a reason." : record.message;
  if (!verdict) verdict = record.verdict;
  if (!timed()) series.clear();
}

std::optional<Record> Live::record() const {
  if (!began && !last_) return std::nullopt;
  Record r = began ? *began : *last_;
  r.verdict = verdict;
  if (resources) r.resources = *resources;
  if (sampling) {
    r.dispatches_per_sample = sampling->dispatches_per_sample;
    r.settled = sampling->settled;
  }
  r.message.clear();
  if (timed()) r.samples_ns.assign(series.samples().begin(), series.samples().end());
  const bool measured = !r.samples_ns.empty();
  conclude(r,
           !failure.empty() ? ended.value_or(Outcome::error)
           : measured       ? Outcome::measured
           : verdict        ? Outcome::verified
                            : Outcome::cancelled,
           failure);
  if (wrong()) r.message = verdict->reason;
  return r;
}

void Why::step(const Live* live, const NeighbourPlans* around, const std::optional<Peaks>& peaks, double now) {
  constexpr double kEverySeconds = 0.5;
  if (!live) {
    made_({}, [] { return std::nullopt; });
    return;
  }
  Key key{live->series.id(), 1 + uint64_t(now / kEverySeconds), peaks, live->resources, {}};
  if (around) std::get<4>(key) = *around;
  made_(std::move(key), [&] {
    Record r = live->slim_record();
    if (peaks) r.environment.peaks = peaks;
    rate(r);
    if (around) explain(r, *around);
    return r;
  });
}

}  // namespace attnscope::gui
