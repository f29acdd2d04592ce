#include "app/cli/baseline.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "app/cli/options.hpp"
#include "engine/measure/statistics.hpp"
#include "engine/record/labels.hpp"
#include "engine/record/results.hpp"
#include "engine/record/system_table.hpp"
#include "engine/record/units.hpp"

namespace attnscope::cli {

Result<std::vector<Record>> read_baseline(const std::string& file) {
  auto results = read_results(file);
  if (!results) return about("--baseline", file, results.error());
  std::vector<Record> measured;
  for (Record& record : results->records)
    if (record.statistics && record.statistics->median > 0) measured.push_back(std::move(record));
  if (measured.empty())
    return bad_input(
        fmt::format("--baseline {}: the file has no measured record; write one with bench --output.", file));
  return measured;
}

namespace {

std::optional<double> over(const Record& record, std::span<const Record> baseline, const std::string& name) {
  for (const Record& b : baseline)
    if (b.problem == record.problem && short_name(b) == name) return b.statistics->median / record.statistics->median;
  return std::nullopt;
}

/// What several problems come to: a line for what was chosen for each, and for each variant that was named.
void add_means(std::span<const Record* const> rows, std::span<const Record> baseline,
               std::span<const std::string> names, TextTable& table) {
  std::map<std::string, std::vector<const Record*>> groups;
  for (const Record* r : rows) groups[r->chosen.empty() ? r->variant : "auto"].push_back(r);
  for (const auto& [group, records] : groups) {
    std::set<std::string> problems;
    for (const Record* r : records) problems.insert(to_text(r->problem));
    // Several configs of a problem are alternatives, and no mean is of those.
    if (problems.size() < 2 || problems.size() != records.size()) continue;
    std::vector<std::string> means{group, "", "geometric mean", ""}, leasts{group, "", "the least", ""};
    for (const std::string& name : names) {
      std::vector<double> ratios;
      for (const Record* r : records)
        if (const auto ratio = over(*r, baseline, name)) ratios.push_back(*ratio);
      const auto mean = geometric_mean(ratios);
      means.push_back(mean ? fmt::format("{:.2f}x", *mean) : "");
      leasts.push_back(mean ? fmt::format("{:.2f}x", *std::min_element(ratios.begin(), ratios.end())) : "");
    }
    table.rows.push_back(std::move(means));
    table.rows.push_back(std::move(leasts));
  }
}

}  // namespace

TextTable baseline_table(std::span<const Record> ours, std::span<const Record> baseline, const ReportOptions& options) {
  std::vector<std::string> names;
  std::vector<const Record*> rows;
  for (const Record& record : ours) {
    if (!record.statistics) continue;
    bool shared = false;
    for (const Record& base : baseline) {
      if (base.problem != record.problem) continue;
      shared = true;
      if (std::find(names.begin(), names.end(), short_name(base)) == names.end()) names.push_back(short_name(base));
    }
    if (shared) rows.push_back(&record);
  }
  TextTable table;
  if (rows.empty()) return table;
  std::vector<double> medians;
  for (const Record* record : rows) medians.push_back(record->statistics->median);
  const TimeUnit unit = choose_time_unit(medians);
  std::vector<ConfigName> configs;
  for (const Record* record : rows) configs.push_back(config_name(*record, options));
  const std::vector<std::string> labels = short_config_labels(configs);
  table.keys = 3;
  table.columns = {{"variant"}, {"config"}, {"problem"}, {fmt::format("median {}", unit.name), true}};
  for (const std::string& name : names) table.columns.push_back({"vs " + name, true});
  for (size_t i = 0; i < rows.size(); ++i) {
    const Record* record = rows[i];
    std::vector<std::string> cells{record->variant, labels[i], to_text(record->problem),
                                   four_digits(record->statistics->median / unit.ns)};
    for (const std::string& name : names) {
      const auto ratio = over(*record, baseline, name);
      cells.push_back(ratio ? fmt::format("{:.2f}x", *ratio) : "");
    }
    table.rows.push_back(std::move(cells));
  }
  add_means(rows, baseline, names, table);
  table.notes = {"Speedups are the baseline's median over ours: above 1.00x is faster than the baseline."};
  return table;
}

}  // namespace attnscope::cli
