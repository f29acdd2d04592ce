// A search of one problem over sessions: which variants compete and with which seeds, the journal it goes on from and
// keeps, the tuner driven to its end. `tune`, `sweep` and the window all search this way.
#pragma once

#include <filesystem>

#include "engine/session/session.hpp"
#include "engine/tune/cache.hpp"
#include "engine/tune/drive.hpp"
#include "engine/tune/search_space.hpp"

namespace attnscope::search {

using tune::TunedTables;

/// With the models in folders "models" beside the file and beside the folder. Paths may be empty or name nothing: an
/// empty table. What is wrong with files is in the tables' notes.
TunedTables load_tables(const std::filesystem::path& user_file, const std::filesystem::path& shipped_folder);

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
  /// The configs that the device's model predicts, least first, defaults, tuned ones of near problems and named configs
  /// come first. false: the space alone, in its order or as drawn.
  bool seeds = true;
  double race_batch_ms = 0;       ///< above 0: the race is paced (RaceRequest::paced) in batches of this
  size_t finalists = 0;           ///< that race at the end, with what would have run untuned; 0 = no race
  std::filesystem::path journal;  ///< goes on from it and keeps every trial there; "" = neither
  bool fresh = false;             ///< sets the journal aside and begins anew
  bool retry = false;             ///< what failed by the journal is tried again
  bool look_only = false;         ///< tells of what the journal holds and plans the spaces; nothing is measured
  uint64_t keep_refused = 0;      ///< refused configs of each variant that `planned` lists one by one
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
  std::vector<tune::TriedConfig> tried;  ///< in the order reported
  std::string baseline;                  ///< what would have run untuned, "coopmat default"; "" where it did not race
  uint64_t unkept = 0;                   ///< trials that the journal does not have: it could not be written
  double seconds = 0;
  SearchEstimate estimate;  ///< of one that only looked
  tune::PredictedConfigs predicted;
};

/// Every trial is in the journal before the next is reported. `tuned`: where the seeds of near problems come from. The
/// error: nothing could be tried, such as a variant that does not exist.
Result<SearchOutcome> run_search(const SearchRequest&, std::span<const SearchDevice>, const TunedTables& tuned,
                                 const SearchEvents&, const std::atomic<bool>& cancel);

/// The error of run_search() for the requested variants.
Result<void> check_variants(const SearchRequest&, const SearchDevice&);

/// A trial of an outcome as a record: what tables and files take.
Record record_of(const SearchOutcome&, const tune::TriedConfig&);
/// A row for every trial, fastest first, then those without a time.
std::vector<Record> records_of(const SearchOutcome&);

/// The journal of a search of this kind in a folder of them.
std::filesystem::path journal_in(const std::filesystem::path& folder, const DeviceInfo&, const Problem&,
                                 const Protocol&, uint64_t seed);

// Two configs held against each other, taken in turn: what `bench --ab` measures, and the window before and after a
// change of a shader.

/// The second one's variant beside the first, where both have the same name ("tiled@B").
inline constexpr std::string_view kOfB = "@B";

/// A race of two configs without its entries. Each is measured for as many turns as it takes to tell half a percent:
/// some 200.
RaceRequest pair_request(const Problem&);

/// A variant's source under another name, as the second side of a pair.
VariantSource renamed(VariantSource, const std::string& name);

}  // namespace attnscope::search
