#include "app/cli/bench_report.hpp"

namespace attnscope::cli {
namespace {

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (!contains(names, name)) names.push_back(name);
}

/// Variants that this device cannot run, and broken ones: one line each.
void add_missing(const DeviceSession& opened, std::span<const Row> rows, std::vector<std::string>& notes) {
  std::vector<std::string> not_here, broken;
  for (const Row& row : rows) {
    if (!row.missing) continue;
    const VariantInfo* info = find_variant(opened.variants, row.record.variant);
    add_once(info != nullptr && !info->error.empty() ? broken : not_here, row.record.variant);
  }
  if (!not_here.empty()) add_line(notes, "Not here: {} (`attnscope variants` says why).", joined(not_here));
  if (!broken.empty()) add_line(notes, "Do not load: {} (`attnscope variants NAME` says why).", joined(broken));
}

/// Names the jobs that did not begin in time: whole problems by name, others with their variants.
void add_left_out(std::span<const Row> rows, std::vector<std::string>& notes) {
  struct Rows {
    bool begun = false;
    std::vector<std::string> left_out;  // variants
  };
  Ordered<std::string, Rows> problems;
  std::string why;
  size_t left_out = 0, wanted = 0;
  for (const Row& row : rows) {
    if (row.missing) continue;
    ++wanted;
    Rows& of = problems[to_text(row.record.problem)];
    of.begun |= !row.left_out;
    if (!row.left_out) continue;
    ++left_out;
    why = row.record.message;
    add_once(of.left_out, row.record.variant);
  }
  if (left_out == 0) return;
  std::string note = fmt::format("{} of {} were left out. {}", left_out, wanted, why);
  std::vector<std::string> whole;
  for (const auto& [problem, of] : problems)
    if (!of.begun)
      whole.push_back(problem);
    else if (!of.left_out.empty())
      note += fmt::format(" On {}: {}.", problem, joined(of.left_out));
  if (!whole.empty()) note += fmt::format(" Everything on {}.", joined(whole));
  notes.push_back(note);
}

std::string ms(double ns) { return fmt::format("{:.4f}", ns / 1e6); }

constexpr size_t kNumber = 4, kVerdict = 9, kDifference = 9, kTime = 11;
/// As much of "variant config on problem" as fits.
constexpr size_t kLeastWhat = 24;

StreamedTable table(size_t width) {
  return {{{kNumber, {"#", true}},
           {kVerdict, {"verdict"}},
           {kDifference, {"max diff", true, 1}},
           {kDifference, {"mean diff", true, 4}},
           {kTime, {"mean ms", true, 3}},
           {kTime, {"median ms", true}},
           {kTime, {"min ms", true, 2}},
           {kTime, {"max ms", true, 5}},
           {width, {"config", false, 0, kLeastWhat}}},
          width};
}

std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

std::string launch_text(const LaunchFit& fit) {
  std::string text = fmt::format("{} workgroup{}", fit.workgroups, fit.workgroups == 1 ? "" : "s");
  if (fit.cores == 0) return text + "; this driver does not say how many cores there are";
  text += fmt::format(" on {} cores, balance {}", fit.cores, percent(fit.balance));
  if (fit.resident == 0) return text + "; it does not say what a core holds";
  return text + fmt::format("; at most {} a core at once (by its {}; occupancy {}): {:.2f} waves, the last {} full",
                            fit.resident, fit.occupancy_limit, percent(fit.occupancy), fit.waves,
                            percent(fit.last_wave));
}

std::string tiles_text(const LaunchFit& fit) {
  std::string text = fit.padding ? percent(*fit.padding) + " padding" : "not declared by the manifest";
  if (fit.masked) text += fmt::format(", {} of the scores in visited tiles masked", percent(*fit.masked));
  return text + fmt::format("; traffic {:.1f} x minimum", 1 + fit.reread);
}

}  // namespace

ReportOptions report_options(const std::vector<VariantInfo>& variants, double Statistics::*rank) {
  ReportOptions options;
  options.rank = rank;
  for (const VariantInfo& v : variants) options.defaults[v.name] = default_config(v);
  return options;
}

std::string bench_report(const DeviceSession& opened, std::span<const Row> rows, const ReportOptions& options,
                         size_t width) {
  std::vector<Record> tried;
  std::vector<std::string> problems;
  for (const Row& row : rows) {
    if (row.missing || row.left_out) continue;
    tried.push_back(row.record);
    add_once(problems, to_text(row.record.problem));
  }
  TextTable best = best_table(tried, options), all = short_table(tried, options);
  std::string title = opened.device.name;
  if (!tried.empty())
    title += fmt::format("; {} cache, {} launches", to_text(tried.front().protocol.cache),
                         to_text(tried.front().protocol.launch));
  std::vector<std::string> first;
  add_left_out(rows, first);
  add_missing(opened, rows, first);
  all.notes.insert(all.notes.begin(), first.begin(), first.end());
  // With one record a problem there is nothing to choose from.
  if (best.rows.empty() || tried.size() == problems.size()) {
    all.title = title;
    return render_terminal(all, width);
  }
  best.title = "Best of each problem on " + title;
  return render_terminal(best, width, true) + "\n" + render_terminal(all, width);
}

SessionLog::SessionLog(const std::string& by, size_t width)
    : by_(by), rank_(find_column(by, RecordColumn::Use::value)->statistic), width_(width), table_(table(width)) {}

void SessionLog::print(const Row& row) {
  if (++count_ == 1) print_out("{}", table_.header());
  const Record& r = row.record;
  const std::string what = fmt::format("{} {} on {}", r.variant, row.config_text, to_text(r.problem));
  std::vector<std::string> cells{fmt::format("{} ", count_), outcome_text(row), "-", "-", "", "", "", "", what};
  if (r.verdict) {
    cells[2] = error_text(r.verdict->max_abs);
    cells[3] = error_text(r.verdict->mean_abs);
  }
  if (r.outcome == Outcome::measured && r.statistics) {
    const Statistics& s = *r.statistics;
    cells[4] = ms(s.mean);
    cells[5] = ms(s.median);
    cells[6] = ms(s.min);
    cells[7] = ms(s.max);
    Best& best = best_[to_text(r.problem)];
    if (best.number == 0 || s.*rank_ < best.ns) {
      best = {s.*rank_, count_, what};
      cells[0] = fmt::format("{}*", count_);
    }
  } else {
    cells[5] = "not timed";
  }
  print_out("{}", table_.row(cells));
}

void SessionLog::print_best() const {
  for (const auto& [problem, best] : best_)
    print_out("{}", wrapped(fmt::format("* best {} for {}: #{}, {} ms, {}", by_, problem, best.number, ms(best.ns),
                                        best.what),
                            width_));
  if (count_ != 0) print_out("\n");
}

Result<std::vector<Record>> read_baseline(const std::string& file) {
  auto results = TRY(about("--baseline", file, read_results(file)));
  std::vector<Record> measured;
  for (Record& record : results.records) {
    // Another program's statistics may be of other samples.
    if (record.statistics && !record.samples_ns.empty()) record.statistics = summarize(record.samples_ns);
    if (record.statistics && record.statistics->median > 0) measured.push_back(std::move(record));
  }
  if (measured.empty())
    return bad_input("--baseline {}: the file has no measured record; write one with bench --output.", file);
  return measured;
}

TextTable baseline_table(std::span<const Record> ours, std::span<const Record> baseline, const ReportOptions& options) {
  std::vector<double> medians;
  std::vector<ConfigName> names;
  TableRecords records;
  for (const Record& record : ours) {
    const auto same_problem = [&](const Record& base) { return base.problem == record.problem; };
    if (!record.statistics || std::ranges::none_of(baseline, same_problem)) continue;
    medians.push_back(record.statistics->median);
    names.push_back(config_name(record, options));
    records.push_back({&record});
  }
  if (records.empty()) return {};
  const TimeUnit unit = choose_time_unit(medians);
  SystemTable spec;
  spec.unit = unit.name;
  spec.columns = {{"config", "name", ""},
                  {"problem", "problem", ""},
                  {fmt::format("median {}", unit.name), "median", ""},
                  {"vs", "baseline", ""}};
  const std::vector<std::string> labels = short_labels(names);
  for (size_t i = 0; i < records.size(); ++i)
    spec.rows.push_back({.name = labels[i], .problems = {records[i][0]->problem}});
  // Several configs of a problem are alternatives, and no mean is of those.
  if (records.size() > 1 && problems_of(spec).size() == records.size()) spec.means = {{"geometric mean", ""}};
  return system_table(spec, "", records, baseline);
}

Result<Peaks> known_peaks(DeviceSession& opened, const PeaksRequest& request, ProgressKind kind) {
  const auto ask = [&](const PeaksRequest& r, const EventSink& sink) {
    Result<PeaksAnswer> answer = opened.session->peaks(r, sink, interrupted());
    if (answer && !answer->note.empty()) print_err("note: {}\n", answer->note);
    return answer;
  };
  if (!request.again) {
    PeaksAnswer answer = TRY(ask({.measure = false}, [](const Event&) {}));
    if (answer.peaks) return *answer.peaks;
    if (kind != ProgressKind::none)
      print_err("note: the peaks of {} under this driver are not known; they are measured now\n", opened.device.name);
  }
  ProgressLine progress(1, kind);
  progress.begin("peaks of " + opened.device.name);
  Result<PeaksAnswer> answer = ask(request, stages_on(progress));
  progress.finished();
  progress.clear();
  if (!answer) return answer.error();
  if (!answer->peaks) return internal_error("the session measured no peaks");
  return *answer->peaks;
}

void explain_rows(DeviceSession& opened, std::span<Row> rows, double Statistics::*rank) {
  std::map<std::string, Row*> best;
  for (Row& row : rows) {
    if (!row.record.statistics) continue;
    Row*& so_far = best[to_text(row.record.problem)];
    if (so_far == nullptr || (*row.record.statistics).*rank < (*so_far->record.statistics).*rank) so_far = &row;
  }
  for (Row& row : rows) {
    if (!row.record.statistics || interrupted()) continue;
    if (best.size() > 1 && best[to_text(row.record.problem)] != &row) continue;
    const Record& r = row.record;
    Result<NeighbourPlans> around = opened.session->plan_neighbours(r.problem, r.variant, r.config);
    if (around)
      explain(row.record, *around);
    else
      print_err("note: no report on {} on {}: {}\n", r.variant, to_text(r.problem), around.error().message);
  }
}

std::string why_text(const Row& row, size_t width) {
  const Record& r = row.record;
  std::string text = wrapped(fmt::format("Why {} {} on {} takes {}:", r.variant, to_text(r.config), to_text(r.problem),
                                         time_text(r.statistics ? r.statistics->median : 0)),
                             width, 4);
  if (r.floor)
    text += wrapped(fmt::format("lower bound {} ({}); {} of peak (arithmetic {}, memory {}, launch {})",
                                time_text(1e3 * r.floor->us), roof_text(r.floor->roof), percent(r.floor->fraction),
                                time_text(1e3 * r.floor->compute_us), time_text(1e3 * r.floor->memory_us),
                                time_text(1e3 * r.floor->launch_us)),
                    width, 11, "  bound    ");
  text +=
      wrapped(launch_text(*r.fit), width, 11, "  launch   ") + wrapped(tiles_text(*r.fit), width, 11, "  tiles    ");
  if (r.advice.empty()) return text + "  No rule has anything to say.\n";
  for (size_t i = 0; i < r.advice.size(); ++i) {
    const Advice& a = r.advice[i];
    text += wrapped(fmt::format("{}. {} (up to {}): {}", i + 1, a.rule, percent(a.gain), a.text), width, 5, "  ");
  }
  return text;
}

}  // namespace attnscope::cli
