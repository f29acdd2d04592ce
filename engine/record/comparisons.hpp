// Compares records with records: pairs them, compares each pair, and makes tables and documents.
#pragma once

#include "engine/measure/compare.hpp"
#include "engine/record/record.hpp"
#include "engine/record/table.hpp"

namespace attnscope {

/// Why times of these two cannot be compared: another device, driver, problem or mode, or no samples; or "".
std::string why_not_comparable(const Record& a, const Record& b);

/// Whether one is of a software device, whose CPU other programs share.
bool share_cpu(const Record& a, const Record& b);

/// `b` against `a`, by all samples that each holds; unsure, with the reason, when they cannot be compared.
Comparison compare_records(const Record& a, const Record& b, double tolerance = 0.02);
/// The same with make_sample_summary(samples_ns) of each at hand: for one record against many.
Comparison compare_records(const Record& a, const SampleSummary& of_a, const Record& b, const SampleSummary& of_b,
                           double tolerance = 0.02);

struct ComparedSide {
  std::string variant;
  Config config;
  std::string config_name;  ///< of the manifest's named config, if it is one
  std::string shader_hash;
  Outcome outcome = Outcome::error;
  std::string message;              ///< why it was refused or failed, if it was
  std::optional<double> median_ns;  ///< of all its samples; absent where there are none
  uint64_t samples = 0;
  bool operator==(const ComparedSide&) const = default;
};
struct RowComparison {
  Problem problem;
  std::string device;
  CacheMode cache = CacheMode::hot;
  LaunchMode launch = LaunchMode::isolated;
  ComparedSide a, b;
  Comparison comparison;     ///< of b against a
  bool interleaved = false;  ///< taken A B A B in one run
  bool operator==(const RowComparison&) const = default;
};
ComparedSide side_of(const Record&);
/// With everything but the comparison.
RowComparison row_of(const Record& a, const Record& b);
/// Two records of one race, with how many samples each turn of theirs has.
RowComparison compare_raced(const Record& a, std::span<const uint32_t> turns_a, const Record& b,
                            std::span<const uint32_t> turns_b, double tolerance);

struct MatchAcross {
  bool config = false, variant = false;  ///< not looked at: default with tuned, a variant with another
  bool driver = false;  ///< times are compared in spite of another driver; of several alike the last on each side
};
/// Two sets of records, by device, problem, variant, config and modes; of several alike the first with the first.
struct MatchedRecords {
  std::vector<std::pair<const Record*, const Record*>> pairs;
  std::vector<const Record*> only_a, only_b;
  MatchAcross across = {};
};
MatchedRecords match_records(std::span<const Record> a, std::span<const Record> b, MatchAcross across = {});

struct FileComparison {
  std::string a, b;         ///< the files' names
  double tolerance = 0.02;  ///< ratios within 1 ± this are the same
  std::vector<RowComparison> rows;
  std::vector<std::pair<const Record*, const Record*>> pairs;  ///< parallel: what they are of
  std::vector<std::string> only_a, only_b;  ///< of what was measured: "tiled BLOCK_M=16 on 1x8x512x64:f16 (Some GPU)"
  std::vector<std::string> missing;         ///< the same of what passed in A and has no record in B
  size_t unmeasured = 0;                    ///< pairs without a time on either side, and no failure new in B: no rows
};
FileComparison compare_matched(const MatchedRecords&, double tolerance);
/// In what the two that are most alike of those in one set only differ: "cache (hot and cold)".
std::vector<std::string> least_difference(const MatchedRecords&);

/// Rows surely slower by more than `limit` (0.03 is 3 %): the whole interval lies beyond it.
std::vector<const RowComparison*> surely_slower(std::span<const RowComparison>, double limit);
/// A sentence for each row that passed in A and does not in B: another outcome, no possible time, or no record.
std::vector<std::string> no_longer_passing(const FileComparison&);
/// "tiled BLOCK_M=16 on 1x8x512x64:f16: 1.052 (1.041 to 1.063)".
std::string sentence_of(const RowComparison&);

/// "1.052", and "1.041–1.063", of two times that were compared.
std::string ratio_text(const Comparison&);
std::string interval_text(const Comparison&);
/// The same of a row, "" where a side has no time.
std::string ratio_text(const RowComparison&);
/// "3 FASTER, 1 SLOWER, 5 SAME, 2 UNSURE".
std::string words_text(std::span<const RowComparison>);

struct PairNames {
  std::string a = "A", b = "B";
};
/// A row for each pair taken in turn: both medians, ratio with interval, the word; notes say why rows are unsure.
TextTable comparison_table(std::span<const RowComparison>, double tolerance, const PairNames& names = {});
/// The same of two files, so of separate runs, with what only one of them has.
TextTable comparison_table(const FileComparison&);
std::string comparison_json(const FileComparison&);

struct CompileGate {
  bool spill = false;                      ///< no config may spill
  std::optional<uint64_t> registers = {};  ///< no config may take more
  /// Of the same device name, problem and variant: none may take more registers, spill more, or not compile any more.
  std::vector<Record> baseline = {};
};

/// A sentence for each config that does not pass. bad_input where there is a baseline and it has none of the configs.
Result<std::vector<std::string>> failed_gates(std::span<const Record>, const CompileGate&);

// Grids of a comparison, as they are pasted into pull requests: rows by one field, columns by another.

struct GridRequest {
  /// One or two fields: of the problem ("head_dim"), of the run ("variant"), or parameters of configs ("BLOCK_M").
  std::vector<std::string> by;
  /// "time", or what a record has: "registers", "median", …
  std::vector<std::string> show{"time"};
};

/// A cell has what is shown side by side: "−28 % | 204 → 146". Rows that would share a cell are in tables by further
/// fields. The error names the field or what was to be shown, and what there is.
Result<std::vector<TextTable>> comparison_grids(const FileComparison&, const GridRequest&);

}  // namespace attnscope
