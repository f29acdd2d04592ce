// A recorded config space that stands in for a device: every config's time is known beforehand.
#pragma once

#include "engine/tune/random.hpp"
#include "engine/tune/tuner.hpp"
#include "tests/has.hpp"

namespace attnscope::tune {

inline constexpr StrategyKind kEveryStrategy[] = {StrategyKind::exhaustive, StrategyKind::random,
                                                  StrategyKind::surrogate};

struct RecordedSpace {
  std::string variant;
  std::vector<Parameter> parameters;
  std::map<Config, double> times;  ///< of the legal ones; 0 = wrong or broken
  double best() const {
    double least = 0;
    for (const auto& [config, ns] : times)
      if (ns > 0 && (least == 0 || ns < least)) least = ns;
    return least;
  }
};

/// The exhaustive sweep of an H200: all legal configs of `coopmat` on 1x16x4096x128:f16, kept as CSV with a column for
/// each parameter, then median_ns. Its parameters are the values that occur. `faults`: some configs are wrong.
inline RecordedSpace recorded_space(bool faults = true) {
  RecordedSpace space;
  space.variant = "coopmat";
  const auto cells_of = [](const std::string& line) {
    std::vector<std::string> cells;
    std::istringstream in(line);
    for (std::string cell; std::getline(in, cell, ',');) cells.push_back(cell);
    return cells;
  };
  std::ifstream in(ATTNSCOPE_SOURCE_DIR "/docs/results/2026-11-22-h200-coopmat-sweep.csv");
  std::string line;
  std::getline(in, line);
  const std::vector<std::string> names = cells_of(line);
  std::map<std::string, std::set<int64_t>> values;
  while (std::getline(in, line)) {
    const std::vector<std::string> cells = cells_of(line);
    Config config;
    for (size_t i = 0; i + 1 < names.size(); ++i) values[names[i]].insert(config[names[i]] = std::stoll(cells.at(i)));
    const bool wrong = faults && hash_text(to_text(config)) % 97 == 0;
    space.times[config] = wrong ? 0 : std::stod(cells.at(names.size() - 1));
  }
  for (const auto& [name, all] : values) {
    const std::vector<int64_t> sorted(all.begin(), all.end());
    space.parameters.push_back({name, "", sorted, sorted[sorted.size() / 2]});
  }
  return space;
}

inline EventSink each_trial(std::function<void(const Trial&)> done) {
  return [done = std::move(done)](const Event& event) { done(std::get<TrialDone>(event).trial); };
}

struct Replay : Session {
  explicit Replay(std::vector<RecordedSpace> spaces) : spaces_(std::move(spaces)) {}

  Result<SpaceBatch> plan_space(const Problem&, const std::string& variant, const SpaceRequest& request,
                                const std::atomic<bool>&) override {
    ++plans;
    const RecordedSpace& space = *find(variant);
    const ConfigProduct product(space.parameters);
    SpaceBatch batch{.size = product.size(), .first = request.first, .next = request.first};
    for (const uint64_t point : request.points) {
      ++looked_at;
      const Config config = product.at(point);
      if (space.times.contains(config)) batch.legal.push_back(config);
      if (batch.legal.size() >= request.max_legal) break;
    }
    if (!request.points.empty()) return batch;
    for (; batch.next < batch.size && batch.legal.size() < request.max_legal &&
           batch.next - batch.first < std::min(request.budget_candidates, most_planned);
         ++batch.next, ++looked_at) {
      Config config = product.at(batch.next);
      if (space.times.contains(config))
        batch.legal.push_back(std::move(config));
      else
        add_reasons(batch.pruned, {{"made up", 1, "it is made up", config}});
    }
    batch.done = batch.next >= batch.size;
    return batch;
  }

  Result<TrialsReport> trials(const TrialsRequest& request, const EventSink& sink,
                              const std::atomic<bool>& cancel) override {
    const RecordedSpace& space = *find(request.variant);
    TrialsReport report;
    double best = request.best_ns;
    for (uint64_t i = 0; i < request.configs.size() && !cancel; ++i) {
      Trial trial{.index = i, .config = request.configs[i]};
      tried.push_back({request.variant, trial.config});
      const auto it = space.times.find(trial.config);
      if (it == space.times.end()) {
        trial.outcome = Outcome::refused;
        trial.message = "needs 5,120 bytes and there are 4,096";
      } else if (it->second <= 0) {
        trial.outcome = Outcome::failed_verdict;
        trial.message = "max abs error 0.5 is over 1e-05";
      } else {
        trial.outcome = Outcome::measured;
        trial.median_ns = it->second;
        // With the clock down, as long as that lasts, all takes half as long again.
        if (clock_down > 0) {
          --clock_down;
          trial.settled = false;
          trial.median_ns *= 1.5;
        }
        trial.samples_ns = {trial.median_ns};
        trial.dropped = request.drop && best > 0 && it->second > 1.1 * best;
        if (!trial.dropped) best = best > 0 ? std::min(best, it->second) : it->second;
      }
      sink(TrialDone{trial});
      ++report.done;
    }
    return report;
  }

  Result<RaceResult> race(const RaceRequest& request, const EventSink&, const std::atomic<bool>&) override {
    races.push_back(request);
    RaceResult result;
    for (const RaceEntry& entry : request.entries) {
      Record run{.problem = request.problem, .variant = entry.variant, .config = entry.config};
      run.protocol = request.protocol;
      Record record = make_record(run);
      if (wrong_in_race.contains(entry.config)) {
        conclude(record, Outcome::failed_verdict, "wrong when looked at closely");
      } else {
        for (size_t i = 0; i < samples_in_race; ++i)
          record.samples_ns.push_back(find(entry.variant)->times.at(entry.config) * (1 + 1e-6 * (double(i % 5) - 2)));
        conclude(record, Outcome::measured);
      }
      result.turns.push_back({std::vector<uint32_t>(record.samples_ns.size(), 1)});
      result.records.push_back(std::move(record));
    }
    return result;
  }

  /// What the tuner asks for is tried, `batches` times or until it asks for nothing; whether it asked each time.
  bool try_for(Tuner& tuner, const std::string& variant, size_t batches = SIZE_MAX) {
    const std::atomic<bool> never{false};
    for (size_t batch = 0; batch < batches; ++batch) {
      const auto next = tuner.next(*this, never);
      if (!next || !*next) return false;
      (void)trials(**next, each_trial([&](const Trial& t) { tuner.tell(variant, t); }), never);
    }
    return true;
  }

  size_t samples_in_race = 20;
  uint64_t most_planned = UINT64_MAX;  ///< of one request
  uint64_t plans = 0, looked_at = 0;
  uint64_t clock_down = 0;  ///< trials for which the clock stays down
  std::vector<std::pair<std::string, Config>> tried;
  std::vector<RaceRequest> races;
  std::set<Config> wrong_in_race;

 private:
  const RecordedSpace* find(const std::string& variant) const {
    for (const RecordedSpace& space : spaces_)
      if (space.variant == variant) return &space;
    ADD_FAILURE() << "no space of " << variant;
    return &spaces_.front();
  }
  std::vector<RecordedSpace> spaces_;
};

}  // namespace attnscope::tune
