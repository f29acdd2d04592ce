#include "app/cli/tune_work.hpp"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "app/cli/interrupt.hpp"
#include "app/cli/number_option.hpp"
#include "app/cli/places.hpp"
#include "app/cli/print.hpp"
#include "app/cli/session_measurer.hpp"
#include "app/cli/tuned_config.hpp"
#include "engine/record/run.hpp"
#include "engine/session/request_run.hpp"
#include "engine/session/stamp.hpp"
#include "engine/tune/random.hpp"

namespace attnscope::cli {
namespace {

using Clock = std::chrono::steady_clock;

/// Configs of tuned neighbours that a search begins with.
constexpr size_t kMostNeighbours = 3;

struct Competitor {
  const VariantInfo* info = nullptr;
  tune::ArmRequest arm;
  std::string default_name;
};

/// The variants asked for that can serve the problem at all.
Result<std::vector<Competitor>> competitors(const SearchOptions& o, const SearchPlan& plan, const Problem& problem,
                                            const Protocol& protocol, Opened& device) {
  std::vector<const VariantInfo*> wanted;
  bool all = plan.all_variants && o.work.variants.empty();
  for (const std::string& name : o.work.variants) {
    if (name == "all") {
      all = true;
      continue;
    }
    const auto it = std::find_if(device.variants.begin(), device.variants.end(),
                                 [&](const VariantInfo& v) { return v.name == name; });
    if (it == device.variants.end()) {
      std::string known = "all";
      for (const VariantInfo& v : device.variants) known += ", " + v.name;
      return bad_input(fmt::format("--variant {}: there is no such variant; there are: {}", name, known));
    }
    if (!it->error.empty()) return bad_input(fmt::format("--variant {}: it does not load:\n{}", name, it->error));
    if (!it->why_not.empty())
      return unsupported(fmt::format("--variant {}: it cannot run on {}: {}", name, device.device.name, it->why_not));
    if (std::find(wanted.begin(), wanted.end(), &*it) == wanted.end()) wanted.push_back(&*it);
  }
  const size_t named = wanted.size();
  if (all)
    for (const VariantInfo& v : device.variants)
      if (v.error.empty() && v.why_not.empty() && std::find(wanted.begin(), wanted.end(), &v) == wanted.end())
        wanted.push_back(&v);

  std::vector<Competitor> out;
  std::string why_none;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const VariantInfo& info = *wanted[i];
    const Result<ConfigChoice> choice = device.session->choose_config(problem, info.name, "default");
    if (!choice) return choice.error();
    if (choice->how == ConfigChoice::How::as_asked && !choice->because.empty()) {
      if (i < named && !all)
        return bad_input(fmt::format("--variant {} --problem {}: {}", info.name, to_text(problem), choice->because));
      if (why_none.empty()) why_none = fmt::format("{}: {}", info.name, choice->because);
      continue;
    }
    Competitor c;
    c.info = &info;
    c.default_name = choice->name;
    c.arm.variant = info.name;
    c.arm.parameters = info.parameters;
    c.arm.seeds.push_back(choice->config);
    const tune::TunedQuery query{device.device, problem, info.name, info.hash, protocol.cache, protocol.launch};
    const auto near = tune::find_tuned(tuned_tables().user.entries, tuned_tables().shipped.entries, query);
    for (size_t n = 0; n < near.size() && n < kMostNeighbours; ++n) c.arm.seeds.push_back(near[n].entry.config);
    for (const NamedConfig& config : info.configs) c.arm.seeds.push_back(full_config(info, config));
    out.push_back(std::move(c));
  }
  if (out.empty())
    return bad_input(fmt::format("--problem {}: no variant can serve it on {}{}", to_text(problem), device.device.name,
                                 why_none.empty() ? "" : "; " + why_none));
  return out;
}

/// A trial as a record: what tables and files take.
Record record_of(const tune::TuneRequest& request, const VariantInfo& info, const DeviceInfo& device,
                 const Environment& environment, const Trial& trial) {
  RunRequest run;
  run.problem = request.problem;
  run.variant = info.name;
  run.config = trial.config;
  run.protocol = request.protocol;
  run.seed = request.seed;
  Run of = run_of(run, info, device);
  of.environment.time_utc = environment.time_utc;
  Record record = make_record(of);
  record.samples_ns = trial.samples_ns;
  record.dispatches_per_sample = trial.dispatches_per_sample;
  if (trial.samples_ns.empty() && trial.median_ns > 0) record.samples_ns = {trial.median_ns};
  conclude(record, trial.outcome, trial.dropped ? "Measured until it was surely slower than the best." : trial.message);
  return record;
}

double time_of(const Record& r) { return r.statistics ? r.statistics->median : 1e300; }

}  // namespace

void add_search_work_options(CLI::App& app, WorkOptions& o) {
  add_what_options(app, o, "Variant by name, or all that can serve the problem; repeatable");
  app.add_option("--seed", o.seed, "Seed of the inputs and of what is drawn")
      ->type_name("N")
      ->check(in_range(NumberRange<uint64_t>{0, UINT64_MAX}))
      ->capture_default_str();
  app.add_option("--output", o.output, "Also write the records to FILE.json, FILE.csv or FILE.md")
      ->type_name("FILE")
      ->check(not_empty());
}

void add_search_options(CLI::App& app, SearchOptions& o) {
  add_device_options(app, o.common);
  add_output_options(app, o.common);
  add_search_work_options(app, o.work);
  add_protocol_options(app, o.protocol);
  app.add_option("--shard", o.shard, "Only share I of N of all configs, such as 2/8: the N shares together are all")
      ->type_name("I/N");
  app.add_option("--journal", o.journal,
                 "File that keeps every trial as it comes and that a later run goes on from (default: one for each "
                 "device, driver and problem in ~/.local/share/attnscope/trials)")
      ->type_name("FILE")
      ->check(not_empty());
  app.add_flag("--fresh", o.fresh, "Begin anew: what an earlier run tried is set aside");
  app.add_flag("--retry", o.retry, "Try again what an earlier run found wrong or could not finish");
}

Result<std::vector<Opened>> open_search(const SearchOptions& o) {
  if (o.common.device != "all") return open_sessions(o.common);
  std::vector<Opened> all;
  std::vector<std::vector<std::string>> workers;
  for (const std::string& worker : o.common.workers) workers.push_back({worker});
  if (workers.empty()) workers.emplace_back();
  for (const auto& worker : workers) {
    CommonOptions one = o.common;
    one.workers = worker;
    Result<std::vector<std::unique_ptr<Session>>> asked = make_sessions(one);
    if (!asked) return asked.error();
    const Result<std::vector<DeviceInfo>> devices = asked->front()->devices();
    if (!devices) return devices.error();
    const auto usable = [&](bool software) {
      std::vector<uint32_t> indices;
      for (const DeviceInfo& d : *devices)
        if (d.unsuitable.empty() && (d.type == DeviceType::software) == software) indices.push_back(d.index);
      return indices;
    };
    std::vector<uint32_t> indices = usable(false);
    if (indices.empty()) indices = usable(true);
    if (indices.empty()) return unsupported("--device all: there is no device that can be used");
    for (const uint32_t index : indices) {
      one.device = std::to_string(index);
      Result<std::vector<Opened>> opened = open_sessions(one);
      if (!opened) return opened.error();
      for (Opened& device : *opened) all.push_back(std::move(device));
    }
  }
  return all;
}

std::vector<std::vector<Opened*>> equal_devices(std::vector<Opened>& opened) {
  std::vector<std::vector<Opened*>> groups;
  for (Opened& device : opened) {
    const auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& g) {
      return g.front()->device.name == device.device.name && g.front()->device.driver == device.device.driver;
    });
    if (group == groups.end())
      groups.push_back({&device});
    else
      group->push_back(&device);
  }
  return groups;
}

Result<SearchOutcome> search_problem(const SearchOptions& o, const SearchPlan& plan, const Problem& problem,
                                     std::span<Opened* const> group, TuneStatus& status) {
  const auto start = Clock::now();
  Opened& first = *group.front();
  tune::TuneRequest request;
  request.problem = problem;
  request.protocol = changed(Protocol(), o.protocol);
  request.seed = request.search_seed = o.work.seed;
  request.strategy = plan.strategy;
  request.budget_s = plan.budget_s;
  request.budget_trials = plan.budget_trials;
  request.random = plan.random;
  request.drop = plan.drop;
  if (!o.shard.empty()) {
    const Result<tune::Shard> shard = tune::parse_shard(o.shard);
    if (!shard) return about("--shard", o.shard, shard.error());
    request.shard = *shard;
  }
  Result<std::vector<Competitor>> variants = competitors(o, plan, problem, request.protocol, first);
  if (!variants) return variants.error();
  for (Competitor& c : *variants) {
    // A sweep is of the space, in its order or as drawn; a share of it has no room for others' configs.
    if (plan.strategy == tune::StrategyKind::exhaustive || plan.random > 0 || request.shard.count > 1)
      c.arm.seeds.clear();
    request.arms.push_back(c.arm);
  }
  const auto info_of = [&](const std::string& name) {
    return std::find_if(variants->begin(), variants->end(), [&](const auto& c) { return c.info->name == name; })->info;
  };
  tune::Tuner tuner(request);

  const tune::JournalKey key = tune::journal_key(first.device, problem, request.protocol, request.seed);
  std::filesystem::path path = o.journal;
  if (path.empty() && !user_data_dir().empty())
    path = std::filesystem::path(user_data_dir()) / "trials" / (tune::journal_name(key) + ".jsonl");
  std::optional<tune::Journal> journal;
  if (!path.empty()) {
    Result<tune::Journal> opened = tune::Journal::open(path, key, o.fresh);
    if (!opened) return o.journal.empty() ? opened.error() : about("--journal", o.journal, opened.error());
    if (!opened->note().empty()) print_err("note: {}\n", opened->note());
    journal.emplace(std::move(*opened));
    for (const tune::JournalLine& line : journal->earlier()) {
      const auto c =
          std::find_if(variants->begin(), variants->end(), [&](const auto& v) { return v.info->name == line.variant; });
      if (c == variants->end() || c->info->hash != line.shader_hash) continue;
      if (o.retry && line.outcome != Outcome::measured && line.outcome != Outcome::refused) continue;
      tuner.recall(line.variant, tune::trial_of(line));
    }
  }

  std::vector<std::unique_ptr<SessionMeasurer>> measurers;
  std::vector<tune::Measurer*> devices;
  for (Opened* device : group) {
    measurers.push_back(std::make_unique<SessionMeasurer>(*device->session));
    devices.push_back(measurers.back().get());
  }
  const std::string what = to_text(problem);
  tune::DriveOptions options;
  options.finalists = plan.finalists;
  bool kept = true;
  options.trial = [&](const std::string& variant, const Trial& trial) {
    if (!journal || !kept) return;
    const tune::JournalLine line =
        tune::journal_line(variant, info_of(variant)->hash, trial, stamp(first.device).time_utc);
    if (Result<void> ok = journal->append(line); !ok) {
      kept = false;
      print_err("attnscope {}: trials are not kept any more: {}\n", o.common.command, ok.error().message);
    }
  };
  options.tick = [&](const std::string& stage) { status.show(what, stage, tuner.progress(), start, plan.budget_s); };
  Result<tune::TuneResult> result = tune::drive(tuner, devices, options, interrupted());
  status.clear();
  if (!result) return result.error();

  SearchOutcome out;
  out.problem = problem;
  out.device = first.device;
  out.result = std::move(*result);
  out.progress = tuner.progress();
  out.arms = tuner.summaries();
  const Environment environment = stamp(first.device);
  for (const tune::TriedConfig& tried : tuner.tried())
    out.records.push_back(record_of(request, *info_of(tried.variant), first.device, environment, tried.trial));
  std::stable_sort(out.records.begin(), out.records.end(),
                   [](const Record& a, const Record& b) { return time_of(a) < time_of(b); });
  if (out.result.baseline) {
    const Record& b = *out.result.baseline;
    out.baseline = fmt::format("{} {}", b.variant, b.config_name.empty() ? to_text(b.config) : b.config_name);
  }
  out.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return out;
}

std::string counts_text(const tune::TuneProgress& p) {
  std::string text = fmt::format("{} tried: {} measured", p.tried, p.measured);
  const auto add = [&](uint64_t count, const char* what) {
    if (count > 0) text += fmt::format(", {} {}", count, what);
  };
  add(p.dropped, "dropped early");
  add(p.wrong, "wrong");
  add(p.broken, "broken");
  add(p.refused, "refused");
  if (p.recalled > 0) text += fmt::format("; {} of them by an earlier run", p.recalled);
  return text;
}

std::string shares_text(const SearchOutcome& out) {
  const TrialsReport& s = out.progress.spent;
  std::string text = fmt::format("{:.1f} s", out.seconds);
  const double all = s.wall_ms + out.progress.planning_ms;
  if (all <= 0) return text;
  const auto share = [&](double ms) { return 100 * ms / all; };
  const double other = s.wall_ms - s.measuring_ms - s.verifying_ms - s.waiting_ms - s.reference_ms;
  return text +
         fmt::format(
             "; of the search {:.0f} % measuring, {:.0f} % verifying, {:.0f} % waiting for compiles, {:.0f} % the "
             "reference, {:.0f} % choosing and planning, {:.0f} % other",
             share(s.measuring_ms), share(s.verifying_ms), share(s.waiting_ms), share(s.reference_ms),
             share(out.progress.planning_ms), share(std::max(other, 0.0)));
}

}  // namespace attnscope::cli
