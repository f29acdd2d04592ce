// A search over a session, without a device: who competes, the journal, what is told, what is kept.
#include <sys/resource.h>
#include <csignal>

#include "engine/record/report.hpp"
#include "engine/search/search.hpp"
#include "engine/session/auto_choice.hpp"
#include "engine/tune/journal.hpp"
#include "tests/tune/replay.hpp"

namespace attnscope::search::search_test {

using tune::RecordedSpace;

RecordedSpace space_of(const std::string& name, double best_ns) {
  RecordedSpace space;
  space.variant = name;
  space.parameters = {{"A", "", {1, 2, 4, 8}, 1}, {"B", "", {16, 32, 64}, 16}};
  const ConfigProduct product(space.parameters);
  for (uint64_t i = 0; i < product.size(); ++i) {
    const Config c = product.at(i);
    if (c.at("A") == 8 && c.at("B") == 64) continue;
    space.times[c] = best_ns * (1 + std::abs(double(c.at("A")) - 4) + std::abs(double(c.at("B")) - 32) / 16);
  }
  return space;
}

struct ReplaySession final : tune::Replay {
  using Replay::Replay;
  Result<Inspection> inspect(const Problem&, const std::string&, const Config&) override { return Inspection{}; }
  Result<ConfigChoice> choose_config(const Problem&, const std::string& variant, const std::string&) override {
    if (variant == "cannot") return ConfigChoice{{}, "", ConfigChoice::How::as_asked, "head_dim is too large"};
    return ConfigChoice{{{"A", 1}, {"B", 16}}, "default", ConfigChoice::How::as_asked, ""};
  }
  Result<std::vector<VariantRank>> rank_variants(const Problem&) override { return ranks; }
  Result<SpaceBatch> plan_space(const Problem& p, const std::string& v, const SpaceRequest& r,
                                const std::atomic<bool>& c) override {
    kept_refused.push_back(r.keep_refused);
    return Replay::plan_space(p, v, r, c);
  }
  Result<RaceResult> race(const RaceRequest& r, const EventSink& sink, const std::atomic<bool>& c) override {
    Result<RaceResult> result = Replay::race(r, sink, c);
    for (Record& record : result->records) {
      record.environment.device.name = "Test GPU";
      record.environment.device.driver = "test 1.0";
      record.environment.shader_hash = record.variant + "-1";
    }
    return result;
  }
  std::vector<uint64_t> kept_refused;
  std::vector<VariantRank> ranks{{"cannot", 9, ""}, {"fast", 8, ""}, {"slow", 5, ""}};
};

struct World {
  const TempDir dir;
  ReplaySession session;
  SearchDevice place;
  explicit World(double slow_ns = 900) : session({space_of("fast", 300), space_of("slow", slow_ns)}) {
    place.session = &session;
    place.device.name = "Test GPU";
    place.device.driver = "test 1.0";
    for (const std::string name : {"fast", "slow", "cannot"})
      place.variants.push_back({.name = name, .hash = name + "-1", .parameters = space_of(name, 1).parameters});
    place.variants.push_back({.name = "broken", .error = "main.comp:3: error"});
  }
  SearchRequest request(std::vector<std::string> variants = {}) {
    SearchRequest r;
    r.problem = *parse_problem("1x2x64x32:f16");
    r.variants = std::move(variants);
    r.finalists = 3;
    return r;
  }
  Result<SearchOutcome> run(const SearchRequest& r, const SearchEvents& events = {}) {
    return run_search(r, std::span(&place, 1), {}, events, kGoOn);
  }
};

TEST(Search, AllThatCanServeCompeteAndWhatIsNamedHasToBeAbleTo) {
  World w;
  const auto out = must(w.run(w.request()));
  EXPECT_EQ(std::tuple(out->variants.size(), out->tried.size(), out->result.winner->variant, out->baseline),
            std::tuple(2u, 22u, "fast", "fast A=1,B=16"));
  EXPECT_EQ(records_of(*out).front().statistics->median, 300);
  EXPECT_GT(out->progress.dropped, 0u);
  for (const tune::ConfigTrial& t : out->tried) {
    const Record r = record_of(*out, t);
    EXPECT_EQ(r.statistics.has_value(), !t.trial.dropped) << "what is judged once has no time";
    EXPECT_EQ(verdict_word(r), t.trial.dropped ? "not verified" : "pass");
    EXPECT_EQ(rows_text(r), "") << "of how many rows a trial does not keep";
  }
  EXPECT_EQ(best_table(records_of(*out), {}).rows.at(0).at(1), "fast A=4,B=32");
  for (const auto& [variant, part] :
       {std::pair{"none", "all, fast"}, {"broken", "main.comp:3"}, {"cannot", "head_dim is too large"}}) {
    EXPECT_TRUE(fails(w.run(w.request({variant})), part)) << variant;
    EXPECT_FALSE(check_variants(w.request({variant}), w.place));
  }
}

TEST(Search, BeginsWithWhatTheModelOfTheDevicePredicts) {
  World w;
  TunedTables tables;
  tune::CostModel& model = tables.models.emplace_back(tune::CostModel{.device = w.place.device.name, .cores = 4});
  const auto work = [](int64_t a) { return ConfigWork{"named", {{"A", a}, {"B", 32}}, 1, 4, 2, 2}; };
  w.session.ranks[2].configs = {work(2), work(4)};
  for (const char* text : {"1x2x100x32:f16", "1x2x128x32:f16", "1x2x256x32:f16", "1x2x512x32:f16"}) {
    model.add(*parse_problem(text), "slow", "slow-1", work(2), 12);
    model.add(*parse_problem(text), "slow", "slow-1", work(4), 10);
  }
  SearchRequest request = w.request();
  request.problem = *parse_problem("1x2x200x32:f16");
  std::vector<std::string> order;
  const SearchEvents events{.began = [&](const SearchBegan& began) { order = mapped(began.arms, &Arm::variant); }};
  const auto out = must(run_search(request, std::span(&w.place, 1), tables, events, kGoOn));
  EXPECT_EQ(order, (std::vector<std::string>{"slow", "fast"}));
  const std::vector<Config>& seeds = out->request.arms.front().seeds;
  ASSERT_GE(seeds.size(), 3u);
  EXPECT_EQ(seeds[0], work(4).config) << "the least predicted, before what would run by the manifest";
  EXPECT_EQ(seeds[1], work(2).config);
  EXPECT_EQ(out->tried.front().variant, "slow");
  EXPECT_EQ(out->tried.front().trial.config, work(4).config);
  const Record first = record_of(*out, out->tried.front());
  EXPECT_NEAR(must(first.predicted)->ns, 10'000, 500);
  EXPECT_EQ(out->result.baseline->predicted, first.predicted);
  EXPECT_EQ(out->baseline, "slow A=4,B=32") << "what the model chooses is what runs untuned";
}

TEST(Search, TheJournalIsGoneOnFromAndLookedAtWithoutMeasuring) {
  World w;
  SearchRequest request = w.request({"fast"});
  request.journal = journal_in(w.dir / "trials", w.place.device, request.problem, request.protocol, 1);
  request.budget.trials = 5;
  request.finalists = 0;
  ASSERT_TRUE(w.run(request));
  const size_t made = w.session.tried.size();
  EXPECT_EQ(made, 5u);

  uint64_t recalled = 0, legal = 0, told = 0;
  SearchEvents events{.trial = [&](const std::string&, const Trial&, bool before) { before ? ++recalled : ++told; },
                      .planned = [&](const std::string&, const SpaceBatch& batch) { legal += batch.legal.size(); }};
  request.look_only = true;
  request.keep_refused = 7;
  auto out = must(w.run(request, events));
  EXPECT_EQ(std::tuple(recalled, told, legal, w.session.kept_refused.back(), w.session.tried.size()),
            std::tuple(5u, 0u, 11u, 7u, made));

  request.look_only = false;
  request.budget.trials = 0;
  out = w.run(request, events);
  ASSERT_TRUE(out);
  EXPECT_EQ(told, 6u) << "the others";
  // Another version of the variant begins anew.
  w.place.variants[0].hash = "fast-2";
  recalled = 0;
  ASSERT_TRUE(w.run(request, events));
  EXPECT_EQ(recalled, 0u);
}

TEST(Search, WhatAnEarlierRunDroppedIsTimedWhereNothingIsDropped) {
  World w;
  SearchRequest request = w.request();
  request.journal = w.dir / "j.jsonl";
  request.finalists = 0;
  EXPECT_GT(must(w.run(request))->progress.dropped, 0u);
  request.drop = false;
  const auto out = must(w.run(request));
  EXPECT_EQ(out->progress.dropped, 0u);
  for (const tune::ConfigTrial& t : out->tried) EXPECT_TRUE(record_of(*out, t).statistics);
}

TEST(Search, TheFastestOfEachVariantThatRacedIsKeptAndWithoutARaceTheBestTrial) {
  World w;
  auto out = must(w.run(w.request()));
  auto entries = tuned_entries(*out);
  EXPECT_EQ(entries.at(0).variant, "fast");
  EXPECT_TRUE(entries[0].raced);
  EXPECT_GT(entries[0].default_ns, entries[0].median_ns);
  SearchRequest request = w.request();
  request.finalists = 0;
  out = w.run(request);
  ASSERT_TRUE(out);
  entries = tuned_entries(*out);
  EXPECT_FALSE(only(entries).raced);
  EXPECT_EQ(entries[0].median_ns, 300);
  EXPECT_EQ(entries[0].default_ns, 1500) << "of its trial";
  EXPECT_EQ(entries[0].default_variant, "fast");
  ASSERT_TRUE(keep_tuned(w.dir / "tuned.json", entries, std::span(&w.place, 1)));
  const TunedTables tables = load_tables(w.dir / "tuned.json", w.dir / "none");
  EXPECT_EQ(only(tables.user.entries).config, entries[0].config);
  EXPECT_FALSE(keep_tuned({}, entries, std::span(&w.place, 1))) << "there is no place for it";
}

TEST(Search, ASearchOfOneVariantIsMeasuredBesideWhatWouldHaveRunUntuned) {
  for (const double slow_ns : {900.0, 9000.0}) {
    World w(slow_ns);
    const SearchRequest request = w.request({"slow"});
    const auto out = must(w.run(request));
    EXPECT_EQ(out->baseline, "fast A=1,B=16");
    EXPECT_EQ(out->result.winner->variant, "slow") << "what was asked for";
    for (const Record& r : out->result.raced) EXPECT_EQ(r.variant, "slow");
    for (const tune::ConfigTrial& t : out->tried) EXPECT_EQ(t.variant, "slow");
    TunedTables tables;
    tables.user.entries = tuned_entries(*out);
    const tune::TunedEntry& entry = only(tables.user.entries);  // what ran beside it was not tuned
    EXPECT_EQ(std::tuple(entry.median_ns, entry.default_ns, entry.default_variant, entry.default_config),
              std::tuple(slow_ns, 1500, "fast", (Config{{"A", 1}, {"B", 16}})));
    // Each is five times faster than its own default.
    const auto choice = must(choose_auto(w.session, w.place.device, w.place.variants, tables, request.problem));
    EXPECT_EQ(choice->variant, slow_ns < 1500 ? "slow" : "fast") << choice->because;
  }
}

TEST(Search, WhatIsNotCalledFasterThanWhatRunsUntunedIsNotKept) {
  const Config current{{"A", 1}, {"B", 16}}, best{{"A", 4}, {"B", 32}};
  struct Case {
    double best_ns;
    bool kept;
  };
  // With seven samples there are too few turns, and all of them are looked at: slow kernels race like others.
  for (const size_t samples : {20, 7})
    for (const auto& [best_ns, kept] : {Case{900, true}, Case{999, false}}) {
      World w;
      // The other variant's best is a little faster still.
      RecordedSpace fast = space_of("fast", 3000), slow = space_of("slow", 3000);
      fast.times[current] = 1000;
      fast.times[best] = best_ns;
      slow.times[best] = best_ns - 1;
      static_cast<tune::Replay&>(w.session) = tune::Replay({fast, slow});
      w.session.samples_in_race = samples;
      const auto out = must(w.run(w.request()));
      EXPECT_EQ(out->result.winner->variant, "slow");
      EXPECT_EQ(keeps_current(*out), !kept);
      TunedTables tables;
      tables.user.entries = tuned_entries(*out);
      ASSERT_EQ(tables.user.entries.size(), 2u) << "each variant's own, for who names it";
      EXPECT_EQ(tables.user.entries[0].variant, kept ? "slow" : "fast") << "what runs from now on";
      for (const tune::TunedEntry& e : tables.user.entries) {
        EXPECT_EQ(e.config, e.variant == "fast" && !kept ? current : best) << e.variant;
        EXPECT_EQ(e.too_close, e.variant == "slow" && !kept);
      }
      const auto choice = must(choose_auto(w.session, w.place.device, w.place.variants, tables, w.request().problem));
      EXPECT_EQ(choice->variant, kept ? "slow" : "fast") << choice->because;
    }
  // What runs untuned is wrong: whatever is right is better.
  World w;
  w.session.wrong_in_race.insert(current);
  const auto out = must(w.run(w.request()));
  EXPECT_FALSE(keeps_current(*out));
  EXPECT_EQ(tuned_entries(*out)[0].config, best);
}

TEST(Search, ASweepIsMeasuredBesideItToo) {
  World w;
  SearchRequest request = w.request();
  request.seeds = false;
  request.strategy = tune::StrategyKind::exhaustive;
  const auto out = must(w.run(request));
  const auto entries = tuned_entries(*out);
  EXPECT_EQ(entries.at(0).default_ns, 1500);
  EXPECT_EQ(entries[0].default_variant, "fast");
}

TEST(Search, WhatCannotBeWrittenIsWrittenWhenItCan) {
  World w;
  SearchRequest request = w.request({"fast"});
  request.finalists = 0;
  request.journal = w.dir / "j.jsonl";
  std::vector<std::string> notes;
  SearchEvents events;
  events.note = [&](const std::string& note) { notes.push_back(note); };
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto signal_before = std::signal(SIGXFSZ, SIG_IGN);
  const auto limit = [&](rlim_t bytes) {
    const rlimit now{bytes, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &now), 0);
  };
  uint64_t trials = 0;
  events.trial = [&](const std::string&, const Trial&, bool) {
    // Room for a part of the next line.
    if (++trials == 3) limit(fs::file_size(request.journal) + 20);
    if (trials == 7) limit(before.rlim_cur);
  };
  const auto out = w.run(request, events);
  limit(before.rlim_cur);
  std::signal(SIGXFSZ, signal_before);
  ASSERT_TRUE(out) << out.error().message;
  EXPECT_EQ(notes.size(), 2u) << "that it fails, and that it works again";
  const auto key = tune::journal_key(out->device, request.problem, request.protocol, request.seed);
  const tune::Journal journal = tune::Journal::look(request.journal, key);
  EXPECT_EQ(journal.earlier().size(), 11u);
  EXPECT_TRUE(has(journal.note(), "1 lines of")) << "the part of a line";
}

TEST(Search, ALookEstimatesAllThatCompete) {
  World w;
  SearchRequest request = w.request();
  request.look_only = true;
  auto out = must(w.run(request));
  ASSERT_EQ(out->estimate.arms.size(), 2u);
  EXPECT_EQ(out->estimate.configs, 22u);
  EXPECT_FALSE(out->estimate.about);
  EXPECT_LT(out->estimate.seconds, 0) << "nothing was ever measured";
  request.look_only = false;
  request.finalists = 0;
  request.budget.trials = 5;
  request.journal = w.dir / "j.jsonl";
  ASSERT_TRUE(w.run(request));
  request.look_only = true;
  request.budget.trials = 0;
  out = w.run(request);
  EXPECT_EQ(must(out)->estimate.configs, 17u);
  EXPECT_GT(out->estimate.seconds, 0);
  request.budget.trials = 8;
  EXPECT_EQ(w.run(request)->estimate.configs, 3u);
  request.budget = {1e-3, 0};
  EXPECT_EQ(w.run(request)->estimate.seconds, 1e-3);
}

TEST(Search, LookingLeavesNoFile) {
  World w;
  SearchRequest request = w.request({"fast"});
  request.journal = journal_in(w.dir / "trials", w.place.device, request.problem, request.protocol, 1);
  request.look_only = true;
  ASSERT_TRUE(w.run(request));
  EXPECT_FALSE(fs::exists(w.dir / "trials"));
  fs::create_directories(w.dir / "trials");
  write_file(request.journal, "my shopping list\n");
  std::string notes;
  const SearchEvents events{.note = [&](const std::string& note) { notes += note; }};
  ASSERT_TRUE(w.run(request, events));
  EXPECT_EQ(read_file(request.journal), "my shopping list\n") << "nor is one moved";
  EXPECT_TRUE(has(notes, "is not a journal"));
}

TEST(Search, WhatIsLeftIsByTimeOrByTrialsWhicheverIsLess) {
  tune::TuneProgress p;
  EXPECT_LT(seconds_left(p, 1, 0), 0) << "nobody knows";
  EXPECT_DOUBLE_EQ(seconds_left(p, 10, 60), 50);
  p.tried = 20;
  p.recalled = 10;
  p.goal = 30;
  EXPECT_DOUBLE_EQ(seconds_left(p, 10, 60), 10);
  EXPECT_DOUBLE_EQ(seconds_left(p, 10, 0), 10);
}

}  // namespace attnscope::search::search_test
