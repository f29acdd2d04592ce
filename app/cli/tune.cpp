// attnscope tune: searches for the best config of a problem and keeps it for this device.

#include "app/cli/bench_report.hpp"
#include "app/cli/tune_work.hpp"
#include "engine/attention/parallel.hpp"
#include "engine/record/json_fields.hpp"
#include "engine/session/fields_session.hpp"

namespace attnscope::cli {
namespace {

struct TuneOptions : SearchOptions {
  std::string budget = "60s", strategy = "surrogate";
};

constexpr size_t kFinalists = 5;

/// What was found, with what dispatches it elsewhere, into the tuning cache; whether it is there.
bool store(const SearchOptions& o, const search::SearchOutcome& out, std::span<const search::SearchDevice> group,
           std::vector<tune::TunedEntry>& entries) {
  if (const Result<std::vector<VariantSource>> sources = variant_sources(o.common))
    search::add_passes(entries, *sources, session_options(o.common).cache_dir, out.device);
  const Result<std::vector<std::string>> stored = search::keep_tuned(tuned_file(), entries, group, waiting());
  if (!stored) {
    const bool has_trials = !o.journal.empty() || !trials_dir().empty();
    print_err("attnscope tune: the result is not kept: {}{}\n", stored.error().message,
              has_trials && out.unkept == 0 ? " The same command goes on from its trials." : "");
    return false;
  }
  for (const std::string& note : *stored) print_err("note: {}\n", note);
  return true;
}

/// The variants that raced, with the untuned choice's even where it does not compete.
std::vector<Record> raced_of(const tune::TuneResult& result) {
  std::vector<Record> all = result.raced;
  const auto& b = result.baseline;
  if (b && std::ranges::none_of(all, [&](const Record& r) { return r.variant == b->variant; })) all.push_back(*b);
  return all;
}

template <class A, class B>
bool is_of(const A& a, const B& b) {
  return a.variant == b.variant && a.config == b.config;
}

void report(const search::SearchOutcome& out, const std::vector<VariantInfo>& variants,
            const std::vector<tune::TunedEntry>& entries) {
  const size_t width = output_width();
  std::string text;
  if (entries.empty()) {
    text = fmt::format("{} on {}: nothing was measured. {}", to_text(out.request.problem), out.device.name,
                       out.result.no_race);
  } else {
    const tune::TunedEntry& best = entries.front();
    const auto& b = out.result.baseline;
    const bool current = search::keeps_current(out), is_current = b && is_of(best, *b);
    if (current && !is_of(*b, *out.result.winner) && out.result.words.front().relation != Relation::slower)
      text = fmt::format("Too close to call ({}); kept the current config. ", out.result.words.front().reason);
    text += fmt::format("{} on {}: {} {}, {}", to_text(out.request.problem), out.device.name, best.variant,
                        to_text(best.config), time_text(best.median_ns));
    if (is_current)
      text += ", which runs untuned";
    else if (b)
      text += fmt::format("; {}, which runs untuned, takes {}, {:.2f} x as long{}", out.baseline,
                          time_text(best.default_ns), best.default_ns / best.median_ns,
                          current ? ", and still runs where no variant is named" : "");
    text += ".";
    if (!best.raced) text += fmt::format(" {} So its time is that of a short look.", out.result.no_race);
  }
  print_out("{}", wrapped(text, width));
  print_out("{}", wrapped(fmt::format("{}; {}.", search::counts_text(out.progress),
                                      search::shares_text(out.progress, out.seconds)),
                          width));
  for (const std::string& line : search::in_vain(out.progress)) print_err("note: {}\n", line);
  if (out.result.raced.empty()) return;
  TextTable table = short_table(raced_of(out.result), report_options(variants));
  table.title = "Measured side by side at the end";
  print_out("\n{}", render_terminal(table, width));
}

Json json_of(const search::SearchOutcome& out, const std::vector<tune::TunedEntry>& entries) {
  const tune::TuneProgress& p = out.progress;
  Json json{{"problem", to_text(out.request.problem)},
            {"device", out.device.name},
            {"seconds", out.seconds},
            {"interrupted", out.result.interrupted},
            {"tried", p.tried},
            {"measured", p.measured},
            {"dropped", p.dropped},
            {"refused", p.refused},
            {"wrong", p.wrong},
            {"broken", p.broken},
            {"recalled", p.recalled}};
  json.update(encode(p.spent));
  json["planning_ms"] = p.planning_ms;
  json["default"] = out.baseline;
  json["kept_current"] = search::keeps_current(out);
  json["entries"] = encode(entries);
  return json;
}

int tune_all(TuneOptions& o) {
  const tune::Budget budget = need(tune::parse_budget(o.budget), "--budget", o.budget);
  const tune::StrategyKind strategy = need(tune::parse_strategy(o.strategy), "--strategy", o.strategy);
  const std::vector<Problem> problems = need(wanted_problems(o.work));
  need(check_output(o.work.output));
  std::vector<DeviceSession> opened = need(open_search(o));
  catch_interrupts();
  (void)tuned_tables();  // its notes come before any progress

  HistoryKeeper history(!o.work.no_history);
  std::mutex mutex;
  ExitCode code = exit_ok;
  Results results;
  Json tuned = Json::array();
  std::optional<Error> error;
  using Group = std::vector<search::SearchDevice>;
  const auto search = [&](const Problem& problem, const Group& group) -> Result<search::SearchOutcome> {
    search::SearchRequest request = TRY(search_request(o, problem, group.front().device));
    request.strategy = strategy;
    request.budget = budget;
    request.finalists = kFinalists;
    request.seeds = strategy != tune::StrategyKind::exhaustive;
    return search_on(o, request, group);
  };
  const auto work = [&](const Group& group) {
    for (const Problem& problem : problems) {
      if (interrupted()) return;
      const Result<search::SearchOutcome> out = search(problem, group);
      const std::lock_guard lock(mutex);
      if (!out) {
        if (!error) error = out.error();
        return;
      }
      std::vector<tune::TunedEntry> entries = search::tuned_entries(*out);
      if (!entries.empty() && !store(o, *out, group, entries)) code = worse(code, exit_bad_input);
      if (out->unkept > 0) code = worse(code, exit_bad_input);
      if (!o.common.json) report(*out, group.front().variants, entries);
      // What is wrong or broken was found out and left aside; nothing at all being right is another matter.
      if (entries.empty() && !out->result.interrupted) {
        const tune::TuneProgress& p = out->progress;
        print_err("attnscope tune: {} on {}: of {} configs {} were refused, {} were wrong and {} broke off\n",
                  to_text(problem), out->device.name, p.tried, p.refused, p.wrong, p.broken);
        code = worse(code, p.wrong > 0 ? exit_failed : p.broken > 0 ? exit_lost : exit_bad_input);
      }
      tuned.push_back(json_of(*out, entries));
      const std::vector<Record> raced = raced_of(out->result);
      history.keep(raced);
      // An interrupted search has only its trials.
      const std::vector<Record> found = raced.empty() ? search::records_of(*out) : raced;
      results.records.insert(results.records.end(), found.begin(), found.end());
    }
  };
  // Different devices have nothing to share: each searches for itself, at once.
  const auto groups = equal_devices(opened);
  parallel_for(
      groups.size(), 1, [&](size_t i, size_t) { work(groups[i]); }, unsigned(groups.size()));
  if (error) fail(*error);
  if (o.common.json) {
    Json document = need(parse_json(results_to_json(results), "results"));
    document["tuned"] = std::move(tuned);
    write_document(dump_pretty(document));
  }
  need(write_output(o.work, results));
  return interrupted() ? exit_interrupted : code;
}

}  // namespace

void add_tune(CLI::App& app, Action& chosen) {
  auto [command, o] = add_command(
      app, chosen, "tune", "Search for the fastest config of any variant, and keep it for --config tuned", tune_all);
  add_search_options(command, o);
  add_text(command, "--budget", o.budget, "TIME|N",
           "How long to search (60s, 5m), or how many configs to try (200); each problem")
      ->capture_default_str();
  add_text(command, "--strategy", o.strategy, "surrogate|random|exhaustive",
           "How to search; surrogate is a model of the times")
      ->capture_default_str();
}

}  // namespace attnscope::cli
