#include "app/cli/jobs.hpp"

namespace attnscope::cli {
namespace {

bool mentions_parameter(const std::string& config, const VariantInfo& info) {
  return std::ranges::any_of(info.parameters,
                             [&](const Parameter& p) { return config.find(p.name + "=") != std::string::npos; });
}

/// Stands for a job for which "auto" could not choose a variant.
const VariantInfo& no_variant() {
  static const VariantInfo none = [] {
    VariantInfo info;
    info.name = kAutoVariant;
    return info;
  }();
  return none;
}

Result<WorkItem> auto_job(const DeviceSession& opened, const Problem& problem, const std::string& text,
                          const WorkOptions& work) {
  WorkItem job{&no_variant(), problem, {}, text};
  job.named = work.insist && work.chosen_problems;
  Result<AutoChoice> choice =
      choose_auto(*opened.session, opened.device, opened.variants, tuned_tables(), problem,
                  work.modes.cache.value_or(CacheMode::hot), work.modes.launch.value_or(LaunchMode::isolated));
  if (!choice) {
    job.why_not = choice.error().message;
    job.kind = choice.error().kind;
    return job;
  }
  const VariantInfo* info = find_variant(opened.variants, choice->variant);
  if (info == nullptr) return internal_error("auto chose the variant '{}', which is not loaded", choice->variant);
  job.variant = info;
  job.chosen = choice->because;
  job.all = text == "all";
  if (job.all) return job;
  if (asks_for_default(text) || text == kTuned) {
    job.config = choice->config;
    job.config_text = choice->config_name.empty() ? to_text(choice->config) : choice->config_name;
    return job;
  }
  job.config = TRY(about("--config", text, parse_config(*info, text)));
  return job;
}

Result<std::vector<std::pair<const VariantInfo*, bool>>> chosen_variants(const DeviceSession& opened,
                                                                         const WorkOptions& work) {
  std::vector<std::pair<const VariantInfo*, bool>> chosen;
  const auto add = [&](const VariantInfo& v, bool named) {
    if (auto* known = find_by(chosen, &v, [](const auto& c) { return c.first; }))
      known->second |= named;
    else
      chosen.emplace_back(&v, named);
  };
  for (const std::string& name : work.variants.empty() ? std::vector<std::string>{"all"} : work.variants) {
    if (name == kAutoVariant) continue;  // of each problem another
    if (name == "all") {
      for (const VariantInfo& v : opened.variants) add(v, false);
      continue;
    }
    // Beside others one that does not load is a row of its own.
    const VariantInfo* info = work.variants.size() > 1 ? find_variant(opened.variants, name) : nullptr;
    if (info == nullptr || info->error.empty()) info = TRY(usable_variant(opened, name, work.insist));
    add(*info, work.insist && work.chosen_problems);
  }
  return chosen;
}

RunRequest request_of(const WorkItem& job, const RunOptions& options) {
  return RunRequest{.problem = job.problem,
                    .variant = job.variant->name,
                    .config = job.config,
                    .protocol = options.protocol,
                    .seed = options.seed,
                    .verify = options.verify,
                    .measure = options.measure,
                    .resources = options.measure || !options.verify};
}

Row row_of(const WorkItem& job, Record record) {
  Row row;
  row.record = std::move(record);
  row.config_text = job.config_text;
  row.note = job.note;
  row.record.chosen = job.chosen;
  row.skipped = row.record.outcome == Outcome::refused && !job.named;
  row.missing = !job.variant->why_not.empty() || !job.variant->error.empty();
  return row;
}
Row unrun_row(const WorkItem& job, const RunOptions& options, const DeviceInfo& device, Outcome outcome,
              const std::string& why) {
  Record record = make_record(request_of(job, options), *job.variant, device);
  conclude(record, outcome, why);
  return row_of(job, std::move(record));
}

Row unrun_row(const WorkItem& job, const RunOptions& options, const DeviceInfo& device, const Error& error) {
  const bool cancelled = error.kind == ErrorKind::cancelled;
  return unrun_row(job, options, device, cancelled ? Outcome::cancelled : Outcome::error, error.message);
}

/// Gives the job the config that it comes to on its problem, and `why_not` where none can serve. Returns
/// ConfigChoice::because.
Result<std::string> settle(Session& session, const DeviceInfo& device, WorkItem& job, const Protocol& protocol) {
  if (job.tuned) {
    const auto [config, note] = tuned_config(session, device, *job.variant, job.problem, protocol);
    job.note = note;
    job.config = config.value_or(job.config);
    if (config) return std::string();
    job.config_text = "default";
  }
  if (!job.adaptable) return std::string();
  const ConfigChoice choice = TRY(session.choose_config(job.problem, job.variant->name, job.config_text));
  job.config = choice.config;
  if (choice.how == ConfigChoice::How::suited) job.config_text = choice.name;
  if (choice.how == ConfigChoice::How::nearest) job.config_text = kNearest;
  // The choice says of a config that cannot be whether another one could.
  if (!choice.legal()) job.why_not = choice.because;
  return choice.because;
}

Row carry_out(Session& session, const WorkItem& job, const RunOptions& options, const DeviceInfo& device,
              const EventSink& sink) {
  if (!job.why_not.empty()) return unrun_row(job, options, device, Outcome::refused, job.why_not);
  WorkItem settled = job;
  if (const auto ok = settle(session, device, settled, options.protocol); !ok)
    return unrun_row(job, options, device, ok.error());
  if (!settled.why_not.empty()) return unrun_row(job, options, device, Outcome::refused, settled.why_not);
  RunRequest request = request_of(settled, options);
  if (options.predictor != nullptr && options.measure)
    request.predicted =
        options.predictor->of(session, device, tuned_tables().models, *job.variant, job.problem, request.config);
  Result<Record> record = session.run(request, sink, interrupted());
  if (!record) return unrun_row(job, options, device, record.error());
  return row_of(settled, std::move(*record));
}

}  // namespace

Result<std::vector<WorkItem>> make_jobs(const DeviceSession& opened, const std::vector<Problem>& problems,
                                        const WorkOptions& work) {
  const auto variants = TRY(chosen_variants(opened, work));
  const std::vector<std::string> texts = work.configs.empty() ? std::vector<std::string>{"default"} : work.configs;
  std::vector<WorkItem> jobs;
  std::string config_error;  ///< the first
  const bool automatic = contains(work.variants, kAutoVariant);
  for (const Problem& problem : problems) {
    if (automatic)
      for (const std::string& text : texts) jobs.push_back(TRY(auto_job(opened, problem, text, work)));
    for (const auto& [info, named] : variants) {
      if (!info->error.empty() || !info->why_not.empty()) {
        WorkItem& job = jobs.emplace_back(WorkItem{info, problem, {}, "-"});
        job.named = named;
        job.why_not = info->error.empty() ? info->why_not : info->error;
        job.kind = info->error.empty() ? ErrorKind::unsupported : ErrorKind::bad_input;
        continue;
      }
      for (const std::string& text : texts) {
        WorkItem& job = jobs.emplace_back(WorkItem{info, problem, {}, text});
        job.named = named;
        job.all = text == "all";
        job.tuned = text == kTuned;
        job.adaptable = asks_for_default(text) || job.tuned;
        if (job.all) continue;
        const Result<Config> config = job.tuned ? default_config(*info) : parse_config(*info, text);
        // A config made for one variant may be unknown to another; with one variant alone it is an error.
        if (!config && variants.size() == 1) return about("--config", text, config.error());
        job.named = named || (!job.adaptable && variants.size() == 1 && work.chosen_problems);
        if (config) {
          job.config = *config;
          continue;
        }
        job.why_not = config.error().message;
        // The most helpful objection is that of a variant that has such a parameter at all.
        if (config_error.empty() || mentions_parameter(text, *info))
          config_error = fmt::format("--config {}: no variant takes it: {}", text, job.why_not);
      }
    }
  }
  const bool any = std::ranges::any_of(jobs, [](const WorkItem& j) { return j.why_not.empty(); });
  if (!any && !config_error.empty()) return bad_input(config_error);
  return jobs;
}

Result<WorkItem> one_job(const DeviceSession& opened, const Problem& problem, const std::string& variant,
                         const std::string& config) {
  if (variant == "all" || config == "all") return bad_input("name one variant and one config, not all");
  WorkOptions work;
  work.variants = {variant};
  if (!config.empty()) work.configs = {config};
  std::vector<WorkItem> jobs = TRY(make_jobs(opened, {problem}, work));
  WorkItem& job = jobs.front();
  if (!job.why_not.empty()) return Error{job.kind, job.why_not};
  const std::string because = TRY(settle(*opened.session, opened.device, job, {}));
  if (job.chosen.empty()) job.chosen = job.note.empty() ? because : job.note;
  return job;
}

EventSink stages_on(ProgressLine& progress) {
  return [&](const Event& event) {
    if (const auto* p = std::get_if<Progress>(&event)) progress.stage(p->stage);
  };
}

Row run_job(Session& session, const WorkItem& job, const RunOptions& options, const DeviceInfo& device,
            const EventSink& sink) {
  const auto began = Clock::now();
  Row row = carry_out(session, job, options, device, sink);
  row.seconds = seconds_since(began);
  return row;
}

ExitCode outcome_code(Outcome outcome) {
  return outcome == Outcome::failed_verdict ? exit_failed
         : outcome == Outcome::cancelled    ? exit_interrupted
         : outcome == Outcome::refused      ? exit_bad_input
         : outcome == Outcome::error        ? exit_lost
                                            : exit_ok;
}

ExitCode row_code(const Row& row, const WorkItem& job) {
  if (row.record.outcome != Outcome::refused) return outcome_code(row.record.outcome);
  // A variant that does not load is broken, whether it was named or not; one that does not fit is only skipped.
  return !job.variant->error.empty() ? exit_bad_input : row.skipped ? exit_ok : exit_code(job.kind);
}

ExitCode run_jobs(DeviceSession& opened, const std::vector<WorkItem>& jobs, const RunOptions& options,
                  ProgressKind progress_kind, std::vector<Row>& rows, const std::function<void(const Row&)>& print) {
  ExitCode code = exit_ok;
  ProgressLine progress(jobs.size(), progress_kind);
  const auto keep = [&](Row row, const WorkItem& job) {
    code = worse(code, row_code(row, job));
    progress.finished();
    progress.clear();
    if (!row.note.empty() && !row.skipped) print_err("note: {}\n", row.note);
    if (options.history) options.history->keep(row.record);
    print(row);
    rows.push_back(std::move(row));
  };
  /// Time is up: what is left is a row that says so, and no run.
  const auto leave = [&](const WorkItem& job) {
    WorkItem left = job;
    left.named = false;
    rows.push_back(unrun_row(left, options, opened.device, Outcome::refused, options.why_end));
    rows.back().left_out = true;
    progress.finished();
  };
  const auto late = [&] { return options.end && Clock::now() > *options.end; };
  const auto run = [&](const WorkItem& job) {
    if (late() && job.why_not.empty()) return leave(job);
    progress.begin(fmt::format("{} {} {}", job.variant->name, job.config_text, to_text(job.problem)));
    keep(run_job(*opened.session, job, options, opened.device, stages_on(progress)), job);
  };
  const auto run_all = [&](const WorkItem& all) {
    LegalConfigs configs(*opened.session, all);
    while (!interrupted()) {
      if (late()) {
        leave(all);
        break;
      }
      const Result<std::vector<Config>> batch = configs.next();
      if (!batch) return keep(unrun_row(all, options, opened.device, batch.error()), all);
      if (interrupted() || (batch->empty() && configs.done())) break;
      progress.expect(batch->size());
      progress.stage(configs.progress());
      for (const Config& config : *batch) {
        if (interrupted() || late()) break;
        WorkItem job = all;
        job.all = false;
        job.config = config;
        job.config_text = to_text(config);
        job.named = false;
        run(job);
      }
    }
    progress.clear();
    configs.report();
    if (configs.done() && configs.legal() == 0)
      keep(unrun_row(all, options, opened.device, Outcome::refused, configs.why_none()), all);
    else
      progress.expect(-1);  // what stood for all of them
  };
  for (const WorkItem& job : jobs) {
    if (interrupted()) return exit_interrupted;
    if (job.all && job.why_not.empty())
      run_all(job);
    else
      run(job);
  }
  return code;
}

void report_refusals(const std::vector<Row>& rows) {
  for (const Row& row : rows)
    if (row.record.outcome == Outcome::refused && !row.skipped)
      print_err("{}: --variant {} --config {} --problem {}: {}\n", program_name(), row.record.variant, row.config_text,
                to_text(row.record.problem), row.record.message);
}

std::string outcome_text(const Row& row) {
  const Outcome outcome = row.record.outcome;
  if (outcome == Outcome::measured || outcome == Outcome::verified) return "pass";
  if (outcome == Outcome::refused) return row.skipped ? "SKIP" : "REFUSED";
  return outcome == Outcome::failed_verdict ? "FAIL"
         : outcome == Outcome::error        ? "ERROR"
                                            : std::string(to_text(outcome));
}

Result<std::vector<Config>> LegalConfigs::next() {
  if (done_) return std::vector<Config>{};
  SpaceRequest request;
  request.first = next_;
  request.max_legal = std::min(request.max_legal, kMostConfigs - legal_);
  const auto start = Clock::now();
  SpaceBatch batch = TRY(session_.plan_space(job_.problem, job_.variant->name, request, interrupted()));
  size_ = batch.size;
  // A session that decides on nothing would be asked for ever.
  if (!batch.done && batch.next <= next_ && !interrupted())
    return internal_error("planning {} does not get past config {}", job_.variant->name, next_);
  next_ = batch.next;
  done_ = batch.done;
  legal_ += batch.legal.size();
  add_reasons(pruned_, batch.pruned);
  planned_s_ += seconds_since(start);
  const double most_s = legal_ == 0 ? kPlanningForNothing : kPlanning;
  if (!done_ && legal_ >= kMostConfigs)
    cut_ = fmt::format("{} legal ones are as many as are run", grouped(kMostConfigs));
  else if (!done_ && planned_s_ > most_s)
    cut_ = fmt::format("planning them took more than {:g} s", most_s);
  done_ = done_ || !cut_.empty();
  return std::move(batch.legal);
}

std::string LegalConfigs::progress() const {
  return fmt::format("planned {:.0f} %", size_ == 0 ? 0 : 100 * double(next_) / double(size_));
}

void LegalConfigs::report() const {
  if (!cut_.empty())
    print_err(
        "note: {} on {}: only the first {} of {} configs were looked at: {}. Name values with --config to see others\n",
        job_.variant->name, to_text(job_.problem), grouped(next_), grouped(size_), cut_);
  if (legal_ == 0 && pruned_.size() <= 1) return;  // the row that says why there is none says it all
  std::vector<PrunedReason> reasons = pruned_;
  std::ranges::stable_sort(reasons, std::greater(), &PrunedReason::count);
  print_pruned(job_.variant->name, job_.problem, reasons, size_);
}

void print_pruned(const std::string& variant, const Problem& problem, std::span<const PrunedReason> reasons,
                  uint64_t size, const char* of_which) {
  for (const PrunedReason& r : reasons)
    print_err("note: {} on {}: {} of {} configs left out{}: {}; such as {}: {}\n", variant, to_text(problem),
              grouped(r.count), grouped(size), of_which, r.reason, to_text(r.config),
              r.example.substr(0, r.example.find('\n')));
}

std::string LegalConfigs::why_none() const {
  const auto most = std::ranges::max_element(pruned_, {}, &PrunedReason::count);
  const std::string which = cut_.empty()
                                ? fmt::format("none of its {} configs", grouped(size_))
                                : fmt::format("none of the first {} of its {} configs", grouped(next_), grouped(size_));
  return fmt::format("{} is legal here{}{}", which, most == pruned_.end() ? "" : ": ",
                     most == pruned_.end() ? "" : most->example);
}

const tune::TunedTables& tuned_tables() {
  static const tune::TunedTables tables = [] {
    tune::TunedTables read = search::load_tables(tuned_file(), shipped_models_dir());
    for (const std::string& note : read.user.notes) print_err("note: {}\n", note);
    return read;
  }();
  return tables;
}

std::pair<std::optional<Config>, std::string> tuned_config(Session& session, const DeviceInfo& device,
                                                           const VariantInfo& variant, const Problem& p,
                                                           const Protocol& protocol) {
  const tune::TunedQuery query{device, p, {{variant.name, variant.hash}}, protocol.cache, protocol.launch};
  const std::string problem = to_text(p);
  size_t matches = 0;
  if (const auto match = search::choose_tuned(session, tuned_tables(), query, &matches)) {
    const std::string config = to_text(match->entry.config);
    return {match->entry.config,
            match->exact ? std::string()
                         : fmt::format("{} on {}: {} is {}", variant.name, problem, config, tune::describe(*match))};
  }
  return {std::nullopt, fmt::format("{0} on {1}: no config is tuned for it on this device{2}; the default stands in "
                                    "(attnscope tune --problem {1} --variant {0})",
                                    variant.name, problem, matches == 0 ? "" : " that can run here")};
}

}  // namespace attnscope::cli
