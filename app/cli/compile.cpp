// attnscope compile: compiles configs by the drivers' compilers, for GPUs of this machine and for others.
#include <condition_variable>
#include <random>

#include "app/cli/jobs.hpp"
#include "engine/attention/parallel.hpp"
#include "engine/record/report.hpp"

namespace attnscope::cli {
namespace {

struct CompileOptions {
  CommonOptions common;
  WorkOptions work;
  std::string gpus, baseline;
  CompileGate gate;
  uint64_t random = 0;
};

bool all_configs(const CompileOptions& o) { return contains(o.work.configs, "all"); }

void advise(Session& session, Record& record) {
  const auto without = nearest_without_spills(session, record, interrupted());
  Advice advice;
  advice.rule = "spills";
  const Config changed = without ? changed_values(record.config, without->config) : Config{};
  if (changed.size() == 1) {
    advice.parameter = changed.begin()->first;
    advice.value = changed.begin()->second;
  }
  const auto registers = without ? without->resources.registers : std::nullopt;
  advice.text =
      without ? "nothing spills with " + to_text(changed) + (registers ? fmt::format(": {} registers", *registers) : "")
              : "no config was found near it that has smaller arrays and does not spill";
  if (!record.resources.may_spill.empty()) advice.text += "; why it spills: " + record.resources.may_spill;
  record.advice.push_back(std::move(advice));
}

/// One GPU: the first thread that takes it opens it and plans its jobs; then other threads may help.
struct Target {
  std::string name;      ///< of the catalogue, or of --device
  DeviceSession opened;  ///< its variants are what the jobs point to
  std::vector<WorkItem> jobs;
  std::vector<Row> rows;  ///< parallel to jobs
  size_t next = 0;
  bool planned = false;
  std::optional<Error> failed;
};

/// Enough work left for another driver to be worth starting.
constexpr size_t kWorthHelping = 4;

/// All targets on several threads, each thread with one session at a time.
class CompilePool {
 public:
  CompilePool(const CompileOptions& o, std::vector<Target>& targets, const std::vector<Problem>& problems,
              const std::vector<VariantSource>& sources, HistoryKeeper& history)
      : o_(o),
        targets_(targets),
        problems_(problems),
        sources_(sources),
        history_(history),
        progress_(0, o.common.progress(ProgressKind::bar)) {}

  void run() {
    parallel_for(worker_threads(), 1, [this](size_t, size_t) { work(); });
    progress_.clear();
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    while (!interrupted()) {
      if (begun_ < targets_.size()) {
        Target& target = targets_[begun_++];
        ++planning_;
        lock.unlock();
        Result<std::unique_ptr<Session>> session = plan(target);
        lock.lock();
        --planning_;
        target.planned = bool(session);
        if (!session) target.failed = session.error();
        progress_.expect(ptrdiff_t(target.jobs.size()));
        changed_.notify_all();
        if (session) take(target, **session, lock);
        continue;
      }
      const auto left = [](const Target& t) { return t.planned ? t.jobs.size() - t.next : 0; };
      const auto most = std::ranges::max_element(targets_, {}, left);
      if (most != targets_.end() && left(*most) >= kWorthHelping) {
        lock.unlock();
        const Result<DeviceSession> another = open(*most);
        const bool ready = another && another->session->load_variants(sources_);
        lock.lock();
        if (!ready) return;
        take(*most, *another->session, lock);
        continue;
      }
      if (planning_ == 0) return;
      changed_.wait_for(lock, std::chrono::milliseconds(100));
    }
  }

  Result<DeviceSession> open(const Target& t) const {
    CommonOptions one = o_.common;
    if (!o_.gpus.empty()) one.device = std::string(kGpuPrefix) + t.name;
    std::vector<DeviceSession> devices = TRY(open_devices(one));
    return std::move(devices.front());
  }

  /// The session on which the jobs were planned.
  Result<std::unique_ptr<Session>> plan(Target& t) {
    t.opened = TRY(open(t));
    t.opened.variants = TRY(t.opened.session->load_variants(sources_));
    const std::vector<WorkItem> jobs = TRY(make_jobs(t.opened, problems_, o_.work));
    for (const WorkItem& job : jobs)
      if (!job.all || !job.why_not.empty())
        t.jobs.push_back(job);
      else
        add_legal(t, job);
    t.rows.resize(t.jobs.size());
    return std::move(t.opened.session);
  }

  void add_legal(Target& t, const WorkItem& all) {
    WorkItem one = all;
    one.all = one.named = false;
    std::vector<Config> legal;
    if (o_.random > 0) legal = draw_legal(*t.opened.session, all);
    if (legal.empty()) walk_legal(*t.opened.session, all, one, legal);
    if (legal.empty() && !one.why_not.empty()) t.jobs.push_back(one);
    for (const Config& config : legal) {
      one.config = config;
      one.config_text = to_text(config);
      t.jobs.push_back(one);
    }
  }

  /// Every legal config; if there is none, `one` says why.
  void walk_legal(Session& session, const WorkItem& all, WorkItem& one, std::vector<Config>& legal) {
    LegalConfigs configs(session, all);
    while (!interrupted() && !configs.done()) {
      const Result<std::vector<Config>> batch = configs.next();
      if (!batch) {
        one.why_not = batch.error().message;
        return;
      }
      legal.insert(legal.end(), batch->begin(), batch->end());
    }
    if (targets_.size() == 1) configs.report();
    if (legal.empty()) one.why_not = configs.why_none();
  }

  /// --random legal configs, at points of the space that --seed draws; none where chance finds none.
  std::vector<Config> draw_legal(Session& session, const WorkItem& all) {
    constexpr size_t kPoints = 256, kMostDraws = 100'000;
    std::vector<Config> legal;
    const auto plan = [&](const std::vector<uint64_t>& points) {
      return session.plan_space(all.problem, all.variant->name,
                                {.max_legal = o_.random - legal.size(), .points = points}, interrupted());
    };
    Result<SpaceBatch> batch = plan({0});
    if (!batch) return {};
    std::mt19937_64 random(o_.work.seed);
    std::set<uint64_t> drawn;
    while (!batch->done && legal.size() < o_.random && drawn.size() < std::min<uint64_t>(batch->size, kMostDraws)) {
      std::vector<uint64_t> points;
      while (points.size() < kPoints && drawn.size() < batch->size)
        if (const uint64_t point = random() % batch->size; drawn.insert(point).second) points.push_back(point);
      batch = plan(points);
      if (!batch || interrupted()) return {};
      legal.insert(legal.end(), batch->legal.begin(), batch->legal.end());
    }
    return legal;
  }

  void take(Target& t, Session& session, std::unique_lock<std::mutex>& lock) {
    RunOptions options;
    options.verify = false;
    options.seed = o_.work.seed;
    while (t.next < t.jobs.size() && !interrupted()) {
      const size_t index = t.next++;
      const WorkItem& job = t.jobs[index];
      progress_.begin(fmt::format("{}: {} {}", t.opened.device.name, job.variant->name, job.config_text));
      lock.unlock();
      Row row = run_job(session, job, options, t.opened.device, {});
      if (!all_configs(o_) && spills(row.record.resources)) advise(session, row.record);
      history_.keep(row.record);
      lock.lock();
      t.rows[index] = std::move(row);
      progress_.finished();
    }
  }

  const CompileOptions& o_;
  std::vector<Target>& targets_;
  const std::vector<Problem>& problems_;
  const std::vector<VariantSource>& sources_;
  HistoryKeeper& history_;
  std::mutex mutex_;
  std::condition_variable changed_;
  ProgressLine progress_;
  size_t begun_ = 0, planning_ = 0;
};

Result<std::vector<Target>> wanted_targets(const CompileOptions& o) {
  std::vector<Target> targets;
  if (o.gpus.empty()) {
    targets.emplace_back().name = o.common.device;
    return targets;
  }
  const GpuCatalogue catalogue = TRY(gpu_catalogue());
  for (const CatalogueGpu* gpu : TRY(about("--gpu", o.gpus, find_gpus(catalogue, o.gpus))))
    targets.emplace_back().name = gpu->name;
  return targets;
}

/// `defaults`: of the variants, so that configs are named by what differs.
TextTable compile_table(const std::vector<Row>& rows, const ReportOptions& defaults) {
  constexpr ColumnPlace kPlaces[] = {{"device", 0, 12},  {"variant", 0, kLeastVariant},
                                     {"problem", 3, 12}, {"config", 0, kLeastConfig},
                                     {"registers"},      {"spills"},
                                     {"spill", 2},       {"stack", 3},
                                     {"subgroups"},      {"shared", 1},
                                     {"code", 4},        {"instructions", 6},
                                     {"cycles", 5},      {"verdict"}};
  constexpr size_t kProblem = 2, kConfig = 3;
  std::vector<const Record*> shown;
  std::vector<ConfigName> names;
  std::set<std::string> problems;
  std::vector<const Row*> of;
  for (const Row& row : rows) {
    if (row.skipped && row.missing) continue;  // a note says it
    of.push_back(&row);
    shown.push_back(&row.record);
    names.push_back(config_name(row.record, defaults));
    problems.insert(to_text(row.record.problem));
  }
  TextTable table = table_of(kPlaces, shown, {});
  table.columns.back().title = "outcome";
  const std::vector<std::string> labels = short_config_labels(names);
  for (size_t i = 0; i < of.size(); ++i) {
    // A refused config may lack parameters, so its text is shown.
    table.rows[i][kConfig] = of[i]->record.outcome == Outcome::refused ? of[i]->config_text : labels[i];
    if (problems.size() == 1) table.rows[i][kProblem].clear();
    for (const Advice& advice : of[i]->record.advice)
      add_line(table.notes, "{}, {} {}{}: {}.", shown[i]->environment.device.name, shown[i]->variant, labels[i],
               problems.size() == 1 ? "" : " on " + to_text(shown[i]->problem), advice.text);
  }
  if (problems.size() == 1) table.title = "Compiled for " + *problems.begin();
  table.notes.push_back(
      "Nothing was executed. Registers, spills and subgroups are as each driver counts them, so they compare within "
      "one driver; they promise no time (docs/gpus.md).");
  return table;
}

/// A reason that several GPUs share is printed once.
void print_refusals(const std::vector<Row>& rows) {
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> gpus;  // by variant and reason
  for (const Row& row : rows) {
    if (row.record.outcome != Outcome::refused) continue;
    const std::string& gpu = row.record.environment.device.name;
    std::string reason = row.record.message;
    if (const size_t at = reason.find(gpu); !gpu.empty() && at != reason.npos) reason.replace(at, gpu.size(), "it");
    std::vector<std::string>& those = gpus[{row.record.variant, reason}];
    if (those.empty() || those.back() != gpu) those.push_back(gpu);
  }
  for (const auto& [what, names] : gpus) print_err("note: {} on {}: {}\n", what.first, joined(names), what.second);
}

/// The baseline's configs that were requested again and have no record now, with the reason.
std::vector<std::string> gone_rows(const std::vector<Record>& now, const std::vector<Target>& targets,
                                   const CompileOptions& o) {
  const auto group = [](const Record& r) {
    return fmt::format("{}|{}|{}", r.environment.device.name, to_text(r.problem), r.variant);
  };
  std::set<std::string> rows, groups, lost;
  for (const Record& r : now) {
    groups.insert(group(r));
    rows.insert(group(r) + to_text(r.config));
  }
  for (const Target& t : targets)
    if (t.failed) lost.insert(t.name);
  const bool all = o.random == 0 && all_configs(o);
  std::vector<std::string> gone;
  for (const Record& before : o.gate.baseline) {
    const std::string& gpu = before.environment.device.name;
    if (before.outcome != Outcome::compiled || rows.contains(group(before) + to_text(before.config))) continue;
    if (lost.contains(gpu) || (all && groups.contains(group(before))))
      add_line(gone, "{} {} on {}: it compiled in the baseline, and {}", before.variant, to_text(before.config), gpu,
               lost.contains(gpu) ? "the GPU is not available now" : "is not legal now");
  }
  return gone;
}

int compile(CompileOptions& o) {
  const std::vector<Problem> problems = need(wanted_problems(o.work));
  if (o.random > 0 && !all_configs(o)) fail(bad_input("--random draws from --config all: give that too"));
  need(check_output(o.work.output));
  if (!o.baseline.empty()) {
    need(spare_input(o.work.output, o.baseline));
    o.gate.baseline = need(read_results(o.baseline), "--baseline", o.baseline).records;
    if (o.gate.baseline.empty()) fail(about("--baseline", o.baseline, bad_input("it has no records")));
  }
  const std::vector<VariantSource> sources = need(variant_sources(o.common));
  std::vector<Target> targets = need(wanted_targets(o));
  // With several GPUs a row says what cannot run on it.
  o.work.insist = o.work.insist && targets.size() == 1;
  catch_interrupts();
  HistoryKeeper history(!o.work.no_history);
  CompilePool(o, targets, problems, sources, history).run();

  ExitCode code = exit_ok;
  Results results;
  std::vector<Row> rows;
  std::vector<std::string> missing;
  ReportOptions defaults;
  for (Target& t : targets) {
    for (const VariantInfo& v : t.opened.variants) defaults.defaults[v.name] = default_config(v);
    if (t.failed && (targets.size() == 1 || t.failed->kind == ErrorKind::bad_input)) fail(*t.failed);
    if (t.failed && t.failed->kind == ErrorKind::unsupported) {
      missing.push_back(t.name);
    } else if (t.failed && !interrupted()) {
      code = worse(code, exit_code(t.failed->kind));
      print_err("attnscope compile: {}: {}\n", t.name, t.failed->message);
    }
    for (size_t i = 0; i < t.rows.size(); ++i) {
      if (t.rows[i].record.variant.empty()) continue;  // interrupted before it
      code = worse(code, row_code(t.rows[i], t.jobs[i]));
      results.records.push_back(t.rows[i].record);
      rows.push_back(std::move(t.rows[i]));
    }
  }
  if (!missing.empty() && o.gpus != "all") code = worse(code, exit_no_device);
  if (!missing.empty())
    print_err("note: not available here: {} (attnscope devices --all says what is missing)\n", joined(missing));
  if (results.records.empty() && !interrupted())
    fail(unsupported("None of these GPUs is available here: `attnscope devices --all` says why."));
  results.tables.push_back(compile_table(rows, defaults));
  if (o.common.json)
    write_document(results_to_json(results));
  else
    print_out("{}", render_terminal(results.tables.front(), output_width()));
  if (!o.common.json) print_refusals(rows);
  // A pull request needs the table alone.
  const Result<ResultFormat> format = result_format(o.work.output);
  need(format && *format == ResultFormat::markdown ? write_output(o.work, render_markdown(results.tables.front()))
                                                   : write_output(o.work, results));
  if (interrupted()) return exit_interrupted;
  std::vector<std::string> worse_rows = need(failed_gates(results.records, o.gate));
  for (std::string& gone : gone_rows(results.records, targets, o)) worse_rows.push_back(std::move(gone));
  for (const std::string& line : worse_rows) print_err("attnscope compile: {}\n", line);
  const auto told = [&](const Record& r) {
    const Resources& known = r.resources;
    return r.outcome == Outcome::compiled && (!o.gate.registers || known.registers) &&
           (!o.gate.spill || known.spills || known.spill_bytes);
  };
  if ((o.gate.registers || o.gate.spill) && std::ranges::none_of(results.records, told)) {
    print_err(
        "attnscope compile: no config was compiled by a driver that reports what the gate asks for: nothing was "
        "checked\n");
    code = worse(code, exit_bad_input);
  }
  if (!worse_rows.empty()) code = worse(code, exit_failed);
  return code;
}

}  // namespace

void add_compile(CLI::App& app, Action& chosen) {
  auto [command, o] = add_command(
      app, chosen, "compile",
      "Compile configs without running them: registers, spills, code; also for GPUs that are not here", compile);
  o.common.executes = false;
  CLI::Option* gpus = add_value(
      command, "--gpu", o.gpus, "NAME,…|all",
      "GPUs of the catalogue, by name, with commas between them, or all (attnscope devices --all); default: --device");
  add_common_options(command, o.common);
  for (const char* other : {"--device", "--worker"}) gpus->excludes(command.get_option(other));
  add_work_options(command, o.work);
  add_number(command, "--random", o.random, NumberRange<uint64_t>{1, kMostConfigs},
             "Of --config all only so many, drawn by --seed");
  command.add_flag("--fail-spill", o.gate.spill, "Exit with 1 when a config spills registers");
  add_number(command, "--fail-registers", o.gate.registers, NumberRange<uint64_t>{1, 1'000'000},
             "Exit with 1 when a config takes more registers than this");
  add_value(command, "--baseline", o.baseline, "FILE",
            "A file of compile --output: exit with 1 when a config of it takes more registers, spills more, or does "
            "not compile any more");
}

}  // namespace attnscope::cli
