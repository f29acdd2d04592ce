// sweep, tune, tuned and merge with the real binary: what is found is kept, whatever ends the process.
#include <gtest/gtest.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <set>
#include <sstream>
#include <thread>

#include "tests/cli/run_binary.hpp"

namespace attnscope {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr const char* kProblem = "1x2x9x16";

std::vector<std::string> with(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}
/// A search of `row` that is quick on a software device.
std::vector<std::string> search(const std::string& command, const std::vector<std::string>& more) {
  return with({command, "--device", "cpu", "--quiet", "--variant", "row", "--warmup-ms", "0", "--min-ms", "0",
               "--max-ms", "20", "--min-samples", "5"},
              more);
}
std::string home(const TempDir& dir) { return "XDG_DATA_HOME=" + quoted(dir.path()); }
std::filesystem::path table(const TempDir& dir) { return dir.path() / "attnscope" / "tuned.json"; }

/// Configs of whole lines of a journal.
std::vector<std::string> told(const std::filesystem::path& journal) {
  std::vector<std::string> configs;
  std::istringstream in(read_file(journal));
  for (std::string line; std::getline(in, line) && !in.eof();) {
    const json j = json::parse(line, nullptr, false);
    if (j.is_object() && j.contains("config"))
      configs.push_back(j.at("variant").get<std::string>() + j.at("config").dump());
  }
  return configs;
}

/// The binary in the background, a process of ours.
class Background {
 public:
  Background(const std::vector<std::string>& arguments, const TempDir& dir) {
    pid_ = ::fork();
    if (pid_ != 0) return;
    ::setenv("XDG_DATA_HOME", dir.path().c_str(), 1);
    const int null = ::open("/dev/null", O_RDWR);
    for (const int fd : {0, 1, 2}) ::dup2(null, fd);
    std::vector<char*> argv{const_cast<char*>(ATTNSCOPE_EXECUTABLE)};
    for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
    argv.push_back(nullptr);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  ~Background() {
    if (pid_ > 0) end(SIGKILL);
  }
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;
  /// Sends a signal, or 0 for none, and gives the exit code, 128 + the signal that ended it.
  int end(int signal) {
    if (signal != 0) ::kill(pid_, signal);
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  /// Until `ready`, or it ended, or ten minutes passed.
  template <class Ready>
  bool wait_for(Ready&& ready) {
    const auto limit = Clock::now() + std::chrono::minutes(10);
    while (Clock::now() < limit) {
      if (ready()) return true;
      siginfo_t info{};
      if (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid_)
        return ready();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
  }

 private:
  pid_t pid_ = -1;
};

TEST(Tune, WhatItFindsIsUsedListedAndExported) {
  const TempDir dir;
  const Finished f = run_binary(search("tune", {"--problem", kProblem, "--budget", "12", "--json"}), home(dir));
  ASSERT_EQ(f.code, 0) << f.err;
  const json outcome = json::parse(f.out).at("tuned").at(0);
  EXPECT_GE(outcome.at("measured").get<int>() + outcome.at("dropped").get<int>(), 10);
  const json entry = outcome.at("entries").at(0);
  EXPECT_EQ(entry.at("variant"), "row");
  EXPECT_EQ(entry.at("raced"), true);
  EXPECT_GT(entry.at("default_ns").get<double>(), 0);
  EXPECT_FALSE(entry.at("passes").empty()) << "what it takes to dispatch it elsewhere";
  const json records = json::parse(f.out).at("records");
  EXPECT_FALSE(records.empty());
  for (const json& r : records) EXPECT_EQ(r.at("verdict").at("pass"), true);

  const auto bench = [&](const std::string& problem) {
    return run_binary({"bench", "--device", "cpu", "--quiet", "--json", "--variant", "row", "--config", "tuned",
                       "--problem", problem, "--max-ms", "20", "--min-ms", "1", "--warmup-ms", "0"},
                      home(dir));
  };
  const Finished same = bench(kProblem);
  ASSERT_EQ(same.code, 0) << same.err;
  EXPECT_EQ(json::parse(same.out).at("records").at(0).at("config"), entry.at("config"));
  EXPECT_EQ(same.err, "");
  const Finished near = bench("1x2x33x16");
  ASSERT_EQ(near.code, 0) << near.err;
  EXPECT_EQ(json::parse(near.out).at("records").at(0).at("config"), entry.at("config"));
  EXPECT_NE(near.err.find("tuned for 1x2x9x16:f32 (the nearest that was tuned)"), std::string::npos) << near.err;
  const Finished far = bench("1x2x9x32");
  ASSERT_EQ(far.code, 0) << far.err;
  EXPECT_NE(far.err.find("nothing is tuned for it"), std::string::npos) << far.err;

  const Finished list = run_binary({"tuned"}, home(dir));
  EXPECT_EQ(list.code, 0) << list.err;
  EXPECT_NE(list.out.find("row"), std::string::npos) << list.out;
  const auto header = dir.path() / "t.h", exported = dir.path() / "t.json";
  ASSERT_EQ(run_binary({"tuned", "--export", header}, home(dir)).code, 0);
  EXPECT_EQ(std::system(("cc -std=c99 -Wall -Wextra -Werror -fsyntax-only -x c " + quoted(header)).c_str()), 0);
  // To another machine: another folder, the same kind of device.
  ASSERT_EQ(run_binary({"tuned", "--export", exported}, home(dir)).code, 0);
  const TempDir other;
  EXPECT_EQ(run_binary({"tuned", "--import", exported}, home(other)).code, 0);
  const Finished there = run_binary({"bench", "--device", "cpu", "--quiet", "--json", "--variant", "row", "--config",
                                     "tuned", "--problem", kProblem, "--max-ms", "20", "--min-ms", "1"},
                                    home(other));
  ASSERT_EQ(there.code, 0) << there.err;
  EXPECT_EQ(json::parse(there.out).at("records").at(0).at("config"), entry.at("config"));

  // A cache that something else wrote to is set aside, and the work goes on.
  write_file(table(dir), "garbage");
  const Finished corrupt = bench(kProblem);
  EXPECT_EQ(corrupt.code, 0) << corrupt.err;
  EXPECT_NE(corrupt.err.find("was set aside as "), std::string::npos) << corrupt.err;
}

TEST(Tune, KilledTwelveTimesItLosesNothingThatWasFinished) {
  const TempDir dir;
  const auto journal = dir.path() / "trials.jsonl";
  const auto words = search("tune", {"--problem", kProblem, "--budget", "60", "--journal", journal});
  std::set<std::string> finished;
  for (int i = 0; i < 12; ++i) {
    Background tune(words, dir);
    ASSERT_TRUE(tune.wait_for([&] { return told(journal).size() > finished.size(); })) << "it goes on, time " << i;
    EXPECT_EQ(tune.end(SIGKILL), 128 + SIGKILL);
    const std::vector<std::string> now = told(journal);
    for (const std::string& config : finished)
      EXPECT_NE(std::find(now.begin(), now.end(), config), now.end()) << config;
    finished.insert(now.begin(), now.end());
    EXPECT_EQ(finished.size(), now.size()) << "none is tried twice";
  }
  const size_t before = finished.size();
  ASSERT_GE(before, 12u);
  const Finished f = run_binary(with(words, {"--json"}), home(dir));
  ASSERT_EQ(f.code, 0) << f.err;
  const json outcome = json::parse(f.out).at("tuned").at(0);
  EXPECT_EQ(outcome.at("recalled"), before);
  EXPECT_EQ(outcome.at("tried").get<size_t>() - outcome.at("refused").get<size_t>(), 60u);
}

TEST(Tune, TwoAtOnceShareTheCacheAndOneInterruptedKeepsItsBest) {
  const TempDir dir;
  Background a(search("tune", {"--problem", kProblem, "--budget", "4"}), dir);
  Background b(search("tune", {"--problem", "1x2x17x16", "--budget", "4"}), dir);
  const auto journal = dir.path() / "c.jsonl";
  Background c(search("tune", {"--problem", "1x2x5x16", "--budget", "1h", "--journal", journal}), dir);
  EXPECT_EQ(a.end(0), 0);
  EXPECT_EQ(b.end(0), 0);
  ASSERT_TRUE(c.wait_for([&] { return told(journal).size() >= 3; }));
  EXPECT_EQ(c.end(SIGINT), 130);
  std::map<std::string, bool> raced;
  const json document = json::parse(read_file(table(dir)));
  for (const json& entry : document.at("entries")) raced[entry.at("problem")] = entry.at("raced").get<bool>();
  EXPECT_EQ(raced,
            (std::map<std::string, bool>{{"1x2x9x16:f32", true}, {"1x2x17x16:f32", true}, {"1x2x5x16:f32", false}}));
}

TEST(Sweep, ShardsMergedAreTheUnshardedSet) {
  const TempDir dir;
  const auto sweep = [&](const std::string& name, const std::vector<std::string>& more) {
    const auto file = dir.path() / (name + ".json");
    const Finished f = run_binary(search("sweep", with({"--problem", kProblem, "--random", "10", "--output", file,
                                                        "--journal", dir.path() / (name + ".jsonl")},
                                                       more)),
                                  home(dir));
    EXPECT_EQ(f.code, 0) << f.err;
    return file;
  };
  const auto configs = [](const std::filesystem::path& file) {
    std::multiset<std::string> out;
    const json document = json::parse(read_file(file));
    for (const json& r : document.at("records")) out.insert(r.at("config").dump());
    return out;
  };
  const auto whole = configs(sweep("whole", {})), first = configs(sweep("a", {"--shard", "1/2"})),
             second = configs(sweep("b", {"--shard", "2/2"}));
  EXPECT_EQ(whole.size(), 10u);
  EXPECT_FALSE(first.empty());
  EXPECT_FALSE(second.empty());
  const auto joined = dir.path() / "joined.json", trials = dir.path() / "joined.jsonl";
  const Finished merged = run_binary(
      {"merge", dir.path() / "a.json", dir.path() / "b.json", dir.path() / "a.json", "--output", joined}, home(dir));
  EXPECT_EQ(merged.code, 0) << merged.err;
  EXPECT_EQ(configs(joined), whole);
  EXPECT_EQ(run_binary({"merge", dir.path() / "a.jsonl", dir.path() / "b.jsonl", "--output", trials}, home(dir)).code,
            0);
  EXPECT_EQ(told(trials).size(), 10u);
}

TEST(Sweep, TellsTheBestAndCountsWhatWasLeftOut) {
  const TempDir dir;
  const Finished f = run_binary({"sweep", "--device", "cpu", "--quiet", "--variant", "row", "--problem", "1x1x4x520",
                                 "--random", "4", "--journal", dir.path() / "j.jsonl"},
                                home(dir));
  EXPECT_EQ(f.code, 0) << f.err;
  EXPECT_NE(f.out.find("The fastest of 4 on "), std::string::npos) << f.out;
  EXPECT_NE(f.out.find("% measuring"), std::string::npos) << f.out;
  EXPECT_NE(f.err.find(" configs left out: ceil_div(max(head_dim, v_dim), 4 * LANES) <= 16; such as "),
            std::string::npos)
      << f.err;
}

TEST(Tune, SaysWhatIsWrongWithItsInput) {
  struct Case {
    std::vector<std::string> words;
    std::string part;
  };
  for (const Case& c :
       {Case{{"tune"}, "--problem"}, Case{{"tune", "--problem", kProblem, "--budget", "soon"}, "--budget soon"},
        Case{{"tune", "--problem", kProblem, "--strategy", "luck"}, "surrogate, local, random"},
        Case{{"tune", "--problem", kProblem, "--shard", "3/2", "--device", "cpu"}, "--shard 3/2"},
        Case{{"tune", "--problem", kProblem, "--variant", "none", "--device", "cpu"}, "--variant none"},
        Case{{"sweep", "--problem", kProblem}, "--variant"},
        Case{{"merge", "/nowhere.json", "--output", "/tmp/x.json"}, "/nowhere.json"},
        Case{{"merge", "a.jsonl", "--output", "/tmp/x.json"}, "journals"},
        Case{{"tuned", "--export", "x.txt"}, "--export x.txt"},
        Case{{"tuned", "--import", "/nowhere.json"}, "--import /nowhere.json"}}) {
    const TempDir dir;
    const Finished f = run_binary(c.words, home(dir));
    EXPECT_EQ(f.code, 2) << f.err;
    EXPECT_NE(f.err.find(c.part), std::string::npos) << f.err;
  }
}

}  // namespace
}  // namespace attnscope
