#include "engine/tune/tuner.hpp"

#include <regex>

#include "engine/clock.hpp"
#include "engine/tune/random.hpp"

namespace attnscope::tune {
namespace {

/// Configs of one request: enough that compiling ahead pays, few enough that a strategy can react.
constexpr size_t kLeastBatch = 8, kUsualBatch = 16, kMostBatch = 32;
constexpr double kBatchMs = 3000;
/// A sweep has nothing to react to, so its requests are few; the last ones are short, so that devices end together.
constexpr size_t kMostSweep = 256;
/// A space is walked whole when that takes no longer than this, or this share of the budget; else it is sampled.
constexpr double kWalkMs = 5000, kWalkShare = 0.04;
/// Duration of the first part of a walk, from which the whole is estimated.
constexpr double kFirstWalkMs = 150;
/// A sweep's space is walked whole before its first trial when that takes no longer.
constexpr double kSweepWalkMs = 1000;
constexpr double kSampleMs = 150;
constexpr uint64_t kSampleCandidates = 20'000;
/// Points drawn for one request: most of them are illegal and cost some microseconds.
constexpr size_t kSamplePoints = 512;
/// Times in a row that sampling may find nothing before it is given up.
constexpr int kMostBarren = 5;
/// An arm whose best is slower than the best of all by this share gets half of that one's time.
constexpr double kHalfShare = 0.25;
/// The least share of an arm, however slow: its seeds may be bad ones.
constexpr double kLeastShare = 0.03;

}  // namespace

struct Tuner::PointResult {
  double ns = 0;  ///< 0: it has no time
  bool dropped = false, settled = true, recalled = false;
  double lost_to = 0;  ///< the best that it was dropped for, or a slower one
};

struct Tuner::Arm {
  Arm(const ArmRequest& request, const TuneRequest& tune)
      : space(request.parameters),
        strategy(make_strategy(tune.strategy, space, tune.seed + hash_text(request.variant))),
        random(scramble(tune.seed, hash_text(request.variant))) {
    summary.variant = request.variant;
    summary.space = space.size();
    for (const Config& config : request.seeds)
      if (const auto p = space.point(config); p && !contains(seeds, *p) && (!tune.narrow || seeds.empty()))
        seeds.push_back(*p);
    if (!request.seeds.empty()) first_seed = space.point(request.seeds.front());
    if (!tune.current || tune.current->variant != request.variant) return;
    if (const auto p = space.point(tune.current->config)) {
      std::erase(seeds, *p);
      seeds.insert(seeds.begin(), *p);
    }
  }

  // Guarded by asking_.
  SearchSpace space;
  std::unique_ptr<Strategy> strategy;
  Random random;
  uint64_t walked = 0;        ///< the space was decided on up to here
  bool walk_done = false;     ///< that is all of it
  std::vector<Config> found;  ///< legal ones of the walk that the space does not have yet
  bool sampled = false;       ///< too large to be walked
  int barren = 0;             ///< times in a row that nothing was found to try
  uint64_t kept_refused = 0;  ///< refused configs listed so far

  // Guarded by mutex_.
  std::vector<std::pair<Observation, bool>> news;  ///< not processed yet; whether the strategy learns of it
  std::vector<Point> seeds;                        ///< not asked for yet
  std::optional<Point> first_seed;
  std::vector<Point> again;  ///< to be tried once more
  std::set<Point> measured_again;
  std::map<Point, PointResult> came;
  std::map<Point, double> on_way;        ///< asked for, without a result; the least best since then
  std::multimap<double, Point> by_time;  ///< measured to the end
  ArmSummary summary;
  uint64_t open = 0;       ///< known to be legal and not asked for, when last somebody asked
  bool known = false;      ///< those are all that is left
  bool exhausted = false;  ///< nothing more can be asked for
  uint64_t asked = 0;      ///< trials, for sharing out
};

Tuner::Tuner(TuneRequest request, Planned planned) : request_(std::move(request)), planned_(std::move(planned)) {
  for (const ArmRequest& arm : request_.arms) arms_.push_back(std::make_unique<Arm>(arm, request_));
}

Tuner::~Tuner() = default;

Tuner::Arm* Tuner::arm_of(const std::string& variant) const {
  for (const auto& arm : arms_)
    if (arm->summary.variant == variant) return arm.get();
  return nullptr;
}

void Tuner::recall(const std::string& variant, const Trial& trial) {
  const std::lock_guard lock(mutex_);
  Arm* arm = arm_of(variant);
  const auto p = arm == nullptr ? std::nullopt : arm->space.point(trial.config);
  // Of another version of the variant, or reported twice.
  if (!p || arm->came.contains(*p)) return;
  tell_locked(variant, trial, true);
  recalled_dropped_ |= trial.dropped;
}

uint64_t Tuner::tell(const std::string& variant, const Trial& trial) {
  const std::lock_guard lock(mutex_);
  const double before = progress_.best_ns;
  tell_locked(variant, trial, false);
  // A second measurement may be a little slower than the first. But what is wrong never was the best.
  const bool fell = before > 0 && (progress_.best_ns == 0 || progress_.best_ns > before);
  return fell && trial.outcome != Outcome::measured ? reopen() : 0;
}

void Tuner::tell_locked(const std::string& variant, const Trial& trial, bool recalled) {
  Arm* arm = arm_of(variant);
  if (arm == nullptr || trial.outcome == Outcome::cancelled) return;
  const auto p = arm->space.point(trial.config);
  if (!p) return;
  const bool timed = trial.outcome == Outcome::measured && trial.median_ns > 0;
  const bool refused = trial.outcome == Outcome::refused;
  // The best that the device knew. For an earlier process it is unknown: something faster than this one.
  double rival = recalled ? trial.median_ns : progress_.best_ns;
  if (const auto way = arm->on_way.find(*p); way != arm->on_way.end()) {
    rival = way->second;
    arm->on_way.erase(way);
  }
  // A race found a result wrong that had passed.
  const auto [it, fresh] = arm->came.try_emplace(*p);
  if (!fresh) forget(*arm, it->second, trial.config);
  it->second = {timed ? trial.median_ns : 0, trial.dropped, !timed || trial.settled, recalled, rival};
  std::erase(arm->seeds, *p);
  std::erase(arm->again, *p);
  // A dropped config is slower than the best even at its clock.
  const bool doubtful = timed && !trial.settled && !trial.dropped && arm->measured_again.insert(*p).second;
  if (doubtful) arm->again.push_back(*p);
  arm->news.push_back({{*p, it->second.ns, refused}, !doubtful});
  tried_.push_back({variant, trial, recalled});
  ++progress_.tried;
  if (recalled) ++progress_.recalled;
  if (!refused) ++arm->summary.tried;
  if (!it->second.settled) ++progress_.unsettled;
  if (timed)
    ++(trial.dropped ? progress_.dropped : progress_.measured);
  else
    ++(refused ? progress_.refused : trial.outcome == Outcome::failed_verdict ? progress_.wrong : progress_.broken);
  if (!timed) {
    TuneProgress::Reason& reason = progress_.reasons[without_numbers(trial.message)];
    if (reason.count++ == 0) reason.example = trial.message;
  }
  ArmSummary& best = arm->summary;
  best.best_ns = 0;
  if (timed && !trial.dropped) arm->by_time.emplace(trial.median_ns, *p);
  if (!arm->by_time.empty()) {
    best.best_ns = arm->by_time.begin()->first;
    best.best = arm->space.config(arm->by_time.begin()->second);
  }
  const double before = std::exchange(progress_.best_ns, 0);
  progress_.best_variant.clear();
  for (const auto& a : arms_)
    if (a->summary.best_ns > 0 && (progress_.best_ns == 0 || a->summary.best_ns < progress_.best_ns)) {
      progress_.best_ns = a->summary.best_ns;
      progress_.best_variant = a->summary.variant;
      progress_.best = a->summary.best;
    }
  if (progress_.best_ns > 0 && (before == 0 || progress_.best_ns < before))
    for (const auto& a : arms_)
      for (auto& [point, least] : a->on_way) least = least > 0 ? std::min(least, progress_.best_ns) : progress_.best_ns;
}

/// Configs dropped for a best that does not stand are tried again, the fastest first.
uint64_t Tuner::reopen() {
  uint64_t count = 0;
  for (const auto& arm : arms_) {
    std::vector<std::pair<double, Point>> lost;
    for (const auto& [point, came] : arm->came)
      if (came.dropped && (progress_.best_ns <= 0 || progress_.best_ns > came.lost_to) &&
          !arm->on_way.contains(point) && !contains(arm->again, point))
        lost.emplace_back(came.ns, point);
    std::ranges::sort(lost);
    for (const auto& [ns, point] : lost) arm->again.push_back(point);
    count += lost.size();
  }
  progress_.reopened += count;
  return count;
}

void Tuner::forget(Arm& arm, const PointResult& came, const Config& config) {
  --progress_.tried;
  if (arm.summary.tried > 0) --arm.summary.tried;
  if (came.ns > 0) --(came.dropped ? progress_.dropped : progress_.measured);
  if (!came.settled) --progress_.unsettled;
  if (came.recalled) --progress_.recalled;
  std::erase_if(arm.by_time, [&](const auto& entry) { return arm.space.config(entry.second) == config; });
  std::erase_if(tried_,
                [&](const ConfigTrial& t) { return t.variant == arm.summary.variant && t.trial.config == config; });
}

void Tuner::add(const TrialsReport& report) {
  const std::lock_guard lock(mutex_);
  progress_.spent += report;
}

void Tuner::add_wait(double ms) {
  const std::lock_guard lock(mutex_);
  progress_.planning_ms += ms;
}

void Tuner::race_of(size_t configs) {
  const std::lock_guard lock(mutex_);
  progress_.racing = configs;
}

bool Tuner::in_order() const { return request_.strategy == StrategyKind::exhaustive; }

size_t Tuner::batch_size() const {
  const TrialsReport& spent = progress_.spent;
  if (spent.done == 0 || spent.wall_ms <= 0) return kUsualBatch;
  return std::clamp(size_t(kBatchMs * double(spent.done) / spent.wall_ms), kLeastBatch, kMostBatch);
}

/// Seeds of all first; then to each in proportion to how near its best is to the best of all.
Tuner::Arm* Tuner::choose() {
  for (const auto& arm : arms_)
    if (!arm->seeds.empty()) return arm.get();
  if (request_.narrow && (narrowed_ == nullptr || narrowed_->exhausted)) {
    // Every trial needs a result, and another where its clock was low.
    for (const auto& arm : arms_)
      if (!arm->on_way.empty()) return nullptr;
    narrowed_ = fastest_left();
  }
  if (request_.narrow && narrowed_ != nullptr) return narrowed_;
  Arm* chosen = nullptr;
  double least = 0;
  for (const auto& arm : arms_) {
    if (arm->exhausted) continue;
    if (in_order()) return arm.get();  // a sweep goes through one variant after another
    double share = kLeastShare;
    if (arm->summary.best_ns > 0) {
      const double behind = arm->summary.best_ns / progress_.best_ns - 1;
      share = std::max(share, 1 / (1 + behind / kHalfShare));
    }
    const double had = double(arm->asked + 1) / share;
    if (chosen == nullptr || had < least) {
      chosen = arm.get();
      least = had;
    }
  }
  return chosen;
}

/// One lucky trial may have made a variant the fastest whose space is soon tried: then the next has its turn.
Tuner::Arm* Tuner::fastest_left() const {
  Arm* fastest = nullptr;
  for (const auto& arm : arms_)
    if (!arm->exhausted && arm->summary.best_ns > 0 &&
        (fastest == nullptr || arm->summary.best_ns < fastest->summary.best_ns))
      fastest = arm.get();
  return fastest;
}

uint64_t Tuner::on_their_way() const {
  uint64_t count = 0;
  for (const auto& arm : arms_)
    for (const auto& [point, best] : arm->on_way) count += !arm->came.contains(point);
  return count;
}

bool Tuner::idle() const {
  const std::lock_guard lock(mutex_);
  return std::ranges::all_of(arms_, [](const auto& arm) { return arm->on_way.empty(); });
}

TrialsRequest Tuner::hand_out(Arm& arm, const std::vector<Point>& points) {
  TrialsRequest out;
  out.problem = request_.problem;
  out.variant = arm.summary.variant;
  out.protocol = request_.protocol;
  out.seed = request_.seed;
  out.best_ns = progress_.best_ns;
  out.drop = request_.drop;
  for (const Point p : points) {
    out.configs.push_back(arm.space.config(p));
    arm.on_way[p] = progress_.best_ns;
  }
  return out;
}

void Tuner::begin(TrialsRequest& request) {
  const std::lock_guard lock(mutex_);
  request.best_ns = progress_.best_ns;
  Arm* arm = arm_of(request.variant);
  for (const Config& config : request.configs)
    if (const auto way = arm->on_way.find(*arm->space.point(config)); way != arm->on_way.end())
      way->second = progress_.best_ns;
}

void Tuner::end(const TrialsRequest& request) {
  const std::lock_guard lock(mutex_);
  Arm* arm = arm_of(request.variant);
  for (const Config& config : request.configs) {
    const Point p = *arm->space.point(config);
    arm->on_way.erase(p);
    if (!arm->came.contains(p)) ++not_made_;
  }
}

std::optional<TrialsRequest> Tuner::again() {
  const std::lock_guard lock(mutex_);
  if (std::exchange(recalled_dropped_, false)) (void)reopen();
  for (const auto& arm : arms_) {
    if (arm->again.empty()) continue;
    const auto last = arm->again.begin() + ptrdiff_t(std::min(arm->again.size(), batch_size()));
    const std::vector<Point> points(arm->again.begin(), last);
    arm->again.erase(arm->again.begin(), last);
    return hand_out(*arm, points);
  }
  return std::nullopt;
}

Result<std::optional<TrialsRequest>> Tuner::next(Session& session, const Cancel& cancel) {
  const std::lock_guard alone(asking_);
  const Planning planning{session, cancel};
  if (cancel) return std::optional<TrialsRequest>();
  if (auto once_more = again()) return once_more;
  std::unique_lock lock(mutex_);
  for (const auto& arm : arms_)
    for (const auto& [told, whole] : std::exchange(arm->news, {})) {
      arm->space.set_proposed(told.point);
      if (whole) arm->strategy->tell(told);
    }
  std::vector<Point> points;
  Arm* arm = nullptr;
  while (!cancel && points.empty() && (arm = choose()) != nullptr) {
    size_t count = batch_size();
    if (request_.budget.trials > 0) {
      const uint64_t done = progress_.tried - progress_.refused + on_their_way();
      if (done >= request_.budget.trials) return std::optional<TrialsRequest>();
      count = std::min<uint64_t>(count, request_.budget.trials - done);
    }
    while (!arm->seeds.empty() && points.size() < count) {
      const Point p = arm->seeds.front();
      arm->seeds.erase(arm->seeds.begin());
      if (!arm->space.open(p)) continue;
      arm->space.set_proposed(p);
      points.push_back(p);
    }
    // Seeds are tried before anything is planned: what is fast is known soon, and losers are dropped by it.
    if (!points.empty()) break;
    lock.unlock();
    TRY(grow(*arm, planning, count));
    if (in_order()) {
      const uint64_t share = std::clamp<uint64_t>(arm->space.open_legal() / 2, kMostBatch, kMostSweep);
      if (request_.budget.trials == 0) count = share;
    }
    points = arm->strategy->ask(count);
    lock.lock();
    // A sampled space may have more than was found in time.
    arm->barren = points.empty() ? arm->barren + 1 : 0;
    arm->exhausted = arm->barren > (arm->sampled ? kMostBarren : 0);
    arm->open = arm->space.open_legal();
    arm->known = arm->space.complete();
    arm->summary.legal = arm->space.legal().size();
    arm->summary.complete = arm->known;
  }
  if (points.empty() || cancel) return std::optional<TrialsRequest>();
  arm->asked += points.size();
  return std::optional(hand_out(*arm, points));
}

Result<SpaceBatch> Tuner::plan_space(Session& session, const std::string& variant, SpaceRequest request,
                                     const Cancel& cancel) {
  uint64_t& kept = arm_of(variant)->kept_refused;
  if (planned_) request.keep_refused = request_.keep_refused - std::min(request_.keep_refused, kept);
  SpaceBatch batch = TRY(session.plan_space(request_.problem, variant, request, cancel));
  kept += batch.refused.size();
  if (planned_) planned_(variant, batch);
  return batch;
}

/// Learns of more legal configs, where the strategy could run out of them.
Result<void> Tuner::grow(Arm& arm, const Planning& by, size_t wanted) {
  if (arm.space.complete()) return {};
  if (in_order()) {
    if (arm.walked == 0) {
      // All of it at first, where that is soon done: so it is known how far the sweep is.
      const auto start = Clock::now();
      TRY(walk(arm, by, arm.space.size(), kFirstWalkMs));
      const double share = double(arm.walked) / double(arm.space.size());
      const bool soon = ms_since(start) <= kSweepWalkMs * share;
      while (soon && !arm.walk_done && !by.cancel) TRY(walk(arm, by, arm.space.size(), 300));
    }
    add_walked(arm);
    while (!arm.walk_done && arm.space.open_legal() < wanted && !by.cancel) {
      TRY(walk(arm, by, 2 * kMostBatch, 300));
      add_walked(arm);
    }
    return {};
  }
  if (!arm.sampled) {
    const double most_ms =
        request_.budget.seconds > 0 ? std::min(kWalkMs, 1e3 * kWalkShare * request_.budget.seconds) : kWalkMs;
    const auto start = Clock::now();
    TRY(walk(arm, by, arm.space.size(), kFirstWalkMs));
    // The beginning of a space may be planned sooner than the rest: so the estimate is renewed after each part.
    const auto soon = [&] { return ms_since(start) <= most_ms * double(arm.walked) / double(arm.space.size()); };
    while (!arm.walk_done && !by.cancel && soon()) TRY(walk(arm, by, arm.space.size(), 500));
    // A part of the space in its order is one corner of it: those configs are found again, like all others, by chance.
    arm.sampled = !arm.walk_done;
    if (arm.sampled)
      arm.found.clear();
    else
      add_walked(arm);
  }
  return arm.sampled ? sample(arm, by, 4 * wanted) : Result<void>();
}

/// add_walked() adds its findings.
Result<void> Tuner::walk(Arm& arm, const Planning& by, uint64_t most_legal, double ms) {
  SpaceRequest request{.first = arm.walked, .budget_ms = ms, .max_legal = std::max<uint64_t>(most_legal, 1)};
  SpaceBatch batch = TRY(plan_space(by.session, arm.summary.variant, request, by.cancel));
  // A walk that decides nothing would repeat for ever.
  if (!batch.done && batch.next <= arm.walked && !by.cancel)
    return internal_error("planning {} does not get past config {}", arm.summary.variant, arm.walked);
  arm.walked = batch.next;
  arm.walk_done = batch.done;
  arm.found.insert(arm.found.end(), batch.legal.begin(), batch.legal.end());
  const std::lock_guard lock(mutex_);
  add_reasons(arm.summary.pruned, batch.pruned);
  return {};
}

void Tuner::add_walked(Arm& arm) {
  arm.space.add_legal(std::exchange(arm.found, {}));
  if (arm.walk_done) arm.space.set_complete();
}

/// Each legal config is as likely as another: points are drawn one by one; where none is legal the next one is taken.
Result<void> Tuner::sample(Arm& arm, const Planning& by, size_t wanted) {
  const auto start = Clock::now();
  while (arm.space.open_legal() < wanted && !by.cancel) {
    const double left = kSampleMs - ms_since(start);
    if (left <= 0) break;
    SpaceRequest request;
    request.budget_ms = left;
    if (arm.barren == 0) {
      request.max_legal = wanted - arm.space.open_legal();
      for (size_t i = 0; i < kSamplePoints; ++i)
        if (const Point p = arm.random.below(arm.space.size()); arm.space.open(p)) request.points.push_back(p);
      if (request.points.empty()) break;
    } else {
      request.max_legal = 1;
      request.first = arm.random.below(arm.space.size());
      request.budget_candidates = kSampleCandidates;
      request.budget_ms = kSampleMs / 4;
    }
    const SpaceBatch batch = TRY(plan_space(by.session, arm.summary.variant, request, by.cancel));
    arm.space.add_legal(batch.legal);
    if (batch.done && !request.points.empty()) break;  // no config at all can serve the problem
  }
  return {};
}

std::vector<RaceEntry> Tuner::finalists(size_t most, double share) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::pair<double, RaceEntry>> all;
  for (const auto& arm : arms_)
    for (const auto& [ns, point] : arm->by_time)
      if (ns <= progress_.best_ns * (1 + share)) all.push_back({ns, {arm->summary.variant, arm->space.config(point)}});
  std::ranges::stable_sort(all, {}, [](const auto& entry) { return entry.first; });
  all.resize(std::min(all.size(), most));
  return mapped(all, &std::pair<double, RaceEntry>::second);
}

std::optional<RaceEntry> Tuner::unless_failed(const RaceEntry& entry) const {
  const Arm* arm = arm_of(entry.variant);
  const auto p = arm == nullptr ? std::nullopt : arm->space.point(entry.config);
  const auto came = p ? arm->came.find(*p) : std::map<Point, PointResult>::const_iterator();
  return p && came != arm->came.end() && came->second.ns <= 0 ? std::nullopt : std::optional(entry);
}

std::optional<RaceEntry> Tuner::baseline() const {
  const std::lock_guard lock(mutex_);
  // Where its trial failed, nothing that is right runs untuned.
  if (request_.untuned) return unless_failed(*request_.untuned);
  std::optional<RaceEntry> out;
  double least = 0;
  for (const auto& arm : arms_) {
    if (!arm->first_seed) continue;
    const auto it = arm->came.find(*arm->first_seed);
    if (it == arm->came.end() || it->second.ns <= 0 || (out && it->second.ns >= least)) continue;
    least = it->second.ns;
    out = RaceEntry{arm->summary.variant, arm->space.config(*arm->first_seed)};
  }
  return out;
}

std::optional<RaceEntry> Tuner::current() const {
  const std::lock_guard lock(mutex_);
  return request_.current && arm_of(request_.current->variant) ? unless_failed(*request_.current) : std::nullopt;
}

TuneProgress Tuner::progress() const {
  const std::lock_guard lock(mutex_);
  TuneProgress out = progress_;
  bool known = true;
  uint64_t left = on_their_way() + not_made_;
  for (const auto& arm : arms_) {
    known &= arm->known || arm->exhausted;
    left += arm->open;
  }
  const uint64_t tried = progress_.tried - progress_.refused;
  if (known) out.goal = tried + left;
  if (request_.budget.trials > 0) out.goal = std::min(request_.budget.trials, out.goal > 0 ? out.goal : UINT64_MAX);
  return out;
}

std::vector<ArmSummary> Tuner::summaries() const {
  const std::lock_guard lock(mutex_);
  return mapped(arms_, [](const auto& arm) {
    ArmSummary summary = arm->summary;
    std::ranges::stable_sort(summary.pruned, std::greater(), &PrunedReason::count);
    return summary;
  });
}

std::vector<ConfigTrial> Tuner::tried() const {
  const std::lock_guard lock(mutex_);
  return tried_;
}

std::string without_numbers(std::string_view sentence) {
  // "f16" is a word.
  static const std::regex kNumber(R"((^|[^A-Za-z_0-9])\d(?:\d|[.,](?=\d))*(?:e[-+]?\d+)?)");
  return std::regex_replace(std::string(sentence.substr(0, sentence.find('\n'))), kNumber, "$1#");
}

}  // namespace attnscope::tune
