#include "engine/record/report.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/record/columns.hpp"

namespace attnscope {

namespace {

constexpr size_t kLeastBest = 24;

constexpr ColumnPlace kWhole[] = {{"variant"}, {"config"},    {"problem"}, {"verdict"}, {"rows"},   {"max_abs"},
                                  {"nmse"},    {"median"},    {"min"},     {"mean"},    {"spread"}, {"tflops"},
                                  {"gbps"},    {"registers"}, {"spill"},   {"shared"}};
constexpr ColumnPlace kShort[] = {{"variant", 0, kLeastVariant},
                                  {"config", 0, kLeastConfig},
                                  {"problem", 0, kLeastProblem},
                                  {"verdict"},
                                  {"rows", 4},
                                  {"median"},
                                  {"predicted", 4},
                                  {"spread", 2},
                                  {"tflops", 1},
                                  {"gbps", 3},
                                  {"registers", 5},
                                  {"spill", 6},
                                  {"max_abs", 7},
                                  {"min", 8},
                                  {"nmse", 9},
                                  {"mean", 10},
                                  {"shared", 11}};

std::vector<ConfigName> names_of(std::span<const Record> records, const ReportOptions& options) {
  std::vector<ConfigName> names;
  for (const Record& r : records) names.push_back(config_name(r, options));
  return names;
}

}  // namespace

ConfigName config_name(const Record& record, const ReportOptions& options) {
  const auto defaults = options.defaults.find(record.variant);
  return config_name(record, defaults == options.defaults.end() ? Config{} : defaults->second);
}

TextTable best_table(std::span<const Record> records, const ReportOptions& options) {
  struct Best {
    const Record* record = nullptr;
    size_t of = 0;
  };
  std::vector<std::pair<Problem, Best>> problems;  // in order of appearance
  bool timed = false;
  for (const Record& r : records) {
    auto at = std::ranges::find_if(problems, [&](const auto& p) { return p.first == r.problem; });
    if (at == problems.end()) at = problems.insert(at, {r.problem, {}});
    if (!r.statistics || !r.verdict || !r.verdict->pass) continue;
    Best& best = at->second;
    timed = true;
    ++best.of;
    if (best.record == nullptr || (*r.statistics).*options.rank < (*best.record->statistics).*options.rank)
      best.record = &r;
  }
  TextTable table;
  table.columns = {{"problem", false, 0, kLeastProblem},
                   {"best", false, 0, kLeastBest},
                   {"median", true},
                   {"p20–p80", true, 1},
                   {"FLOP/s", true, 2},
                   {"B/s", true, 3},
                   {"of", true, 4}};
  if (!timed) return table;
  const std::vector<std::string> labels = short_labels(names_of(records, options));
  for (const auto& [problem, best] : problems) {
    std::vector<std::string>& row = table.rows.emplace_back(table.columns.size());
    row[0] = to_text(problem);
    row[1] = "nothing passed and was timed";
    if (best.record == nullptr) continue;
    const Record& r = *best.record;
    const TableUnits unit{.time = choose_time_unit(std::span(&r.statistics->median, 1))};
    row = {row[0],
           labels[size_t(&r - records.data())],
           time_text(r.statistics->median),
           column_text(*find_column("spread", RecordColumn::Use::table), r, unit),
           flops_text(r.tflops * 1e12),
           bytes_rate_text(r.gbps * 1e9),
           fmt::format("{}", best.of)};
  }
  return table;
}

TextTable short_table(std::span<const Record> all, const ReportOptions& options) {
  const std::vector<ConfigName> names = names_of(all, options);
  const std::vector<std::string> labels = short_config_labels(names);
  std::vector<double> flops, bytes;
  std::vector<const Record*> shown;
  for (const Record& r : all) {
    flops.push_back(r.tflops * 1e12);
    bytes.push_back(r.gbps * 1e9);
    if (r.outcome != Outcome::refused) shown.push_back(&r);
  }
  TextTable table = table_of(
      kShort, shown, {choose_time_unit(all), choose_rate_unit(flops, "FLOP/s"), choose_rate_unit(bytes, "B/s")});
  table.keys = 3;
  for (size_t i = 0; i < shown.size(); ++i) table.rows[i][1] = labels[size_t(shown[i] - all.data())];
  table.notes = grouped_notes(all, short_labels(names));
  if (const auto shortened = shortened_parameters(names); !shortened.empty())
    table.notes.insert(table.notes.begin(),
                       fmt::format("In configs {}; what is not named is at its default.", fmt::join(shortened, ", ")));
  return table;
}

TextTable telemetry_table(std::span<const Record> records, const ReportOptions& options) {
  constexpr ColumnPlace kSensors[] = {{"variant", 0, kLeastVariant},
                                      {"config", 0, kLeastConfig},
                                      {"problem", 0, kLeastProblem},
                                      {"median"},
                                      {"watts"},
                                      {"joules"},
                                      {"clock"},
                                      {"memory_clock", 1},
                                      {"temperature", 1},
                                      {"throttled"}};
  std::vector<const Record*> shown;
  for (const Record& r : records)
    if (r.environment.telemetry) shown.push_back(&r);
  TextTable table = table_of(kSensors, shown, {.time = choose_time_unit(records)});
  const std::vector<std::string> labels = short_config_labels(names_of(records, options));
  for (size_t i = 0; i < shown.size(); ++i) table.rows[i][1] = labels[size_t(shown[i] - records.data())];
  if (!shown.empty())
    table.notes.push_back(fmt::format("By {}, while the samples were taken; throttled: share of the readings.",
                                      shown.front()->environment.telemetry->source));
  return table;
}

TextTable record_table(std::span<const Record> records) {
  std::vector<const Record*> shown;
  for (const Record& r : records) shown.push_back(&r);
  TextTable table = table_of(kWhole, shown, {.time = choose_time_unit(records)});
  table.notes = all_notes(records);
  return table;
}

std::string to_markdown(std::span<const Record> records) {
  const auto place = [](const Record& r) {
    return std::tie(r.environment.device.name, r.environment.device.driver, r.protocol.cache, r.protocol.launch);
  };
  std::vector<std::vector<Record>> sections;
  for (const Record& r : records) {
    const auto at = std::ranges::find_if(sections, [&](const auto& s) { return place(s[0]) == place(r); });
    (at == sections.end() ? sections.emplace_back() : *at).push_back(r);
  }
  std::string text;
  for (const auto& section : sections) {
    const Environment& e = section[0].environment;
    text += fmt::format("## {}\n\nDriver {}; {} cache, {} launches; attnscope {}; {} (UTC).\n\n",
                        e.device.name.empty() ? "Unknown device" : e.device.name,
                        e.device.driver.empty() ? "unknown" : e.device.driver, to_text(section[0].protocol.cache),
                        to_text(section[0].protocol.launch), e.program_version, e.time_utc);
    text += render_markdown(record_table(section)) + "\n";
  }
  return text;
}

}  // namespace attnscope
