// attnscope bench: verifies, then times, variants x problems x configs.

#include "app/cli/bench_report.hpp"

namespace attnscope::cli {
namespace {

// Presets that have a table of their own: the jobs that its rows are, and the table that is made of their records.

struct TablePlace {
  size_t preset = 0, row = 0, problem = 0;
};

bool too_large(const SystemTable& table, const Problem& problem, const DeviceInfo& device) {
  return device.type == DeviceType::software && table.software_gflop > 0 &&
         problem_flops(problem) > table.software_gflop * 1e9;
}

/// Takes those of --preset that have a table out of the options; where a variant or config is named they stay.
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

/// The jobs of all rows, problems outermost; `places` gets one for each. What cannot run here is skipped.
Result<std::vector<WorkItem>> table_jobs(const DeviceSession& opened, const std::vector<Preset>& presets,
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
        // The row is that config and no other one, or what suits the problem when it names none.
        job.named = false;
        job.adaptable = row.config.empty() && job.chosen.empty();
        jobs.push_back(std::move(job));
        places.push_back({t, r, size_t(at - row.problems.begin())});
      }
    }
  }
  return jobs;
}

/// A table for each preset from the rows of one device, places[i] being that of rows[i]; rows may end early.
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
    std::vector<std::string> left_out;
    for (const Problem& problem : problems_of(table))
      if (too_large(table, problem, device))
        add_line(left_out, "{} ({:.3g} GFLOP)", to_text(problem), problem_flops(problem) / 1e9);
    if (!left_out.empty())
      add_line(made.notes,
               "Not run on a software device, for which this table ends at {:g} GFLOP: {}. --variant "
               "with --problem runs them all the same.",
               table.software_gflop, joined(left_out));
  }
  return out;
}

struct BenchOptions {
  CommonOptions common;
  WorkOptions work;
  ProtocolChange protocol;
  std::optional<double> budget_s;
  bool log = false, why = false, telemetry = false;
  std::string rank = "median";
  std::string baseline;
  AbOptions ab;
};

/// A short look: a software device's driver compiles each kernel for a second or so, and the noise is the machine's.
constexpr Protocol kShortProtocol{
    .warmup_ms = 5, .warmup_cap_ms = 150, .min_ms = 30, .max_ms = 1000, .min_samples = 5, .target_noise = 0.03};

/// What was asked for, over the preset's terms on a software device, over the usual.
RunOptions run_options(const BenchOptions& o, const DeviceInfo& device, bool tables, Clock::time_point start) {
  const double preset_s = device.type == DeviceType::software && !tables ? o.work.software_budget_s : 0;
  RunOptions run{.protocol = changed(preset_s > 0 ? kShortProtocol : Protocol(), o.protocol),
                 .seed = o.work.seed,
                 .measure = true};
  const double budget_s = o.budget_s.value_or(preset_s);
  if (budget_s <= 0) return run;
  run.end = after(start, budget_s);
  run.why_end = o.budget_s ? fmt::format("The {:g} s of --budget were over.", budget_s)
                           : fmt::format(
                                 "The {:g} s that the preset has on a software device were over; kernels compiled "
                                 "so far are found again the next time, and --budget 0 leaves nothing out.",
                                 budget_s);
  return run;
}

/// Who names neither a variant nor a config wants one answer. A config that is named may be any variant's.
void default_to_auto(WorkOptions& work) {
  const bool one_answer =
      std::ranges::all_of(work.configs, [](const std::string& c) { return asks_for_default(c) || c == kTuned; });
  if (work.variants.empty() && one_answer) work.variants = {std::string(kAutoVariant)};
}

/// Sorts the jobs of each problem, the variants that should serve it best first, in case there is no time for all.
void likeliest_first(Session& session, std::vector<WorkItem>& jobs) {
  for (auto first = jobs.begin(); first != jobs.end();) {
    const auto last = std::find_if(first, jobs.end(), [&](const WorkItem& j) { return j.problem != first->problem; });
    if (const Result<std::vector<VariantRank>> ranks = session.rank_variants(first->problem)) {
      const auto place = [&](const WorkItem& job) {
        return std::ranges::find(*ranks, job.variant->name, &VariantRank::variant) - ranks->begin();
      };
      std::ranges::stable_sort(first, last, {}, place);
    }
    first = last;
  }
}

int bench(BenchOptions& o) {
  if ((o.ab.tolerance || !o.ab.gpus.empty()) && !o.ab.wanted())
    fail(
        bad_input("--tolerance and --gpu go with --ab, --ab-shaders or --ab-sources; `attnscope "
                  "compare` and `attnscope compile` have their own"));
  if (o.ab.wanted()) return bench_ab(o.ab, o.common, o.work, o.protocol);
  const Clock::time_point start = Clock::now();
  std::vector<Preset> systems = need(take_tables(o.work));
  const bool tables_alone = !systems.empty() && o.work.problems.empty() && o.work.presets.empty();
  std::vector<Problem> problems;
  if (!tables_alone) problems = need(wanted_problems(o.work));
  o.work.modes = o.protocol;
  default_to_auto(o.work);
  need(check_output(o.work.output));
  need(check_protocol(changed(Protocol(), o.protocol)));
  std::vector<Record> baseline;
  if (!o.baseline.empty()) {
    need(spare_input(o.work.output, o.baseline));
    baseline = need(read_baseline(o.baseline));
  }
  std::vector<DeviceSession> opened = need(open_sessions(o.common));
  catch_interrupts();

  HistoryKeeper history(!o.work.no_history);
  const ProgressKind progress = o.common.progress();
  ExitCode code = exit_ok;
  Results results;
  std::vector<std::vector<Row>> rows;  // of each device
  const size_t width = output_width();
  double Statistics::*const rank = find_column(o.rank, RecordColumn::Use::value)->statistic;
  for (DeviceSession& device : opened) {
    std::vector<TablePlace> places;
    std::vector<WorkItem> jobs = need(table_jobs(device, systems, places));
    std::vector<WorkItem> others = need(make_jobs(device, problems, o.work));
    // The second device's time begins when it does.
    RunOptions run = run_options(o, device.device, !systems.empty(), &device == &opened.front() ? start : Clock::now());
    Predictor predictor;
    run.predictor = &predictor;
    run.history = &history;
    if (run.end) likeliest_first(*device.session, others);
    jobs.insert(jobs.end(), others.begin(), others.end());
    std::vector<Row>& own = rows.emplace_back();
    SessionLog log(o.rank, width);
    // Before the first run, so that every record has them.
    if (o.why) need(known_peaks(device, {}, progress));
    code = worse(code, run_jobs(device, jobs, run, progress, own, [&](const Row& row) {
                   if (o.log && !o.common.json && !row.skipped) log.print(row);
                 }));
    if (o.log && !o.common.json) log.print_best();
    if (o.why) explain_rows(device, own, rank);
    for (TextTable& table : system_tables(device.device, systems, places, own, baseline, rank))
      results.tables.push_back(std::move(table));
  }
  if (interrupted()) code = exit_interrupted;

  for (const std::vector<Row>& own : rows)
    for (const Row& row : own) results.records.push_back(row.record);
  if (o.common.json) write_document(results_to_json(results));
  const bool shown = !o.common.json && !results.records.empty();
  for (const TextTable& table : results.tables)
    if (shown) print_out("{}\n", render_terminal(table, width));
  for (size_t d = 0; d < rows.size(); ++d) {
    const std::vector<Row>& own = rows[d];
    const std::vector<Record> records = mapped(own, &Row::record);
    const ReportOptions options = report_options(opened[d].variants, rank);
    TextTable speedups = baseline_table(records, baseline, options);
    TextTable sensors;
    if (o.telemetry) {
      sensors = telemetry_table(records, options);
      if (sensors.rows.empty())
        print_err("note: {} does not report its power, clocks or temperature\n", opened[d].device.name);
    }
    if (shown && !own.empty()) {
      print_out("{}{}", d == 0 ? "" : "\n", bench_report(opened[d], own, options, width));
      if (!sensors.rows.empty()) print_out("\n{}", render_terminal(sensors, width));
      if (!speedups.rows.empty()) print_out("\n{}", render_terminal(speedups, width));
      for (const Row& row : own)
        if (row.record.fit) print_out("\n{}", why_text(row, width));
    }
    if (!speedups.rows.empty()) results.tables.push_back(std::move(speedups));
  }
  need(write_output(o.work, results));
  for (const std::vector<Row>& own : rows) report_refusals(own);
  return code;
}

}  // namespace

void add_bench(CLI::App& app, Action& chosen) {
  auto [command, o] = add_command(app, chosen, "bench", "Verify, then time variants x problems x configs", bench);
  add_common_options(command, o.common);
  add_work_options(command, o.work);
  add_protocol_options(command, o.protocol);
  add_duration(command, "--budget", o.budget_s,
               "Begin no row after so long (60s), and name those left out; 0 = no limit (default: none, or the "
               "preset's own on a software device)");
  command.add_flag("--log", o.log, "Show the session log: every config in the order tried, the best so far marked");
  add_value(command, "--baseline", o.baseline, "FILE",
            "A result file (of bench, or of tools/peers/torch_sdpa.py): show speedups over its records");
  command.add_flag("--why", o.why,
                   "Say why the best config of each problem (of one problem: every config) takes its time, and what "
                   "could be done; measures the device's peaks first where none are known");
  command.add_flag("--telemetry", o.telemetry,
                   "Show power, joules an execution, clocks, temperature and throttling of each record, where the "
                   "device reports; joules need about --min-ms 1000");
  command.add_option("--rank", o.rank, "What the log and a system's table rank by: median, mean or min")
      ->check(CLI::IsMember({"median", "mean", "min"}))
      ->default_str("median");
  CLI::Option* ab = add_text(command, "--ab", o.ab.sides, "A B",
                             "Two configs measured in turn, A B B A, in one process, and B's time relative to A: "
                             "each a CONFIG of the one --variant, a VARIANT, or VARIANT:CONFIG")
                        ->expected(2);
  CLI::Option* shaders = add_text(command, "--ab-shaders", o.ab.shaders, "DIR_A DIR_B",
                                  "The same of variants before and after an edit: two folders of variants; "
                                  "those that differ, or each --variant")
                             ->expected(2);
  ab->excludes(shaders);
  CLI::Option* sources = add_text(command, "--ab-sources", o.ab.sources, "MAIN BRANCH",
                                  "The same for variants whose shaders are elsewhere (docs/adapters.md): two "
                                  "checkouts, as --sources of one and of the other")
                             ->expected(2);
  ab->excludes(sources);
  shaders->excludes(sources);
  CLI::Option* gpus = add_text(command, "--gpu", o.ab.gpus, "GPU,…|all",
                               "With --ab…: registers and spills of both sides on GPUs that are not here, as of "
                               "`attnscope compile`");
  CLI::Option* tolerance = add_percent(command, "--tolerance", o.ab.tolerance,
                                       "With --ab: ratios within 1 plus or minus so much are the SAME (0.5%)");
  for (const char* other : {"--log", "--rank", "--baseline", "--budget"})
    for (CLI::Option* option : {ab, shaders, sources, tolerance, gpus}) option->excludes(command.get_option(other));
}

}  // namespace attnscope::cli
