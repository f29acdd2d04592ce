// `attnscope verify` end to end on the software device; all configs from the command line, variants that replace, and
// what completes a command line.
#include "tests/cli/run_binary.hpp"

namespace attnscope::verify_test {

TEST(Verify, AVariantOfOnesOwnIsAFolderAndNoRebuild) {
  const TempDir dir;
  for (const char* file : {"manifest.toml", "mine.comp"}) write_file(dir / "mine" / file, documented(file));
  const auto run = [&](const char* line) {
    return run_ok(with(typed(line), {"--device", "cpu", "--shaders", dir.path()}));
  };
  EXPECT_TRUE(has(run("variants").out, "mine "));
  const json records = json::parse(run("verify --variant mine --problem 1x3x77x40:causal --problem 2x6x33x20:kv=2:f16 "
                                       "--config all --json")
                                       .out)
                           .at("records");
  EXPECT_EQ(records.size(), 6u) << "three configs on two problems";
  for (const json& r : records) EXPECT_EQ(r.at("outcome"), "verified") << r.at("message");
  const json timed = json::parse(run("bench --variant mine --problem 1x1x16x16 --min-ms 1 --json").out);
  EXPECT_EQ(timed.at("records")[0].at("outcome"), "measured");
}

TEST(Verify, EveryVariantPassesOnAStudyShapeAndOddOnes) {
  std::map<std::string, int> passed;
  for (const json& r : run_records(typed("verify --device cpu --variant all --problem 2x6x65x64:kv=2 "
                                         "--problem 1x2x50x80:q=33:causal --problem 1x3x33x40:f16:causal --json"))) {
    if (r.at("outcome") == "refused") continue;
    EXPECT_EQ(r.at("outcome"), "verified") << r.at("variant") << " " << r.at("problem") << " " << r.at("message");
    EXPECT_TRUE(r.at("verdict").at("pass"));
    EXPECT_EQ(r.at("verdict").at("nan_count"), 0);
    ++passed[r.at("variant")];
  }
  for (const char* name : {"naive", "row", "tiled", "fmha"}) EXPECT_EQ(passed[name], 3) << name;
}

TEST(Verify, AnOffByOneInTheKeyLoopFails) {
  const TempDir dir;
  write_row(dir / "row_short", "uint keys = visible_keys(min(first_row + ROWS, seq_q) - 1u);",
            "uint keys = visible_keys(min(first_row + ROWS, seq_q) - 1u) - 1u;");
  const Finished f = run_binary(
      {"verify", "--device", "cpu", "--shaders", dir.path(), "--variant", "row_short", "--problem", "1x2x33x32"});
  EXPECT_EQ(f.code, 1) << f.out << f.err;
  EXPECT_TRUE(has(f.out, "FAIL"));
  const Finished timed =
      run_binary(typed("bench --device cpu --shaders {} --variant row_short --problem 1x2x33x32 --json", dir.path()));
  EXPECT_EQ(timed.code, 1) << timed.err;
  EXPECT_TRUE(json::parse(timed.out).at("records").at(0).at("samples_ns").empty());
}

TEST(Verify, OneThatDoesNotLoadIsARowAndTheOthersRun) {
  const TempDir dir;
  write_row(dir / "broken", "uint keys = ", "uint keys = = ");
  for (const char* what : {"--problem 1x2x9x16", "--samples 1"}) {
    const Finished f = run_binary(
        with(typed("verify --device cpu --shaders {} --variant broken --variant row --json", dir.path()), typed(what)));
    EXPECT_TRUE(ends(f, 2, "broken/row.comp"));
    const json records = json::parse(f.out, nullptr, false).at("records");
    ASSERT_EQ(records.size(), 2u);
    EXPECT_EQ(records[0].at("outcome"), "refused");
    EXPECT_EQ(records[1].at("outcome"), "verified");
  }
}

TEST(Verify, RandomProblemsAreTheSameForTheSameSeed) {
  const auto problems = [](const char* seed) {
    std::vector<std::string> all;
    for (const json& r : run_records(typed("verify --device cpu --variant row --samples 2 --seed {} --json", seed)))
      all.push_back(r.at("variant").dump() + r.at("problem").dump() + r.at("config").dump());
    return all;
  };
  const auto first = problems("7");
  EXPECT_EQ(first.size(), 2u);
  EXPECT_EQ(first, problems("7"));
  EXPECT_NE(first, problems("8"));
}

TEST(Verify, WhatAVariantCannotTakeIsSkippedUnlessItWasNamed) {
  const Finished f = run_ok(typed("verify --device cpu --variant row --json"));
  const json document = json::parse(f.out);
  std::map<std::string, int> outcomes;
  for (const json& r : document.at("records")) {
    ++outcomes[r.at("outcome")];
    EXPECT_TRUE(r.at("outcome") != "refused" || r.at("message") != "");
  }
  EXPECT_GE(outcomes["verified"], 60) << "with options too";
  EXPECT_EQ(outcomes["refused"], 12) << "packed sequences and paged caches";
  EXPECT_EQ(outcomes.size(), 2u);
  EXPECT_TRUE(has(f.err, "0 failed, 12 skipped"));
  // A config that is legal on none of them is refused, not skipped everywhere.
  EXPECT_TRUE(ends(run_binary(typed("verify --device cpu --variant row --config LANES=33")), 2, "33"));
  // row takes no packed sequences.
  const std::vector<std::string> packed = typed("verify --device cpu --problem varlen=7,12:2x32 --variant");
  EXPECT_TRUE(has(run_ok(with(packed, {"all"})).out, "SKIP", "not packed sequences (requires varlen == 0)\n"));
  EXPECT_TRUE(ends(run_binary(with(packed, {"row"})), 2, "packed sequences"));
}

TEST(Verify, ThroughAnotherCommandTheRecordsAreTheSame) {
  const std::vector<std::string> what = typed("verify --device cpu --variant row --problem 1x2x33x32:f16 --json");
  const std::string worker = std::string("sh -c \"exec '") + ATTNSCOPE_EXECUTABLE + "' worker\"";
  json left = run_records(what), right = run_records(with(what, {"--worker", worker}));
  for (json* records : {&left, &right})
    for (json& r : *records) r.at("environment").erase("time_utc");
  EXPECT_EQ(left, right);
}

/// A copy of the shipped `row` with eight more parameters of eight values: 3 billion configs. `but_one`: a constraint
/// rules out seven of each, so that those of `row` are legal.
void write_vast_row(const fs::path& dir, const std::string& more, bool but_one = true) {
  std::string manifest = read_file(shipped("shaders/row/manifest.toml")), constants, sum = "0u";
  for (const char c : std::string("ABCDEFGH")) {
    const std::string name(1, c);
    manifest += "\n[[parameter]]\nname = \"" + name + "\"\nmeaning = \"m\"\nvalues = [0, 1, 2, 3, 4, 5, 6, 7]\n";
    if (but_one)
      manifest += "[[constraint]]\nrequire = \"" + name + " < 1\"\nbecause = \"" + name + " is {" + name + "}\"\n";
    constants += "layout(constant_id = " + std::to_string(20 + c - 'A') + ") const uint " + name + " = 0;\n";
    sum += " + " + name;
  }
  std::string shader = read_file(shipped("shaders/row/row.comp"));
  shader = replaced(shader, "#include \"common/bindings.glsl\"", constants + "#include \"common/bindings.glsl\"");
  shader = replaced(shader, "float factor = score_scale();", "float factor = score_scale() + float(" + sum + ");");
  write_file(dir / "vast" / "row.comp", shader);
  write_file(dir / "vast" / "manifest.toml", manifest + more);
}

std::vector<std::string> lines_with(const std::string& text, const std::string& part) {
  std::vector<std::string> found = lines_of(text);
  std::erase_if(found, [&](const std::string& line) { return line.find(part) == std::string::npos; });
  return found;
}

TEST(ConfigAll, RunsTheLegalOnesAndCountsTheOthersByReason) {
  const TempDir dir;
  write_vast_row(dir.path(),
                 "\n[[constraint]]\nrequire = \"LANES >= 64 && BLOCK_N == 4\"\nbecause = \"few are enough\"\n");
  const Finished f = run_ok(typed(
      "verify --device cpu --shaders {} --variant vast --config all --problem 1x2x9x16 --json --quiet", dir.path()));
  const json document = json::parse(f.out);
  const json& records = document.at("records");
  for (const json& r : records) EXPECT_EQ(r.at("outcome"), "verified") << r.at("config") << r.at("message");
  EXPECT_EQ(records.size(), 9u) << "two values of LANES and five of ROWS, but for 128 x 16 invocations";
  const std::string start = "note: vast on 1x2x9x16:f32: ";
  const auto notes = lines_with(f.err, start);
  ASSERT_EQ(notes.size(), 10u) << f.err;
  uint64_t left_out = 0;
  for (const std::string& note : notes) {
    std::string count = note.substr(start.size(), note.find(" of 3,019,898,880 configs left out: ") - start.size());
    std::erase(count, ',');
    left_out += std::stoull(count);
  }
  EXPECT_EQ(left_out + records.size(), 3019898880u);
  EXPECT_TRUE(has(notes.back(),
                  "1 of 3,019,898,880 configs left out: workgroup size of pass 'row'; such as A=0,B=0,BLOCK_N=4,",
                  "2,048 invocations"));
  EXPECT_EQ(lines_with(f.err, "LANES >= 64 && BLOCK_N == 4; such as ").size(), 1u) << f.err;
}

TEST(ConfigAll, WhereNoneIsLegalItSaysSoOnce) {
  const TempDir dir;
  write_vast_row(dir.path(), "\n[[constraint]]\nrequire = \"seq_q > 100\"\nbecause = \"{seq_q} queries are few\"\n");
  const std::vector<std::string> all =
      typed("verify --device cpu --shaders {} --variant vast --problem 1x2x9x16 --quiet --config", dir.path());
  for (const char* config : {"all", "default"}) {
    const Finished f = run_binary(with(all, {config}));
    EXPECT_EQ(f.code, 2) << f.out << f.err;
    EXPECT_EQ(lines_with(f.out, "REFUSED").size(), 1u) << f.out;
    const auto errors = lines_with(f.err, "attnscope verify: ");
    EXPECT_TRUE(has(only(errors), "9 queries are few (requires seq_q > 100). No config changes that")) << f.err;
  }
}

TEST(ConfigAll, AHopelessSpaceIsGivenUp) {
  const TempDir dir;
  write_vast_row(dir.path(),
                 "\n[[constraint]]\nrequire = \"0.5 + A + B + C + D + E + F + G + H == 9\"\nbecause = \"no sum is\"\n",
                 false);
  const std::vector<std::string> words =
      typed("verify --device cpu --shaders {} --variant vast --quiet --problem 1x2x9x16 --config", dir.path());
  EXPECT_TRUE(ends(run_binary(with(words, {"default"})), 2, "farther ones were not tried"));
  EXPECT_TRUE(ends(run_binary(with(words, {"all"})), 2, "only the first", "planning them took more than 10 s"));
}

TEST(Shaders, AVariantThatReplacesAShippedOneIsNoted) {
  const TempDir dir;
  write_row(dir / "row");
  const std::vector<std::string> words = typed("variants row --device cpu --json");
  const Finished f = run_ok(with(words, {"--shaders", dir.path()}));
  const auto notes = lines_with(f.err, "note: the variant 'row' of --shaders replaces that of ");
  EXPECT_TRUE(has(only(notes), "shaders/row")) << f.err;
  EXPECT_TRUE(has(json::parse(f.out).at("variants").at(0).at("shadows"), "shaders/row"));
  const Finished plain = run_binary(words);
  EXPECT_EQ(plain.err, "");
  EXPECT_EQ(json::parse(plain.out).at("variants").at(0).at("shadows"), "");
}

TEST(Completions, EachShellTakesThem) {
  const TempDir dir;
  for (const std::string shell : {"bash", "zsh", "man"}) {
    write_file(dir.path() / shell, run_ok({"completions", shell}).out);
    const std::string check = shell == "man" ? "LC_ALL=C.UTF-8 man --warnings -l man 2>&1 >/dev/null | diff - /dev/null"
                                             : shell + " -n " + shell;
    EXPECT_TRUE(!in_path(shell) || std::system(("cd " + quoted(dir.path()) + " && " + check).c_str()) == 0) << shell;
  }
  EXPECT_TRUE(has(read_file(dir / "man"), "bench", "sweep", "baseline"));
  EXPECT_TRUE(ends(run_binary({"completions", "tcsh"}), 2, "tcsh"));
}

TEST(Completions, AreOfTheOptionsAsTheyAreDeclared) {
  const TempDir dir;
  write_file(dir / "bash", run_ok({"completions", "bash"}).out);
  for (const auto& [line, word] : {std::pair<std::string, std::string>{"bench --ab-sh", "--ab-shaders"},
                                   {"history im", "import"},
                                   {"history export --si", "--since"},
                                   {"compare a b --across dr", "driver"},
                                   {"bench --launch b", "back-to-back"},
                                   {"bench --launch = b", "back-to-back"},
                                   {"bench --launch=b", "--launch=back-to-back"},
                                   {"tune --strategy ex", "exhaustive"},
                                   {"verify --variant wide_r", "wide_row"},
                                   {"completions zs", "zsh"},
                                   {"--problem bench --idl", "--idle"}}) {
    EXPECT_EQ(run_ok(typed("completions words -- " + line)).out, word + "\n");
    const std::string program = fmt::format(
        ". ./bash; COMP_WORDS=(attnscope {}); COMP_CWORD={}; _attnscope {}; test \"${{COMPREPLY[*]}}\" = '{}'", line,
        std::ranges::count(line, ' ') + 1, quoted(ATTNSCOPE_EXECUTABLE), word);
    EXPECT_EQ(std::system(("cd " + quoted(dir.path()) + " && bash -c " + quoted(program)).c_str()), 0) << line;
  }
}

}  // namespace attnscope::verify_test
