// Runs: how a record begins and ends, so that no number appears under another's name.
#pragma once

#include "engine/record/record.hpp"
#include "engine/variant/plan.hpp"

namespace attnscope {

/// Which run a record is of, whenever it was sampled and for how long.
struct RunId {
  std::string config;  ///< with its device and driver, variant and shader hash, modes and seed: whatever the problem
  std::string problem;
  RunId on(const Problem& other) const { return {config, to_text(other)}; }
  auto operator<=>(const RunId&) const = default;  // NOLINT(modernize-use-nullptr): clang-tidy 14 errs
};
RunId run_id(const Record&);
/// As session files have it.
inline std::string to_text(const RunId& id) { return id.config + "|" + id.problem; }

/// One execution of (problem, variant, config) in one mode on one device, which `run` names with the seed and what was
/// predicted, before any result: gets flops and bytes; an `error` until conclude().
Record make_record(Record run);

/// Sets the outcome. Statistics and rates are made from the samples here alone, if the outcome lets numbers stand: what
/// was refused or failed keeps no sample, what an error ended no statistics, what was cancelled both. `message` is
/// added to the record's.
void conclude(Record&, Outcome, const std::string& message = {});
/// The same with the outcome, or with the Error that ended the run.
void conclude(Record&, const Result<Outcome>&);
/// Rates from the statistics that the record has, and the floor where its environment has the device's ceilings.
void rate(Record&);
// Checks of a record that is read from outside.

/// Which time is below zero, longer than years or not finite: "samples_ns[3]: a time of -5 ns cannot be"; or "". 0 can
/// be: a timer's steps may be longer than a kernel.
std::string impossible_time(const Record&);
/// Removes the times of a wrong or refused record, and lets a failed verdict override the outcome.
void enforce_verdict(Record&);
Outcome outcome_of(ErrorKind);

/// From what was measured and what the plan says. A record without a time gets its fit alone.
void explain(Record&, const NeighbourPlans&);

}  // namespace attnscope
