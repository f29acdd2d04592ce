// The tuning cache: the fastest known config for each problem and device.
#pragma once

#include "engine/input/file.hpp"
#include "engine/session/trials.hpp"
#include "engine/tune/cost_model.hpp"
#include "engine/variant/plan.hpp"

namespace attnscope::tune {

/// How a distance counts a doubling of each length.
inline constexpr double kSeqQWeight = 1, kSeqKvWeight = 1, kHeadsWeight = 0.5, kGroupWeight = 1;
/// Problems farther apart than this are not neighbours: lengths that differ by a factor of 16, say.
inline constexpr double kFarthest = 4;

/// The weighted sum of doublings between them; nullopt where dtype, dims, causal, options or layout differ.
std::optional<double> distance(const Problem&, const Problem&);

struct TunedConstant {
  uint32_t id = 0;
  std::string name;
  uint32_t bits = 0;
  /// "" = of the config alone; else what it is of the problem and the device, in the manifest's terms.
  std::string formula;
  bool operator==(const TunedConstant&) const = default;
};
struct TunedPush {
  uint32_t offset = 0;     ///< bytes
  std::string name, type;  ///< the member's, or "" of a part of one; "uint", "int", "float", "bool", "uint64"
  uint64_t bits = 0;       ///< at the entry's problem
  std::string formula;     ///< as a constant's
  bool operator==(const TunedPush&) const = default;
};
struct TunedPass {
  std::string name, shader;
  std::array<uint32_t, 3> grid{1, 1, 1};  ///< workgroups at the entry's problem
  std::array<std::string, 3> grid_formula;
  std::array<uint32_t, 3> local_size{1, 1, 1};
  uint32_t subgroup_size = 0;  ///< that the pass asks for; 0 = the driver's choice
  std::vector<TunedConstant> constants = {};
  uint32_t push_bytes = 0;
  std::vector<TunedPush> push = {};
  bool operator==(const TunedPass&) const = default;
};
struct TunedEntry {
  std::string device, device_uuid, driver;  ///< no UUID: any device of that name
  uint32_t vendor_id = 0, device_id = 0;    ///< 0 = not known
  Problem problem;
  std::string variant, shader_hash;
  Config config;
  CacheMode cache = CacheMode::hot;
  LaunchMode launch = LaunchMode::isolated;
  double median_ns = 0, p20_ns = 0, p80_ns = 0;
  bool verified = false;  ///< its output was right, against the CPU where it raced
  bool raced = false;     ///< measured in full beside the other finalists; else its trial is all there is
  uint64_t trials = 0;    ///< that it was the best of
  /// Median of what would have run untuned, in the same race or its trial; 0 = it was not measured.
  double default_ns = 0;
  /// What that was. No variant: an older table, which does not say.
  std::string default_variant;
  Config default_config;
  bool too_close = false;         ///< the race could not call it faster than that
  std::vector<TunedPass> passes;  ///< to dispatch it elsewhere
  std::string time_utc, program_version;
  /// In a listing: the variant's source is another now, so the times say nothing of it and are left out.
  bool source_changed = false;
  bool operator==(const TunedEntry&) const = default;
};
TunedEntry tuned_entry(const Record&, bool raced, uint64_t trials);

/// `unread`: entries as JSON, of tuned_from_json().
std::string tuned_to_json(std::span<const TunedEntry>, std::span<const std::string> unread = {});
/// Invalid entries go to `unread` as they are; the error is of a text that is no such table.
Result<std::vector<TunedEntry>> tuned_from_json(std::string_view text, std::string_view what,
                                                std::vector<std::string>* unread = nullptr);

/// Entries, and what a person has to know about the files they came from.
struct TunedTable {
  std::vector<TunedEntry> entries;
  std::vector<std::string> unread;  ///< entries that this program does not understand: they stay in the file
  std::vector<std::string> notes;
};
/// The user's own; a file that is missing is an empty table, one that is not a table is set aside, with a note.
TunedTable load_tuned(const std::filesystem::path& file);
/// Adds to the file under a lock, so that several processes may at once: an entry replaces the one for the same device,
/// driver, variant, source, problem and modes, but one that did not race replaces none that did. Returns notes.
Result<std::vector<std::string>> store_tuned(const std::filesystem::path& file, std::span<const TunedEntry>,
                                             const Waiting& = {});

struct TunedTables {
  TunedTable user;
  std::vector<CostModel> models;  ///< the user's before those that ship
};

struct TunedQuery {
  DeviceInfo device;
  Problem problem;
  std::map<std::string, std::string> variants;  ///< those that may serve: hash of the source by name
  CacheMode cache = CacheMode::hot;
  LaunchMode launch = LaunchMode::isolated;
};
struct TunedMatch {
  TunedEntry entry;
  bool exact = true;  ///< for the very problem
  double away = 0;    ///< distance() of the two problems
};
/// What may serve the query, best first: entries of this device, driver and source of the variant. The very problem
/// first, then the nearest before others, and of these the fastest.
std::vector<TunedMatch> find_tuned(const TunedTables&, const TunedQuery&);
/// "tuned for 1x16x4096x128:f16 (the nearest that was tuned)": for a person.
std::string describe(const TunedMatch&);

/// One for each pass of the variant's plan.
Result<std::vector<TunedPass>> describe_passes(const Variant&, const Plan&);

/// Of the entries for this very device, problem and mode: why the newest is not used, as a clause; or "".
std::string why_unused(const TunedTables&, const TunedQuery&);

/// Of a match for the very problem: "" when it is of the variant that runs untuned, or is known to be no slower than
/// what does, by its race or by the time of another match for it; else why it is not to stand in for that.
std::string no_better_than_untuned(const TunedMatch&, std::span<const TunedMatch> all, const RaceEntry& untuned);

}  // namespace attnscope::tune
