// attnscope verify: the headless test mode, a row for each (variant, config, problem).

#include "app/cli/jobs.hpp"
#include "app/cli/random_problem.hpp"
#include "engine/platform/system.hpp"
#include "engine/record/report.hpp"

namespace attnscope::cli {
namespace {

struct VerifyOptions {
  CommonOptions common;
  WorkOptions work;
  uint32_t samples = 0;
};

/// How often a random problem and config are drawn before a variant counts as having no legal ones.
constexpr uint32_t kDraws = 200;

ProgressKind progress_kind(const VerifyOptions& o) {
  return o.common.progress(o.common.json ? ProgressKind::bar_or_lines : ProgressKind::bar);
}

/// Widths of the columns of text on a narrow terminal.
constexpr size_t kLeastReason = 10;
constexpr size_t kConfig = 48;  ///< the widest config shown whole

std::string widest_config(const VariantInfo& info) {
  Config widest;
  for (const Parameter& p : info.parameters)
    widest[p.name] = *std::ranges::max_element(p.values, {}, [](int64_t v) { return std::to_string(v).size(); });
  return to_text(widest);
}

/// The rows as they come; columns are as wide as the widest of what is to come, as far as the terminal allows.
class Table {
 public:
  Table(bool shown, const std::vector<WorkItem>& jobs) : shown_(shown) {
    for (const WorkItem& job : jobs) {
      widen(job.variant->name, width_of(job), to_text(job.problem));
      // A problem whose rows may not all be compared, as far as can be told before: all but one at the widest.
      Record most;
      most.verdict = Verdict{};
      most.verdict->rows_total = job.problem.total_q() * job.problem.heads_q;
      most.verdict->rows_checked = most.verdict->rows_total - 1;
      if (problem_flops(job.problem) > 1e8) rows_ = std::max(rows_, display_width(rows_text(most)));
    }
  }
  static std::string width_of(const WorkItem& job) {
    return job.adaptable ? kNearest : job.all ? widest_config(*job.variant) : job.config_text;
  }
  void widen(const std::string& variant, const std::string& config, const std::string& problem) {
    variant_ = std::max(variant_, display_width(variant));
    config_ = std::max(config_, std::min(display_width(config), kConfig));
    problem_ = std::max(problem_, display_width(problem));
  }
  void print(const Row& row) {
    if (!shown_) return;
    if (!table_) {
      table_ = columns(output_width());
      print_out("{}", table_->header());
    }
    const auto& v = row.record.verdict;
    const bool failed = row.record.wrong();
    const std::string& why = row.record.why();
    // Failures are printed in full, below; why a variant does not apply, on a terminal as far as it fits.
    const bool below = !why.empty() && !row.skipped;
    std::vector<std::string> cells{row.record.variant, row.config_text, to_text(row.record.problem), outcome_text(row),
                                   rows_text(row.record)};
    if (v)
      cells.insert(cells.end(), {error_text(v->max_abs), error_text(v->mean_abs), error_text(v->nmse),
                                 fmt::format("{}", v->nan_count)});
    cells.resize(9);
    const bool cut = terminal_columns(STDOUT_FILENO).has_value();
    cells.push_back(below || !cut ? "" : why);
    std::string line = table_->row(cells);
    if (!below && !cut && !why.empty()) line.insert(line.size() - 1, "  " + visible_line(why));
    print_out("{}{}", line, below ? table_->remark(why) : "");
    if (!failed) return;
    const std::string config = to_text(row.record.config);  // whole, to run it again
    print_out("    --variant {} --problem {} --config {} --seed {}\n", row.record.variant, to_text(row.record.problem),
              config.empty() ? "default" : config, row.record.seed);
  }

 private:
  StreamedTable columns(size_t width) const {
    return {{{variant_, {"variant", false, 0, kLeastVariant}},
             {config_, {"config", false, 0, kLeastConfig}},
             {problem_, {"problem", false, 0, kLeastProblem}},
             {9, {"verdict"}},
             {rows_, {"rows", true}},
             {8, {"max abs", true, 1}},
             {8, {"mean abs", true, 4}},
             {8, {"NMSE", true, 3}},
             {3, {"NaN", true, 5}},
             {width, {"", false, 2, kLeastReason}}},
            width};
  }
  bool shown_;
  std::optional<StreamedTable> table_;
  size_t variant_ = 7, config_ = 6, problem_ = 7, rows_ = 4;
};

/// Each parameter at one of its candidates, legal together or not.
Config random_config(Random& r, const VariantInfo& variant) {
  Config config;
  for (const Parameter& p : variant.parameters) config[p.name] = r.pick(p.values);
  return config;
}

/// Random legal jobs in turn over the variants, until `samples` have run.
void sweep(DeviceSession& opened, const VerifyOptions& o, const std::vector<WorkItem>& per_variant,
           const std::function<void(Row, const WorkItem&)>& keep) {
  for (const WorkItem& job : per_variant)
    if (!job.variant->error.empty()) keep(run_job(*opened.session, job, {}, opened.device, {}), job);
  Random random(o.work.seed);
  std::vector<WorkItem> live = filtered(per_variant, [](const WorkItem& job) { return job.why_not.empty(); });
  ProgressLine progress(o.samples, progress_kind(o));
  for (uint32_t done = 0, turn = 0; done < o.samples && !live.empty() && !interrupted(); ++turn) {
    WorkItem& base = live[turn % live.size()];
    bool tried = false;
    for (uint32_t draw = 0; draw < kDraws && !tried && !interrupted(); ++draw) {
      WorkItem job = base;
      job.problem = random_problem(random, *base.variant);
      job.config = random_config(random, *base.variant);
      job.named = job.adaptable = job.all = false;
      if (!check_problem(job.problem)) continue;
      // An illegal draw is replaced by the legal config nearest to it.
      if (const auto look = opened.session->inspect(job.problem, job.variant->name, job.config);
          look && !look->why_not.empty()) {
        if (look->nearest.empty()) continue;
        job.config = look->nearest;
      }
      job.config_text = to_text(job.config);
      RunOptions run;
      run.seed = random.next() >> 32;
      progress.stage(fmt::format("{} {}", job.variant->name, to_text(job.problem)));
      Row row = run_job(*opened.session, job, run, opened.device, {});
      if (row.record.outcome == Outcome::refused) continue;
      tried = true;
      progress.finished();
      progress.clear();
      keep(std::move(row), job);
    }
    if (tried) {
      ++done;
    } else if (!interrupted()) {
      print_err("attnscope verify: {}: none of {} random problems and configs was legal\n", base.variant->name, kDraws);
      live.erase(live.begin() + turn % live.size());
    }
  }
}

void print_summary(const std::vector<Row>& rows, const VerifyOptions& o) {
  std::map<std::string, size_t> outcomes;
  size_t verdicts = 0, sampled = 0;
  for (const Row& row : rows) {
    ++outcomes[outcome_text(row)];
    const auto& v = row.record.verdict;
    verdicts += v.has_value();
    sampled += v && v->rows_checked < v->rows_total && !v->all_on_device;
  }
  const size_t pass = outcomes["pass"], failed = outcomes["FAIL"], skipped = outcomes["SKIP"];
  print_err("{} passed, {} failed, {} skipped", pass, failed, skipped);
  if (const size_t other = rows.size() - pass - failed - skipped; other != 0)
    print_err(", {} not tried or broken off", other);
  print_err(" (seed {})\n", o.work.seed);
  if (sampled != 0)
    print_err("{} of {} verdicts compared a sample of the rows of every head, as the table says\n", sampled, verdicts);
  else if (verdicts != 0)
    print_err("all rows were compared\n");
}

/// A variant need not take all usual problems; one that was named and takes none is refused.
ExitCode refuse_where_nothing_ran(const WorkOptions& work, std::vector<Row>& rows) {
  ExitCode code = exit_ok;
  if (work.chosen_problems || !work.insist) return code;
  for (const std::string& name : work.variants) {
    const auto of_it = [&](const Row& row) { return row.record.variant == name; };
    const auto first = std::ranges::find_if(rows, of_it);
    if (first == rows.end() || std::ranges::any_of(rows, [&](const Row& r) { return of_it(r) && !r.skipped; }))
      continue;
    first->skipped = false;
    code = exit_bad_input;
  }
  return code;
}

int verify(VerifyOptions& o) {
  std::vector<Problem> problems(1);
  if (o.samples == 0) problems = need(wanted_problems(o.work, {"battery", "options"}));
  need(check_output(o.work.output, true));
  std::vector<DeviceSession> opened = need(open_sessions(o.common));
  catch_interrupts();

  HistoryKeeper history(!o.work.no_history);
  ExitCode code = exit_ok;
  std::vector<Row> rows;
  for (DeviceSession& device : opened) {
    std::vector<WorkItem> jobs = need(make_jobs(device, problems, o.work));
    Table table(!o.common.json, jobs);
    const auto print = [&](const Row& row) { table.print(row); };
    if (o.samples != 0) {
      table.widen("", std::string(48, ' '), std::string(36, ' '));
      sweep(device, o, jobs, [&](Row row, const WorkItem& job) {
        code = worse(code, row_code(row, job));
        history.keep(row.record);
        print(row);
        rows.push_back(std::move(row));
      });
      continue;
    }
    RunOptions run;
    run.seed = o.work.seed;
    run.history = &history;
    code = worse(code, run_jobs(device, jobs, run, progress_kind(o), rows, print));
  }
  if (interrupted()) code = exit_interrupted;
  if (!interrupted()) code = worse(code, refuse_where_nothing_ran(o.work, rows));

  Results results;
  std::vector<JUnitCase> cases;
  for (const Row& row : rows) {
    results.records.push_back(row.record);
    cases.push_back({&row.record, row.config_text, row.skipped, row.seconds});
  }
  if (o.common.json) write_document(results_to_json(results));
  need(is_junit(o.work.output) ? write_output(o.work, to_junit(cases)) : write_output(o.work, results));
  print_summary(rows, o);
  report_refusals(rows);
  return code;
}

}  // namespace

void add_verify(CLI::App& app, Action& chosen) {
  auto [command, o] = add_command(
      app, chosen, "verify",
      "Run configs against the CPU reference; without arguments every variant on the presets 'battery' and 'options'",
      verify);
  add_common_options(command, o.common);
  add_work_options(command, o.work);
  command.get_option("--output")
      ->description("Also write the records to FILE.json, FILE.csv or FILE.md, or JUnit XML to FILE.xml");
  add_number(command, "--samples", o.samples, NumberRange<uint32_t>{1, 10'000'000},
             "Instead: N random legal problems and configs, in turn over the variants, drawn from --seed");
  for (const char* other : {"--problem", "--preset", "--config"}) command.get_option("--samples")->excludes(other);
}

}  // namespace attnscope::cli
