// Streams that break, signals, planted names and hostile text: what was measured is kept, and the exit code says what
// happened.
#include <gtest/gtest.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include <nlohmann/json.hpp>

#include "engine/record/results.hpp"
#include "tests/cli/run_binary.hpp"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

/// A shell's own way with streams and pipes; its exit code.
int shell(const std::string& line, const fs::path& dir) {
  const std::string command = "cd " + quoted(dir) + " && A=" + quoted(ATTNSCOPE_EXECUTABLE) + "; " + line;
  const int status = std::system(("bash -c " + quoted(command)).c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// Small and quick; enough of them that a run is still going on when something happens to it.
std::vector<std::string> many(const char* command, size_t count) {
  std::vector<std::string> words{ATTNSCOPE_EXECUTABLE, command, "--device", "cpu", "--variant", "row"};
  for (size_t i = 0; i < count; ++i) {
    words.emplace_back("--problem");
    words.push_back("1x1x" + std::to_string(8 + i) + "x16");
  }
  return words;
}

/// The executable with its output in files, to be sent signals.
class Running {
 public:
  Running(std::vector<std::string> words, const fs::path& dir, bool ignore_hangup = false) {
    pid_ = ::fork();
    if (pid_ != 0) return;
    if (ignore_hangup) ::signal(SIGHUP, SIG_IGN);
    for (const int stream : {1, 2})
      ::dup2(::open((dir / ("stream" + std::to_string(stream))).c_str(), O_WRONLY | O_CREAT, 0644), stream);
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  ~Running() {
    if (reaped_) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  void send(int signal) const { ::kill(pid_, signal); }
  /// Until the file is there and has as many lines; false when the process ended before.
  bool wait_for_lines(const fs::path& file, size_t lines) {
    for (;;) {
      const std::string text = read_file(file);
      if (size_t(std::count(text.begin(), text.end(), '\n')) >= lines) return true;
      if (::waitpid(pid_, &status_, WNOHANG) == pid_) {
        reaped_ = true;
        return false;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  int wait() {
    if (!reaped_) ::waitpid(pid_, &status_, 0);
    reaped_ = true;
    return WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_);
  }

 private:
  pid_t pid_ = -1;
  int status_ = 0;
  bool reaped_ = false;
};

TEST(Streams, AFullOutputIsAnError) {
  const TempDir dir;
  EXPECT_EQ(shell("$A devices --device cpu >/dev/full 2>err", dir.path()), 2);
  EXPECT_NE(read_file(dir.path() / "err").find("stdout cannot be written: No space left"), std::string::npos);
  EXPECT_EQ(shell("$A --help >/dev/full 2>err", dir.path()), 2);
  EXPECT_EQ(shell("$A verify --device cpu --variant row --problem 1x1x8x16 >/dev/full 2>err", dir.path()), 2);
  EXPECT_EQ(shell("$A devices --device cpu >/dev/null 2>/dev/full", dir.path()), 0) << "nothing was to be said there";
}

TEST(Streams, ClosedOnesEndNothingByAnAbort) {
  const TempDir dir;
  EXPECT_EQ(shell("$A worker <&- >&- 2>&-", dir.path()), 2);
  EXPECT_EQ(shell("$A worker <&- 2>/dev/null", dir.path()), 2);
  EXPECT_EQ(shell("$A worker >&- 2>/dev/null </dev/null", dir.path()), 2);
  EXPECT_EQ(shell("$A devices --device cpu >&- 2>/dev/null", dir.path()), 2);
  EXPECT_EQ(shell("$A devices --device cpu <&- 2>&- >/dev/null", dir.path()), 0);
  EXPECT_EQ(shell("$A verify --problem banana <&- >&- 2>&-", dir.path()), 2);
  // What is opened later must not become stdout.
  EXPECT_EQ(shell("$A verify --device cpu --variant row --problem 1x1x8x16 --output r.json <&- >&- 2>&-", dir.path()),
            2);
  EXPECT_EQ(read_results(dir.path() / "r.json")->records.size(), 1u);
}

TEST(Streams, NobodyReadingEndsTheRunUnlessItHasAFile) {
  const TempDir dir;
  const std::string run = "verify --device cpu --variant row --problem 1x1x8x16 --problem 1x1x9x16 --problem 1x1x10x16";
  EXPECT_EQ(shell("set -o pipefail; $A " + run + " --output r.json 2>/dev/null | true", dir.path()), 0);
  EXPECT_EQ(read_results(dir.path() / "r.json")->records.size(), 3u);
  EXPECT_FALSE(fs::exists(dir.path() / "r.json.partial"));
  EXPECT_EQ(shell("set -o pipefail; $A " + run + " 2>/dev/null | true", dir.path()), 141);
}

TEST(Signals, AHangUpKeepsWhatIsDoneAsCtrlCDoes) {
  for (const int signal : {SIGHUP, SIGTERM, SIGINT}) {
    const TempDir dir;
    std::vector<std::string> words = many("verify", 400);
    words.insert(words.end(), {"--output", dir.path() / "r.json"});
    Running run(words, dir.path());
    ASSERT_TRUE(run.wait_for_lines(dir.path() / "r.json.partial", 4)) << read_file(dir.path() / "stream2");
    run.send(signal);
    EXPECT_EQ(run.wait(), 130) << read_file(dir.path() / "stream2");
    const auto kept = read_results(dir.path() / "r.json");
    ASSERT_TRUE(kept) << kept.error().message;
    EXPECT_GE(kept->records.size(), 3u);
    EXPECT_LT(kept->records.size(), 400u);
    EXPECT_FALSE(fs::exists(dir.path() / "r.json.partial"));
  }
}

TEST(Streams, NobodyReadingTheVersionIsNoError) {
  const TempDir dir;
  EXPECT_EQ(shell("set -o pipefail; (sleep 0.2; exec $A --version 2>err) | true", dir.path()), 141);
  EXPECT_EQ(read_file(dir.path() / "err"), "");
}

TEST(Signals, WhatHasNothingToKeepEndsWithTheSameCode) {
  for (const int signal : {SIGHUP, SIGTERM, SIGINT}) {
    const TempDir dir;
    // Nobody ever ends what is in it, so it is read until the signal.
    const fs::path pipe = dir.path() / "pipe";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    const int writer = ::open(pipe.c_str(), O_RDWR);
    ASSERT_EQ(::write(writer, " ", 1), 1);
    Running run({ATTNSCOPE_EXECUTABLE, "report", pipe, "--output", dir.path() / "r.html"}, dir.path());
    for (int unread = 1; unread > 0; ::ioctl(writer, FIONREAD, &unread))
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    run.send(signal);
    EXPECT_EQ(run.wait(), 130);
    ::close(writer);
    EXPECT_FALSE(fs::exists(dir.path() / "r.html"));
  }
}

TEST(Signals, OnesThatWereTurnedOffStayOff) {
  const TempDir dir;
  std::vector<std::string> words = many("verify", 6);
  words.insert(words.end(), {"--output", dir.path() / "r.json"});
  Running run(words, dir.path(), true);
  ASSERT_TRUE(run.wait_for_lines(dir.path() / "r.json.partial", 2));
  run.send(SIGHUP);
  EXPECT_EQ(run.wait(), 0) << "as nohup promises";
  EXPECT_EQ(read_results(dir.path() / "r.json")->records.size(), 6u);
}

TEST(Signals, AKilledRunLeavesWhatWasFinished) {
  const TempDir dir;
  std::vector<std::string> words = many("bench", 400);
  words.insert(words.end(), {"--max-samples", "3", "--output", dir.path() / "r.json"});
  Running run(words, dir.path());
  ASSERT_TRUE(run.wait_for_lines(dir.path() / "r.json.partial", 3)) << read_file(dir.path() / "stream2");
  run.send(SIGKILL);
  EXPECT_EQ(run.wait(), 128 + SIGKILL);
  EXPECT_FALSE(fs::exists(dir.path() / "r.json"));
  const auto kept = read_results(dir.path() / "r.json.partial");
  ASSERT_TRUE(kept) << kept.error().message;
  ASSERT_GE(kept->records.size(), 2u);
  EXPECT_EQ(kept->records[0].outcome, Outcome::measured);
  EXPECT_FALSE(kept->records[0].samples_ns.empty());
}

TEST(Text, OfFoldersAndCompilersIsObeyedByNoTerminal) {
  const TempDir dir;
  const std::string name = "evil\x1b]0;owned\a\u202egpj";
  std::string shader = read_file(shipped("shaders/row/row.comp"));
  shader = replaced(shader, "void main() {", "#line 7 \"\x1b[2J\u009b31m.comp\"\nvoid main() { int oops = banana;");
  write_file(dir.path() / name / "row.comp", "#extension GL_GOOGLE_cpp_style_line_directive : enable\n" + shader);
  write_file(dir.path() / name / "manifest.toml", read_file(shipped("shaders/row/manifest.toml")));
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"variants", "--device", "cpu", "--shaders", dir.path()},
        {"variants", name, "--device", "cpu", "--shaders", dir.path()},
        {"verify", "--device", "cpu", "--shaders", dir.path(), "--variant", name, "--problem", "1x1x8x16"},
        {"verify", "--device", "cpu", "--shaders", dir.path(), "--variant", "all", "--problem", "1x1x8x16"},
        {"bench", "--device", "cpu", "--shaders", dir.path(), "--variant", name, "--problem", "1x1x8x16", "--json"},
        {"verify", "--problem", name},
        {"--nosuch" + name},
        {"verify", "--worker", "sh -c 'printf \"\\033]0;x\\007\\n\" >&2; exit 3'", "--problem", "1x1x8x16"}}) {
    const Finished f = run_binary(words);
    EXPECT_NE(f.code, 0) << words[0];
    for (const std::string& text : {f.out, f.err})
      for (const std::string& control :
           {std::string("\x1b"), std::string("\a"), std::string("\u009b"), std::string("\u202e")})
        EXPECT_EQ(text.find(control), std::string::npos) << words[0] << " " << words[1 % words.size()] << ": " << text;
  }
  const Finished list = run_binary({"variants", "--device", "cpu", "--shaders", dir.path()});
  EXPECT_NE(list.out.find("evil\\x1b]0;owned\\x07\\u202egpj"), std::string::npos) << list.out;
}

TEST(NoDriver, IsSaidInWordsByThePictureToo) {
  const TempDir dir;
  const Finished f = run_binary({"screenshot", (dir.path() / "x.png").string(), "--idle"},
                                "VK_DRIVER_FILES=/nowhere.json VK_ICD_FILENAMES=/nowhere.json");
  EXPECT_EQ(f.code, 3) << f.err;
  EXPECT_NE(f.err.find("No Vulkan driver was found"), std::string::npos) << f.err;
  EXPECT_EQ(f.err.find("VkResult"), std::string::npos) << f.err;
}

TEST(Settings, ThatCannotBeAreSetAsideAndThePictureIsTaken) {
  const TempDir dir;
  const fs::path settings = dir.path() / "w.json";
  const auto take = [&](const std::string& text) {
    write_file(settings, text);
    return run_binary({"screenshot", (dir.path() / "x.png").string(), "--idle", "--device", "cpu", "--variant", "row",
                       "--settings", settings});
  };
  const Finished huge = take(
      R"({"width": 2147483647, "height": 400, "bottom": 1e300, "left": -5, "imgui": "[Table][0x00000001,-1]\nColumn 0 Weight=nan\n"})");
  EXPECT_EQ(huge.code, 0) << huge.err;
  EXPECT_NE(huge.err.find("width was 2.14748e+09 and is 8192"), std::string::npos) << huge.err;
  for (const char* text : {"{\"width\": \"wide\"}", "[1, 2]", "{\"problems\": [3]}", "nonsense"}) {
    fs::remove(settings.string() + ".bad");
    const Finished bad = take(text);
    EXPECT_EQ(bad.code, 0) << bad.err;
    EXPECT_NE(bad.err.find("it was moved to " + settings.string() + ".bad"), std::string::npos) << bad.err;
    EXPECT_EQ(read_file(settings.string() + ".bad"), text);
  }
}

}  // namespace
}  // namespace attnscope
