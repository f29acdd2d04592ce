// The model that predicts times: on a made-up device whose times are known, and what it refuses.
#include "engine/tune/cost_model.hpp"

#include "tests/has.hpp"

namespace attnscope::tune::cost_model_test {

Problem problem(const std::string& text) { return *parse_problem(text); }

/// Two configs of one variant: "large" has tiles of 128 queries, cheap a step and dear to start; "small" has tiles
/// of 32.
std::vector<VariantRank> ranks(const Problem& p) {
  VariantRank rank{"flash", 1, "", {}};
  for (const auto& [name, rows] : {std::pair{"large", 128u}, std::pair{"small", 32u}}) {
    ConfigWork w{.name = name,
                 .config = {{"BLOCK_M", rows}},
                 .passes = 1,
                 .workgroups = uint64_t{p.batch} * p.heads_q * ((p.seq_q + rows - 1) / rows)};
    w.steps = w.most_steps = std::ceil(p.seq_kv / 64.0);
    rank.configs.push_back(w);
  }
  return {rank};
}
/// Microseconds on a device of 10 cores.
double truth(const Problem& p, const ConfigWork& w) {
  const bool large = w.config.at("BLOCK_M") == 128;
  const double turns = std::ceil(double(w.workgroups) / 10);
  return 3 + turns * ((large ? 2.0 : 0.5) + w.steps * (large ? 1.0 : 0.4) * p.head_dim / 64);
}
/// Adds the times of a problem, each `factor` times what it takes.
void learn(CostModel& m, const Problem& p, const std::function<double(const ConfigWork&)>& factor = {}) {
  const auto all = ranks(p);
  for (const ConfigWork& w : all[0].configs) m.add(p, "flash", "hash", w, truth(p, w) * (factor ? factor(w) : 1));
}
CostModel made(std::initializer_list<const char*> problems) {
  CostModel m{.device = "GPU", .driver = "1", .cores = 10};
  for (const char* text : problems) learn(m, problem(text));
  return m;
}
/// Of a row of the model's: whether it is of "small".
bool is_small(const CostModel& model, const auto& row) {
  return model.configs[size_t(row[0])].config.at("BLOCK_M") == 32;
}
CostModel usual() {
  return made({"1x2x128x64:f16", "1x8x256x64:f16", "1x16x1024x64:f16", "4x16x512x64:f16", "1x8x2048x64:f16",
               "2x16x700x64:f16", "1x4x4096x64:f16"});
}
std::vector<Prediction> predicted(const CostModel& model, const std::string& text) {
  return predict(model, problem(text), ranks(problem(text)));
}
/// Of few queries.
CostModel decoding() {
  return made({"1x8x600x64:q=1:f16", "4x8x900x64:q=1:f16", "1x32x300x64:q=2:f16", "1x2x4000x64:q=1:f16",
               "2x8x700x64:q=4:f16", "2x16x500x64:q=1:f16", "1x8x3000x64:q=2:f16"});
}

TEST(CostModel, PredictsProblemsItHasNotSeen) {
  const CostModel model = usual();
  for (const char* text :
       {"1x2x300x64:f16", "2x8x900x64:f16", "8x16x600x64:f16", "1x3x3000x64:bf16", "1x1x100x64:f16"}) {
    SCOPED_TRACE(text);
    const Problem p = problem(text);
    const auto ranked = ranks(p);
    const std::vector<Prediction> all = predicted(model, text);
    ASSERT_FALSE(all.empty());
    const ConfigWork* best = nullptr;
    for (const ConfigWork& w : ranked.front().configs)
      if (best == nullptr || truth(p, w) < truth(p, *best)) best = &w;
    EXPECT_EQ(all.front().config, best->config);
    EXPECT_NEAR(all.front().us / truth(p, *best), 1, 0.2);
  }
}

TEST(CostModel, AFitOfSmallProblemsAloneDoesNotChooseForLargeOnes) {
  CostModel model =
      made({"1x2x64x64:f16", "1x3x64x64:f16", "1x4x100x64:f16", "1x5x128x64:f16", "1x2x200x64:f16", "1x3x256x64:f16",
            "1x8x256x64:f16", "1x16x1024x64:f16", "4x16x512x64:f16", "1x8x2048x64:f16"});
  // "small" takes as long whatever the problem, as far as the model has it.
  for (CostProblem& p : model.problems) {
    if (p.problem.seq_q > 256) std::erase_if(p.rows, [](const auto& row) { return row[0] == 1; });
    for (auto& row : p.rows)
      if (row[0] == 1) row[5] = 7;
  }
  const auto all = predicted(model, "2x16x4096x64:f16");
  EXPECT_EQ(all.at(0).name, "large");
}

TEST(CostModel, NothingReadsKAndVFasterThanTheFastestMeasured) {
  CostModel model = decoding();
  learn(model, problem("16x16x8000x64:q=1:f16"));
  CostProblem& large = model.problems.back();
  std::erase_if(large.rows, [&](const auto& row) { return is_small(model, row); });
  const double mb_per_us = (double(large.problem.k_bytes() + large.problem.v_bytes()) / 1e6 - 40) / large.rows[0][5];
  // "small" takes as long whatever the problem, as far as the model has it.
  for (CostProblem& p : model.problems)
    for (auto& row : p.rows)
      if (is_small(model, row)) row[5] = 7;
  const Problem p = problem("32x16x8000x64:q=1:f16");
  const auto all = predict(model, p, ranks(p));
  EXPECT_GE(all.at(0).us * mb_per_us, double(p.k_bytes() + p.v_bytes()) / 1e6 - 41) << all.front().name;
}

TEST(CostModel, ManyQueriesAreNotBoundByTheirBytes) {
  CostModel model = usual();
  learn(model, problem("4x64x2048x64:f16"));  // of which more than a cache is read, at the rate of its arithmetic
  const auto all = predicted(model, "64x64x256x64:f16");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_NE(all.front().us, all.back().us);
  EXPECT_LT(all.front().us, predicted(model, "4x64x2048x64:f16").front().us);
}

TEST(CostModel, ATurnTakesNoLessThanOneThatHadNoMoreKeyTiles) {
  CostModel model = usual();
  const Problem one_tile = problem("1x16x64x64:q=3200:f16"), in_window = problem("1x16x64x64:q=3200:bf16");
  learn(model, one_tile);
  auto work = ranks(in_window);
  for (ConfigWork& w : work[0].configs) w.steps = w.most_steps = 0.05;  // of most queries a window leaves no key
  const std::vector<Prediction> all = predict(model, in_window, work);
  ASSERT_EQ(all.size(), 2u);
  for (const Prediction& x : all)
    EXPECT_GE(x.us * 1.001, truth(one_tile, *find_by(ranks(one_tile)[0].configs, x.config, &ConfigWork::config)));
}

TEST(CostModel, AWindowCostsWhatOneOfItsSizeDid) {
  CostModel model = usual();
  learn(model, problem("1x16x1024x64:window=64:f16"), [](const ConfigWork&) { return 3; });
  learn(model, problem("1x16x1024x64:window=512:f16"));
  EXPECT_GT(predicted(model, "1x16x1000x64:window=80:f16").at(0).us,
            1.15 * predicted(model, "1x16x1000x64:window=400:f16").at(0).us);
}

TEST(CostModel, OptionsTogetherCostWhatTheyDidTogether) {
  CostModel model = usual();
  const auto twice = [](const ConfigWork&) { return 2; };
  for (const char* text : {"1x8x1024x64:window=64:f16", "1x8x1024x64:softcap=30:f16", "1x8x1024x64:mask:f16"})
    learn(model, problem(text), twice);
  const char* const both = "1x8x1000x64:softcap=30:mask:f16";
  const auto apart = predicted(model, both), other = predicted(model, "1x8x1000x64:window=64:mask:f16");
  ASSERT_EQ(apart.size(), 2u);
  const bool small = apart.front().name == "small";
  learn(model, problem("1x8x1024x64:softcap=30:mask:f16"),
        [&](const ConfigWork& w) { return (w.name == "small") == small ? 12 : 4; });
  const auto together = predicted(model, both);
  EXPECT_NE(together.front().name, apart.front().name);
  EXPECT_GT(together.back().us, 1.5 * apart.front().us);
  EXPECT_EQ(predicted(model, "1x8x1000x64:window=64:mask:f16"), other) << "of a softcap nothing was asked";
}

TEST(CostModel, TakesTheNextLargerHeadDim) {
  CostModel model = usual();
  const CostModel wide = made({"1x2x128x128:f16", "1x8x256x128:f16", "1x16x1024x128:f16", "4x16x512x128:f16",
                               "2x8x512x128:f16", "1x4x2048x128:f16"});
  for (const CostProblem& p : wide.problems) learn(model, p.problem);
  const auto all = predicted(model, "1x16x1024x80:f16");
  ASSERT_FALSE(all.empty());
  const Problem wider = problem("1x16x1024x128:f16");
  EXPECT_NEAR(all.front().us, truth(wider, ranks(wider).front().configs[all.front().name == "small"]), 10);
  EXPECT_TRUE(predicted(model, "1x16x1024x256:f16").empty());
}

TEST(CostModel, SaysNothingWhereItDoesNotReach) {
  const CostModel model = usual();
  for (const char* text : {"1x16x1024x64:f32", "1x16x1024x64:f16:mask", "1x16x1024x64:f16:kvtype=q8_0",
                           "1x16x1024x64:f16:q=1", "1x16x1024x64:f16:window=64:q=8"})
    EXPECT_TRUE(predicted(model, text).empty()) << text;
  for (const char* text : {"1x16x1024x64:f16:window=64", "1x16x1024x64:f16:softcap=30", "1x16x1024x64:f16:sinks",
                           "1x16x1024x64:f16:page=16"})
    EXPECT_FALSE(predicted(model, text).empty()) << text;
  const Problem p = problem("1x16x1024x64:f16");
  auto refused = ranks(p);
  refused.front().why_not = "it takes no f16";
  EXPECT_TRUE(predict(model, p, refused).empty());
  auto unknown = ranks(p);
  for (ConfigWork& w : unknown.front().configs) w.config = {{"BLOCK_M", 7}};
  EXPECT_TRUE(predict(model, p, unknown).empty());
}

TEST(CostModel, LearnsWhatAnOptionCostsEachConfig) {
  CostModel model = usual();
  const auto with = [&](const char* option, double large, double small) {
    for (const char* size : {"1x16x1024x64:f16", "1x4x4096x64:f16"})
      learn(model, problem(size + std::string(option)),
            [&](const ConfigWork& w) { return w.name == "large" ? large : small; });
  };
  const auto times = [&](const std::string& text) {
    std::map<std::string, double> us;
    for (const Prediction& x : predicted(model, text)) us[x.name] = x.us;
    return us;
  };
  const std::string size = "4x16x900x64:f16";
  const auto plain = times(size);
  EXPECT_FALSE(tells_times(model, problem(size + ":softcap=30")));
  EXPECT_EQ(times(size + ":softcap=30"), plain) << "of which it has no times";
  with(":softcap=30", 3, 1.25);
  with(":mask", 1.1, 2);
  EXPECT_TRUE(tells_times(model, problem(size + ":softcap=30")));
  EXPECT_EQ(times(size), plain);
  const auto expect = [&](const std::string& options, double large, double small) {
    const auto us = times(size + options);
    ASSERT_EQ(us.size(), 2u) << options;
    EXPECT_NEAR(us.at("large") / plain.at("large"), large, 0.1 * large) << options;
    EXPECT_NEAR(us.at("small") / plain.at("small"), small, 0.1 * small) << options;
  };
  expect(":softcap=20", 3, 1.25);
  expect(":mask=batch", 1.1, 2);
  expect(":mask:softcap=30:sinks", 3.3, 2.5);
  EXPECT_TRUE(times(size + ":mask:kvtype=f8e4m3").empty()) << "of one of the options it has no times";
  EXPECT_TRUE(times(size + ":mask=alibi").empty());
  for (CostProblem& p : model.problems)
    if (p.problem.softcap != 0) p.rows.pop_back();
  const auto of_others = times(size + ":softcap=30");  // "small" has no times with it
  EXPECT_GT(of_others.at("small") / plain.at("small"), of_others.at("large") / plain.at("large"));
  // What it costs at another head dim counts too, beside the time without it there.
  const Problem wider = problem("4x16x1000x128:f16");
  learn(model, wider);
  learn(model, problem("4x16x1000x128:softcap=30:f16"), [&](const ConfigWork&) { return 1; });
  const auto of_both = times(size + ":softcap=30");
  EXPECT_LT(of_both.at("small") / plain.at("small"), 0.9 * of_others.at("small") / plain.at("small"));
}

TEST(CostModel, SaysNothingBesideAVariantThatRanksHigherAndThatItDoesNotKnow) {
  const CostModel model = usual();
  const Problem p = problem("1x16x1024x64:f16");
  std::vector<VariantRank> all = ranks(p);
  all.push_back({"newer", 2, "", all[0].configs});
  EXPECT_TRUE(predict(model, p, all).empty());
  all.back().why_not = "it cannot run here";
  EXPECT_FALSE(predict(model, p, all).empty());
  all.back() = {"newer", 0.5, "", all[0].configs};
  EXPECT_FALSE(predict(model, p, all).empty());
}

TEST(CostModel, TakesAWidthAtWhichItKnowsTheVariantThatRanksHighest) {
  CostModel model = usual();
  for (const CostProblem& known : std::vector(model.problems)) {
    const Problem narrow = problem(to_text(known.problem).replace(to_text(known.problem).rfind("x64"), 3, "x48"));
    const auto all = ranks(narrow);
    for (const ConfigWork& w : all[0].configs) model.add(narrow, "other", "hash", w, 1);
  }
  const Problem p = problem("1x16x1024x40:f16");
  std::vector<VariantRank> all = ranks(p);
  all.push_back({"other", 0.5, "", all[0].configs});
  const auto predicted = predict(model, p, all);
  EXPECT_EQ(predicted.at(0).variant, "flash");
  all.back().rank = 2;
  EXPECT_EQ(predict(model, p, all).front().variant, "other");
}

TEST(CostModel, TakesTheLeastWhateverTheRank) {
  CostModel model = usual();
  const Problem p = problem("1x16x1024x64:f16");
  for (CostProblem& known : model.problems) {
    const auto rows = known.rows;
    for (auto row : rows) {
      const CostConfig c = model.configs[size_t(row[0])];
      model.add(known.problem, "other", "hash", {"", c.config, 1, uint64_t(row[2]), row[3], row[4], row[6]},
                row[5] * 0.95);
    }
  }
  std::vector<VariantRank> all = ranks(p);
  EXPECT_EQ(predict(model, p, all).front().variant, "flash");
  all.push_back({"other", 0.5, "", all[0].configs});
  EXPECT_EQ(predict(model, p, all).front().variant, "other");
}

TEST(CostModel, PredictsWhatItMeasuredAsItWas) {
  CostModel model = usual();
  const Problem p = problem("1x16x1024x64:f16");
  const auto of_large = [&](uint32_t cores) {
    const std::vector<Prediction> all = predict(model, p, ranks(p), cores);
    return std::ranges::find(all, Config{{"BLOCK_M", 128}}, &Prediction::config)->us;
  };
  auto& row = std::ranges::find(model.problems, p, &CostProblem::problem)->rows[0];
  row[5] *= 1.3;
  EXPECT_EQ(of_large(0), row[5]);
  EXPECT_EQ(of_large(10), row[5]);
  EXPECT_LT(of_large(20), row[5] * 0.9) << "another number of cores was not measured";
}

TEST(CostModel, OfOtherSourcesItTellsTheOrderAndNoTime) {
  CostModel model = usual();
  model.device = "a";
  const DeviceInfo device{.name = "a", .limits = {.core_count = model.cores}};
  const Problem p = problem("1x16x2048x64:f16");
  auto ranked = ranks(p);
  for (const bool same : {true, false}) {
    ranked.front().shader_hash = same ? "hash" : "another";
    const PredictedConfigs known = predict(std::span(&model, 1), device, p, ranked);
    ASSERT_EQ(known.all.size(), 2u);
    EXPECT_EQ(known.time_of("flash", known.all.front().config).has_value(), same);
  }
}

TEST(CostModel, FewQueriesWithPackedKAndVHaveFitsOfTheirOwn) {
  CostModel model = decoding();
  const char *const plain = "1x8x1000x64:q=1:f16", *const packed = "1x8x1000x64:q=1:kvtype=q8_0:f16";
  const auto before = predicted(model, plain);
  EXPECT_FALSE(before.empty());
  EXPECT_TRUE(predicted(model, packed).empty());
  for (const char* text : {"1x8x600x64:q=1:f16:kvtype=q8_0", "4x8x900x64:q=1:f16:kvtype=f8e4m3",
                           "1x32x300x64:q=2:f16:kvtype=q8_0", "1x2x4000x64:q=1:f16:kvtype=q4_0"})
    learn(model, problem(text), [](const ConfigWork&) { return 3; });
  EXPECT_EQ(predicted(model, plain), before);
  const auto after = predicted(model, packed);
  EXPECT_GT(after.at(0).us, 2 * before.front().us);
  EXPECT_EQ(predicted(model, "1x8x1000x64:q=1:softcap=30:f16"), before) << "hidden behind the bytes";
}

TEST(CostModel, FewQueriesWithAWindowCountTheKeysThatTheySee) {
  CostModel model = decoding();
  const auto seen = predicted(model, "1x8x800x64:q=1:f16");
  EXPECT_FALSE(seen.empty());
  EXPECT_EQ(predict(model, problem("1x8x200000x64:q=1:window=800:f16"), ranks(problem("1x8x800x64:q=1:f16"))), seen);
  // So they do where they were measured.
  CostModel other = model;
  const auto work = ranks(problem("2x8x900x64:q=1:f16"));
  for (const ConfigWork& w : work[0].configs) {
    model.add(problem("2x8x90000x64:q=1:window=900:f16"), "flash", "hash", w, 70);
    other.add(problem("2x8x900x64:q=1:f16"), "flash", "hash", w, 70);
  }
  EXPECT_NE(predicted(model, "1x8x800x64:q=1:f16"), seen);
  EXPECT_EQ(predicted(model, "1x8x800x64:q=1:f16"), predicted(other, "1x8x800x64:q=1:f16"));
}

TEST(CostModel, LeavesOutWhatWasFarBehindOnAllThatIsAlike) {
  CostModel model = usual();
  for (CostProblem& p : model.problems)
    for (auto& row : p.rows) row[5] *= is_small(model, row) ? 20 : 1;
  for (const Prediction& x : predicted(model, "1x2x300x64:f16")) EXPECT_EQ(x.name, "large");
}

TEST(CostModel, IsJudgedByLeavingOutEachOfItsProblems) {
  CostModel model = usual();
  CostModel few = decoding();
  few.problems.push_back(made({"1x4x1000x64:f32"}).problems.front());
  few.problems.push_back(made({"1x4x1000x64:window=500:f16"}).problems.front());
  model.problems.insert(model.problems.end(), few.problems.begin(), few.problems.end());
  std::vector<LeaveOneOut> groups = leave_one_out(model);
  ASSERT_EQ(groups.size(), 3u) << "one f32 problem is predicted by no other";
  EXPECT_EQ(std::tuple(groups[2].group, groups[2].problems), std::tuple("options", 1u));
  EXPECT_EQ(std::tuple(groups[0].group, groups[0].problems, groups[1].group, groups[1].problems),
            std::tuple("prefill", 7u, "decoding", 7u));
  EXPECT_LT(groups[0].mean, 1.1);
  for (const LeaveOneOut& g : groups) EXPECT_TRUE(1 <= g.mean && g.mean <= g.worst) << g.group;

  // What no other problem tells: there "small" takes a tenth.
  CostProblem& odd = model.problems[2];
  for (auto& row : odd.rows)
    if (is_small(model, row)) row[5] = 0.1 * odd.rows.front()[5];
  groups = leave_one_out(model);
  EXPECT_NEAR(groups[0].worst, 10, 0.1);
  EXPECT_EQ(groups[0].worst_problem, odd.problem);
}

TEST(CostModel, IsReadAsItWasWritten) {
  const CostModel model = usual();
  EXPECT_EQ(*must(model_from_json(model_to_json(model), "text")), model);
  EXPECT_TRUE(fails(model_from_json("{}", "x.json"), "x.json is not a model"));
  EXPECT_TRUE(fails(model_from_json(R"({"attnscope_model":1})", "x.json"), "version 1"));
  for (const auto& [column, value] : {std::pair{0, 99}, {5, -1}}) {
    CostModel bad = model;
    bad.problems.front().rows.front()[size_t(column)] = value;
    EXPECT_TRUE(fails(model_from_json(model_to_json(bad), "x"), "invalid row"));
  }
}

TEST(CostModel, OfAVariantThatChangedNothingOlderStays) {
  CostModel m = usual();
  const Problem p = problem("1x2x128x64:f16");
  const ConfigWork w = ranks(p)[0].configs[1];
  m.add(p, "other", "of other", w, 7);
  EXPECT_EQ(m.drop_older("flash", "hash"), 0u);
  EXPECT_EQ(m.drop_older("flash", "newer"), 2u);
  EXPECT_EQ(only(m.configs).variant, "other");
  ASSERT_EQ(only(m.problems).rows.size(), 1u) << "those of which nothing is left are gone";
  EXPECT_EQ(m.problems[0].rows[0][0], 0) << "its config's new place";
  EXPECT_EQ(m.problems[0].rows[0][5], 7);
}

TEST(CostModel, IsFoundByDeviceAndRatherByDriver) {
  std::vector<CostModel> models{
      {.device = "other"}, {.device = "GPU", .driver = "1"}, {.device = "GPU", .driver = "2"}};
  DeviceInfo device;
  const auto found = [&](const char* name, const char* driver) {
    device.name = name;
    device.driver = driver;
    const CostModel* model = find_model(models, device);
    return model == nullptr ? ptrdiff_t{-1} : model - models.data();
  };
  EXPECT_EQ(found("GPU", "2"), 2);
  EXPECT_EQ(found("GPU", "3"), 1);
  EXPECT_EQ(found("none", "1"), -1) << "nothing says that it is related";
  // Related by vendor, subgroup size and matrices: the nearest in cores.
  device.vendor_id = 0x10de;
  device.limits.subgroup_size = 32;
  device.limits.core_count = 100;
  device.matrix_layout = MatrixLayout{.m = 16, .n = 16, .k = 16};
  const CostModel own = empty_model(device);
  EXPECT_EQ(own.matrix, "16x16x16");
  for (size_t i = 0; i < models.size(); ++i) {
    const std::string name = models[i].device;
    models[i] = own;
    models[i].device = name;
    models[i].cores = i == 0 ? 132 : 20;
  }
  EXPECT_EQ(found("none", "1"), 0);
  EXPECT_EQ(model_differs(models[0], device), "of other");
  EXPECT_EQ(found("GPU", "1"), 1) << "its own first";
  EXPECT_EQ(found("other", "7"), 0);
  EXPECT_EQ(model_differs(models[0], device), "with driver " + models[0].driver);
  models[0].matrix = "16x8x16";
  EXPECT_EQ(found("none", "1"), 1);
  device.vendor_id = 0x1002;
  EXPECT_EQ(found("none", "1"), -1);
}

TEST(CostModel, AFolderMayHoldFilesThatAreNoneAndTheOnesThatShipAreRead) {
  const TempDir folder;
  write_file(folder / "a.json", model_to_json(usual()));
  write_file(folder / "b.json", "[]");
  std::vector<std::string> notes;
  EXPECT_EQ(load_models(folder.path(), notes).size(), 1u);
  EXPECT_TRUE(has(only(notes), "b.json"));
  EXPECT_TRUE(load_models(folder / "none", notes).empty());
  notes.clear();
  EXPECT_FALSE(load_models(shipped("assets/models"), notes).empty());
  EXPECT_TRUE(notes.empty());
}

}  // namespace attnscope::tune::cost_model_test
