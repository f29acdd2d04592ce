#include "engine/record/report.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "engine/record/notes.hpp"
#include "engine/record/units.hpp"

namespace attnscope {

namespace {

/// Of cells whose beginning tells enough.
constexpr size_t kLeastProblem = 26, kLeastConfig = 16, kLeastVariant = 14, kLeastBest = 24;

std::vector<ConfigName> names_of(std::span<const Record> records, const ReportOptions& options) {
  std::vector<ConfigName> names;
  for (const Record& r : records) names.push_back(config_name(r, options));
  return names;
}

bool rankable(const Record& r) { return r.statistics && r.verdict && r.verdict->pass; }

/// "" for a number that is not there.
std::string difference(const Record& r, double Verdict::*member) {
  return r.verdict && r.verdict->rows_checked > 0 ? error_text((*r.verdict).*member) : "";
}
std::string count_text(const std::optional<uint64_t>& x) { return x ? fmt::format("{}", *x) : ""; }
std::string rate_in(double per_second, const RateUnit& unit) {
  return per_second > 0 ? four_digits(per_second / unit.size) : "";
}
double flops_of(const Record& r) { return r.tflops * 1e12; }
double bytes_of(const Record& r) { return r.gbps * 1e9; }

RateUnit unit_of(std::span<const Record> records, double (*rate)(const Record&), std::string_view what) {
  std::vector<double> rates;
  for (const Record& r : records) rates.push_back(rate(r));
  return choose_rate_unit(rates, what);
}

std::string spread_text(const Statistics& s, const TimeUnit& unit) {
  return four_digits(s.p20 / unit.ns) + "–" + four_digits(s.p80 / unit.ns);
}

}  // namespace

ConfigName config_name(const Record& record, const ReportOptions& options) {
  const auto defaults = options.defaults.find(record.variant);
  return config_name(record, defaults == options.defaults.end() ? Config{} : defaults->second);
}

TextTable best_table(std::span<const Record> records, const ReportOptions& options) {
  const std::vector<std::string> labels = short_labels(names_of(records, options));
  TextTable table;
  table.columns = {{"problem", false, 0, kLeastProblem},
                   {"best", false, 0, kLeastBest},
                   {"median", true},
                   {"p20–p80", true, 1},
                   {"FLOP/s", true, 2},
                   {"B/s", true, 3},
                   {"of", true, 4}};
  std::vector<const Problem*> problems;
  for (const Record& r : records)
    if (std::none_of(problems.begin(), problems.end(), [&](const Problem* p) { return *p == r.problem; }))
      problems.push_back(&r.problem);
  bool timed = false;
  for (const Problem* problem : problems) {
    const Record* best = nullptr;
    size_t of = 0;
    for (const Record& r : records) {
      if (r.problem != *problem || !rankable(r)) continue;
      ++of;
      if (best == nullptr || (*r.statistics).*options.rank < (*best->statistics).*options.rank) best = &r;
    }
    std::vector<std::string> row{to_text(*problem)};
    if (best == nullptr) {
      row.emplace_back("nothing passed and was timed");
      row.resize(table.columns.size());
    } else {
      timed = true;
      const double median = best->statistics->median;
      row.push_back(labels[size_t(best - records.data())]);
      row.push_back(time_text(median));
      row.push_back(spread_text(*best->statistics, choose_time_unit(std::span(&median, 1))));
      row.push_back(flops_text(flops_of(*best)));
      row.push_back(bytes_rate_text(bytes_of(*best)));
      row.push_back(fmt::format("{}", of));
    }
    table.rows.push_back(std::move(row));
  }
  if (!timed) table.rows.clear();
  return table;
}

TextTable short_table(std::span<const Record> all, const ReportOptions& options) {
  const std::vector<ConfigName> names = names_of(all, options);
  const std::vector<std::string> labels = short_config_labels(names);
  const TimeUnit time = choose_time_unit(all);
  const RateUnit flops = unit_of(all, flops_of, "FLOP/s"), bytes = unit_of(all, bytes_of, "B/s");
  TextTable table;
  table.keys = 3;
  const auto in = [&](const char* what) { return fmt::format("{} {}", what, time.name); };
  table.columns = {{"variant", false, 0, kLeastVariant},
                   {"config", false, 0, kLeastConfig},
                   {"problem", false, 0, kLeastProblem},
                   {"verdict"},
                   {"rows", true, 4},
                   {in("median"), true},
                   {"p20–p80", true, 2},
                   {flops.name, true, 1},
                   {bytes.name, true, 3},
                   {"regs", true, 5},
                   {"spill B", true, 6},
                   {"max abs", true, 7},
                   {in("min"), true, 8},
                   {"NMSE", true, 9},
                   {in("mean"), true, 10},
                   {"shared B", true, 11}};
  for (size_t i = 0; i < all.size(); ++i) {
    const Record& r = all[i];
    if (r.outcome == Outcome::refused) continue;
    std::vector<std::string> row{r.variant, labels[i], to_text(r.problem), verdict_word(r), rows_text(r)};
    const auto& s = r.statistics;
    const auto in_unit = [&](double Statistics::*member) { return s ? four_digits((*s).*member / time.ns) : ""; };
    row.push_back(s ? in_unit(&Statistics::median) : r.outcome == Outcome::measured ? "no accepted samples" : "");
    row.push_back(s ? spread_text(*s, time) : "");
    row.push_back(rate_in(flops_of(r), flops));
    row.push_back(rate_in(bytes_of(r), bytes));
    row.push_back(count_text(r.resources.registers));
    row.push_back(count_text(r.resources.spill_bytes));
    row.push_back(difference(r, &Verdict::max_abs));
    row.push_back(in_unit(&Statistics::min));
    row.push_back(difference(r, &Verdict::nmse));
    row.push_back(in_unit(&Statistics::mean));
    row.push_back(r.outcome == Outcome::error ? "" : fmt::format("{}", r.resources.shared_bytes));
    table.rows.push_back(std::move(row));
  }
  table.notes = grouped_notes(all, short_labels(names));
  if (const auto shortened = shortened_parameters(names); !shortened.empty())
    table.notes.insert(table.notes.begin(),
                       fmt::format("In configs {}; what is not named is at its default.", fmt::join(shortened, ", ")));
  return table;
}

}  // namespace attnscope
