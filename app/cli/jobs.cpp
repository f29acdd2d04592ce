#include "app/cli/jobs.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "app/cli/interrupt.hpp"
#include "app/cli/legal_configs.hpp"
#include "app/cli/print.hpp"
#include "app/cli/tuned_config.hpp"
#include "engine/clock.hpp"
#include "engine/session/auto_choice.hpp"
#include "engine/session/request_run.hpp"

namespace attnscope::cli {
namespace {

bool mentions_parameter(const std::string& config, const VariantInfo& info) {
  return std::any_of(info.parameters.begin(), info.parameters.end(),
                     [&](const Parameter& p) { return config.find(p.name + "=") != std::string::npos; });
}

/// What stands for a job whose variant "auto" could not choose.
const VariantInfo& no_variant() {
  static const VariantInfo none = [] {
    VariantInfo info;
    info.name = kAutoVariant;
    return info;
  }();
  return none;
}

/// The job that "auto" makes of this problem with this config text.
Result<WorkItem> auto_job(const Opened& opened, const Problem& problem, const std::string& text,
                          const WorkOptions& work) {
  WorkItem job;
  job.variant = &no_variant();
  job.problem = problem;
  job.config_text = text;
  job.named = work.insist && work.chosen_problems;
  Result<AutoChoice> choice =
      choose_auto(*opened.session, opened.device, opened.variants, tuned_tables(), problem,
                  work.modes.cache.value_or(CacheMode::hot), work.modes.launch.value_or(LaunchMode::isolated));
  if (!choice) {
    job.why_not = choice.error().message;
    job.kind = choice.error().kind;
    return job;
  }
  const auto info = std::find_if(opened.variants.begin(), opened.variants.end(),
                                 [&](const VariantInfo& v) { return v.name == choice->variant; });
  if (info == opened.variants.end())
    return internal_error(fmt::format("auto chose the variant '{}', which is not loaded", choice->variant));
  job.variant = &*info;
  job.chosen = choice->because;
  job.all = text == "all";
  if (job.all) return job;
  if (asks_for_default(text) || text == kTuned) {
    job.config = choice->config;
    job.config_text = choice->config_name.empty() ? to_text(choice->config) : choice->config_name;
    return job;
  }
  Result<Config> config = parse_config(*info, text);
  if (!config) return about("--config", text, config.error());
  job.config = *config;
  return job;
}

Result<std::vector<std::pair<const VariantInfo*, bool>>> chosen_variants(const Opened& opened,
                                                                         const WorkOptions& work) {
  std::vector<std::pair<const VariantInfo*, bool>> chosen;
  const auto add = [&](const VariantInfo& v, bool named) {
    for (auto& [known, was_named] : chosen)
      if (known == &v) {
        was_named |= named;
        return;
      }
    chosen.emplace_back(&v, named);
  };
  for (const std::string& name : work.variants.empty() ? std::vector<std::string>{"all"} : work.variants) {
    if (name == kAutoVariant) continue;  // of each problem another
    if (name == "all") {
      for (const VariantInfo& v : opened.variants) add(v, false);
      continue;
    }
    const auto it =
        std::find_if(opened.variants.begin(), opened.variants.end(), [&](const auto& v) { return v.name == name; });
    if (it == opened.variants.end()) {
      std::string known = "auto, all";
      for (const VariantInfo& v : opened.variants) known += ", " + v.name;
      return bad_input(fmt::format("--variant {}: there is no such variant; there are: {}", name, known));
    }
    if (!it->error.empty()) return bad_input(fmt::format("--variant {}: it does not load:\n{}", name, it->error));
    if (!it->why_not.empty() && work.insist)
      return unsupported(fmt::format("--variant {}: it cannot run on {}: {}", name, opened.device.name, it->why_not));
    add(*it, work.insist && work.chosen_problems);
  }
  return chosen;
}

}  // namespace

Result<std::vector<WorkItem>> make_jobs(const Opened& opened, const std::vector<Problem>& problems,
                                        const WorkOptions& work) {
  auto variants = chosen_variants(opened, work);
  if (!variants) return variants.error();
  const std::vector<std::string> texts = work.configs.empty() ? std::vector<std::string>{"default"} : work.configs;
  std::vector<WorkItem> jobs;
  std::string config_error;  ///< the first
  const bool automatic = std::find(work.variants.begin(), work.variants.end(), kAutoVariant) != work.variants.end();
  for (const Problem& problem : problems) {
    for (size_t i = 0; automatic && i < texts.size(); ++i) {
      Result<WorkItem> job = auto_job(opened, problem, texts[i], work);
      if (!job) return job.error();
      jobs.push_back(std::move(*job));
    }
    for (const auto& [info, named] : *variants) {
      WorkItem job;
      job.variant = info;
      job.problem = problem;
      job.named = named;
      job.why_not = !info->error.empty() ? info->error : info->why_not;
      job.kind = info->error.empty() ? ErrorKind::unsupported : ErrorKind::bad_input;
      if (!job.why_not.empty()) {
        job.config_text = "-";
        jobs.push_back(job);
        continue;
      }
      job.kind = ErrorKind::bad_input;
      for (const std::string& text : texts) {
        job.config_text = text;
        job.named = named;
        job.all = text == "all";
        job.tuned = text == kTuned;
        job.adaptable = asks_for_default(text) || job.tuned;
        if (job.all) {
          jobs.push_back(job);
          continue;
        }
        Result<Config> config = job.tuned ? default_config(*info) : parse_config(*info, text);
        // A config made for one variant may be unknown to another; with one variant alone it is an error.
        if (!config && variants->size() == 1) return about("--config", text, config.error());
        job.config = config ? *config : Config{};
        job.named = named || (!job.adaptable && variants->size() == 1 && work.chosen_problems);
        WorkItem one = job;
        if (!config) {
          one.why_not = config.error().message;
          one.kind = ErrorKind::bad_input;
          // The most helpful objection is that of a variant that has such a parameter at all.
          if (config_error.empty() || mentions_parameter(text, *info))
            config_error = fmt::format("--config {}: no variant takes it: {}", text, one.why_not);
        }
        jobs.push_back(one);
      }
    }
  }
  const bool any = std::any_of(jobs.begin(), jobs.end(), [](const WorkItem& j) { return j.why_not.empty(); });
  if (!any && !config_error.empty()) return bad_input(config_error);
  return jobs;
}

void likeliest_first(Session& session, std::vector<WorkItem>& jobs) {
  for (auto first = jobs.begin(); first != jobs.end();) {
    const auto last = std::find_if(first, jobs.end(), [&](const WorkItem& j) { return j.problem != first->problem; });
    if (const Result<std::vector<VariantRank>> ranks = session.rank_variants(first->problem)) {
      const auto place = [&](const WorkItem& job) {
        return std::find_if(ranks->begin(), ranks->end(),
                            [&](const VariantRank& r) { return r.variant == job.variant->name; }) -
               ranks->begin();
      };
      std::stable_sort(first, last, [&](const WorkItem& a, const WorkItem& b) { return place(a) < place(b); });
    }
    first = last;
  }
}

std::string widest_config(const VariantInfo& info) {
  Config widest;
  for (const Parameter& p : info.parameters) {
    const auto longest = std::max_element(p.values.begin(), p.values.end(), [](int64_t a, int64_t b) {
      return std::to_string(a).size() < std::to_string(b).size();
    });
    widest[p.name] = *longest;
  }
  return to_text(widest);
}

namespace {

RunRequest request_of(const WorkItem& job, const RunOptions& options) {
  RunRequest request;
  request.problem = job.problem;
  request.variant = job.variant->name;
  request.config = job.config;
  request.protocol = options.protocol;
  request.seed = options.seed;
  request.measure = options.measure;
  request.verify = options.verify;
  request.resources = options.measure || !options.verify;
  return request;
}

Outcome broken_off(const Error& error) {
  return error.kind == ErrorKind::cancelled ? Outcome::cancelled : Outcome::error;
}

/// The row of a job that was not run.
Row unrun_row(const WorkItem& job, const RunOptions& options, const DeviceInfo& device, Outcome outcome,
              const std::string& why) {
  Row row;
  row.config_text = job.config_text;
  row.record = make_record(run_of(request_of(job, options), *job.variant, device));
  row.record.chosen = job.chosen;
  conclude(row.record, outcome, why);
  row.skipped = outcome == Outcome::refused && !job.named;
  row.missing = !job.variant->why_not.empty() || !job.variant->error.empty();
  return row;
}

Row carry_out(Session& session, const WorkItem& job, const RunOptions& options, const DeviceInfo& device,
              const std::function<void(const Event&)>& sink) {
  if (!job.why_not.empty()) return unrun_row(job, options, device, Outcome::refused, job.why_not);
  Row row;
  row.config_text = job.config_text;
  RunRequest request = request_of(job, options);
  std::string hopeless;
  bool found = false;
  if (job.tuned) {
    const TunedConfig tuned =
        tuned_config(session, device, job.variant->name, job.variant->hash, job.problem, options.protocol);
    row.note = tuned.note;
    found = tuned.config.has_value();
    if (found) request.config = *tuned.config;
  }
  if (job.adaptable && !found) {
    const std::string text = job.tuned ? "default" : job.config_text;
    const Result<ConfigChoice> choice = session.choose_config(job.problem, job.variant->name, text);
    if (!choice) return unrun_row(job, options, device, broken_off(choice.error()), choice.error().message);
    request.config = choice->config;
    switch (choice->how) {
      case ConfigChoice::How::suited: row.config_text = choice->name; break;
      case ConfigChoice::How::nearest: row.config_text = kNearest; break;
      case ConfigChoice::How::as_asked:
        hopeless = choice->because;
        if (job.tuned) row.config_text = text;
        break;
    }
  }
  // The choice says of a config that cannot be whether another one could.
  if (!hopeless.empty()) return unrun_row(job, options, device, Outcome::refused, hopeless);
  Result<Record> record = session.run(request, sink, interrupted());
  if (!record) return unrun_row(job, options, device, broken_off(record.error()), record.error().message);
  row.record = std::move(*record);
  row.record.chosen = job.chosen;
  row.skipped = row.record.outcome == Outcome::refused && !job.named;
  row.missing = !job.variant->why_not.empty() || !job.variant->error.empty();
  return row;
}

}  // namespace

Row run_job(Session& session, const WorkItem& job, const RunOptions& options, const DeviceInfo& device,
            const std::function<void(const Event&)>& sink) {
  const auto began = Clock::now();
  Row row = carry_out(session, job, options, device, sink);
  row.seconds = seconds_since(began);
  return row;
}

ExitCode row_code(const Row& row, const WorkItem& job) {
  switch (row.record.outcome) {
    case Outcome::measured:
    case Outcome::compiled:
    case Outcome::planned:
    case Outcome::verified: return exit_ok;
    case Outcome::failed_verdict: return exit_failed;
    case Outcome::cancelled: return exit_interrupted;
    case Outcome::error: return exit_lost;
    case Outcome::refused: break;
  }
  // A variant that does not load is broken, whether it was named or not; one that does not fit is only skipped.
  if (!job.variant->error.empty()) return exit_bad_input;
  return row.skipped ? exit_ok : exit_code(job.kind);
}

ExitCode run_jobs(Opened& opened, const std::vector<WorkItem>& jobs, const RunOptions& options,
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
  const auto run = [&](const WorkItem& job) {
    if (options.end && Clock::now() > *options.end && job.why_not.empty()) return leave(job);
    progress.begin(fmt::format("{} {} {}", job.variant->name, job.config_text, to_text(job.problem)));
    const auto sink = [&](const Event& event) {
      if (const auto* p = std::get_if<Progress>(&event)) progress.stage(p->stage);
    };
    keep(run_job(*opened.session, job, options, opened.device, sink), job);
  };
  const auto run_all = [&](const WorkItem& all) {
    LegalConfigs configs(*opened.session, all);
    const auto late = [&] { return options.end && Clock::now() > *options.end; };
    while (!interrupted()) {
      if (late()) {
        leave(all);
        break;
      }
      const Result<std::vector<Config>> batch = configs.next();
      if (!batch)
        return keep(unrun_row(all, options, opened.device, broken_off(batch.error()), batch.error().message), all);
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

void report_refusals(const CommonOptions& o, const std::vector<Row>& rows) {
  for (const Row& row : rows)
    if (row.record.outcome == Outcome::refused && !row.skipped)
      print_err("attnscope {}: --variant {} --config {} --problem {}: {}\n", o.command, row.record.variant,
                row.config_text, to_text(row.record.problem), row.record.message);
}

std::string outcome_text(const Row& row) {
  switch (row.record.outcome) {
    case Outcome::measured:
    case Outcome::verified: return "pass";
    case Outcome::compiled: return "compiled";
    case Outcome::planned: return "planned";
    case Outcome::failed_verdict: return "FAIL";
    case Outcome::refused: return row.skipped ? "SKIP" : "REFUSED";
    case Outcome::cancelled: return "cancelled";
    case Outcome::error: break;
  }
  return "ERROR";
}

}  // namespace attnscope::cli
