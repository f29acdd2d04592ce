// sweep, tune and tuned with the real binary: what is found is kept, whatever ends the process.
#include "tests/cli/run_binary.hpp"

namespace attnscope::tune_test {

constexpr const char* kProblem = "1x2x9x16";

/// A search of `row` that is quick on a software device.
std::vector<std::string> search(const std::string& command, const std::vector<std::string>& more) {
  return with(
      typed("{} --device cpu --quiet --variant row --warmup-ms 0 --min-ms 0 --max-ms 20 --min-samples 5", command),
      more);
}
fs::path table(const TempDir& dir) { return dir / "attnscope" / "tuned.json"; }

/// Configs of whole lines of a journal.
std::vector<std::string> told(const fs::path& journal) {
  std::vector<std::string> configs;
  std::istringstream in(read_file(journal));
  for (std::string line; std::getline(in, line) && !in.eof();) {
    const json j = json::parse(line, nullptr, false);
    if (j.is_object() && j.contains("config"))
      configs.push_back(j.at("variant").get<std::string>() + j.at("config").dump());
  }
  return configs;
}

TEST(Calibrate, KeepsTimesAndGoesOnFromThem) {
  const TempDir dir;
  const fs::path file = dir / "model.json";
  const auto calibrate = [&](const std::string& problem) {
    return run_ok(typed("calibrate --device cpu --quiet --variant tiled --problem {} --output {}", problem, file));
  };
  calibrate("1x2x9x16");
  const json model = json::parse(read_file(file));
  EXPECT_EQ(only(model.at("problems")).at("rows").size(), model.at("configs").size());
  EXPECT_GT(model.at("configs").size(), 1u);
  EXPECT_TRUE(has(calibrate("1x2x9x16").out, "nothing measured now")) << "each has its time";
  EXPECT_EQ(json::parse(read_file(file)), model);
  const auto report = [](const fs::path& of) { return typed("calibrate --report --output {}", of); };
  EXPECT_TRUE(has(run_ok(report(file)).out, model.at("device").get<std::string>()));
  EXPECT_EQ(run_binary(report(dir / "none")).code, 2);
  EXPECT_TRUE(has(run_ok(report(shipped("assets/models/h200.json"))).out, "prefill", "decoding", "f32",
                  "geometric mean", "worst"));
  // With a prediction of one config (of the variant that ranks highest here), one whose times are too few for any is
  // measured all the same.
  json some = model;
  const json rows = model.at("problems")[0].at("rows");
  some["problems"] = json::array();
  for (const char* text : {"1x2x9x16:f32", "1x2x10x16:f32", "1x2x11x16:f32", "1x2x12x16:f32"})
    some["problems"].push_back(json{{"problem", text}, {"rows", json::array()}});
  for (json& p : some["problems"]) p["rows"].push_back(rows[0]);
  some["problems"][0]["rows"].push_back(rows[1]);
  write_file(file, some.dump());
  calibrate("1x2x13x16");
  std::vector<int> measured;
  some = json::parse(read_file(file));
  for (const json& row : some.at("problems").at(4).at("rows")) measured.push_back(int(row[0]));
  EXPECT_TRUE(std::ranges::count(measured, int(rows[1][0]))) << json(measured);
  for (const char* wrong : {"--variant no_such", "--problem 1x2"})
    EXPECT_EQ(run_binary(typed(std::string("calibrate --device cpu ") + wrong)).code, 2) << wrong;
}

/// That it compiles and picks as the tree does is asked of the engine (tests/tune/cache_test.cpp).
TEST(Tuned, ExportsAPickForAnyShapeWithWhatIsKnownOfIt) {
  const TempDir dir;
  const fs::path file = dir / "pick.h", regret = dir / "regret.json";
  write_file(regret, R"({"regret": [{"regret": 1.1}, {"regret": 1.21}]})");
  run_ok(typed("tuned --any-shape --device cpu --shapes 20 --export {} --regret {}", file, regret), data_in(dir));
  const std::string source = read_file(file);
  EXPECT_TRUE(has(source, "attnscope_pick(", "there is no model", "Fitted to the choice of auto on ", "1.154", "1.210"))
      << source.substr(0, 800);
  for (const auto& words : {typed("tuned --any-shape --device cpu"),
                            typed("tuned --any-shape --device cpu --export {}", dir / "pick.json")})
    EXPECT_EQ(run_binary(words).code, 2);
}

TEST(Regret, HoldsTheChoiceOfAutoAgainstASearch) {
  const TempDir dir;
  const fs::path journal = dir / "regret.jsonl";
  const auto args = typed(
      "regret --device cpu --quiet --json --problem 1x2x9x16 --budget 2 --warmup-ms 0 --min-ms 0 "
      "--max-ms 20 --min-samples 5 --journal {}",
      journal);
  const json all = run_json(args, data_in(dir));
  EXPECT_EQ(only(all.at("regret")).at("problem"), "1x2x9x16:f32");
  EXPECT_GE(all.at("regret")[0].at("regret"), 1.0);
  // What is done is not done again, also after a line that was cut; what is no journal stays.
  write_file(journal, read_file(journal) + "{");
  EXPECT_EQ(run_json(args, data_in(dir)), all);
  write_file(journal, "mine\n");
  EXPECT_EQ(run_binary(args, data_in(dir)).code, 2);
  EXPECT_EQ(read_file(journal), "mine\n");
  EXPECT_EQ(run_binary(typed("regret --device cpu --budget soon")).code, 2);
  // The first draw of this seed has a K of 165 MiB, more than a software device takes in a buffer.
  const auto large = run_binary(typed("regret --device cpu --seeds 4 --count 1 --gflop 5 --budget 1"));
  EXPECT_TRUE(has(large.err, "note: No variant can serve 1x16x84428x128:q=1:kv=8:f16")) << large.out;
}

TEST(Tune, WhatItFindsIsUsedListedAndExported) {
  const TempDir dir;
  const Finished f = run_ok(search("tune", typed("--problem {} --budget 5 --json", kProblem)), data_in(dir));
  const json outcome = json::parse(f.out).at("tuned").at(0);
  EXPECT_GE(outcome.at("measured").get<int>() + outcome.at("dropped").get<int>(), 4);
  const json entry = outcome.at("entries").at(0);
  EXPECT_EQ(entry.at("variant"), "row");
  EXPECT_EQ(entry.at("raced"), true);
  EXPECT_GT(entry.at("default_ns").get<double>(), 0);
  EXPECT_FALSE(entry.at("passes").empty()) << "what it takes to dispatch it elsewhere";
  const json records = json::parse(f.out).at("records");
  EXPECT_FALSE(records.empty());
  for (const json& r : records) EXPECT_EQ(r.at("verdict").at("pass"), true);

  const auto bench_in = [](const TempDir& data, const std::string& problem) {
    return run_binary(typed("bench --device cpu --quiet --json --variant row --config tuned --problem {} --max-ms 20 "
                            "--min-ms 1 --warmup-ms 0",
                            problem),
                      data_in(data));
  };
  const auto bench = [&](const std::string& problem) { return bench_in(dir, problem); };
  const Finished same = bench(kProblem), near = bench("1x2x33x16");
  for (const Finished& one : {same, near})
    EXPECT_EQ(json::parse(one.out).at("records").at(0).at("config"), entry.at("config")) << one.err;
  EXPECT_EQ(same.err, "");
  EXPECT_TRUE(has(near.err, "tuned for 1x2x9x16:f32 (the nearest that was tuned)"));
  EXPECT_TRUE(ends(bench("1x2x9x32"), 0, "no config is tuned for it"));

  EXPECT_TRUE(has(run_ok({"tuned"}, data_in(dir)).out, "row"));
  const auto exported = dir / "t.json";
  EXPECT_EQ(run_json(typed("tuned --json"), data_in(dir)).at("entries").at(0).at("median_ns"), entry.at("median_ns"));
  fs::create_directories(dir / "edited");
  fs::copy(shipped("shaders/row"), dir / "edited" / "row");
  std::ofstream(dir / "edited" / "row" / "row.comp", std::ios::app) << "// edited\n";
  const json old = run_json(typed("tuned --json --shaders {}", dir / "edited"), data_in(dir)).at("entries").at(0);
  EXPECT_TRUE(old.at("source_changed") == true && old.at("median_ns").is_null() && old.at("default_ns").is_null());
  // To another machine: another folder, the same kind of device.
  ASSERT_EQ(run_binary({"tuned", "--export", exported}, data_in(dir)).code, 0);
  EXPECT_EQ(json::parse(read_file(exported)).at("entries").at(0).value("device_uuid", ""), "");
  const TempDir other;
  EXPECT_EQ(run_binary({"tuned", "--import", exported}, data_in(other)).code, 0);
  EXPECT_EQ(json::parse(bench_in(other, kProblem).out).at("records").at(0).at("config"), entry.at("config"));

  // A cache that something else wrote to is set aside, and the work goes on.
  write_file(table(dir), "garbage");
  EXPECT_TRUE(ends(bench(kProblem), 0, "was set aside as "));
}

TEST(Tune, KilledThreeTimesItLosesNothingThatWasFinished) {
  const TempDir dir;
  const auto journal = dir / "trials.jsonl";
  const auto words = search("tune", typed("--problem {} --budget 20 --journal {}", kProblem, journal));
  std::set<std::string> finished;
  for (int i = 0; i < 3; ++i) {
    Background tune(words, dir);
    ASSERT_TRUE(tune.wait_for([&] { return told(journal).size() > finished.size(); })) << "it goes on, time " << i;
    EXPECT_EQ(tune.end(SIGKILL), 128 + SIGKILL);
    const std::vector<std::string> now = told(journal);
    for (const std::string& config : finished) EXPECT_NE(std::ranges::find(now, config), now.end()) << config;
    finished.insert(now.begin(), now.end());
    EXPECT_EQ(finished.size(), now.size()) << "none is tried twice";
  }
  const size_t before = finished.size();
  ASSERT_GE(before, 3u);
  const json outcome = run_json(with(words, {"--json"}), data_in(dir)).at("tuned").at(0);
  EXPECT_EQ(outcome.at("recalled"), before);
  EXPECT_EQ(outcome.at("tried").get<size_t>() - outcome.at("refused").get<size_t>(), 20u);
}

TEST(Tune, OneThatIsInterruptedKeepsItsBest) {
  const TempDir dir;
  const auto journal = dir / "c.jsonl";
  Background c(search("tune", typed("--problem 1x2x5x16 --budget 1h --journal {}", journal)), dir);
  ASSERT_TRUE(c.wait_for([&] { return told(journal).size() >= 3; }));
  EXPECT_EQ(c.end(SIGINT), 130);
  const json document = json::parse(read_file(table(dir)));
  EXPECT_EQ(only(document.at("entries")).at("problem"), "1x2x5x16:f32");
  EXPECT_EQ(document.at("entries")[0].at("raced"), false);
}

TEST(Sweep, TellsTheBestAndCountsWhatWasLeftOut) {
  const TempDir dir;
  const Finished f =
      run_ok(typed("sweep --device cpu --quiet --variant row --problem 1x1x4x520 --budget 4 --max-ms 20 --journal {} "
                   "--output {}",
                   dir / "j.jsonl", dir / "r.json"),
             data_in(dir));
  EXPECT_TRUE(has(f.out, "The fastest of 4 on ", "% measuring"));
  EXPECT_TRUE(has(f.err, " configs left out: ceil_div(max(head_dim, v_dim), 4 * LANES) <= 16; such as "));
  std::set<std::string> configs;
  const json document = json::parse(read_file(dir / "r.json"));
  for (const json& r : document.at("records")) configs.insert(r.at("config").dump());
  EXPECT_EQ(configs.size(), 4u);
}

TEST(Tune, AVariantWithoutARankRacesAgainstItsOwnDefault) {
  const TempDir dir;
  const fs::path foreign = fs::path(ATTNSCOPE_SOURCE_DIR) / "tests/foreign";
  const Finished f =
      run_ok(typed("tune --device cpu --shaders {} --sources {} --variant engine_x --problem 1x2x9x8:f16 "
                   "--budget 4 --json --quiet --no-history",
                   foreign / "adapters", foreign / "sources"),
             data_in(dir));
  EXPECT_TRUE(has(json::parse(f.out).at("tuned").at(0).at("default").get<std::string>(), "engine_x"));
  // Whose folders these are is known where the table is listed and written, too.
  run_ok(
      typed("tuned --shaders {} --sources {} --export {}", foreign / "adapters", foreign / "sources", dir / "tuned.h"),
      data_in(dir));
  const std::string header = read_file(dir / "tuned.h");
  EXPECT_TRUE(has(header, "ATTNSCOPE_VENDOR_ID", "LANES", "\"kernels/attend.comp\"", "\"kernels/combine.comp\""));
  EXPECT_FALSE(has(header, "\"lanes\"}")) << "a tuned value is none to compute anew";
  EXPECT_TRUE(has(header, "\"seq_kv\"", "\"v_dim\"", "\"seq_q * parts\"")) << "push values";
  run_ok(typed("bench --device cpu --shaders {} --sources {} --variant engine_x --problem 1x2x9x8:f16 --config tuned "
               "--max-samples 4 --quiet",
               foreign / "adapters", foreign / "sources"),
         data_in(dir));
}

}  // namespace attnscope::tune_test
