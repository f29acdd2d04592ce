// The tuning cache: what is found for whom, what is never trusted, several writers, the C header; a pick for any shape,
// fitted to made-up choices, as C that is compiled and run; and journals: whatever ends a process, and whatever lies
// there.
#include "engine/tune/header.hpp"
#include "engine/tune/journal.hpp"
#include "engine/tune/random.hpp"
#include "tests/has.hpp"
#include "tests/tune/tuned_entry.hpp"

namespace attnscope::tune::cache_test {

TunedEntry entry(const std::string& problem, double ns = 1000, const std::string& variant = "coopmat") {
  TunedEntry e = tuned_entry(problem, variant, ns);
  e.shader_hash = "abc";
  e.config = {{"BLOCK_N", 64}, {"STAGES", 2}};
  e.trials = 300;
  TunedPass pass;
  pass.name = "flash \"?\?/\" */";  // what a C file must survive
  pass.shader = "coopmat.comp";
  pass.grid = {16, 32, 1};
  pass.grid_formula = {"heads_q * batch", "ceil_div(seq_q, block_m)", ""};
  pass.local_size = {128, 1, 1};
  pass.constants = {{0, "WORKGROUP", 128, "threads"}, {3, "BLOCK_N", 64, ""}};
  pass.push_bytes = 8;
  pass.push = {{0, "seq_kv", "uint", 4096, "seq_kv"}, {4, "tile", "uint", 64, ""}};
  e.vendor_id = 0x10de;
  e.passes = {pass, TunedPass{}};
  e.passes[1].name = "merge";
  return e;
}

TunedQuery query(const std::string& problem, const std::string& variant = "coopmat") {
  return {.device = tuned_device(), .problem = *parse_problem(problem), .variants = {{variant, "abc"}}};
}

TEST(Distance, IsOfTheLengthsAloneWhereTheRestIsTheSame) {
  const auto away = [](const char* a, const char* b) { return distance(*parse_problem(a), *parse_problem(b)); };
  EXPECT_DOUBLE_EQ(*away("1x16x4096x128:f16", "2x16x2048x128:f16"), 2.5);
  for (const char* other : {"1x16x4096x64:f16", "1x16x4096x128:dv=64:f16", "1x16x4096x128:causal:f16",
                            "1x16x4096x128:page=16:f16", "1x16x4096x128:sinks:f16", "varlen=4096:16x128:f16",
                            "1x16x4096x128:kvtype=q8_0:f16", "1x16x4096x128:window=7:f16", "1x16x4096x128:bf16"})
    EXPECT_FALSE(away("1x16x4096x128:f16", other)) << other;
}

TunedTables tables(const std::vector<TunedEntry>& user) { return {.user = {.entries = user}}; }

TEST(TunedCache, AnotherDeviceDriverSourceOrModeIsNoMatch) {
  const std::vector<TunedEntry> user{entry("1x16x4096x128:f16")};
  EXPECT_EQ(find_tuned(tables(user), query("1x16x4096x128:f16")).size(), 1u);
  for (const auto change : std::to_array<void (*)(TunedQuery&)>({
           [](TunedQuery& q) { q.device.device_uuid = "1111"; },
           [](TunedQuery& q) { q.device.driver = "NVIDIA 590.1"; },
           [](TunedQuery& q) { q.variants.begin()->second = "edited"; },
           [](TunedQuery& q) { q.cache = CacheMode::cold; },
           [](TunedQuery& q) {
             q.variants = {{"tiled", "abc"}};
           },
       })) {
    TunedQuery q = query("1x16x4096x128:f16");
    change(q);
    EXPECT_TRUE(find_tuned(tables(user), q).empty());
  }
  // One that was imported is of any device of that name.
  std::vector<TunedEntry> imported = user;
  imported[0].device_uuid.clear();
  TunedQuery q = query("1x16x4096x128:f16");
  q.device.device_uuid = "1111";
  EXPECT_EQ(find_tuned(tables(imported), q).size(), 1u);
  q.device.name = "NVIDIA H100";
  EXPECT_TRUE(find_tuned(tables(imported), q).empty());
}

TEST(TunedCache, TheVeryProblemComesFirstThenTheNearestThenTheFastest) {
  TunedEntry other_driver = entry("1x16x4096x128:f16", 1);
  other_driver.driver = "NVIDIA 570.1";
  const auto found =
      find_tuned(tables({entry("1x16x16384x128:f16", 5), entry("1x16x8192x128:f16", 900),
                         entry("1x16x4096x128:f16", 400), entry("1x16x4096x128:f16", 300),
                         entry("1x16x131072x128:f16", 1), other_driver, entry("1x16x4100x128:f16", 1000)}),
                 query("1x16x4096x128:f16"));
  const auto times = mapped(found, [](const TunedMatch& m) { return m.entry.median_ns; });
  EXPECT_EQ(times, (std::vector<double>{300, 400, 1000, 900, 5})) << "131072 is too far away";
}

TEST(TunedCache, SaysWhyAnEntryForJustThisProblemIsNotUsed) {
  TunedTables t = tables({entry("1x16x4096x128:f16"), entry("1x16x8192x128:f16")});
  TunedQuery q = query("1x16x4096x128:f16");
  EXPECT_EQ(why_unused(t, q), "") << "that one is used";
  q.variants["coopmat"] = "edited";
  EXPECT_EQ(why_unused(t, q), "its tuned config is of another version of coopmat's shader");
  q.variants = {};
  EXPECT_EQ(why_unused(t, q), "its tuned config is of coopmat, which is not here or cannot run");
  q = query("1x16x4096x128:f16");
  t.user.entries[0].driver = "NVIDIA 570.1";
  EXPECT_EQ(why_unused(t, q), "its tuned config was tuned with NVIDIA 570.1");
  t.user.entries[0].device_uuid = "another";
  EXPECT_EQ(why_unused(t, q), "");
}

TEST(TunedCache, StoresReplacesAndKeepsWhatRaced) {
  const TempDir dir;
  const auto file = dir / "share/tuned.json";
  ASSERT_TRUE(store_tuned(file, std::vector{entry("1x16x4096x128:f16"), entry("1x16x2048x128:f16")}));
  TunedEntry look = entry("1x16x4096x128:f16", 900);
  look.raced = false;
  ASSERT_TRUE(store_tuned(file, std::vector{look}));
  EXPECT_EQ(load_tuned(file).entries[0].median_ns, 1000) << "a short look replaces no race";
  ASSERT_TRUE(store_tuned(file, std::vector{entry("1x16x4096x128:f16", 950)}));
  const TunedTable table = load_tuned(file);
  ASSERT_EQ(table.entries.size(), 2u);
  EXPECT_EQ(table.entries[0], entry("1x16x4096x128:f16", 950)) << "all of it comes back";
  EXPECT_TRUE(table.notes.empty());
}

TEST(TunedCache, WhatIsNoTableIsSetAsideAndNeverFatal) {
  const TempDir dir;
  const auto file = dir / "tuned.json";
  const std::string good = tuned_to_json(std::vector{entry("1x16x4096x128:f16")});
  for (const std::string& bad :
       {std::string("not json"), std::string("{}"), std::string("[1]"), good.substr(0, good.size() / 2),
        std::string("{\"attnscope_tuned\": 0, \"entries\": []}"), std::string()}) {
    write_file(file, bad);
    const TunedTable table = load_tuned(file);
    EXPECT_TRUE(table.entries.empty());
    EXPECT_TRUE(has(only(table.notes), "set aside")) << bad;
    EXPECT_FALSE(fs::exists(file));
  }
  EXPECT_EQ(read_file(file.string() + ".aside-1"), "not json") << "nothing is thrown away";
  // One entry that makes no sense costs itself.
  std::string half = tuned_to_json(std::vector{entry("1x16x4096x128:f16"), entry("1x16x2048x128:f16")});
  half.replace(half.find("\"1x16x4096x128:f16\""), 19, "\"nonsense\"");
  write_file(file, half);
  const TunedTable table = load_tuned(file);
  EXPECT_EQ(table.entries.size(), 1u);
  EXPECT_EQ(table.notes.size(), 1u);
  ASSERT_TRUE(store_tuned(file, std::vector{entry("1x16x512x128:f16")}));
  EXPECT_EQ(load_tuned(file).entries.size(), 2u);
  EXPECT_TRUE(has(read_file(file), "nonsense")) << "and stays in the file";
}

TEST(TunedCache, SeveralWritersAtOnceLoseNothing) {
  const TempDir dir;
  const auto file = dir / "tuned.json";
  at_once(4, [&](int w) {
    for (int i = 0; i < 10; ++i)
      EXPECT_TRUE(store_tuned(file, std::vector{entry("1x" + std::to_string(1 + 10 * w + i) + "x64x128:f16")}));
  });
  EXPECT_EQ(load_tuned(file).entries.size(), 40u);
}

TEST(TunedHeader, CompilesAsC99AndFindsTheNearest) {
  const TempDir dir;
  const auto header =
      must(tuned_header(std::vector{entry("1x16x4096x128:f16", 500), entry("1x16x4096x128:f16", 300, "tiled"),
                                    entry("1x64x32768x128:q=1:kv=8:f16"), entry("1x16x64x80:window=64:f16")}));
  write_file(dir / "tuned.h", *header);
  write_file(dir / "use.c", R"c(
#include "tuned.h"
#include <stdio.h>
int main(void) {
  attnscope_problem p = {.dtype = ATTNSCOPE_F16, .head_dim = 128, .v_dim = 128,
                         .seq_q = 4096, .seq_kv = 5000, .batch_heads = 20, .group = 1};
  const attnscope_entry *e = attnscope_find(&p);
  if (!e) return 1;
  if (ATTNSCOPE_VENDOR_ID != 0x10deu || e->passes[0].push_count != 2 || e->passes[0].push[1].formula) return 7;
  if (e->passes[0].push[0].bits != 4096 || !e->passes[0].push[0].formula || e->passes[1].push) return 8;
  printf("%s %s %u %u %u", e->variant, e->text, e->pass_count, e->passes[0].constants[1].bits, e->passes[0].grid[1]);
  p.head_dim = 64;
  if (attnscope_find(&p)) return 2;
  p.head_dim = 128, p.window = 128;
  if (attnscope_find(&p)) return 5;
  p.window = 5000;  /* hides nothing */
  if (attnscope_find(&p) != e) return 9;
  p.head_dim = p.v_dim = 80, p.seq_q = p.seq_kv = 70, p.window = 64;  /* hid nothing where it was tuned */
  if (attnscope_find(&p)) return 10;
  p.window = 70;
  if (!attnscope_find(&p)) return 11;
  p.head_dim = p.v_dim = 128, p.seq_q = 4096, p.seq_kv = 5000;
  p.window = 0, p.sinks = 1;
  if (attnscope_find(&p)) return 6;
  p.sinks = 0, p.seq_q = 1, p.seq_kv = 16384, p.batch_heads = 64, p.group = 8;
  e = attnscope_find(&p);
  if (!e || e->problem.seq_kv != 32768) return 3;
  p.seq_kv = 1;
  return attnscope_find(&p) ? 4 : 0;
}
)c");
  const auto path = [&](const char* name) { return "'" + (dir / name).string() + "'"; };
  ASSERT_EQ(std::system(("cc -std=c99 -pedantic -Wall -Wextra -Werror -o " + path("use") + " " + path("use.c") +
                         " -lm 2>" + path("errors"))
                            .c_str()),
            0)
      << read_file(dir / "errors") << *header;
  ASSERT_EQ(std::system((path("use") + " >" + path("out")).c_str()), 0);
  EXPECT_EQ(read_file(dir / "out"), "tiled 1x16x4096x128:f16 2 64 32") << "the fastest of the problem";
  EXPECT_FALSE(tuned_header({}));
  std::vector<TunedEntry> two{entry("1x16x4096x128:f16"), entry("1x16x2048x128:f16")};
  two[1].device = "Another GPU";
  EXPECT_FALSE(tuned_header(two));
}

/// "decode" for up to 16 queries; else "wide" from 4,096 rows, "narrow" below; f32 has one that runs nothing else.
size_t right(const Problem& p) {
  if (p.dtype == DType::f32) return 3;
  return p.seq_q <= 16 ? 0 : uint64_t{p.batch} * p.heads_q * p.seq_q >= 4096 ? 1 : 2;
}
std::vector<PickSample> samples(uint64_t seed, size_t count) {
  Random random(seed);
  const auto power = [&](uint64_t most) { return uint32_t(1) << random.below(most); };
  std::vector<PickSample> out;
  for (size_t i = 0; i < count; ++i) {
    PickSample s{*parse_problem(fmt::format("{}x{}x{}x{}:q={}:{}", power(3), power(6), power(14), 32 * power(4),
                                            power(13), i % 10 == 0 ? "f32" : "f16"))};
    const size_t best = right(s.problem);
    s.losses[best] = 0;
    for (size_t c = 0; c < 3 && best < 3; ++c) s.losses.try_emplace(c, 0.3);
    out.push_back(s);
  }
  return out;
}
std::vector<CostConfig> choices() {
  return {{"decode", "d1", {{"SPLITS", 4}}},
          {"flash", "f1", {{"M", 128}}},
          {"flash", "f1", {{"M", 32}}},
          {"tiled", "t1", {}}};
}

TEST(Pick, IsThatOfAutoOnProblemsItWasNotFittedTo) {
  const PickTree tree = fit_pick(choices(), samples(1, 400), 16);
  EXPECT_LE(tree.nodes.size(), 31u);
  const PickRegret r = regret_of(tree, samples(2, 200));
  EXPECT_EQ(r.problems, 200u);
  EXPECT_EQ(r.unknown, 0u);
  EXPECT_LT(r.mean, 1.01);
  EXPECT_LE(r.worst, std::exp(0.3) + 1e-9);
  const PickTree one = fit_pick(choices(), samples(1, 400), 1);
  EXPECT_EQ(one.nodes.size(), 1u);
  const PickRegret blunt = regret_of(one, samples(2, 200));
  EXPECT_GT(blunt.mean, 1.05);
  EXPECT_EQ(blunt.unknown, 20u) << "f32, which runs something else alone";
}

TEST(Pick, IsTheSameInCAndInCpp) {
  const PickTree tree = fit_pick(choices(), samples(1, 400), 16);
  const std::vector<std::string> heading{"Made up */ for a test.", "Regret 1.00."};
  const TempDir dir;
  const auto path = [&](const char* name) { return (dir / name).string(); };
  write_file(path("pick.h"), pick_source(tree, heading));
  std::string calls;
  for (const PickSample& s : samples(3, 50)) {
    const CostConfig& c = tree.choices[tree.pick(s.problem)];
    const auto f = features_of(s.problem);
    calls += fmt::format("  wrong += is(attnscope_pick({}, {}, {}, {}, {}, {}, {}), \"{}\", \"{}\");\n", f[0], f[1],
                         f[2], f[3], f[4], f[5], f[6], c.variant, to_text(c.config));
  }
  const std::string use =
      "#include \"pick.h\"\n#include <string.h>\nstatic int is(unsigned i, const char *v, const char *c) {\n"
      "  return strcmp(attnscope_choices[i].variant, v) != 0 || strcmp(attnscope_choices[i].config, c) != 0;\n}\n"
      "int main(void) {\n  int wrong = 0;\n" +
      calls + "  return wrong;\n}\n";
  write_file(path("use.c"), use);
  for (const char* compiler : {"cc -std=c11 -x c", "c++ -std=c++20 -x c++"})
    EXPECT_EQ(std::system((std::string(compiler) + " -pedantic -Wall -Wextra -Werror -o " + path("use") + " " +
                           path("use.c") + " && " + path("use"))
                              .c_str()),
              0)
        << compiler;
}

JournalKey key(const std::string& driver = "NVIDIA 580.1") {
  const DeviceInfo device{.name = "Some GPU", .driver = driver, .device_uuid = "00ff"};
  return journal_key(device, *parse_problem("1x2x64x32:f16"), Protocol(), 1);
}

JournalLine line(int64_t m, double ns = 1000) {
  Trial trial{.config = {{"BLOCK_M", m}},
              .outcome = ns > 0 ? Outcome::measured : Outcome::failed_verdict,
              .message = ns > 0 ? "" : "a \"wrong\" one\nin two lines",
              .median_ns = ns,
              .samples_ns = {ns, ns + 0.25},
              .time_utc = "2026-11-21T00:00:00Z"};
  return {"tiled", "abc", trial};
}

void fill(const fs::path& path, const std::vector<JournalLine>& lines, const JournalKey& k = key()) {
  auto journal = must(Journal::open(path, k));
  for (const JournalLine& l : lines) ASSERT_TRUE(journal->append(l));
}

struct JournalTest : testing::Test {
  const TempDir dir_;
  const fs::path path_ = dir_ / "a/b.jsonl";
};

TEST_F(JournalTest, ATimeBelowZeroOrFarFromItsSamplesIsDamage) {
  JournalLine median = line(32), sample = line(64), forged = line(128);
  median.trial.median_ns = sample.trial.samples_ns[1] = -5;
  forged.trial.median_ns = 1;
  fill(path_, {line(16), median, sample, forged});
  const Journal journal = Journal::look(path_, key());
  EXPECT_TRUE(has(journal.note(), "3 lines of"));
  EXPECT_EQ(journal.earlier(), std::vector{line(16)});
}

TEST_F(JournalTest, ATornLastLineCostsItselfAlone) {
  fill(path_, {line(16), line(32)});
  const std::string whole = read_file(path_);
  // Cut anywhere in the last line, as the end of a process can.
  const size_t last = whole.rfind('\n', whole.size() - 2) + 1;
  for (size_t cut = last; cut < whole.size(); cut += 7) {
    write_file(path_, whole.substr(0, cut));
    EXPECT_EQ(Journal::look(path_, key()).earlier().size(), 1u) << cut;
    fill(path_, {line(64)});
    EXPECT_EQ(Journal::look(path_, key()).earlier(), (std::vector{line(16), line(64)})) << cut;
  }
}

TEST_F(JournalTest, TwoThatAppendAtOnceKeepTheirTrialsApart) {
  auto one = must(Journal::open(path_, key()));
  ASSERT_TRUE(one->append(line(16)));
  auto other = must(Journal::open(path_, key("NVIDIA 570.1")));
  ASSERT_TRUE(other->append(line(32, 0)));
  ASSERT_TRUE(one->append(line(64)));
  EXPECT_EQ(Journal::look(path_, key()).earlier(), (std::vector{line(16), line(64)}));
  EXPECT_EQ(Journal::look(path_, key("NVIDIA 570.1")).earlier(), (std::vector{line(32, 0)}));
  EXPECT_EQ(Journal::look(path_, key()).note(), "") << "another's are no damage";
}

TEST_F(JournalTest, GivesItsTrialsInTheOrderTheyWereMade) {
  fill(path_, {line(64), line(16), line(32)});
  EXPECT_EQ(Journal::look(path_, key()).earlier(), (std::vector{line(64), line(16), line(32)}));
  fill(path_, {line(128), line(64, 700)});
  EXPECT_EQ(Journal::look(path_, key()).earlier(), (std::vector{line(16), line(32), line(128), line(64, 700)}))
      << "what was made again stands where it was made last";
}

TEST_F(JournalTest, WhatIsNoneStaysAsItIs) {
  write_file(path_, "my shopping list\n");
  for (const bool fresh : {false, true}) EXPECT_FALSE(Journal::open(path_, key(), fresh));
  EXPECT_EQ(read_file(path_), "my shopping list\n");
  write_file(path_, "");
  fill(path_, {line(16)});
  // Asked to begin anew, what is a journal is kept too.
  EXPECT_TRUE(must(Journal::open(path_, key(), true))->earlier().empty());
  EXPECT_TRUE(has(read_file(path_.string() + ".aside-1"), "BLOCK_M"));
  EXPECT_FALSE(Journal::open("/proc/no/such.jsonl", key()));
}

TEST_F(JournalTest, BeginsWithItsFirstTrial) {
  EXPECT_TRUE(Journal::open(path_, key()));
  EXPECT_FALSE(fs::exists(path_));
  fill(path_, {line(16)});
  // One that is there is not added to before there is anything to add.
  const std::string before = read_file(path_);
  EXPECT_TRUE(Journal::open(path_, key("other 1")));
  EXPECT_EQ(Journal::look(path_, key()).earlier(), std::vector{line(16)});
  EXPECT_TRUE(Journal::look(path_, key("other 1")).earlier().empty());
  EXPECT_EQ(read_file(path_), before);
}

TEST_F(JournalTest, HasNoLengthAtWhichItIsLost) {
  fill(path_, {line(16)});
  // Longer than what is read whole; a hole costs no room.
  fs::resize_file(path_, kMaxResultBytes + 1);
  std::ofstream(path_, std::ios::app) << '\n';
  fill(path_, {line(32)});
  const auto journal = must(Journal::open(path_, key()));
  EXPECT_EQ(journal->earlier(), (std::vector{line(16), line(32)})) << journal->note();
  EXPECT_TRUE(has(journal->note(), "1 lines of")) << "the hole: ";
}

TEST_F(JournalTest, SeveralWritersLoseNothing) {
  at_once(4, [&](int w) {
    auto journal = must(Journal::open(path_, key()));
    for (int i = 0; i < 100; ++i) ASSERT_TRUE(journal->append(line(1000 * w + i)));
  });
  const Result<Journal> journal = Journal::open(path_, key());
  EXPECT_EQ(journal->note(), "");
  EXPECT_EQ(journal->earlier().size(), 400u);
}

}  // namespace attnscope::tune::cache_test
