#include "app/gui/state/live.hpp"

namespace attnscope::gui {

void Live::start(const Ask& asked, const Modes& in) {
  const bool goes_on = ask == asked && modes == in && failure.empty() && !(verdict && !verdict->pass);
  if (!goes_on) *this = {};
  ask = asked;
  modes = in;
  stage = "start";
  ended.reset();
  last_.reset();
}

void Live::begin(const Record& record) {
  if (began && !same_run(run_of(*began), run_of(record))) {
    series.clear();
    resources.reset();
    verdict.reset();
    sampling.reset();
  }
  began = record;
}

void Live::add(std::span<const double> samples_ns, bool disturbed) {
  if (disturbed)
    series.add_disturbed(samples_ns.size());
  else
    series.add(samples_ns);
}

void Live::end(const Record& record) {
  // One that ended before it began is another all the same.
  if (began && !same_run(run_of(*began), run_of(record))) begin(record);
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
  if (timed()) r.samples_ns = series.samples();
  const bool measured = !r.samples_ns.empty();
  conclude(r,
           !failure.empty() ? ended.value_or(Outcome::error)
           : measured       ? Outcome::measured
           : verdict        ? Outcome::verified
                            : Outcome::cancelled,
           failure);
  if (verdict && !verdict->pass) r.message = verdict->reason;
  return r;
}

}  // namespace attnscope::gui
