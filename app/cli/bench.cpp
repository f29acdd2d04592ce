// attnscope bench: verifies, then times, variants x problems x configs.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "app/cli/baseline.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/interrupt.hpp"
#include "app/cli/jobs.hpp"
#include "app/cli/log.hpp"
#include "app/cli/systems.hpp"
#include "engine/record/results.hpp"
#include "engine/record/table.hpp"

namespace attnscope::cli {
namespace {

struct BenchOptions {
  CommonOptions common;
  WorkOptions work;
  Protocol protocol;
  bool log = false;
  RankBy rank = RankBy::median;
  std::string baseline;
};

int bench(BenchOptions& o) {
  Result<std::vector<Preset>> systems = take_tables(o.work);
  if (!systems) return fail(o.common, systems.error());
  const bool tables_alone = !systems->empty() && o.work.problems.empty() && o.work.presets.empty();
  Result<std::vector<Problem>> problems =
      tables_alone ? Result<std::vector<Problem>>(std::vector<Problem>{}) : wanted_problems(o.work, "");
  if (!problems) return fail(o.common, problems.error());
  if (Result<void> ok = check_output(o.work); !ok) return fail(o.common, ok.error());
  std::vector<Record> baseline;
  if (!o.baseline.empty()) {
    auto read = read_baseline(o.baseline);
    if (!read) return fail(o.common, read.error());
    baseline = std::move(*read);
  }
  Result<std::vector<Opened>> opened = open_sessions(o.common);
  if (!opened) return fail(o.common, opened.error());
  catch_interrupts();

  RunOptions run;
  run.protocol = o.protocol;
  run.seed = o.work.seed;
  run.measure = true;
  const ProgressKind progress = o.common.quiet ? ProgressKind::none : ProgressKind::bar_or_lines;
  ExitCode code = exit_ok;
  Results results;
  std::vector<Row> rows;
  for (Opened& device : *opened) {
    std::vector<TablePlace> places;
    Result<std::vector<Job>> jobs = table_jobs(device, *systems, places);
    if (!jobs) return fail(o.common, jobs.error());
    Result<std::vector<Job>> others = make_jobs(device, *problems, o.work);
    if (!others) return fail(o.common, others.error());
    jobs->insert(jobs->end(), others->begin(), others->end());
    const size_t first = rows.size();
    SessionLog log(o.rank);
    code = worse(code, run_jobs(device, *jobs, run, progress, rows, [&](const Row& row) {
                   if (o.log && !o.common.json && !row.skipped) log.print(row);
                 }));
    if (o.log && !o.common.json) log.print_best();
    for (TextTable& table :
         system_tables(device.device, *systems, places, std::span(rows).subspan(first), baseline, o.rank))
      results.tables.push_back(std::move(table));
  }
  if (interrupted()) code = exit_interrupted;

  for (const Row& row : rows) results.records.push_back(row.record);
  if (o.common.json) {
    fmt::print("{}", results_to_json(results));
  } else if (!rows.empty()) {
    for (const TextTable& table : results.tables) fmt::print("{}\n", render_terminal(table));
    fmt::print("{}", render_terminal(record_table(results.records)));
    if (const TextTable table = baseline_table(results.records, baseline); !table.rows.empty())
      fmt::print("\n{}", render_terminal(table));
  }
  if (!o.work.output.empty())
    if (Result<void> written = write_results(o.work.output, results); !written)
      return fail(o.common, about("--output", o.work.output, written.error()));
  report_refusals(o.common, rows);
  return code;
}

}  // namespace

void add_bench(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand("bench", "Verify, then time variants x problems x configs");
  auto o = std::make_shared<BenchOptions>();
  o->common.command = "bench";
  add_device_options(*command, o->common);
  add_output_options(*command, o->common);
  add_work_options(*command, o->work);
  add_protocol_options(*command, o->protocol);
  command->add_flag("--log", o->log, "Show the session log: every config in the order tried, the best so far marked");
  command->add_option("--baseline", o->baseline,
                      "A result file (of bench, or of tools/peers/torch_sdpa.py): show speedups over its records")
      ->type_name("FILE");
  command->add_option("--rank", o->rank, "What the log and a system's table rank by: median, mean or min")
      ->transform(CLI::CheckedTransformer(std::map<std::string, RankBy>{
          {"median", RankBy::median}, {"mean", RankBy::mean}, {"min", RankBy::min}}))
      ->default_str("median");
  command->callback([o, &chosen] { chosen = [o] { return bench(*o); }; });
}

}  // namespace attnscope::cli
