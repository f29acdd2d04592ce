// All configs from the command line, what stands in for the defaults, variants that replace.

#include "tests/cli/run_binary.hpp"

namespace attnscope::config_space_test {

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
    if (std::system(("command -v " + shell + " >/dev/null").c_str()) == 0) {
      EXPECT_EQ(std::system(("cd " + quoted(dir.path()) + " && " + check).c_str()), 0) << shell;
    }
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

}  // namespace attnscope::config_space_test
