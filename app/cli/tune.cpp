// attnscope tune: searches for the best config of a problem and keeps it for this device.
#include <algorithm>
#include <memory>
#include <mutex>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/bench_report.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/exit_code.hpp"
#include "app/cli/interrupt.hpp"
#include "app/cli/print.hpp"
#include "app/cli/terminal.hpp"
#include "app/cli/tune_work.hpp"
#include "app/cli/tuned_config.hpp"
#include "engine/number.hpp"
#include "engine/record/json_fields.hpp"
#include "engine/record/report.hpp"
#include "engine/record/results.hpp"
#include "engine/record/terminal.hpp"
#include "engine/record/units.hpp"
#include "engine/tune/fields_tune.hpp"
#include "engine/tune/passes.hpp"

namespace attnscope::cli {
namespace {

struct TuneOptions {
  SearchOptions search;
  std::string budget = "60s", strategy = "surrogate";
};

constexpr size_t kFinalists = 5;

/// "60s", "2m", "1h": time; "200": trials.
Result<void> read_budget(const std::string& text, SearchPlan& plan) {
  const auto wrong = [&] {
    return bad_input(
        fmt::format("--budget {}: it is a time to search in (60s, 5m, 1h) or a number of configs to try (200)", text));
  };
  double unit = 0;
  std::string_view digits = text;
  if (!text.empty()) unit = text.back() == 's' ? 1 : text.back() == 'm' ? 60 : text.back() == 'h' ? 3600 : 0;
  if (unit == 0) {
    const Result<uint64_t> count = parse_number<uint64_t>(digits, NumberRange<uint64_t>{1, 100'000'000});
    if (!count) return wrong();
    plan.budget_trials = *count;
    return {};
  }
  digits.remove_suffix(1);
  const Result<double> number = parse_number<double>(digits, NumberRange<double>{0.001, 1e7});
  if (!number) return wrong();
  plan.budget_s = *number * unit;
  return {};
}

/// The fastest of each variant that raced; or, where nothing did, the best trial.
std::vector<tune::TunedEntry> entries_of(const SearchOutcome& out) {
  std::vector<tune::TunedEntry> entries;
  const auto add = [&](const Record& record, bool raced) {
    if (std::any_of(entries.begin(), entries.end(), [&](const auto& e) { return e.variant == record.variant; })) return;
    entries.push_back(tune::tuned_entry(record, raced, out.progress.tried));
    if (out.result.baseline) entries.back().default_ns = out.result.baseline->statistics->median;
  };
  for (const Record& record : out.result.raced) add(record, true);
  if (entries.empty())
    for (const Record& record : out.records)
      if (record.statistics && record.outcome == Outcome::measured) {
        add(record, false);
        break;
      }
  return entries;
}

/// What dispatches each entry elsewhere, from the sources that the devices were given.
void add_passes(const SearchOptions& o, std::vector<tune::TunedEntry>& entries, const DeviceInfo& device) {
  const Result<std::vector<VariantSource>> sources = variant_sources(o.common);
  if (!sources) return;
  Compiler compiler(session_options(o.common).cache_dir);
  for (tune::TunedEntry& entry : entries)
    for (const VariantSource& source : *sources) {
      if (source.name != entry.variant) continue;
      const Result<Variant> variant = load_variant(source, compiler);
      if (!variant || variant->hash != entry.shader_hash) continue;
      if (auto passes = tune::describe_passes(*variant, entry.problem, entry.config, device, compiler))
        entry.passes = std::move(*passes);
    }
}

/// For every device that took part.
void store(const TuneOptions& o, const SearchOutcome& out, std::span<Opened* const> group,
           std::vector<tune::TunedEntry>& entries) {
  add_passes(o.search, entries, out.device);
  const std::filesystem::path file = tuned_file();
  if (file.empty()) {
    print_err("attnscope tune: there is no folder of yours to keep the result in (XDG_DATA_HOME, HOME)\n");
    return;
  }
  std::vector<tune::TunedEntry> all;
  for (const Opened* device : group)
    for (tune::TunedEntry entry : entries) {
      entry.device_uuid = device->device.device_uuid;
      if (std::find(all.begin(), all.end(), entry) == all.end()) all.push_back(std::move(entry));
    }
  const Result<std::vector<std::string>> stored = tune::store_tuned(file, all);
  if (!stored) {
    print_err("attnscope tune: the result is not kept: {}\n", stored.error().message);
    return;
  }
  for (const std::string& note : *stored) print_err("note: {}\n", note);
}

void report(const SearchOutcome& out, const Opened& opened, const std::vector<tune::TunedEntry>& entries) {
  const size_t width = output_width();
  std::string text;
  if (entries.empty()) {
    text = fmt::format("{} on {}: nothing was measured. {}", to_text(out.problem), out.device.name, out.result.no_race);
  } else {
    const tune::TunedEntry& best = entries.front();
    text = fmt::format("{} on {}: {} {}, {}", to_text(out.problem), out.device.name, best.variant, to_text(best.config),
                       time_text(best.median_ns));
    if (out.result.baseline)
      text += fmt::format("; the default ({}) takes {}, {:.2f} x as long", out.baseline, time_text(best.default_ns),
                          best.default_ns / best.median_ns);
    text += ".";
    if (!best.raced) text += fmt::format(" {} So its time is that of a short look.", out.result.no_race);
  }
  print_out("{}", wrapped(text, width));
  print_out("{}", wrapped(fmt::format("{}; {}.", counts_text(out.progress), shares_text(out)), width));
  for (const auto& [reason, count] : out.progress.reasons) print_err("note: {} in vain: {}\n", count, reason);
  if (out.result.raced.empty()) return;
  TextTable table = short_table(out.result.raced, report_options(opened, &Statistics::median));
  table.title = "Measured side by side at the end";
  print_out("\n{}", render_terminal(table, width));
}

Json json_of(const SearchOutcome& out, const std::vector<tune::TunedEntry>& entries) {
  Json json{{"problem", to_text(out.problem)}, {"device", out.device.name}, {"seconds", out.seconds}};
  json["interrupted"] = out.result.interrupted;
  json["tried"] = out.progress.tried;
  json["measured"] = out.progress.measured;
  json["dropped"] = out.progress.dropped;
  json["refused"] = out.progress.refused;
  json["wrong"] = out.progress.wrong;
  json["broken"] = out.progress.broken;
  json["recalled"] = out.progress.recalled;
  json["waiting_ms"] = out.progress.spent.waiting_ms;
  json["reference_ms"] = out.progress.spent.reference_ms;
  json["verifying_ms"] = out.progress.spent.verifying_ms;
  json["measuring_ms"] = out.progress.spent.measuring_ms;
  json["wall_ms"] = out.progress.spent.wall_ms;
  json["planning_ms"] = out.progress.planning_ms;
  json["default"] = out.baseline;
  json["entries"] = encode(entries);
  return json;
}

int tune_all(TuneOptions& o) {
  SearchOptions& s = o.search;
  SearchPlan plan;
  plan.all_variants = true;
  plan.finalists = kFinalists;
  if (Result<void> ok = read_budget(o.budget, plan); !ok) return fail(s.common, ok.error());
  const Result<tune::StrategyKind> strategy = tune::parse_strategy(o.strategy);
  if (!strategy) return fail(s.common, about("--strategy", o.strategy, strategy.error()));
  plan.strategy = *strategy;
  if (s.work.problems.empty() && s.work.presets.empty())
    return fail(s.common, bad_input("There is nothing to tune for: give --problem (such as 1x16x4096x128:f16)."));
  Result<std::vector<Problem>> problems = wanted_problems(s.work, "");
  if (!problems) return fail(s.common, problems.error());
  if (Result<void> ok = check_output(s.work); !ok) return fail(s.common, ok.error());
  Result<std::vector<Opened>> opened = open_search(s);
  if (!opened) return fail(s.common, opened.error());
  catch_interrupts();
  (void)tuned_tables();  // its notes come before any progress

  std::mutex mutex;
  ExitCode code = exit_ok;
  Results results;
  Json tuned = Json::array();
  std::optional<Error> error;
  TuneStatus status(s.common.quiet ? ProgressKind::none : ProgressKind::bar_or_lines);
  const auto work = [&](const std::vector<Opened*>& group) {
    for (const Problem& problem : *problems) {
      if (interrupted()) return;
      Result<SearchOutcome> out = search_problem(s, plan, problem, group, status);
      const std::lock_guard lock(mutex);
      if (!out) {
        if (!error) error = out.error();
        return;
      }
      std::vector<tune::TunedEntry> entries = entries_of(*out);
      if (!entries.empty()) store(o, *out, group, entries);
      if (!s.common.json) report(*out, *group.front(), entries);
      // What is wrong or broken was found out and left aside; nothing at all being right is another matter.
      if (entries.empty() && !out->result.interrupted)
        code = worse(code, out->progress.wrong > 0    ? exit_failed
                           : out->progress.broken > 0 ? exit_lost
                                                      : exit_bad_input);
      tuned.push_back(json_of(*out, entries));
      for (const Record& record : out->result.raced) results.records.push_back(record);
    }
  };
  // Different devices have nothing to share: each searches for itself, at once.
  const auto groups = equal_devices(*opened);
  std::vector<std::thread> threads;
  for (size_t i = 1; i < groups.size(); ++i) threads.emplace_back([&, i] { work(groups[i]); });
  work(groups.front());
  for (std::thread& thread : threads) thread.join();
  status.clear();
  if (error) return fail(s.common, *error);
  if (s.common.json) {
    Result<Json> document = parse_json(results_to_json(results), "results");
    if (!document) return fail(s.common, document.error());
    (*document)["tuned"] = std::move(tuned);
    write_document(dump_pretty(*document));
  }
  if (!s.work.output.empty())
    if (Result<void> written = write_results(s.work.output, results); !written)
      return fail(s.common, about("--output", s.work.output, written.error()));
  return interrupted() ? exit_interrupted : code;
}

}  // namespace

void add_tune(CLI::App& app, Action& chosen) {
  CLI::App* command =
      app.add_subcommand("tune", "Search for the fastest config of any variant, and keep it for --config tuned");
  auto o = std::make_shared<TuneOptions>();
  o->search.common.command = "tune";
  add_search_options(*command, o->search);
  command
      ->add_option("--budget", o->budget,
                   "How long to search (60s, 5m), or how many configs to try (200); each problem")
      ->type_name("TIME|N")
      ->capture_default_str();
  command->add_option("--strategy", o->strategy, "surrogate (a model of the times), local, random or exhaustive")
      ->type_name("NAME")
      ->capture_default_str();
  command->callback([o, &chosen] { chosen = [o] { return tune_all(*o); }; });
}

}  // namespace attnscope::cli
