// Lets a tuner work on devices: a thread each, until the budget is spent or nothing is left; then a race decides. While
// a device measures, what it measures next is chosen on another thread.
#pragma once

#include "engine/measure/compare.hpp"
#include "engine/tune/tuner.hpp"

namespace attnscope::tune {

struct DriveOptions {
  size_t finalists = 5;        ///< that race; 0 = no race
  double final_within = 0.15;  ///< only those this near to the best
  /// Some requests more are chosen before results are in, and their pipelines are made while one is measured.
  bool compile_ahead = false;
  /// Each trial as it comes, on whatever thread measured it, one at a time: a place to keep it.
  std::function<void(const std::string& variant, const Trial&)> trial = {};
  /// For a person, with trial(): a sentence.
  std::function<void(const std::string&)> note = {};
  /// About ten times a second, on a thread of its own, with the stage: "search", "race".
  std::function<void(const std::string& stage)> tick = {};
};
struct TuneResult {
  bool interrupted = false;  ///< `cancel` was set before all was done
  /// The fastest of the race, its record whole. Absent: nothing raced.
  std::optional<Record> winner;
  /// Of the race too: what would have run without tuning (Tuner::baseline). May be the winner itself, or of a variant
  /// that does not compete.
  std::optional<Record> baseline;
  std::vector<Record> raced;  ///< of those that compete, fastest first
  /// Parallel to `raced`: each against the baseline, turn by turn; empty when that did not race.
  std::vector<Comparison> words;
  /// The winner against what runs now (Tuner::current); nullopt where that is the winner or did not race.
  std::optional<Comparison> over_current;
  std::string no_race;  ///< why nothing raced: nothing was measured, interrupted, the devices' error
};

/// The error is a device's that could not work at all; what was tried until then is in the tuner.
Result<TuneResult> drive(Tuner&, std::span<Measurer* const>, const DriveOptions&, const std::atomic<bool>& cancel);

}  // namespace attnscope::tune
