// A search of one problem over sessions, for `tune`, `sweep` and the window: variants, seeds, journal, the tuner.
#pragma once

#include "engine/session/session.hpp"
#include "engine/tune/cache.hpp"
#include "engine/tune/tuner.hpp"

namespace attnscope::search {

using tune::TunedTables;

/// With the models of "models" beside the file, then those that ship. Paths may be ""; what is wrong is in the notes.
TunedTables load_tables(const std::filesystem::path& tuned_file, const std::filesystem::path& shipped_models);

/// The best match whose config is legal; nullopt: there is none. `matches`, when given, gets how many there were.
std::optional<tune::TunedMatch> choose_tuned(Session&, const TunedTables&, const tune::TunedQuery&,
                                             size_t* matches = nullptr);

/// A device that takes part, opened and with its variants loaded. All of one search are equal: one name and driver.
struct SearchDevice {
  Session* session = nullptr;
  DeviceInfo device;
  std::vector<VariantInfo> variants;
};

struct SearchRequest : tune::SearchTerms {
  /// By name; "all", beside others or alone, adds those that can serve the problem. One named that cannot is an error.
  std::vector<std::string> variants;
  /// The predicted configs, least first, defaults, tuned ones and named configs come first. false: the space alone.
  bool seeds = true;
  double race_batch_ms = 0;       ///< above 0: the race is paced (RaceRequest::paced) in batches of this
  size_t finalists = 0;           ///< that race at the end, with what would have run untuned; 0 = no race
  std::filesystem::path journal;  ///< goes on from it and keeps every trial there; "" = neither
  bool fresh = false;             ///< sets the journal aside and begins anew
  bool retry = false;             ///< what failed by the journal is tried again
  bool look_only = false;         ///< tells of what the journal holds and plans the spaces; nothing is measured
};

/// The variants that compete, once known.
struct Arm {
  std::string variant, hash;
  std::vector<Parameter> parameters;
  Config default_config;  ///< what would run of this variant, untuned
};
struct SearchBegan {
  std::vector<Arm> arms;
  std::filesystem::path journal;
  tune::PredictedConfigs predicted;
};

/// Each may be empty. Called on whatever thread works, one at a time but for `tick`.
struct SearchEvents {
  std::function<void(const SearchBegan&)> began = {};
  std::function<void(const std::string& note)> note = {};  ///< for a person: a sentence
  /// `recalled`: made by an earlier process. A config reported again (by a race) is as reported last.
  std::function<void(const std::string& variant, const Trial&, bool recalled)> trial = {};
  std::function<void(const std::string& variant, const SpaceBatch&)> planned = {};
  /// About ten times a second: "search", "race".
  std::function<void(const std::string& stage, const tune::TuneProgress&)> tick = {};
  EventSink stages = {};  ///< what the session tells of the race, and of the trials at which stage they are
};

/// The configs that a search would try and its journal lacks, of all variants that compete.
struct SearchEstimate {
  struct Arm {
    std::string variant;
    uint64_t configs = 0;  ///< legal and not tried
    bool about = false;    ///< by the share of legal ones among configs drawn at random
  };
  std::vector<Arm> arms;
  uint64_t configs = 0;  ///< within the budget
  bool about = false;
  double seconds = -1;  ///< by what the trials of the journal took; negative = there are none
};

struct SearchOutcome {
  tune::TuneRequest request;
  DeviceInfo device;
  std::map<std::string, VariantInfo> variants;  ///< those that competed
  tune::TuneResult result;
  tune::TuneProgress progress;
  std::vector<tune::ArmSummary> arms;
  std::vector<tune::ConfigTrial> tried;  ///< in the order reported
  std::string baseline;                  ///< what would have run untuned, "coopmat default"; "" where it did not race
  uint64_t unkept = 0;                   ///< trials that the journal does not have: it could not be written
  double seconds = 0;
  SearchEstimate estimate;  ///< of one that only looked
  tune::PredictedConfigs predicted;
};

/// Each trial is in the journal before the next is reported. `tuned`: for seeds. Error: nothing could be tried.
Result<SearchOutcome> run_search(const SearchRequest&, std::span<const SearchDevice>, const TunedTables& tuned,
                                 const SearchEvents&, const Cancel& cancel);

/// The one of a name that can run on the device, unless `insist` is false. The error does not name it.
Result<const VariantInfo*> usable_variant(std::span<const VariantInfo>, const std::string& name, const DeviceInfo&,
                                          bool insist = true);
Error no_such_variant(const std::string& known);

/// The error of run_search() for the requested variants.
Result<void> check_variants(const SearchRequest&, const SearchDevice&);

/// A trial of an outcome as a record: what tables and files take. Of a dropped one without a time.
Record record_of(const SearchOutcome&, const tune::ConfigTrial&);
/// A row for every trial, fastest first, then those without a time.
std::vector<Record> records_of(const SearchOutcome&);

/// The journal of a search of this kind in a folder of them.
std::filesystem::path journal_in(const std::filesystem::path& folder, const DeviceInfo&, const Problem&,
                                 const Protocol&, uint64_t seed);

// Two configs taken in turn: what `bench --ab` measures, and the window before and after a change of a shader.

/// The second one's variant beside the first, where both have the same name ("tiled@B").
inline constexpr std::string_view kOfB = "@B";

/// A race of two configs without its entries, of as many turns as it takes to tell half a percent: some 200.
RaceRequest pair_request(const Problem&);

/// A variant's source under another name, as the second side of a pair.
VariantSource renamed(VariantSource, const std::string& name);

/// What runs untuned goes on to run: the race did not call its winner FASTER. false too where nothing raced.
bool keeps_current(const SearchOutcome&);
/// The fastest of each variant that raced, first what runs from now on; of the variant that runs untuned only what was
/// called FASTER than that, else that itself. Where nothing raced, the best trial.
std::vector<tune::TunedEntry> tuned_entries(const SearchOutcome&);
/// What dispatches each entry elsewhere, if its source is as it was. Compiles here: only sources a worker has loaded.
void add_passes(std::vector<tune::TunedEntry>&, std::span<const VariantSource>, const std::string& cache_dir,
                const DeviceInfo&);
/// Into the file, for every device that took part. Notes are of a file that was set aside.
Result<std::vector<std::string>> keep_tuned(const std::filesystem::path& file, std::span<const tune::TunedEntry>,
                                            std::span<const SearchDevice>, const Waiting& = {});

/// "312 tried: 60 measured, 250 stopped early (clearly slower), 2 wrong; 100 of them known from earlier searches"
std::string counts_text(const tune::TuneProgress&);
/// "3 not measured, the first of them: max abs error 0.3 is over 0.02", the most frequent reason first.
std::vector<std::string> in_vain(const tune::TuneProgress&);

/// Where the time went: a name, and the share of it from 0 to 1.
struct Share {
  const char* name;
  double share = 0;
};
/// Together 1; none where nothing was measured. In the order of the text below.
std::vector<Share> shares(const tune::TuneProgress&);
/// "40.1 s; of the search 71 % measuring, 12 % verifying, 15 % waiting for compiles, …"
std::string shares_text(const tune::TuneProgress&, double seconds);

/// The remaining time, by the budget of time or of trials, whichever is less; negative = unknown.
double seconds_left(const tune::TuneProgress&, double spent_s, double budget_s);

}  // namespace attnscope::search
