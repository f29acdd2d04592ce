// Trials and races: many configs tried as cheaply as the best so far allows, and a few of them measured side by side.
#pragma once

#include "engine/record/record.hpp"

namespace attnscope {

struct ConfigsOfVariant {
  Problem problem;
  std::string variant;
  std::vector<Config> configs;
  bool operator==(const ConfigsOfVariant&) const = default;
};
/// Configs of one variant on one problem. A config that is surely slower than the best is dropped after few samples.
struct TrialsRequest {
  Problem problem;
  std::string variant;
  std::vector<Config> configs;  ///< illegal ones are refused, each for what planning costs
  Protocol protocol;            ///< modes and min_sample_us; how long a trial lasts is decided by its samples
  uint64_t seed = 1;
  double best_ns = 0;  ///< median of the best so far, of whatever variant; 0 = none
  bool drop = true;    ///< false: each is measured as long as the best would be
  /// Pipelines of the next ones are made on other cores meanwhile; else TrialBegan comes before each compile.
  bool ahead = true;
  /// Each is judged by its first execution alone: for times from which others are predicted, which nobody is shown.
  bool judged_once = false;
  /// Compiled on the other cores after this request's own, so that a later request finds their pipelines made.
  std::vector<ConfigsOfVariant> next;
  /// The request may end without results of those that are still being compiled, where some of `next` are ready.
  bool postpone = false;
  bool operator==(const TrialsRequest&) const = default;
};

/// The result of one config. Small, because a tuner keeps thousands.
struct Trial {
  uint64_t index = 0;  ///< into TrialsRequest::configs
  Config config;
  Outcome outcome = Outcome::error;
  std::string message = {};  ///< why it was refused, failed its verdict or could not go on
  bool dropped = false;      ///< measured until it was surely slower than the best, and no longer
  double median_ns = 0;      ///< of samples_ns; 0 unless measured
  std::vector<double> samples_ns = {};
  uint32_t dispatches_per_sample = 1;
  bool settled = true;        ///< false: the device's clock was below its top, and stayed there, when sampling began
  double compile_ms = 0;      ///< until its pipelines were there, with whatever caches answered
  std::string time_utc = {};  ///< ISO 8601, of a trial in a journal; "" = it was measured just now
  bool operator==(const Trial&) const = default;
};
/// The device begins with this config: it is the cause if the process ends now.
struct TrialBegan {
  uint64_t index = 0;
};
struct TrialDone {
  Trial trial;
};

/// Where the wall time of one request went, in milliseconds.
struct TrialsReport {
  double wall_ms = 0;
  double waiting_ms = 0;    ///< the device waited for planning and compiling
  double reference_ms = 0;  ///< the reference, once per problem
  double verifying_ms = 0;  ///< executions for the verdict, and comparing
  double measuring_ms = 0;  ///< warming up and sampling
  uint64_t done = 0;        ///< trials reported; fewer than asked when cancelled or postponed
  bool operator==(const TrialsReport&) const = default;
  TrialsReport& operator+=(const TrialsReport& more) {
    wall_ms += more.wall_ms;
    waiting_ms += more.waiting_ms;
    reference_ms += more.reference_ms;
    verifying_ms += more.verifying_ms;
    measuring_ms += more.measuring_ms;
    done += more.done;
    return *this;
  }
};

struct RaceEntry {
  std::string variant;
  Config config;
  bool operator==(const RaceEntry&) const = default;
};
/// A few configs, measured interleaved: A B C A B C in blocks, so that what disturbs one disturbs all.
struct RaceRequest {
  Problem problem;
  std::vector<RaceEntry> entries;
  Protocol protocol;  ///< of each entry, as if it was run alone
  uint64_t seed = 1;
  bool resources = true;
  /// Of one entry's turn: long enough that the change costs little, short enough that what comes and goes meets all.
  double turn_ms = 5;
  /// As RunRequest::paced: about every `batch_ms`, between two rounds, the sink gets a SampleBatch without samples.
  bool paced = false;
  double batch_ms = 100;
  bool operator==(const RaceRequest&) const = default;
};
/// How many samples each turn of one entry has, in the order taken; the n-th turns of all entries are neighbours.
struct Turns {
  std::vector<uint32_t> samples;
  bool operator==(const Turns&) const = default;
};
/// Parallel to the entries: what is refused or wrong has its outcome and no samples, the others race on.
struct RaceResult {
  std::vector<Record> records;
  std::vector<Turns> turns;
  bool operator==(const RaceResult&) const = default;
};

}  // namespace attnscope
