#include "engine/record/report.hpp"

namespace attnscope {
namespace {

constexpr size_t kProblemsNamed = 3;  ///< of a refusal
constexpr size_t kNamesOfSums = 8;    ///< configs listed by the type they add in

/// A search's trials do not tell what their plans were.
bool planned(const Record& r) {
  return r.outcome != Outcome::refused && r.outcome != Outcome::error && r.resources.workgroups > 0;
}

/// "a, b, c and 5 more".
std::string listed(const std::vector<std::string>& names, size_t most) {
  if (names.size() <= most) return joined(names);
  return fmt::format("{} and {} more", joined(std::span(names).first(most)), names.size() - most);
}

constexpr size_t kChoices = 4;

void add_choices(std::span<const Record> records, std::vector<std::string>& notes) {
  std::map<std::string, size_t> taken;
  size_t count = 0;
  for (const Record& r : records)
    if (!r.chosen.empty()) ++taken[r.variant], ++count;
  if (count == 0) return;
  if (count <= kChoices) {
    for (const Record& r : records)
      if (!r.chosen.empty()) add_line(notes, "{}: {}.", to_text(r.problem), r.chosen);
    return;
  }
  add_line(notes, "auto took one variant for each of {} problems: {}. The JSON says why of each (chosen).", count,
           joined(taken, ", ", [](const auto& t) { return fmt::format("{} {}", t.second, t.first); }));
}

void add_closing(std::span<const Record> records, std::span<const std::string> names, std::vector<std::string>& notes) {
  uint64_t sampled = 0, on_device = 0, unreported = 0, compiled = 0;
  const Record* fewest = nullptr;  // of its rows
  const auto share = [](const Record& r) { return double(r.verdict->rows_checked) / double(r.verdict->rows_total); };
  for (const Record& r : records) {
    on_device += r.verdict && r.verdict->all_on_device;
    if (r.verdict && r.verdict->rows_checked < r.verdict->rows_total && !r.verdict->all_on_device) {
      ++sampled;
      if (fewest == nullptr || share(r) < share(*fewest)) fewest = &r;
    }
    if (r.resources.compile != Compile::not_asked) {
      ++compiled;
      unreported += !r.resources.registers;
    }
  }
  if (on_device > 0)
    add_line(notes,
             "{} of {} verdicts compare every element with a reference that the device computed, and that the "
             "CPU's rows judged before.",
             on_device, records.size());
  if (sampled > 0)
    add_line(notes,
             "{} of {} verdicts compare a random sample of rows of every head with the reference (the fewest: "
             "{} rows); that every element was written and is finite is checked on all.",
             sampled, records.size(), rows_text(*fewest));
  std::map<std::string, std::vector<std::string>> sums;  // who adds in what
  for (size_t i = 0; i < records.size(); ++i) {
    const Record& r = records[i];
    if (!planned(r)) continue;
    const bool by_config = std::ranges::any_of(records, [&](const Record& other) {
      return planned(other) && other.variant == r.variant && other.precision != r.precision;
    });
    const std::string& name = by_config ? names[i] : r.variant;
    std::vector<std::string>& who = sums[to_text(r.precision)];
    if (!contains(who, name)) who.push_back(name);
  }
  for (const auto& [what, who] : sums)
    notes.push_back(sums.size() == 1 ? fmt::format("Sums in {}.", what)
                                     : fmt::format("Sums in {}: {}.", what, listed(who, kNamesOfSums)));
  if (compiled > 0 && unreported == compiled) notes.push_back("Registers and spills: not reported by this driver.");
}

/// Records of one kind, the foremost of them by a measure.
struct Kind {
  size_t count = 0;
  double most = 0;
  std::string who;
  void add(double measure, const std::string& name) {
    if (count++ == 0 || std::abs(measure) > std::abs(most)) most = measure, who = name;
  }
};

/// Refusals, by what was refused and why: a variant on several problems once, many configs of one problem by the first.
void add_refusals(std::span<const Record> records, std::span<const std::string> names,
                  std::vector<std::string>& notes) {
  struct Refusal {
    std::string variant, name, why;
    std::vector<std::string> problems;
    size_t configs = 0;
  };
  std::vector<Refusal> all;
  for (size_t i = 0; i < records.size(); ++i) {
    const Record& r = records[i];
    if (r.outcome != Outcome::refused) continue;
    // Messages begin with the variant's name, which is there already.
    const std::string why =
        r.message.starts_with(r.variant + ": ") ? r.message.substr(r.variant.size() + 2) : r.message;
    const std::string problem = to_text(r.problem);
    const auto same = std::ranges::find_if(all, [&](const Refusal& x) {
      return x.variant == r.variant && (x.why == why || contains(x.problems, problem));
    });
    Refusal& at = same == all.end() ? all.emplace_back(Refusal{r.variant, names[i], why, {}, 0}) : *same;
    ++at.configs;
    if (!contains(at.problems, problem)) at.problems.push_back(problem);
  }
  for (const Refusal& x : all) {
    const std::string what = x.configs == x.problems.size() ? x.variant : x.name;
    std::string note = fmt::format("Refused: {} on {}: {}", what, listed(x.problems, kProblemsNamed), x.why);
    if (x.configs != x.problems.size())
      note = fmt::format("Refused: {} configs of {}, the first {} on {}: {}", x.configs, x.variant, x.name,
                         x.problems.front(), x.why);
    notes.push_back(note);
  }
}

constexpr size_t kLeastBest = 24;

/// Of tables of records, on a terminal as far as they fit, and in files.
constexpr ColumnPlace kColumns[] = {{"variant", 0, kLeastVariant},
                                    {"config", 0, kLeastConfig},
                                    {"problem", 0, kLeastProblem},
                                    {"verdict"},
                                    {"rows", 4},
                                    {"max_abs", 7},
                                    {"nmse", 9},
                                    {"median"},
                                    {"predicted", 4},
                                    {"min", 8},
                                    {"mean", 10},
                                    {"spread", 2},
                                    {"tflops", 1},
                                    {"gbps", 3},
                                    {"registers", 5},
                                    {"spill", 6},
                                    {"shared", 11}};

std::vector<ConfigName> names_of(std::span<const Record> records, const ReportOptions& options) {
  return mapped(records, [&](const Record& r) { return config_name(r, options); });
}

}  // namespace

std::vector<std::string> grouped_notes(std::span<const Record> records, std::span<const std::string> names,
                                       size_t most_failures) {
  std::vector<std::string> notes, failures;
  add_choices(records, notes);
  std::map<std::string, Kind> remarks;  // by what a measured record says of itself
  Kind drifting, unsettled, few, timed;
  std::map<std::string, Kind> throttled;  // by the reason
  for (size_t i = 0; i < records.size(); ++i) {
    const Record& r = records[i];
    const std::string who = fmt::format("{} on {}", names[i], to_text(r.problem));
    if (r.wrong()) add_line(failures, "{}: {}", who, r.verdict->reason);
    if (r.outcome == Outcome::error || r.outcome == Outcome::cancelled)
      add_line(failures, "{}: {}", who, r.message);
    else if (r.outcome != Outcome::refused && !r.message.empty())
      remarks[r.message].add(1, who);
    if (!r.statistics) continue;
    timed.add(0, who);
    if (const auto& t = r.environment.telemetry)
      for (const auto& [why, share] : t->throttled) throttled[why].add(share, who);
    if (std::abs(r.statistics->drift) > kDriftWarning) drifting.add(r.statistics->drift, who);
    if (!r.settled) unsettled.add(r.protocol.warmup_cap_ms, who);
    if (r.statistics->count < r.protocol.min_samples) few.add(1.0 / double(r.statistics->count), who);
  }
  for (size_t i = 0; i < std::min(failures.size(), most_failures); ++i) notes.push_back(failures[i]);
  if (failures.size() > most_failures) add_line(notes, "{} more did not succeed.", failures.size() - most_failures);
  add_refusals(records, names, notes);
  for (const auto& [text, kind] : remarks)
    notes.push_back(kind.count == 1 ? fmt::format("{}: {}", kind.who, text)
                                    : fmt::format("{} records, {} first: {}", kind.count, kind.who, text));
  if (drifting.count > 0)
    add_line(notes,
             "{} of {}: the samples drift by more than {:.0f} %, most by {:+.0f} % ({}): throttling, or a clock "
             "still rising, or other work on the machine; they are kept.",
             drifting.count, timed.count, 100 * kDriftWarning, 100 * drifting.most, drifting.who);
  if (unsettled.count > 0)
    // A record does not say which of the two it was.
    add_line(notes,
             "{} of {}: the times had not settled within {:.0f} ms of warm-up, or the device's clock was 10 % "
             "below its top when sampling began.",
             unsettled.count, timed.count, unsettled.most);
  for (const auto& [why, kind] : throttled)
    add_line(notes, "{} of {} throttled: {}, most in {:.0f} % of the readings ({}).", kind.count, timed.count, why,
             100 * kind.most, kind.who);
  if (few.count > 0)
    add_line(notes, "{} of {}: fewer samples than were asked for when the time was up, the fewest {:.0f} ({}).",
             few.count, timed.count, 1 / few.most, few.who);
  add_closing(records, names, notes);
  return notes;
}

ConfigName config_name(const Record& record, const ReportOptions& options) {
  return config_name(record, at_or(options.defaults, record.variant));
}

TextTable best_table(std::span<const Record> records, const ReportOptions& options) {
  struct Best {
    const Record* record = nullptr;
    size_t of = 0;
  };
  Ordered<Problem, Best> problems;
  bool timed = false;
  for (const Record& r : records) {
    Best& best = problems[r.problem];
    if (!r.statistics || !r.verdict || !r.verdict->pass) continue;
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
      kColumns, shown, {choose_time_unit(all), choose_rate_unit(flops, "FLOP/s"), choose_rate_unit(bytes, "B/s")});
  for (size_t i = 0; i < shown.size(); ++i) table.rows[i][1] = labels[size_t(shown[i] - all.data())];
  table.notes = grouped_notes(all, short_labels(names));
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
    add_line(table.notes, "By {}, while the samples were taken; throttled: share of the readings.",
             shown.front()->environment.telemetry->source);
  return table;
}

TextTable record_table(std::span<const Record> records) {
  const auto shown = mapped(records, [](const Record& r) { return &r; });
  const auto names = mapped(records, [](const Record& r) { return config_name(r, Config{}); });
  TextTable table = table_of(kColumns, shown, {.time = choose_time_unit(records)});
  table.notes = grouped_notes(records, short_labels(names), records.size());
  return table;
}

std::string to_markdown(std::span<const Record> records) {
  Ordered<std::tuple<std::string, std::string, CacheMode, LaunchMode>, std::vector<Record>> sections;
  for (const Record& r : records) {
    const DeviceInfo& d = r.environment.device;
    sections[{d.name, d.driver, r.protocol.cache, r.protocol.launch}].push_back(r);
  }
  std::string text;
  for (const auto& [place, section] : sections) {
    const Environment& e = section[0].environment;
    const auto line = [](const std::string& x) { return x.empty() ? "unknown" : markdown_line(x); };
    text += fmt::format("## {}\n\nDriver {}; {} cache, {} launches; attnscope {}; {} (UTC).\n\n",
                        e.device.name.empty() ? "Unknown device" : markdown_line(e.device.name), line(e.device.driver),
                        to_text(section[0].protocol.cache), to_text(section[0].protocol.launch),
                        line(e.program_version), line(e.time_utc));
    text += render_markdown(record_table(section)) + "\n";
  }
  return text;
}

}  // namespace attnscope
