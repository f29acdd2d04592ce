#include "app/cli/systems.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "app/cli/places.hpp"

namespace attnscope::cli {
namespace {

bool too_large(const SystemTable& table, const Problem& problem, const DeviceInfo& device) {
  return device.type == DeviceType::software && table.software_gflop > 0 &&
         problem_flops(problem) > table.software_gflop * 1e9;
}

}  // namespace

Result<std::vector<Preset>> take_tables(WorkOptions& o) {
  std::vector<Preset> taken;
  if (o.presets.empty() || !o.variants.empty() || !o.configs.empty()) return taken;
  std::filesystem::path data = TRY(data_dir());
  std::vector<std::string> left;
  for (const std::string& name : o.presets) {
    Preset preset = TRY(about("--preset", name, load_preset(data / "assets" / "presets", name)));
    if (preset.table)
      taken.push_back(std::move(preset));
    else
      left.push_back(name);
  }
  o.presets = std::move(left);
  return taken;
}

Result<std::vector<WorkItem>> table_jobs(const Opened& opened, const std::vector<Preset>& presets,
                                         std::vector<TablePlace>& places) {
  std::vector<WorkItem> jobs;
  for (size_t t = 0; t < presets.size(); ++t) {
    const SystemTable& table = *presets[t].table;
    for (const Problem& problem : problems_of(table)) {
      if (too_large(table, problem, opened.device)) continue;
      for (size_t r = 0; r < table.rows.size(); ++r) {
        const TableRow& row = table.rows[r];
        const auto at = std::ranges::find(row.problems, problem);
        if (row.from_baseline || at == row.problems.end()) continue;
        WorkOptions one;
        one.variants = {row.variant};
        if (!row.config.empty()) one.configs = {row.config};
        one.insist = false;
        Result<std::vector<WorkItem>> made = make_jobs(opened, {problem}, one);
        if (!made) return about("--preset", fmt::format("{}, row '{}'", presets[t].name, row.name), made.error());
        WorkItem job = made->front();
        // The row is that config and no other one (or what suits the problem, when it names none), and a table of what
        // cannot all run is still a table.
        job.named = false;
        job.adaptable = row.config.empty() && job.chosen.empty();
        jobs.push_back(std::move(job));
        places.push_back({t, r, size_t(at - row.problems.begin())});
      }
    }
  }
  return jobs;
}

std::vector<TextTable> system_tables(const DeviceInfo& device, const std::vector<Preset>& presets,
                                     std::span<const TablePlace> places, std::span<const Row> rows,
                                     std::span<const Record> baseline, double Statistics::*rank) {
  std::vector<TextTable> out;
  for (size_t t = 0; t < presets.size(); ++t) {
    const SystemTable& table = *presets[t].table;
    TableRecords records;
    for (const TableRow& row : table.rows) records.emplace_back(row.problems.size());
    for (size_t i = 0; i < places.size() && i < rows.size(); ++i)
      if (places[i].preset == t) records[places[i].row][places[i].problem] = &rows[i].record;
    TextTable& made = out.emplace_back(system_table(table, presets[t].title, records, baseline, rank));
    std::string left_out;
    for (const Problem& problem : problems_of(table))
      if (too_large(table, problem, device))
        left_out += fmt::format("{}{} ({:.3g} GFLOP)", left_out.empty() ? "" : ", ", to_text(problem),
                                problem_flops(problem) / 1e9);
    if (!left_out.empty())
      made.notes.push_back(
          fmt::format("Not run on a software device, for which this table ends at {:g} GFLOP: {}. --variant "
                      "with --problem runs them all the same.",
                      table.software_gflop, left_out));
  }
  return out;
}

}  // namespace attnscope::cli
