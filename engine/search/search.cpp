#include "engine/search/search.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "engine/record/run.hpp"
#include "engine/search/arms.hpp"
#include "engine/search/session_measurer.hpp"
#include "engine/session/auto_choice.hpp"
#include "engine/session/request_run.hpp"
#include "engine/session/stamp.hpp"
#include "engine/tune/journal.hpp"

namespace attnscope::search {
namespace {

using Clock = std::chrono::steady_clock;

/// Planning of all spaces where nothing is measured, at most, in ms.
constexpr double kLookMs = 3000;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

double time_of(const Record& r) { return r.statistics ? r.statistics->median : 1e300; }

tune::TuneRequest tune_request(const SearchRequest& request, std::vector<Competitor>& competing) {
  tune::TuneRequest out;
  out.problem = request.problem;
  out.protocol = request.protocol;
  out.seed = out.search_seed = request.seed;
  out.strategy = request.strategy;
  out.budget_s = request.budget.seconds;
  out.budget_trials = request.budget.trials;
  out.random = request.random;
  out.drop = request.drop;
  out.narrow = request.narrow;
  out.shard = request.shard;
  for (Competitor& c : competing) {
    // A share of the space has no room for others' configs.
    if (!request.seeds || request.shard.count > 1) c.arm.seeds.clear();
    out.arms.push_back(c.arm);
  }
  return out;
}

/// Keeps trials for as long as that works.
class Keeper {
 public:
  Keeper(const SearchEvents& events) : events_(events) {}
  Result<void> open(const SearchRequest& request, const DeviceInfo& device) {
    if (request.journal.empty()) return {};
    const auto key = tune::journal_key(device, request.problem, request.protocol, request.seed);
    // Who only looks leaves nothing behind: a file for each problem that a slider passed by.
    Result<tune::Journal> opened = request.look_only ? Result<tune::Journal>(tune::Journal::look(request.journal, key))
                                                     : tune::Journal::open(request.journal, key, request.fresh);
    if (!opened) return opened.error();
    if (!opened->note().empty() && events_.note) events_.note(opened->note());
    journal_.emplace(std::move(*opened));
    return {};
  }
  void recall(const SearchRequest& request, const std::map<std::string, VariantInfo>& variants,
              tune::Tuner& tuner) const {
    if (!journal_) return;
    for (const tune::JournalLine& line : journal_->earlier()) {
      const auto known = variants.find(line.variant);
      if (known == variants.end() || known->second.hash != line.shader_hash) continue;
      if (request.retry && line.outcome != Outcome::measured && line.outcome != Outcome::refused) continue;
      const Trial trial = tune::trial_of(line);
      tuner.recall(line.variant, trial);
      if (events_.trial) events_.trial(line.variant, trial, true);
    }
  }
  void keep(const VariantInfo& info, const Trial& trial, const DeviceInfo& device) {
    if (!journal_) return;
    const Result<void> ok = journal_->append(tune::journal_line(info.name, info.hash, trial, stamp(device).time_utc));
    if (ok) return;
    journal_.reset();
    if (events_.note) events_.note(fmt::format("Trials are not kept any more: {}", ok.error().message));
  }

 private:
  const SearchEvents& events_;
  std::optional<tune::Journal> journal_;
};

/// Which configs are legal, as far as that is found out soon.
Result<void> look(SessionMeasurer& device, const tune::TuneRequest& request, const std::atomic<bool>& cancel) {
  const auto start = Clock::now();
  for (const tune::ArmRequest& arm : request.arms) {
    SpaceRequest next;
    next.budget_ms = 100;
    next.max_legal = UINT64_MAX;
    for (bool done = false; !done && !cancel && 1e3 * seconds_since(start) < kLookMs;) {
      const Result<SpaceBatch> batch = device.plan_space(request.problem, arm.variant, next, cancel);
      if (!batch) return batch.error();
      done = batch->done || batch->next <= next.first;
      next.first = batch->next;
    }
  }
  return {};
}

}  // namespace

Result<SearchOutcome> run_search(const SearchRequest& request, std::span<const Place> places, const TunedTables& tuned,
                                 const SearchEvents& events, const std::atomic<bool>& cancel) {
  if (places.empty()) return internal_error("there is no device to search on");
  const auto start = Clock::now();
  const Place& first = places.front();
  Result<std::vector<Competitor>> competing = competitors(request, first, tuned);
  if (!competing) return competing.error();
  SearchOutcome out;
  out.device = first.device;
  SearchBegan began{{}, request.journal};
  for (const Competitor& c : *competing) {
    out.variants.emplace(c.info->name, *c.info);
    began.arms.push_back({c.info->name, c.info->hash, c.info->parameters, c.arm.seeds.front()});
  }
  out.request = tune_request(request, *competing);
  if (!request.look_only)
    if (const auto untuned = choose_untuned(*first.session, first.device, request.problem))
      out.request.untuned = RaceEntry{untuned->variant, untuned->config};
  tune::Tuner tuner(out.request);
  Keeper keeper(events);
  if (Result<void> opened = keeper.open(request, first.device); !opened) return opened.error();
  if (events.began) events.began(began);
  keeper.recall(request, out.variants, tuner);

  std::vector<std::unique_ptr<SessionMeasurer>> measurers;
  std::vector<tune::Measurer*> devices;
  for (const Place& place : places) {
    // Each of several plans parts of the same space: one alone tells of it.
    measurers.push_back(std::make_unique<SessionMeasurer>(
        *place.session, measurers.empty() ? events.planned : SessionMeasurer::Planned{}, request.keep_refused));
    devices.push_back(measurers.back().get());
  }
  if (request.look_only) {
    if (Result<void> looked = look(*measurers.front(), out.request, cancel); !looked) return looked.error();
    out.result.no_race = "Nothing was measured.";
  } else {
    tune::DriveOptions options;
    options.finalists = request.finalists;
    options.trial = [&](const std::string& variant, const Trial& trial) {
      keeper.keep(out.variants.at(variant), trial, first.device);
      if (events.trial) events.trial(variant, trial, false);
    };
    if (events.tick) options.tick = [&](const std::string& stage) { events.tick(stage, tuner.progress()); };
    Result<tune::TuneResult> result = tune::drive(tuner, devices, options, cancel);
    if (!result) return result.error();
    out.result = std::move(*result);
  }
  out.progress = tuner.progress();
  out.arms = tuner.summaries();
  out.tried = tuner.tried();
  if (out.result.baseline) {
    const Record& b = *out.result.baseline;
    out.baseline = fmt::format("{} {}", b.variant, b.config_name.empty() ? to_text(b.config) : b.config_name);
  }
  out.seconds = seconds_since(start);
  return out;
}

Record record_of(const SearchOutcome& out, const tune::TriedConfig& tried) {
  const Trial& trial = tried.trial;
  RunRequest run;
  run.problem = out.request.problem;
  run.variant = tried.variant;
  run.config = trial.config;
  run.protocol = out.request.protocol;
  run.seed = out.request.seed;
  Record record = make_record(run_of(run, out.variants.at(tried.variant), out.device));
  record.samples_ns = trial.samples_ns;
  record.dispatches_per_sample = trial.dispatches_per_sample;
  record.settled = trial.settled;
  if (trial.samples_ns.empty() && trial.median_ns > 0) record.samples_ns = {trial.median_ns};
  conclude(record, trial.outcome, trial.dropped ? "Measured until it was surely slower than the best." : trial.message);
  return record;
}

std::vector<Record> records_of(const SearchOutcome& out) {
  std::vector<Record> records;
  for (const tune::TriedConfig& tried : out.tried) records.push_back(record_of(out, tried));
  std::stable_sort(records.begin(), records.end(),
                   [](const Record& a, const Record& b) { return time_of(a) < time_of(b); });
  return records;
}

std::filesystem::path journal_in(const std::filesystem::path& folder, const DeviceInfo& device, const Problem& problem,
                                 const Protocol& protocol, uint64_t seed) {
  if (folder.empty()) return {};
  return folder / (tune::journal_name(tune::journal_key(device, problem, protocol, seed)) + ".jsonl");
}

}  // namespace attnscope::search
