// `attnscope compare`, `bench --ab` and the JUnit file of `verify`, with the real binary.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "engine/record/results.hpp"
#include "tests/cli/run_binary.hpp"

namespace attnscope {
namespace {

using nlohmann::json;

std::string recorded() { return shipped("docs/results/2026-11-21-h200-speed.json"); }

/// The recorded runs, `factor` times as long.
std::string slowed(const TempDir& dir, const char* name, double factor) {
  Results results = *read_results(recorded());
  for (Record& r : results.records)
    for (double& ns : r.samples_ns) ns *= factor;
  const std::filesystem::path path = dir.path() / name;
  EXPECT_TRUE(write_results(path, results));
  return path;
}

TEST(CompareCommand, IsAGate) {
  const TempDir dir;
  const std::string slow = slowed(dir, "slow.json", 1.1);
  Finished f = run_binary({"compare", recorded(), recorded(), "--fail-slower", "3%"});
  EXPECT_EQ(f.code, 0) << f.err;
  EXPECT_NE(f.out.find("65 SAME, 0 UNSURE"), std::string::npos) << f.out;
  EXPECT_NE(f.err.find("0 of 65 rows are surely slower by more than 3 %"), std::string::npos) << f.err;
  f = run_binary({"compare", recorded(), slow});
  EXPECT_EQ(f.code, 0) << "without a gate it tells, and no more";
  EXPECT_NE(f.out.find("SLOWER"), std::string::npos);
  f = run_binary({"compare", recorded(), slow, "--fail-slower", "3%"});
  EXPECT_EQ(f.code, 1) << f.err;
  EXPECT_NE(f.err.find("slower by more than 3 %: coopmat default on 1x16x4096x128:f16: 1.1000 ("), std::string::npos)
      << f.err;
  f = run_binary({"compare", slow, recorded(), "--fail-slower", "3 %", "--json"});
  EXPECT_EQ(f.code, 0) << "faster is fine";
  EXPECT_EQ(json::parse(f.out).at("counts").at("SLOWER"), 0);
  EXPECT_GT(json::parse(f.out).at("counts").at("FASTER"), 50);
}

TEST(CompareCommand, DoesNotWriteOverWhatItReads) {
  const TempDir dir;
  const std::string slow = slowed(dir, "slow.json", 1.1);
  std::filesystem::create_symlink(slow, dir.path() / "link.json");
  const std::string before = read_file(slow);
  for (const std::string& output : {slow, (dir.path() / "link.json").string()}) {
    const Finished f = run_binary({"compare", recorded(), slow, "--output", output});
    EXPECT_EQ(f.code, 2) << f.err;
    EXPECT_NE(f.err.find("--output " + output + ": it is the file that is read"), std::string::npos) << f.err;
    EXPECT_EQ(read_file(slow), before);
  }
  const Finished f = run_binary(
      {"bench", "--device", "cpu", "--problem", "1x1x8x16", "--variant", "row", "--baseline", slow, "--output", slow});
  EXPECT_EQ(f.code, 2) << f.err;
  EXPECT_NE(f.err.find("it is the file that is read"), std::string::npos) << f.err;
  EXPECT_EQ(read_file(slow), before);
}

TEST(CompareCommand, SaysThatCsvHasNoSamples) {
  const TempDir dir;
  ASSERT_TRUE(write_results(dir.path() / "r.csv", *read_results(recorded())));
  const Finished f = run_binary({"compare", recorded(), dir.path() / "r.csv"});
  EXPECT_EQ(f.code, 2);
  EXPECT_NE(f.err.find("is CSV, which has no samples"), std::string::npos) << f.err;
}

TEST(CompareCommand, WritesTheFormatOfTheExtension) {
  const TempDir dir;
  const std::string slow = slowed(dir, "slow.json", 1.1);
  for (const char* name : {"c.json", "c.csv", "c.md"}) {
    const Finished f = run_binary({"compare", recorded(), slow, "--output", dir.path() / name});
    ASSERT_EQ(f.code, 0) << f.err;
    const std::string text = read_file(dir.path() / name);
    EXPECT_NE(text.find("SLOWER"), std::string::npos) << name;
    EXPECT_EQ(text.find("nan"), std::string::npos) << name;
  }
  const Finished f = run_binary({"compare", recorded(), slow, "--by", "head_dim,seq_kv", "--show", "time,registers",
                                 "--output", dir.path() / "grid.md"});
  ASSERT_EQ(f.code, 0) << f.err;
  EXPECT_EQ(f.out, read_file(dir.path() / "grid.md"));
  EXPECT_NE(f.out.find("| head_dim ↓ seq_kv → |"), std::string::npos) << f.out;
  EXPECT_NE(f.out.find("+10 % \\| "), std::string::npos) << f.out;
}

TEST(CompareCommand, BadInputNamesTheOptionAndWhatIsAllowed) {
  const TempDir dir;
  write_file(dir.path() / "none.json", R"({"schema":1,"records":[]})");
  const auto bad = [&](std::vector<std::string> arguments, const char* says) {
    arguments.insert(arguments.begin(), "compare");
    const Finished f = run_binary(arguments);
    EXPECT_EQ(f.code, 2) << f.out;
    EXPECT_NE(f.err.find(says), std::string::npos) << f.err;
  };
  bad({recorded()}, "B is required");
  bad({recorded(), "no-such.json"}, "no-such.json");
  bad({recorded(), dir.path() / "none.json"}, "no row of");
  bad({recorded(), recorded(), "--fail-slower", "3"}, "such as 3%");
  bad({recorded(), recorded(), "--fail-slower", "nan%"}, "such as 3%");
  bad({recorded(), recorded(), "--tolerance", "5%", "--fail-slower", "3%"}, "--tolerance 5%");
  bad({recorded(), recorded(), "--by", "nothing"}, "--by nothing");
  bad({recorded(), recorded(), "--show", "time"}, "--by");
  bad({recorded(), recorded(), "--output", "x.txt"}, "x.txt");
}

std::vector<std::string> ab(std::vector<std::string> more) {
  std::vector<std::string> all{"bench", "--device", "cpu", "--problem",   "1x1x8x16", "--quiet", "--min-ms",
                               "20",    "--max-ms", "300", "--warmup-ms", "2",        "--json"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

TEST(BenchAb, MeasuresTwoConfigsInTurn) {
  const TempDir dir;
  Finished f = run_binary(ab({"--variant", "row", "--ab", "LANES=8", "LANES=16", "--output", dir.path() / "r.json"}));
  ASSERT_EQ(f.code, 0) << f.err;
  const json document = json::parse(f.out);
  ASSERT_EQ(document.at("records").size(), 2u);
  ASSERT_EQ(document.at("comparisons").size(), 1u);
  const json& c = document.at("comparisons")[0];
  EXPECT_EQ(c.at("a").at("config").at("LANES"), 8);
  EXPECT_EQ(c.at("b").at("config").at("LANES"), 16);
  EXPECT_EQ(c.at("interleaved"), true);
  EXPECT_EQ(document.at("records")[0].at("config").at("LANES"), 8);
  EXPECT_GE(c.at("a").at("samples"), 32);
  EXPECT_GT(c.at("comparison").at("ratio"), 0);
  EXPECT_LE(c.at("comparison").at("low"), c.at("comparison").at("ratio"));
  EXPECT_NE(c.at("comparison").at("reason").get<std::string>(),
            "not taken interleaved, on a device that shares its CPU");
  const auto written = read_results(dir.path() / "r.json");
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_EQ(written->comparisons.size(), 1u);

  f = run_binary(ab({"--ab", "row", "naive"}));
  ASSERT_EQ(f.code, 0) << f.err;
  EXPECT_EQ(json::parse(f.out).at("comparisons")[0].at("b").at("variant"), "naive");
  f = run_binary(ab({"--ab", "row:LANES=8", "row:LANES=17"}));
  EXPECT_EQ(f.code, 2) << f.err;
}

TEST(BenchAb, OfTwoShaderFoldersMeasuresBeforeAndAfterTheEdit) {
  const TempDir dir;
  std::filesystem::create_directories(dir.path() / "after");
  std::filesystem::copy(shipped("shaders/row"), dir.path() / "after/row", std::filesystem::copy_options::recursive);
  const auto shader = dir.path() / "after/row/row.comp";
  // Much more work, so that even a busy machine shows it.
  write_file(shader, replaced(read_file(shader), "void main() {",
                              "void main() {\n    float slow = float(gl_LocalInvocationID.x) * 0.001;\n"
                              "    for (uint i = 0u; i < 20000u; ++i) slow = fma(slow, 0.999, 0.001);\n"
                              "    if (slow > 1e30) return;\n"));
  Finished f = run_binary(ab({"--ab-shaders", shipped("shaders"), dir.path() / "after"}));
  ASSERT_EQ(f.code, 0) << f.err;
  const json document = json::parse(f.out);
  ASSERT_EQ(document.at("comparisons").size(), 1u) << "the one that is in both";
  const json& c = document.at("comparisons")[0];
  EXPECT_EQ(c.at("a").at("variant"), "row");
  EXPECT_EQ(c.at("b").at("variant"), "row@B");
  EXPECT_NE(c.at("a").at("shader_hash"), c.at("b").at("shader_hash"));
  EXPECT_GT(c.at("comparison").at("ratio"), 1.5);

  f = run_binary(ab({"--ab-shaders", shipped("shaders"), shipped("shaders")}));
  EXPECT_EQ(f.code, 2);
  EXPECT_NE(f.err.find("no variant is in both and differs"), std::string::npos) << f.err;
  f = run_binary(ab({"--ab-shaders", shipped("shaders"), dir.path() / "after", "--variant", "naive"}));
  EXPECT_EQ(f.code, 2);
  EXPECT_NE(f.err.find("--variant naive"), std::string::npos) << f.err;
}

TEST(BenchAb, BadInputNamesTheOptionAndWhatIsAllowed) {
  const auto bad = [&](std::vector<std::string> arguments, const char* says) {
    const Finished f = run_binary(ab(std::move(arguments)));
    EXPECT_EQ(f.code, 2) << f.out;
    EXPECT_NE(f.err.find(says), std::string::npos) << f.err;
  };
  bad({"--ab", "row"}, "--ab");
  bad({"--ab", "LANES=8", "LANES=16"}, "a CONFIG alone needs one --variant");
  bad({"--variant", "row", "--ab", "LANES=8", "LINES=16"}, "LINES");
  bad({"--variant", "row", "--ab", "all", "LANES=16"}, "--config all");
  bad({"--ab", "row", "naive", "--log"}, "--log");
  bad({"--tolerance", "1%"}, "--ab");
}

TEST(VerifyJUnit, HasACaseForEachRecord) {
  const TempDir dir;
  const std::filesystem::path file = dir.path() / "r.xml";
  Finished f = run_binary({"verify", "--device", "cpu", "--problem", "1x1x8x16", "--variant", "row", "--variant",
                           "naive", "--quiet", "--output", file});
  ASSERT_EQ(f.code, 0) << f.err;
  const std::string xml = read_file(file);
  EXPECT_TRUE(xml.starts_with(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"attnscope verify\" tests=\"2\" failures=\"0\""))
      << xml;
  EXPECT_NE(xml.find("<testcase classname=\"row\" name=\"default 1x1x8x16:f32 seed=1\" time=\""), std::string::npos)
      << xml;
  EXPECT_FALSE(std::filesystem::exists(file.string() + ".partial"));
  // By a real parser, where there is one.
  if (std::system("python3 -c 'import xml.etree' 2>/dev/null") == 0) {
    const std::string script =
        "import sys, xml.etree.ElementTree as E\n"
        "r = E.parse(sys.argv[1]).getroot()\n"
        "assert r.tag == 'testsuites'\n"
        "for s in r:\n"
        "  assert s.tag == 'testsuite' and int(s.get('tests')) == len(s.findall('testcase')), s.attrib\n"
        "  for c in s.findall('testcase'):\n"
        "    assert c.get('classname') and c.get('name') and float(c.get('time')) >= 0\n";
    EXPECT_EQ(std::system(("python3 -c " + quoted(script) + " " + quoted(file)).c_str()), 0);
  }
  f = run_binary({"bench", "--device", "cpu", "--problem", "1x1x8x16", "--variant", "row", "--output", file});
  EXPECT_EQ(f.code, 2) << "only verdicts are test cases";
}

}  // namespace
}  // namespace attnscope
