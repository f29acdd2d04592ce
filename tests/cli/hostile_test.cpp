// Streams that break, signals, planted names, hostile text: what was measured is kept, and the exit code tells. Bad
// input of every sort: the documented exit code, one error, and a message that names what was given.
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "tests/cli/run_binary.hpp"
#include "tests/shader/shader_test.hpp"

namespace attnscope::hostile_test {

/// A shell's own way with streams and pipes; its exit code.
int shell(const std::string& line, const fs::path& dir) {
  const std::string command = "cd " + quoted(dir) + " && A=" + quoted(ATTNSCOPE_EXECUTABLE) + "; " + line;
  return exit_code(std::system(("bash -c " + quoted(command)).c_str()));
}

/// Descriptor 3 is a pipe whose reader has gone.
const std::string kUnread = "exec 3> >(:); wait $!; ";

/// Small and quick; enough of them that a run is still going on when something happens to it.
std::vector<std::string> many(const char* command, size_t count) {
  std::vector<std::string> words = typed("{} --device cpu --variant row", command);
  for (size_t i = 0; i < count; ++i) {
    words.emplace_back("--problem");
    words.push_back("1x1x" + std::to_string(8 + i) + "x16");
  }
  return words;
}

TEST(Streams, AFullOutputIsAnErrorAndClosedOnesEndNothingByAnAbort) {
  const TempDir dir;
  const std::string verify = "$A verify --device cpu --variant row --problem 1x1x8x16 ";
  for (const auto& [line, code] : {std::pair<std::string, int>{"$A --help >/dev/full 2>err", 2},
                                   {verify + ">/dev/full 2>err", 2},
                                   {"$A devices --device cpu >/dev/full 2>err", 2},
                                   {"$A devices --device cpu >/dev/null 2>/dev/full", 0},
                                   {"$A worker <&- >&- 2>&-", 2},
                                   {"$A worker <&- 2>/dev/null", 2},
                                   {"$A worker >&- 2>/dev/null </dev/null", 2},
                                   {"$A devices --device cpu >&- 2>/dev/null", 2},
                                   {"$A devices --device cpu <&- 2>&- >/dev/null", 0},
                                   {"$A verify --problem banana <&- >&- 2>&-", 2},
                                   // What is opened later must not become stdout.
                                   {verify + "--output r.json <&- >&- 2>&-", 2}})
    EXPECT_EQ(shell(line, dir.path()), code) << line;
  EXPECT_TRUE(has(read_file(dir / "err"), "stdout cannot be written: No space left"));
  EXPECT_EQ(read_results(dir / "r.json")->records.size(), 1u);
}

TEST(Streams, NobodyReadingEndsTheRunUnlessItHasAFile) {
  const TempDir dir;
  const std::string run = "verify --device cpu --variant row --problem 1x1x8x16 --problem 1x1x9x16 --problem 1x1x10x16";
  EXPECT_EQ(shell(kUnread + "$A " + run + " --output r.json 2>/dev/null >&3", dir.path()), 0);
  EXPECT_EQ(read_results(dir / "r.json")->records.size(), 3u);
  EXPECT_EQ(shell(kUnread + "$A " + run + " 2>/dev/null >&3", dir.path()), 141);
  EXPECT_EQ(shell(kUnread + "$A --version 2>err >&3", dir.path()), 141);
  EXPECT_EQ(read_file(dir / "err"), "") << "that is no error";
}

TEST(Signals, WhateverEndsARunWhatIsDoneIsKept) {
  for (const int signal : {SIGHUP, SIGTERM, SIGINT, SIGKILL}) {
    const TempDir dir;
    std::vector<std::string> words = many("bench", 400);
    words.insert(words.end(), {"--max-samples", "3", "--log", "--output", dir / "r.json"});
    const std::string history = dir / "history.sqlite";
    ::setenv("ATTNSCOPE_HISTORY", history.c_str(), 1);
    Background run(words, dir);
    ASSERT_TRUE(run.wait_for([&] { return lines_of(read_file(dir / "stream1")).size() >= 5; }))
        << read_file(dir / "stream2");
    const bool killed = signal == SIGKILL;
    EXPECT_EQ(run.end(signal), killed ? 128 + SIGKILL : 130) << read_file(dir / "stream2");
    EXPECT_EQ(fs::exists(dir / "r.json"), !killed);
    if (killed) {
      EXPECT_EQ(shell("$A history export r.json", dir.path()), 0);
    }
    ::setenv("ATTNSCOPE_HISTORY", "off", 1);
    const auto kept = must(read_results(dir / "r.json"));
    EXPECT_GE(kept->records.size(), 3u);
    EXPECT_LT(kept->records.size(), 400u);
    EXPECT_EQ(kept->records[0].outcome, Outcome::measured);
    EXPECT_FALSE(kept->records[0].samples_ns.empty());
  }
}

TEST(Signals, WhatHasNothingToKeepEndsWithTheSameCode) {
  for (const int signal : {SIGHUP, SIGTERM, SIGINT}) {
    const TempDir dir;
    // Nobody ever ends what is in it, so it is read until the signal.
    const fs::path pipe = dir / "pipe";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    const int writer = ::open(pipe.c_str(), O_RDWR);
    ASSERT_EQ(::write(writer, " ", 1), 1);
    Background run(typed("report {} --output {}", pipe, dir / "r.html"), dir);
    for (int unread = 1; unread > 0; ::ioctl(writer, FIONREAD, &unread))
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_EQ(run.end(signal), 130);
    ::close(writer);
    EXPECT_FALSE(fs::exists(dir / "r.html"));
  }
}

TEST(Files, ThatAreNoneAreRefusedAndStay) {
  const TempDir dir;
  for (const char* name : {"pipe.json", "pipe.jsonl", "pipe.html", "pipe.csv", "pipe.h", "pipe.png"})
    ASSERT_EQ(::mkfifo((dir.path() / name).c_str(), 0600), 0);
  ASSERT_TRUE(write_results(dir / "some.json", {}));
  const std::string what = "--device cpu --variant row --problem 1x1x8x16";
  for (const std::string& words :
       {"tune --budget 1s --journal pipe.jsonl " + what, "tune --budget 1s --journal /dev/null " + what,
        "tune --budget 1s --fresh --journal /dev/null " + what, "bench --output pipe.json " + what,
        "bench --baseline pipe.json " + what, "verify --output pipe.csv " + what, "sweep --output pipe.json " + what,
        std::string("compare pipe.json some.json"), std::string("compare some.json some.json --output pipe.json"),
        std::string("report pipe.json --output x.html"), std::string("report some.json --output pipe.html"),
        std::string("history export pipe.json"), std::string("history import pipe.json"),
        std::string("tuned --import pipe.json"), std::string("tuned --export pipe.h"),
        "screenshot pipe.png --idle " + what, "screenshot x.png --idle --settings pipe.json " + what})
    EXPECT_EQ(shell("timeout 60 $A " + words + " >out 2>err", dir.path()), 2) << words << "\n"
                                                                              << read_file(dir / "err");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_TRUE(fs::is_fifo(dir / "pipe.jsonl"));
  EXPECT_EQ(shell("ATTNSCOPE_HISTORY=pipe.json timeout 60 $A history >out 2>err", dir.path()), 2);
  EXPECT_EQ(shell("set -o pipefail; $A compare <(cat some.json) some.json 2>&1 | grep -q 'no row of'", dir.path()), 2)
      << "a command's output is read";
  for (const char* to : {">(grep -q schema && touch written)", "/dev/stdout | grep -q schema && touch written"}) {
    EXPECT_EQ(shell(fmt::format("$A verify {} --output {}; wait $!", what, to), dir.path()), 0) << to;
    EXPECT_TRUE(fs::remove(dir / "written")) << to;
  }
}

TEST(Signals, OnesThatWereTurnedOffStayOff) {
  const TempDir dir;
  std::vector<std::string> words = many("verify", 20);
  words.insert(words.end(), {"--output", dir / "r.json"});
  Background run(words, dir, true);
  ASSERT_TRUE(run.wait_for([&] { return lines_of(read_file(dir / "stream1")).size() >= 3; }));
  EXPECT_EQ(run.end(SIGHUP), 0) << "as nohup promises";
  EXPECT_EQ(read_results(dir / "r.json")->records.size(), 20u);
}

TEST(Text, OfFoldersAndCompilersIsObeyedByNoTerminal) {
  const TempDir dir;
  const std::string name = "evil\x1b]0;owned\a\u202egpj";
  std::string shader = read_file(shipped("shaders/row/row.comp"));
  shader = replaced(shader, "void main() {", "#line 7 \"\x1b[2J\u009b31m.comp\"\nvoid main() { int oops = banana;");
  write_file(dir.path() / name / "row.comp", "#extension GL_GOOGLE_cpp_style_line_directive : enable\n" + shader);
  write_file(dir.path() / name / "manifest.toml", read_file(shipped("shaders/row/manifest.toml")));
  const auto here = [&](const char* line) {
    return with(typed(line, name), typed("--device cpu --shaders {}", dir.path()));
  };
  for (const std::vector<std::string>& words :
       {here("variants"),
        here("variants {}"),
        here("verify --problem 1x1x8x16 --variant {}"),
        here("verify --problem 1x1x8x16 --variant all"),
        here("bench --problem 1x1x8x16 --json --variant {}"),
        {"verify", "--problem", name},
        {"--nosuch" + name},
        {"verify", "--worker", "sh -c 'printf \"\\033]0;x\\007\\n\" >&2; exit 3'", "--problem", "1x1x8x16"}}) {
    const Finished f = run_binary(words);
    EXPECT_NE(f.code, 0) << words[0];
    for (const char* control : {"\x1b", "\a", "\u009b", "\u202e"})
      EXPECT_FALSE(has(f.out + f.err, control)) << words[0] << " " << words[1 % words.size()] << ": ";
  }
  const Finished list = run_binary(typed("variants --device cpu --shaders {}", dir.path()));
  EXPECT_TRUE(has(list.out, "evil\\x1b]0;owned\\x07\\u202egpj"));
}

TEST(Settings, ThatCannotBeAreSetAsideAndThePictureIsTaken) {
  const TempDir dir;
  const fs::path settings = dir / "w.json";
  write_file(settings, "nonsense");
  EXPECT_TRUE(
      ends(run_binary(typed("screenshot {} --idle --device cpu --variant row --settings {}", dir / "x.png", settings)),
           0, "put aside: " + settings.string() + ".aside-1"));
  EXPECT_EQ(read_file(settings.string() + ".aside-1"), "nonsense");
}

TEST(BadFolders, EachCostsItselfWithAReason) {
  const TempDir dir;
  std::string sum = "g";
  for (int i = 0; i < 200000; ++i) sum += "+g";
  write_row(dir / "bomb", "void main() {", macro_bomb() + "float bomb() { return A39 1.0; }\nvoid main() {");
  write_row(dir / "sum", "void main() {", "shared float g;\nvoid sum() { g = " + sum + "; }\nvoid main() {");
  write_row(dir / "good");
  const Finished f = run_binary(typed("variants --device cpu --shaders {} --json", dir.path()),
                                "XDG_CACHE_HOME=" + quoted(dir / "cache"));
  EXPECT_EQ(f.code, 2) << f.err;
  std::map<std::string, std::string> errors;
  ASSERT_TRUE(json::accept(f.out)) << f.out << f.err;
  const json document = json::parse(f.out);
  for (const json& v : document.at("variants")) errors[v.at("name")] = v.at("error");
  EXPECT_TRUE(has(errors.at("bomb"), "compiling bomb/row.comp took more than "));
  EXPECT_TRUE(errors.at("sum").starts_with("The worker that was to load it ")) << errors.at("sum");
  for (const auto& [name, error] : errors)
    EXPECT_EQ(error.empty(), name != "bomb" && name != "sum") << name << ": " << error;
}

const std::vector<std::string> kSmallVerify = typed("verify --device cpu --problem 1x1x16x16 --variant naive");

TEST(Places, ARunWritesOnlyIntoTheCacheFolder) {
  const TempDir dir;
  const std::string home = dir / "home", cache = dir / "cache";
  fs::create_directories(home);
  run_ok(kSmallVerify, "HOME=" + quoted(home) + " XDG_CACHE_HOME=" + quoted(cache) +
                           " XDG_CONFIG_HOME= XDG_DATA_HOME= XDG_STATE_HOME=");
  EXPECT_TRUE(fs::is_empty(home)) << fs::directory_iterator(home)->path();
  EXPECT_TRUE(fs::is_directory(fs::path(cache) / "attnscope"));
  run_ok(kSmallVerify, "HOME=/proc XDG_CACHE_HOME=");  // not even root can make a folder there
}

TEST(Places, NoOutputReplacesWhatTheProgramKeeps) {
  const TempDir dir;
  const std::string home = "HOME=" + quoted(dir.path()) + " XDG_DATA_HOME=" + quoted(dir / "data");
  const fs::path tuned = dir / "data" / "attnscope" / "tuned.json", link = dir / "link.json";
  fs::create_directories(tuned.parent_path());
  fs::create_symlink(tuned, link);
  const auto output = [&](const fs::path& file) { return with(kSmallVerify, {"--output", file.string()}); };
  for (const fs::path& kept : {tuned, link}) EXPECT_TRUE(ends(run_binary(output(kept), home), 2, "--output")) << kept;
  const std::string history = home + " ATTNSCOPE_HISTORY=" + quoted(dir / "runs.json");
  EXPECT_TRUE(ends(run_binary(output(dir / "runs.json"), history), 2, "--output"));
  // What another link leads to is written where it would lie, and the link stays.
  fs::remove(link);
  fs::create_symlink("there.json", link);
  run_ok(output(link), home);
  EXPECT_TRUE(fs::is_symlink(link) && fs::is_regular_file(dir / "there.json"));
  fs::create_symlink("loop.json", dir / "loop.json");
  EXPECT_TRUE(ends(run_binary(output(dir / "loop.json"), home), 2, "--output"));
}

struct Case {
  std::string line;
  std::vector<std::string> says;  ///< each has to be in the message
  int code = 2;
  std::vector<std::string> more = {};  ///< words that are empty or have spaces
};

void expect_explained(const std::vector<Case>& cases) {
  const TempDir dir;
  for (const Case& c : cases) {
    SCOPED_TRACE(c.line);
    const Finished f =
        run_binary(with(typed(c.line), c.more), "ATTNSCOPE_HISTORY=" + quoted(dir.path() / "history.sqlite"));
    EXPECT_EQ(f.code, c.code) << f.out << f.err;
    for (const std::string& word : c.says) EXPECT_TRUE(has(f.err, word));
    EXPECT_EQ(count_of("\n" + f.err, "\nattnscope"), 1u) << f.err;
  }
}

const std::string kVerify = "verify --device cpu --variant tiled --problem 2x8x64x64 ",
                  kSpeed = ATTNSCOPE_SOURCE_DIR "/docs/results/2026-11-21-h200-speed.json";

TEST(BadInput, OfProblemsConfigsVariantsAndDevicesIsExplained) {
  expect_explained({
      {"verify --problem 2x8x0x64", {"--problem 2x8x0x64", "0"}},
      {kVerify + "--config BLOCK_M=33", {"BLOCK_M", "33", "32", "64"}},
      {"verify --device cpu --variant nosuch --problem 1x1x8x16", {"--variant nosuch", "tiled"}},
      {"verify --device cpu --variant coopmat2 --problem 1x1x8x16", {"--variant coopmat2: it cannot run on "}, 3},
      {"verify --device 99 --variant row --problem 1x1x8x16", {"--device 99", "0"}, 3},
      {"variants nosuch --device cpu", {"nosuch", "row"}},
      {kVerify + "--shaders /nowhere", {"--shaders /nowhere"}},
      {kVerify + "--shaders /etc", {"--shaders /etc", "manifest.toml"}},
      {kVerify + "--worker", {"/nowhere/attnscope"}, 2, {"/nowhere/attnscope worker"}},
      {kVerify + "--worker", {"--worker", "quote"}, 2, {"sh -c 'x"}},
      {"export x --device cpu --variant all --problem 1x1x8x8", {"one variant and one config"}},
      {"export x --device cpu --variant varlen --problem 1x1x8x8", {"packed sequences"}},
      {"bench --device cpu --problem 1x1x8x16 --ab LANES=8 LANES=16", {"a CONFIG alone needs one --variant"}},
      {"bench --device cpu --problem 1x1x8x16 --variant row --ab all LANES=16", {"--config all"}},
  });
  EXPECT_FALSE(fs::exists("x")) << "an export that is refused leaves nothing";
}

TEST(BadInput, OfOptionsIsExplained) {
  expect_explained({
      {"--device cpu bench --problem 1x1x8x16", {"--device before 'bench'", "attnscope bench --device"}},
      {"--idle devices", {"--idle", "devices"}},
      {"history --page 2 export /tmp/attnscope.json", {"--page before 'export'"}},
      {"bench --preset nosuch", {"--preset nosuch", "quick"}},
      {"bench", {"--problem", "--preset"}},
      {"compile --device cpu --problem 1x1x8x16 --random 5", {"--random", "--config all"}},
      {"verify --frobnicate", {"--frobnicate", "--help"}},
      {"frobnicate", {"frobnicate"}},
      {"bench --preset quick --max-ms 0", {"--max-ms", "'0'", "0.001 to 86400000"}},
      {"bench --preset quick --budget inf", {"--budget", "inf"}},
      {kVerify + "--seed -1", {"--seed", "-1", "0 to 18446744073709551615"}},
      {"screenshot x.png --scale 0.02", {"--scale", "0.5 to 8"}},
      {"bench --device cpu --problem 1x1x8x16 --ab row", {"--ab"}},
      {"bench --device cpu --problem 1x1x8x16 --ab row naive --log", {"--log"}},
      {"bench --device cpu --problem 1x1x8x16 --tolerance 1%", {"--ab"}},
      {"tune --problem 1x2x9x16 --budget soon", {"--budget soon"}},
      {"tune --problem 1x2x9x16 --strategy luck", {"surrogate, random, exhaustive"}},
      {"sweep --problem 1x2x9x16", {"--variant"}},
      {"history colour=red", {"head_dim"}},
      {"history --since yesterday", {"--since yesterday"}},
      {"history --limit 0", {"--limit"}},
      {kVerify + "--config", {"--config", "empty"}, 2, {""}},
  });
}

TEST(BadInput, OfFilesIsExplained) {
  const TempDir dir;
  write_file(dir.path() / "none.json", R"({"schema":1,"records":[]})");
  const std::string none = (dir.path() / "none.json").string(), compare = "compare " + kSpeed + " ";
  expect_explained({
      {kVerify + "--output /nowhere/at/all.json", {"--output /nowhere/at/all.json"}},
      {kVerify + "--output /tmp/attnscope.xlsx", {"--output", ".json", ".csv", ".md", ".xml"}},
      {"tuned --export x.txt", {"--export x.txt"}},
      {compare, {"B is required"}},
      {compare + none, {"no row of"}},
      {compare + kSpeed + " --fail-slower nan%", {"such as 3%"}},
      {compare + kSpeed + " --tolerance 5% --fail-slower 3%", {"--tolerance 5%"}},
      {compare + kSpeed + " --by nothing", {"--by nothing"}},
      {compare + kSpeed + " --show time", {"--by"}},
      {"history export", {"FILE"}},
      {"history export x.md", {".json or .csv"}},
      {"history import absent.json", {"absent.json"}},
      {"report --output r.html", {"--history"}},
      {"report a.json", {"--output"}},
  });
}

TEST(BadInputJson, TheDocumentOnStdoutIsTheErrorAndNothingElse) {
  const auto faulty = [](const std::vector<std::string>& words, const std::string& named) {
    const Finished f = run_binary(words);
    EXPECT_EQ(f.code, 2);
    const auto document = json::parse(f.out, nullptr, false);
    ASSERT_TRUE(document.contains("error")) << f.out;
    EXPECT_EQ(document.at("error").at("kind"), "bad_input");
    EXPECT_TRUE(has(document.at("error").at("message"), named));
  };
  faulty(typed("verify --problem banana --json"), "banana");
  faulty(typed("verify --frobnicate --json"), "--frobnicate");
  faulty(typed("bench --device cpu --variant row --problem 1x1x8x16 --ab default nosuch --json"), "nosuch");
}

TEST(BadInputPlaces, ADataFolderWithoutKernelsIsNamedAndNoDeviceIsExitCodeThree) {
  EXPECT_TRUE(ends(run_binary({"verify", "--problem", "1x1x8x16"}, "ATTNSCOPE_DATA=/nowhere"), 2, "/nowhere"));
  // A loader that is shown no driver.
  for (const char* line : {"devices", "bench --preset quick", "screenshot x.png --idle"}) {
    const Finished f = run_binary(typed(line), "VK_DRIVER_FILES=/nowhere.json VK_ICD_FILENAMES=/nowhere.json");
    EXPECT_TRUE(ends(f, 3, "No Vulkan driver was found")) << line;
    EXPECT_FALSE(has(f.err, "VkResult"));
  }
}

}  // namespace attnscope::hostile_test
