// The file of --trace, whole at any moment, and `attnscope doctor`.
#include "app/cli/doctor.hpp"
#include "app/cli/trace_file.hpp"
#include "tests/cli/run_binary.hpp"

namespace attnscope::cli::trace_test {

using nlohmann::json;

TraceSpans spans(size_t count) {
  TraceSpans t;
  t.calibrated = true;
  t.now_ns = std::chrono::steady_clock::now().time_since_epoch().count();
  for (size_t i = 0; i < count; ++i)
    t.spans.push_back(
        {"a \"name\"", "sample", i % 2 == 0, t.now_ns + 1000 * int64_t(i), t.now_ns + 1000 * int64_t(i) + 500});
  return t;
}
size_t events_in(const json& j, const char* phase) {
  size_t n = 0;
  for (const json& e : j.at("traceEvents")) n += e.at("ph") == phase;
  return n;
}

/// What Perfetto's importer of such files wants: it drops or moves what is otherwise, as an event of an unknown kind,
/// one before the axis begins, or one that overlaps another of its track in part.
void expect_importable(const json& trace) {
  using Track = std::pair<int64_t, int64_t>;
  std::set<Track> named;
  std::map<Track, std::vector<std::pair<int64_t, int64_t>>> tracks;
  for (const json& e : trace.at("traceEvents")) {
    ASSERT_TRUE(e.at("pid").is_number_integer() && e.at("tid").is_number_integer() && e.at("name").is_string()) << e;
    const Track track{e.at("pid"), e.at("tid")};
    EXPECT_TRUE(track.first > 0 && track.second > 0) << e;
    if (e.at("ph") == "M") {
      EXPECT_FALSE(e.at("args").at("name").get<std::string>().empty()) << e;
      if (e.at("name") == "thread_name") named.insert(track);
      continue;
    }
    ASSERT_EQ(e.at("ph"), "X");
    EXPECT_TRUE(named.contains(track) && e.at("cat").is_string()) << e;
    const int64_t begin = std::llround(e.at("ts").get<double>() * 1e3),
                  ns = std::llround(e.at("dur").get<double>() * 1e3);
    EXPECT_TRUE(begin >= 0 && ns >= 0) << e;
    tracks[track].emplace_back(begin, -ns);
  }
  for (auto& [track, spans] : tracks) {
    std::ranges::sort(spans);  // of two that begin together, the longer one first
    std::vector<int64_t> ends;
    for (const auto& [begin, minus_ns] : spans) {
      while (!ends.empty() && ends.back() <= begin) ends.pop_back();
      EXPECT_TRUE(ends.empty() || begin - minus_ns <= ends.back()) << "tid " << track.second << " at ns " << begin;
      ends.push_back(begin - minus_ns);
    }
  }
}

TEST(TraceFileTest, IsWholeAfterEveryWriteAndKeepsItsBounds) {
  const TempDir dir;
  const auto path = dir / "t.json";
  const auto file = must(TraceFile::create(path, 10));
  const auto read = [&] { return json::parse(read_file(path)); };
  (*file)->add(0, spans(3));
  EXPECT_EQ(events_in(read(), "X"), 3u);
  EXPECT_EQ(events_in(read(), "M"), 3u);
  EXPECT_EQ(read().at("otherData").at("left_out"), 0);
  EXPECT_TRUE(has(read().at("otherData").at("device_clock").get<std::string>(), "calibrated"));
  TraceSpans more = spans(100);
  more.calibrated = false;
  more.left_out = 7;
  (*file)->add(0, more);
  const json full = read();
  EXPECT_EQ(full.at("traceEvents").size(), 10u);
  EXPECT_EQ(full.at("otherData").at("left_out"), 7 + 100 - 4);
  EXPECT_FALSE(has(full.at("otherData").at("device_clock").get<std::string>(), "calibrated"));
  const json& span = full.at("traceEvents")[3];
  EXPECT_EQ(span.at("dur"), 0.5);
  EXPECT_EQ(span.at("cat"), "sample");
}

TEST(TraceFileTest, IsOfOneRunThatBegan) {
  const TempDir dir;
  const auto path = dir / "t.json";
  const auto run = [&](size_t count) {
    const auto file = must(TraceFile::create(path));
    EXPECT_FALSE(TraceFile::create(path)) << "the other run's";
    if (count > 0) (*file)->add(0, spans(count));
    EXPECT_TRUE((*file)->finish());
    EXPECT_EQ((*file)->empty(), count == 0);
  };
  run(0);
  EXPECT_FALSE(std::filesystem::exists(path));
  run(100);
  const std::string before = read_file(path);
  run(0);
  EXPECT_EQ(read_file(path), before);
  run(1);
  EXPECT_EQ(events_in(json::parse(read_file(path)), "X"), 1u);
}

TEST(TraceFileTest, AClockOfAnotherMachineIsMoved) {
  const TempDir dir;
  const auto path = dir / "t.json";
  const auto file = must(TraceFile::create(path));
  TraceSpans far = spans(1);
  const int64_t hour = 3'600'000'000'000;
  far.now_ns += hour;
  far.spans[0].begin_ns += hour;
  far.spans[0].end_ns += hour;
  (*file)->add(0, far);
  const json j = json::parse(read_file(path));
  EXPECT_LT(std::abs(j.at("traceEvents").back().at("ts").get<double>()), 60e6);
  EXPECT_TRUE(has(j.at("otherData").at("host_clock").get<std::string>(), "another machine"));
}

TEST(Trace, OfAnInterruptedRunIsValid) {
  const TempDir dir;
  const auto path = dir / "t.json";
  Background c(
      typed("bench --device cpu --variant row --problem 1x1x8x16 --config default --min-ms 60000 --max-ms 60000 "
            "--noise 0 --max-samples 1000000 --no-history --trace {}",
            path),
      dir);
  ASSERT_TRUE(c.wait_for([&] { return has(read_file(path), "\"cat\":\"sample\""); }));
  EXPECT_EQ(c.end(SIGINT), 130);
  const json j = json::parse(read_file(path), nullptr, false);
  ASSERT_FALSE(j.is_discarded());
  expect_importable(j);
  EXPECT_GT(events_in(j, "X"), 0u);
}

TEST(Trace, OfASearchHasTrials) {
  const TempDir dir;
  const auto path = dir / "t.json";
  (void)run_ok(
      typed("sweep --device cpu --variant tiled --problem 1x1x16x16 --random 3 --fresh --quiet --trace {}", path));
  const json j = json::parse(read_file(path));
  expect_importable(j);
  size_t trials = 0;
  for (const json& e : j.at("traceEvents")) trials += has(e.at("name").get<std::string>(), "BLOCK_M=");
  EXPECT_GE(trials, 3u);
}

TEST(Trace, AFullDiskIsToldAtTheEnd) {
  const TempDir dir;
  const auto path = dir / "t.json";
  std::vector<std::string> words = typed("verify --device cpu --variant row --quiet --no-history --trace {}", path);
  for (const char* length : {"8", "9", "10", "11", "12", "13"})
    words = with(words, {"--problem", std::string("1x1x") + length + "x16"});
  const Finished f = run_binary(words, "ulimit -f 4;");
  EXPECT_TRUE(ends(f, 2, "--trace", "left out"));
  EXPECT_TRUE(has(f.out, "1x1x13x16"));
  const json j = json::parse(read_file(path));
  EXPECT_GT(events_in(j, "X"), 0u);
  EXPECT_GT(j.at("otherData").at("left_out"), 0);
}

TEST(Trace, AFileThatCannotBeWrittenIsBadInput) {
  const TempDir dir;
  write_file(dir / "t.json", "{\"traceEvents\":[\n]}");
  EXPECT_TRUE(
      ends(run_binary(typed("verify --device cpu --variant nosuch --problem 1x1x8x16 --trace {}", dir / "t.json")), 2));
  EXPECT_EQ(read_file(dir / "t.json"), "{\"traceEvents\":[\n]}");
  EXPECT_TRUE(ends(run_binary(typed("verify --device cpu --variant row --problem 1x1x8x16 --trace /nowhere/t.json")), 2,
                   "--trace /nowhere/t.json"));
}

TEST(Doctor, TellsOfTheDriverAndPassesOnTheSoftwareDevice) {
  EXPECT_TRUE(has(run_ok(typed("doctor --device cpu --quiet")).out, "attnscope doctor", "driver", "subgroup shuffle",
                  "timestamps", " passed, 0 failed"));
  const json j = run_json(typed("doctor --device cpu --json --quiet"));
  const json& checks = j.at("devices")[0].at("checks");
  EXPECT_GE(checks.size(), 16u);
  for (const json& c : checks) EXPECT_NE(c.at("outcome"), "FAIL") << c.dump();
}

TEST(Doctor, AFaultRulesOutWhatNeedsTheFeature) {
  std::vector<VariantInfo> variants(4);
  variants[0].name = "plain";
  variants[0].dtypes = {"f32"};
  variants[1].name = "shuffling";
  variants[1].features = {"subgroup_shuffle"};
  variants[2].name = "matrices";
  variants[2].features = {"coopmat", "subgroup_shuffle"};
  variants[2].dtypes = {"f16"};
  variants[3].name = "elsewhere";
  variants[3].features = {"coopmat"};
  variants[3].why_not = "the device lacks something";
  using Names = std::vector<std::string>;
  const auto out = [&](std::vector<std::string> needs, const char* dtype, CheckOutcome outcome = CheckOutcome::fail) {
    return ruled_out({"a check", outcome, "", std::move(needs), dtype}, variants);
  };
  EXPECT_EQ(out({}, ""), (Names{"plain", "shuffling", "matrices"}));
  EXPECT_EQ(out({"subgroup_shuffle"}, ""), (Names{"shuffling", "matrices"}));
  EXPECT_EQ(out({"coopmat"}, "f16"), Names{"matrices"});
  EXPECT_EQ(out({"coopmat"}, "s8"), Names{});
  EXPECT_EQ(out({}, "", CheckOutcome::pass), Names{});
}

}  // namespace attnscope::cli::trace_test
