#include "engine/search/search.hpp"

#include <deque>

#include "engine/session/auto_choice.hpp"
#include "engine/tune/journal.hpp"
#include "engine/tune/random.hpp"

namespace attnscope::search {
namespace {

// Which variants compete for a problem, and what each is tried with first.

constexpr size_t kMostNeighbours = 3;
constexpr const char* kAll = "all";

double rank_of(std::span<const VariantRank> ranks, const std::string& variant) {
  const VariantRank* r = find_by(ranks, variant, &VariantRank::variant);
  return r == nullptr ? 0.0 : r->rank;
}

struct Competitor {
  const VariantInfo* info = nullptr;
  Config own;  ///< what "default" stands for
  tune::ArmRequest arm;
};
/// The requested variants that can serve the problem; the pointers are into `place`.
Result<std::vector<Competitor>> competitors(const SearchRequest& request, const SearchDevice& place,
                                            const TunedTables& tuned, tune::PredictedConfigs& predicted) {
  std::vector<const VariantInfo*> wanted;
  const auto add = [&](const VariantInfo* info) {
    if (!contains(wanted, info)) wanted.push_back(info);
  };
  bool all = request.variants.empty();
  for (const std::string& name : request.variants) {
    all |= name == kAll;
    if (name == kAll) continue;
    add(TRY(within(name, usable_variant(place.variants, name, place.device))));
  }
  if (all)
    for (const VariantInfo& v : place.variants)
      if (v.error.empty() && v.why_not.empty()) add(&v);

  // The likeliest first, by the device's model as far as it reaches, then by rank: what is slower is dropped sooner.
  if (const auto ranks = place.session->rank_variants(request.problem)) {
    predicted = tune::predict(tuned.models, place.device, request.problem, *ranks);
    const auto turn = [&](const VariantInfo* v) {
      return std::ranges::find(predicted.all, v->name, &tune::Prediction::variant);
    };
    std::ranges::stable_sort(wanted, [&](const VariantInfo* a, const VariantInfo* b) {
      return turn(a) != turn(b) ? turn(a) < turn(b) : rank_of(*ranks, a->name) > rank_of(*ranks, b->name);
    });
  }
  std::vector<Competitor> out;
  std::string why_none;
  for (const VariantInfo* info : wanted) {
    const ConfigChoice choice = TRY(place.session->choose_config(request.problem, info->name, "default"));
    if (!choice.legal()) {
      if (!all) return bad_input("{} cannot serve {}: {}", info->name, to_text(request.problem), choice.because);
      if (why_none.empty()) why_none = fmt::format("{}: {}", info->name, choice.because);
      continue;
    }
    Competitor c;
    c.info = info;
    c.arm.variant = info->name;
    c.arm.parameters = info->parameters;
    c.own = choice.config;
    for (const tune::Prediction& p : predicted.all)
      if (p.variant == info->name &&
          (!c.arm.seeds.empty() || place.session->can_run(request.problem, p.variant, p.config)))
        c.arm.seeds.push_back(p.config);
    c.arm.seeds.push_back(choice.config);
    const tune::TunedQuery query{
        place.device, request.problem, {{info->name, info->hash}}, request.protocol.cache, request.protocol.launch};
    const auto near = tune::find_tuned(tuned, query);
    for (size_t n = 0; n < near.size() && n < kMostNeighbours; ++n) c.arm.seeds.push_back(near[n].entry.config);
    for (const NamedConfig& config : info->configs) c.arm.seeds.push_back(full_config(*info, config));
    out.push_back(std::move(c));
  }
  if (out.empty())
    return bad_input("No variant can serve {} on {}{}", to_text(request.problem), place.device.name,
                     why_none.empty() ? "" : "; " + why_none);
  return out;
}

/// Matches that are asked about before it is given up.
constexpr size_t kMostMatches = 8;

// Estimates the work of a search without measuring: the spaces of all variants that compete, as far as planned in time.

/// Time of planning in all, and the part of it for drawing configs of a space that is not finished in its share.
constexpr double kLookMs = 3000, kDrawMs = 100;
constexpr size_t kDrawn = 512;
/// Executions of a trial beside its samples (the verdict's, warming up, one more), and seconds for the rest of it.
constexpr double kExecutions = 9, kAroundS = 0.05;

struct Legal {
  uint64_t count = 0;
  bool about = false;
};

/// Legal configs of one variant, in `ms`.
Result<Legal> count_legal(tune::Tuner& tuner, Session& session, const std::string& variant, double ms,
                          const Cancel& cancel) {
  const auto start = Clock::now();
  SpaceRequest next{.max_legal = UINT64_MAX};
  Legal out;
  uint64_t size = 0;
  for (bool done = false; !done;) {
    if (cancel || ms_since(start) >= ms) {
      out.about = true;
      break;
    }
    next.budget_ms = 100;
    const SpaceBatch batch = TRY(tuner.plan_space(session, variant, next, cancel));
    out.count += batch.legal.size();
    done = batch.done || batch.next <= next.first;
    next.first = batch.next;
    size = batch.size;
  }
  if (!out.about || size == 0 || cancel) return out;
  SpaceRequest drawn{.budget_ms = kDrawMs, .max_legal = UINT64_MAX};
  tune::Random random(tune::hash_text(variant));
  for (size_t i = 0; i < kDrawn; ++i) drawn.points.push_back(random.below(size));
  const SpaceBatch batch = TRY(tuner.plan_space(session, variant, drawn, cancel));
  uint64_t decided = batch.legal.size();
  for (const PrunedReason& r : batch.pruned) decided += r.count;
  if (decided > 0)
    out.count = std::max(out.count, uint64_t(double(size) * double(batch.legal.size()) / double(decided)));
  return out;
}

/// The mean duration of the measured trials; negative = there are none.
double seconds_each(std::span<const tune::ConfigTrial> tried) {
  double sum = 0;
  uint64_t count = 0;
  for (const tune::ConfigTrial& t : tried) {
    if (t.trial.median_ns <= 0) continue;
    const double executions = kExecutions + double(t.trial.samples_ns.size() * t.trial.dispatches_per_sample);
    sum += kAroundS + t.trial.compile_ms / 1e3 + executions * t.trial.median_ns / 1e9;
    ++count;
  }
  return count > 0 ? sum / double(count) : -1;
}

/// Plans for three seconds at most, and draws from what takes longer; what is tried is left out.
Result<SearchEstimate> look(const SearchRequest& request, tune::Tuner& tuner, Session& session, const Cancel& cancel) {
  const std::vector<tune::ArmRequest>& arms = tuner.request().arms;
  const std::vector<tune::ConfigTrial> tried = tuner.tried();
  const auto start = Clock::now();
  SearchEstimate out;
  for (size_t i = 0; i < arms.size(); ++i) {
    const double left = kLookMs - ms_since(start);
    const Result<Legal> legal =
        count_legal(tuner, session, arms[i].variant, std::max(left, 0.0) / double(arms.size() - i), cancel);
    if (!legal) return legal.error();
    uint64_t done = 0;
    for (const tune::ConfigTrial& t : tried)
      done += t.variant == arms[i].variant && t.trial.outcome != Outcome::refused;
    const uint64_t open = legal->count - std::min(legal->count, done);
    out.arms.push_back({arms[i].variant, open, legal->about});
    out.configs += open;
    out.about |= legal->about;
  }
  if (request.budget.trials > 0) {
    const auto done =
        uint64_t(std::ranges::count_if(tried, [](const auto& t) { return t.trial.outcome != Outcome::refused; }));
    out.configs = std::min(out.configs, request.budget.trials - std::min(request.budget.trials, done));
  }
  const double each = seconds_each(tried);
  if (each > 0) out.seconds = each * double(out.configs);
  if (request.budget.seconds > 0 && (out.seconds < 0 || out.seconds > request.budget.seconds)) {
    out.seconds = request.budget.seconds;
    if (each > 0) out.configs = std::min(out.configs, uint64_t(out.seconds / each));
  }
  return out;
}

/// Lines of a journal that cannot be written now and are kept until it can.
constexpr size_t kMostUnwritten = 100'000;

double time_of(const Record& r) { return r.statistics ? r.statistics->median : 1e300; }

tune::TuneRequest tune_request(const SearchRequest& request, std::vector<Competitor>& competing) {
  tune::TuneRequest out{request, {}};
  for (Competitor& c : competing) {
    if (!request.seeds) c.arm.seeds.clear();
    out.arms.push_back(c.arm);
  }
  return out;
}

/// Keeps trials, and those that cannot be written until they can.
class Keeper {
 public:
  Keeper(const SearchEvents& events) : events_(events) {}
  Result<void> open(const SearchRequest& request, const DeviceInfo& device) {
    if (request.journal.empty()) return {};
    const auto key = tune::journal_key(device, request.problem, request.protocol, request.seed);
    // Who only looks leaves nothing behind: a file for each problem that a slider passed by.
    tune::Journal opened = TRY(request.look_only ? Result<tune::Journal>(tune::Journal::look(request.journal, key))
                                                 : tune::Journal::open(request.journal, key, request.fresh));
    if (!opened.note().empty() && events_.note) events_.note(opened.note());
    journal_.emplace(std::move(opened));
    return {};
  }
  void recall(const SearchRequest& request, const std::map<std::string, VariantInfo>& variants,
              tune::Tuner& tuner) const {
    if (!journal_) return;
    for (const tune::JournalLine& line : journal_->earlier()) {
      const auto known = variants.find(line.variant);
      if (known == variants.end() || known->second.hash != line.shader_hash) continue;
      const Trial& trial = line.trial;
      if (request.retry && trial.outcome != Outcome::measured && trial.outcome != Outcome::refused) continue;
      if (!request.drop && trial.dropped) continue;
      tuner.recall(line.variant, trial);
      if (events_.trial) events_.trial(line.variant, trial, true);
    }
  }
  void keep(const VariantInfo& info, const Trial& trial, const DeviceInfo& device) {
    if (!journal_) return;
    unwritten_.push_back({info.name, info.hash, trial});
    unwritten_.back().trial.time_utc = stamp(device).time_utc;
    if (unwritten_.size() > kMostUnwritten) {
      unwritten_.pop_front();
      ++lost_;
    }
    write();
  }
  /// Retries lines that could not be written, such as on a full disk.
  void write() {
    const bool failed = failed_;
    while (!unwritten_.empty()) {
      const Result<void> ok = journal_->append(unwritten_.front());
      failed_ = !ok;
      if (failed_ && !failed) say(fmt::format("Trials cannot be kept now: {}", ok.error().message));
      if (failed_) return;
      unwritten_.pop_front();
    }
    if (failed) say("Trials are kept again, those from before too.");
  }
  /// The number of trials that the journal does not have.
  uint64_t finish() {
    if (!journal_) return 0;
    write();
    const uint64_t missing = lost_ + unwritten_.size();
    if (missing > 0) say(fmt::format("{} trials are not in the journal.", missing));
    return missing;
  }

 private:
  void say(const std::string& note) const {
    if (events_.note) events_.note(note);
  }
  const SearchEvents& events_;
  std::optional<tune::Journal> journal_;
  std::deque<tune::JournalLine> unwritten_;
  uint64_t lost_ = 0;    ///< there were too many of them
  bool failed_ = false;  ///< the last time
};

}  // namespace

Error no_such_variant(const std::string& known) { return bad_input("there is no such variant; there are: " + known); }

Result<const VariantInfo*> usable_variant(std::span<const VariantInfo> variants, const std::string& name,
                                          const DeviceInfo& device, bool insist) {
  const VariantInfo* info = find_by(variants, name, &VariantInfo::name);
  if (info == nullptr) {
    std::vector<std::string> known{std::string(kAutoVariant), kAll};
    for (const VariantInfo& v : variants) known.push_back(v.name);
    return no_such_variant(joined(known));
  }
  if (!info->error.empty()) return bad_input("it does not load:\n" + info->error);
  if (!info->why_not.empty() && insist) return unsupported("it cannot run on {}: {}", device.name, info->why_not);
  return info;
}

Result<void> check_variants(const SearchRequest& request, const SearchDevice& place) {
  tune::PredictedConfigs none;
  const Result<std::vector<Competitor>> competing = competitors(request, place, {}, none);
  return competing ? Result<void>() : competing.error();
}

Result<SearchOutcome> run_search(const SearchRequest& request, std::span<const SearchDevice> places,
                                 const TunedTables& tuned, const SearchEvents& events, const Cancel& cancel) {
  if (places.empty()) return internal_error("there is no device to search on");
  const auto start = Clock::now();
  const SearchDevice& first = places.front();
  SearchOutcome out;
  std::vector<Competitor> competing = TRY(competitors(request, first, tuned, out.predicted));
  out.device = first.device;
  SearchBegan began{{}, request.journal, out.predicted};
  for (const Competitor& c : competing) {
    out.variants.emplace(c.info->name, *c.info);
    began.arms.push_back({c.info->name, c.info->hash, c.info->parameters, c.own});
  }
  const RaceEntry own_default{competing.front().info->name, competing.front().own};
  out.request = tune_request(request, competing);
  const auto unranked = [&] {
    const auto ranks = first.session->rank_variants(request.problem);
    return !ranks || rank_of(*ranks, own_default.variant) == 0;
  };
  // Named alone, a variant without a rank competes with no other: what tuning it gains is over its own default.
  if (!request.look_only && request.variants.size() == 1 && request.variants.front() != kAll && unranked())
    out.request.untuned = own_default;
  else if (!request.look_only)
    if (const auto untuned = choose_untuned(*first.session, first.device, tuned.models, request.problem))
      out.request.untuned = RaceEntry{untuned->variant, untuned->config};
  // The next configs are planned while trials report.
  std::mutex telling;
  tune::Tuner::Planned planned;
  if (events.planned)
    planned = [&](const std::string& variant, const SpaceBatch& batch) {
      const std::lock_guard lock(telling);
      events.planned(variant, batch);
    };
  tune::Tuner tuner(out.request, planned);
  Keeper keeper(events);
  TRY(keeper.open(request, first.device));
  if (events.began) events.began(began);
  keeper.recall(request, out.variants, tuner);

  if (request.look_only) {
    out.estimate = TRY(look(request, tuner, *first.session, cancel));
    out.result.no_race = "Nothing was measured.";
  } else {
    tune::DriveOptions options{.finalists = request.finalists};
    options.compile_ahead = places.size() == 1 && first.device.type != DeviceType::software;
    options.trial = [&](const std::string& variant, const Trial& trial) {
      const std::lock_guard lock(telling);
      keeper.keep(out.variants.at(variant), trial, first.device);
      if (events.trial) events.trial(variant, trial, false);
    };
    options.note = events.note;
    options.stages = events.stages;
    options.race_batch_ms = request.race_batch_ms;
    if (events.tick) options.tick = [&](const std::string& stage) { events.tick(stage, tuner.progress()); };
    const std::vector<Session*> devices = mapped(places, &SearchDevice::session);
    Result<tune::TuneResult> result = tune::drive(tuner, devices, options, cancel);
    out.unkept = keeper.finish();
    if (!result) return result.error();
    out.result = std::move(*result);
    const auto tell = [&](Record& r) { r.predicted = out.predicted.time_of(r.variant, r.config); };
    if (out.result.winner) tell(*out.result.winner);
    if (out.result.baseline) tell(*out.result.baseline);
    std::ranges::for_each(out.result.raced, tell);
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

Record record_of(const SearchOutcome& out, const tune::ConfigTrial& tried) {
  const Trial& trial = tried.trial;
  RunRequest run{.problem = out.request.problem,
                 .variant = tried.variant,
                 .config = trial.config,
                 .protocol = out.request.protocol,
                 .seed = out.request.seed,
                 .predicted = out.predicted.time_of(tried.variant, trial.config)};
  Record record = make_record(run, out.variants.at(tried.variant), out.device);
  // The first execution of what was dropped is judged, and no other.
  if (!trial.dropped) record.samples_ns = trial.samples_ns;
  record.dispatches_per_sample = trial.dispatches_per_sample;
  record.settled = trial.settled;
  if (!trial.time_utc.empty()) record.environment.time_utc = trial.time_utc;
  if (!trial.dropped && trial.samples_ns.empty() && trial.median_ns > 0) record.samples_ns = {trial.median_ns};
  conclude(record, trial.outcome,
           trial.dropped ? "Surely slower than the best; it has no time, since only its first output was checked."
                         : trial.message);
  // What is measured and not dropped was judged as a run is; a trial keeps of that that it passed, and no numbers.
  if (record.outcome == Outcome::measured && record.statistics) record.verdict.emplace().pass = true;
  return record;
}

std::vector<Record> records_of(const SearchOutcome& out) {
  auto records = mapped(out.tried, [&](const tune::ConfigTrial& tried) { return record_of(out, tried); });
  std::ranges::stable_sort(records, [](const Record& a, const Record& b) { return time_of(a) < time_of(b); });
  return records;
}

std::filesystem::path journal_in(const std::filesystem::path& folder, const DeviceInfo& device, const Problem& problem,
                                 const Protocol& protocol, uint64_t seed) {
  if (folder.empty()) return {};
  return folder / (tune::journal_name(tune::journal_key(device, problem, protocol, seed)) + ".jsonl");
}

TunedTables load_tables(const std::filesystem::path& tuned_file, const std::filesystem::path& shipped_models) {
  TunedTables tables;
  if (!tuned_file.empty()) tables.user = tune::load_tuned(tuned_file);
  const auto own_models = tuned_file.empty() ? tuned_file : tuned_file.parent_path() / "models";
  for (const std::filesystem::path& folder : {own_models, shipped_models})
    if (!folder.empty())
      std::ranges::move(tune::load_models(folder, tables.user.notes), std::back_inserter(tables.models));
  return tables;
}

std::optional<tune::TunedMatch> choose_tuned(Session& session, const TunedTables& tables, const tune::TunedQuery& query,
                                             size_t* count) {
  std::vector<tune::TunedMatch> matches = tune::find_tuned(tables, query);
  if (count != nullptr) *count = matches.size();
  for (size_t i = 0; i < matches.size() && i < kMostMatches; ++i)
    if (session.can_run(query.problem, matches[i].entry.variant, matches[i].entry.config)) return std::move(matches[i]);
  return std::nullopt;
}

RaceRequest pair_request(const Problem& problem) {
  RaceRequest request;
  request.problem = problem;
  request.protocol.min_ms = 400;
  request.protocol.max_ms = 1500;
  request.protocol.min_samples = 32;
  request.protocol.target_noise = 0.001;
  // Two clocks that take turns every 40 ms hide 1 % from turns of 5 ms, and not from these (paired_test.cpp).
  request.turn_ms = 2;
  return request;
}

VariantSource renamed(VariantSource source, const std::string& name) {
  source.name = name;
  source.shadows.clear();
  return source;
}

}  // namespace attnscope::search
