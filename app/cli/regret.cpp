// attnscope regret: how much slower the choice of `auto` is than the best that a search finds, on random problems.

#include <fstream>

#include "app/cli/random_problem.hpp"
#include "app/cli/tune_work.hpp"
#include "engine/measure/units.hpp"
#include "engine/record/json_fields.hpp"
#include "engine/tune/fields_tune.hpp"

namespace attnscope::cli {
namespace {

constexpr size_t kRaced = 4;  // at the end of each search, with the choice of auto

struct RegretOptions : SearchOptions {
  std::vector<uint64_t> seeds{101};
  uint64_t count = 48;
  std::string budget = "15s";
  std::string regrets;  ///< the file of --journal here: one of finished problems, not of trials
  double gflop = 0;
};

struct Regret {
  Problem problem;
  Record chosen, best;  ///< of one race
  double ratio() const { return chosen.statistics->median / best.statistics->median; }
};

std::string config_text(const Record& r) {
  return fmt::format("{} {}", r.variant, r.config_name.empty() ? to_text(r.config) : r.config_name);
}

Json json_of(const Regret& r) {
  const auto of = [](const Record& x) {
    return Json{{"variant", x.variant}, {"config", encode(x.config)}, {"median_us", x.statistics->median / 1e3}};
  };
  return Json{{"problem", to_text(r.problem)}, {"auto", of(r.chosen)}, {"best", of(r.best)}, {"regret", r.ratio()}};
}

Result<void> append(const std::string& path, const std::string& text) {
  if (path.empty()) return {};
  std::ofstream out(path, std::ios::app);
  out << text << "\n";
  out.close();
  return out ? Result<void>() : bad_input("'{}' cannot be written", path);
}

/// Finished problems, each a line on disk: {"of": device, driver, problem, mode and budget, "result": as in --json}.
/// Here the results by "of". "" keeps nothing. The error: it holds other lines, or cannot be read or written.
Result<std::map<std::string, Json>> open_journal(const std::string& path) {
  std::map<std::string, Json> done;
  if (path.empty()) return done;
  std::string text;
  if (std::error_code error; std::filesystem::exists(path, error)) text = TRY(read_file(path, kMaxResultBytes));
  for (const std::string_view line : split(text, '\n')) {
    const Result<Json> json = parse_json(line, "line");
    if (json && json->is_object() && json->contains("of") && json->contains("result") &&
        json->at("result").is_object() && json->at("result").value("regret", 0.0) >= 1)
      done[dump_line(json->at("of"))] = json->at("result");
  }
  if (done.empty() && text.find_first_not_of(" \n") != std::string::npos)
    return bad_input("it is no journal of regret, and stays as it is: name another file");
  if (const std::string why = why_not_written(path); !why.empty()) return bad_input(why);
  if (!text.empty() && text.back() != '\n') TRY(append(path, ""));  // the last line is torn
  return done;
}

void print_summary(const Json& all, size_t problems) {
  if (all.empty()) return;
  const auto ratios = mapped(all, [](const Json& r) { return r.at("regret").get<double>(); });
  const auto worst = std::ranges::max_element(ratios);
  print_out("Regret over {} of {} problems: geometric mean {:.3f}, worst {:.3f} ({})\n", all.size(), problems,
            geometric_mean(ratios).value_or(0), *worst,
            all.at(size_t(worst - ratios.begin())).at("problem").get<std::string>());
}

int regret(RegretOptions& o) {
  const tune::Budget budget = need(tune::parse_budget(o.budget), "--budget", o.budget);
  std::vector<Problem> problems;
  for (const std::string& text : o.work.problems) problems.push_back(need(parse_problem(text), "--problem", text));
  if (problems.empty())
    for (const uint64_t seed : o.seeds) {
      Random random(seed);
      for (uint64_t i = 0; i < o.count; ++i) problems.push_back(draw_problem(random, 1e9 * o.gflop));
    }
  const std::map<std::string, Json> known = need(open_journal(o.regrets), "--journal", o.regrets);
  std::vector<DeviceSession> opened = need(open_search(o));
  catch_interrupts();
  ExitCode code = exit_ok;
  Json document = Json::array();
  for (const auto& group : equal_devices(opened)) {
    Json all = Json::array();
    if (!o.common.json)
      print_out("auto against the best config that a search finds, in one race, on {}\n", group.front().device.name);
    for (size_t i = 0; i < problems.size() && !interrupted(); ++i) {
      search::SearchRequest request = need(search_request(o, problems[i], group.front().device));
      Json of = encode(tune::journal_key(group.front().device, problems[i], request.protocol, request.seed));
      of["budget"] = o.budget;
      if (const auto done = known.find(dump_line(of)); done != known.end()) {
        if (!o.common.json)
          print_out("{:>3}/{} {:<44} {:.3f}  (journal)\n", i + 1, problems.size(), to_text(problems[i]),
                    done->second.at("regret").get<double>());
        all.push_back(done->second);
        continue;
      }
      request.variants = {"all"};
      request.budget = budget;
      request.finalists = kRaced;
      Result<search::SearchOutcome> out = search_on(o, request, group);
      // What was drawn may be more than this device takes.
      if (!out && o.work.problems.empty() &&
          (out.error().kind == ErrorKind::bad_input || out.error().kind == ErrorKind::unsupported)) {
        print_err("note: {}\n", out.error().message);
        continue;
      }
      const tune::TuneResult result = need(std::move(out)).result;
      if (!result.winner || !result.baseline || !result.winner->statistics || !result.baseline->statistics) {
        if (!interrupted()) print_err("note: {}: {}\n", to_text(problems[i]), result.no_race);
        continue;
      }
      Regret r{problems[i], *result.baseline, *result.winner};
      if (r.ratio() < 1) r.best = r.chosen;
      if (!o.common.json)
        print_out("{:>3}/{} {:<44} {:.3f}  {}, {}; {}, {}\n", i + 1, problems.size(), to_text(r.problem), r.ratio(),
                  config_text(r.chosen), time_text(r.chosen.statistics->median), config_text(r.best),
                  time_text(r.best.statistics->median));
      all.push_back(json_of(r));
      need(append(o.regrets, dump_line(Json{{"of", of}, {"result", all.back()}})));
    }
    if (!o.common.json) print_summary(all, problems.size());
    if (all.empty() && !interrupted()) code = worse(code, exit_lost);
    for (Json& one : all) document.push_back(std::move(one));
  }
  if (o.common.json) write_document(dump_pretty(Json{{"regret", std::move(document)}}));
  return interrupted() ? exit_interrupted : code;
}

}  // namespace

void add_regret(CLI::App& app, Action& chosen) {
  auto [command, o] =
      add_command(app, chosen, "regret",
                  "Search random problems and say how much slower than the best found the choice of auto is", regret);
  add_common_options(command, o.common);
  add_protocol_options(command, o.protocol);
  add_text(command, "--problem", o.work.problems, "PROBLEM", "These problems in place of random ones; repeatable");
  command.add_option("--seeds", o.seeds, "Seeds of the spaces that problems are drawn from")
      ->check(in_range(NumberRange<uint64_t>{0, UINT64_MAX}))
      ->capture_default_str();
  add_number(command, "--count", o.count, NumberRange<uint64_t>{1, 100'000}, "Problems of each seed")
      ->capture_default_str();
  command.add_option("--gflop", o.gflop, "Draw problems of at most so many GFLOP (2,500; a small device needs less)")
      ->check(in_range(NumberRange<double>{0.001, 1e6}));
  add_value(command, "--journal", o.regrets, "FILE",
            "File that keeps every problem as it is done and that a later run goes on from; another model of auto, or "
            "other kernels, want another file");
  add_text(command, "--budget", o.budget, "TIME|N", "How long to search each (15s), or how many configs to try (60)")
      ->capture_default_str();
}

}  // namespace attnscope::cli
