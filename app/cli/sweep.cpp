// attnscope sweep: every legal config of a variant on a problem, or random ones within a budget.

#include "app/cli/bench_report.hpp"
#include "app/cli/tune_work.hpp"

namespace attnscope::cli {
namespace {

struct SweepOptions : SearchOptions {
  std::string budget;
  bool full = false;
};

constexpr size_t kTop = 10;

/// A trial has no verdict of the CPU's, and is not unverified for that.
void say_what_was_checked(TextTable& table, const std::vector<Record>& top) {
  if (std::ranges::any_of(top, [](const Record& r) { return r.verdict.has_value(); })) return;
  const auto column = std::ranges::find(table.columns, "verdict", &TextTable::Column::title);
  if (column == table.columns.end()) return;
  for (auto& row : table.rows) row[size_t(column - table.columns.begin())] = "checked";
  table.notes.push_back(
      "Checked: the output, before and after it was timed, was compared on the device with a "
      "reference that was itself compared with the CPU's (of problems too large for that, with rows of the CPU's). "
      "`attnscope verify` gives errors and a verdict.");
}

void report(const search::SearchOutcome& out, const std::vector<Record>& records,
            const std::vector<VariantInfo>& variants, const SweepOptions& o) {
  for (const tune::ArmSummary& arm : out.arms) {
    print_pruned(arm.variant, out.request.problem, arm.pruned, arm.space, arm.complete ? "" : ", of those looked at");
    if (arm.legal == 0 && arm.complete)
      print_err("attnscope sweep: {} on {}: none of its {} configs is legal here\n", arm.variant,
                to_text(out.request.problem), grouped(arm.space));
  }
  for (const std::string& line : search::in_vain(out.progress))
    print_err("note: {}: {}\n", to_text(out.request.problem), line);
  if (o.common.json) return;
  std::vector<Record> top;
  for (const Record& r : records)
    if (r.statistics && top.size() < kTop) top.push_back(r);
  if (!top.empty()) {
    TextTable table = short_table(top, report_options(variants));
    table.title = fmt::format("The fastest of {} on {}", out.progress.tried, out.device.name);
    say_what_was_checked(table, top);
    print_out("{}", render_terminal(table, output_width()));
  }
  print_out("{}; {}\n", search::counts_text(out.progress), search::shares_text(out.progress, out.seconds));
}

/// What this run measured to the end: the journal has the others, and theirs went into the history when they were.
std::vector<Record> measured_now(const search::SearchOutcome& out) {
  std::vector<Record> records;
  for (const tune::ConfigTrial& tried : out.tried)
    if (!tried.recalled && !tried.trial.dropped) records.push_back(search::record_of(out, tried));
  return records;
}

int sweep(SweepOptions& o) {
  if (o.work.variants.empty())
    fail(bad_input("Give --variant NAME: the space to sweep is a variant's (or --variant all)."));
  tune::Budget budget;
  if (!o.budget.empty()) budget = need(tune::parse_budget(o.budget), "--budget", o.budget);
  const std::vector<Problem> problems = need(wanted_problems(o.work));
  need(check_output(o.work.output));
  std::vector<DeviceSession> opened = need(open_search(o));
  catch_interrupts();

  ExitCode code = exit_ok;
  HistoryKeeper history(!o.work.no_history);
  Results results;
  for (const auto& group : equal_devices(opened))
    for (const Problem& problem : problems) {
      if (interrupted()) break;
      search::SearchRequest request = need(search_request(o, problem, group.front().device));
      // Cut off, it has seen some of all of the space.
      request.strategy = o.budget.empty() ? tune::StrategyKind::exhaustive : tune::StrategyKind::random;
      request.budget = budget;
      request.drop = !o.full;
      request.seeds = false;
      const search::SearchOutcome out = need(search_on(o, request, group));
      std::vector<Record> records = search::records_of(out);
      report(out, records, group.front().variants, o);
      history.keep(measured_now(out));
      if (out.progress.wrong > 0) code = worse(code, exit_failed);
      if (out.progress.broken > 0) code = worse(code, exit_lost);
      if (out.unkept > 0) code = worse(code, exit_bad_input);
      std::ranges::move(records, std::back_inserter(results.records));
    }
  if (o.common.json) write_document(results_to_json(results));
  need(write_output(o.work, results));
  return interrupted() ? exit_interrupted : code;
}

}  // namespace

void add_sweep(CLI::App& app, Action& chosen) {
  auto [command, o] =
      add_command(app, chosen, "sweep", "Verify and time every legal config of a variant on a problem", sweep);
  add_search_options(command, o);
  add_value(command, "--budget", o.budget, "TIME|N",
            "How long to sweep (60s, 5m), or how many configs to try (200); each problem. They are taken at "
            "random, so that a stopped sweep is spread over the space (default: all, in order)");
  command.add_flag("--full", o.full,
                   "Measure every config to the end, not only until it is surely slower than the best");
}

}  // namespace attnscope::cli
