#include "engine/record/preset.hpp"
#include "engine/record/results.hpp"
#include "tests/has.hpp"

namespace attnscope::preset_test {

const fs::path kPresets = fs::path(ATTNSCOPE_SOURCE_DIR) / "assets/presets";

TEST(Presets, AllLoadAndMaySayWhoseAProblemIs) {
  const auto names = must(list_presets(kPresets));
  EXPECT_GE(names->size(), 13u);
  for (const auto& name : *names) {
    const auto one = must(load_preset(kPresets, name));
    EXPECT_EQ(one->name, name);
    EXPECT_FALSE(one->title.empty() || one->purpose.empty());
    std::set<std::string> texts;
    for (const Problem& p : one->problems)
      EXPECT_TRUE(texts.insert(to_text(p)).second) << name << " repeats " << to_text(p);
  }
  const auto preset = must(
      parse_preset("title = \"x\"\nproblems = [\"1x1x8x8\", { whose = \"GPT-2\", problem = \"1x1x9x8\" }, { problem = "
                   "\"1x1x7x8\" }]"));
  EXPECT_EQ(preset->whose, (Whose{{to_text(preset->problems.at(1)), "GPT-2"}}));
  EXPECT_EQ(to_text(preset->problems[1]), "1x1x9x8:f32");
}

TEST(Presets, BatteryIsBroadAndSmall) {
  const auto preset = must(load_preset(kPresets, "battery"));
  std::set<InputKind> kinds;
  std::set<DType> dtypes;
  std::set<uint32_t> groups;
  bool varlen = false, paged = false, blind_rows = false;
  for (const Problem& p : preset->problems) {
    kinds.insert(p.inputs);
    dtypes.insert(p.dtype);
    groups.insert(p.group());
    varlen |= !p.varlen.empty();
    paged |= p.page_size > 0;
    blind_rows |= p.causal && p.seq_q > p.seq_kv;
    EXPECT_LT(problem_flops(p), 2e8) << to_text(p);
  }
  EXPECT_EQ(kinds.size(), 5u);
  EXPECT_EQ(dtypes.size(), 3u);
  EXPECT_TRUE(groups.contains(1) && groups.contains(3) && groups.contains(7));
  EXPECT_TRUE(varlen && paged && blind_rows);
}

TEST(Presets, OptionsHasEachAndIsSmall) {
  const auto preset = must(load_preset(kPresets, "options"));
  for (const ProblemOption& option : kProblemOptions) {
    const auto alone = [&](const Problem& p) {
      return std::ranges::all_of(kProblemOptions, [&](const ProblemOption& o) {
        return o.asked(p) == (o.name == option.name || (option.name == "alibi" && o.name == "mask"));
      });
    };
    EXPECT_GE(std::ranges::count_if(preset->problems, alone), 1) << option.name;
  }
  for (const Problem& p : preset->problems) EXPECT_LT(problem_flops(p), 2e8) << to_text(p);
}

TEST(PresetErrors, BadFilesSayWhatIsWrongAndUnknownNamesListThoseThereAre) {
  for (const auto& [text, says] :
       {std::pair{"title = 'x'\nproblems = ['1x2x0x4']", "seq (third field) is 0"},
        {"title = 'x'\n\nproblems = [", "line 3"},
        {"title = 'x'\nproblem = []", "line 2: unknown key 'problem'"},
        {"title = 'x'\nproblems = '1x1x1x1'", "'problems' must be a list"},
        {"title = 'x'\nproblems = [3]", "line 2: 'problems' must hold strings alone"},
        {"title = 'x'", "problems is missing"},
        {"title = 'x'\nproblems = [{ whose = 'G' }]", "problems: needs the key 'problem'"},
        {"title = 'x'\nproblems = [{ who = 'G', problem = '1x1x8x8' }]", "unknown key 'who'"},
        {"title = 'x'\nproblems = ['1x1x8x8']\n[[row]]\nname = 'r'", "[[row]] needs a [table]"},
        {"title = 'x'\nproblems = ['1x1x8x8']\n[table]\nsource = 's'", "'columns' is missing"},
        {"problems = ['1x1x1x1']", "title is missing"}})
    EXPECT_TRUE(fails(parse_preset(text), says));
  const std::string head = "title = \"x\"\nproblems = [\"1x1x1x1\"]\nsoftware_budget_s = ";
  EXPECT_EQ(must(parse_preset(head + "2.5"))->software_budget_s, 2.5);
  for (const char* number : {"-1", "nan", "inf", "-inf", "1e300"})
    EXPECT_TRUE(fails(parse_preset(head + number), "line 3: 'software_budget_s' must be a number from 0"));
  const TempDir dir;
  EXPECT_TRUE(fails(load_preset(kPresets, "nosuch"), ErrorKind::bad_input, "preset 'nosuch' is not known", "quick"));
  EXPECT_TRUE(fails(load_preset(dir.path(), "x"), "none"));
  EXPECT_FALSE(load_preset(dir / "gone", "x"));
  write_file(dir / "bad.toml", "title = 3");
  EXPECT_TRUE(fails(load_preset(dir.path(), "bad"), "preset '" + (dir / "bad.toml").string() + "': line 1: "));
}

/// A preset with a table; `columns` and `row` are put in.
std::string with_table(const std::string& columns, const std::string& row, const std::string& table = "") {
  return "title = \"x\"\nproblems = [\"1x1x8x8\"]\n[table]\nsource = \"s\"\nproblems = [\"1x1x8x8\", \"1x1x9x8\"]\n" +
         table + "columns = [" + columns + "]\n[[row]]\n" + row;
}

TEST(PresetErrors, ATableSaysWhatIsWrongWithIt) {
  const std::string name = "{ title = \"n\", value = \"name\" }", row = "name = \"r\"\nvariant = \"v\"";
  const auto shows = [](const std::string& rest) { return "{ title = \"n\", " + rest + " }"; };
  struct Case {
    std::string columns, rows, table, says;
  };
  for (const auto& [columns, rows, table, says] : std::vector<Case>{
           {name, row, "colums = []\n", "line 6: [table]: unknown key 'colums'; known here: baseline_note"},
           {name, row + "\nconfigs = \"a\"", "", "line 10: [[row]]: unknown key 'configs'"},
           {name, row, "unit = \"hours\"\n", "line 6: unit 'hours' is none of"},
           {name, row, "mark_best = 1\n", "line 6: [table]: 'mark_best' must be true or false"},
           {"{ title = \"n\" }", row, "", "line 6: a column shows one of value, published and parameter"},
           {shows("value = \"name\", color = 3"), row, "", "line 6: a column: unknown key 'color'"},
           {shows("value = \"medium\""), row, "", "value 'medium' is not known; the values are name, problem"},
           {shows("value = \"speedup\""), row, "", "a column has 'over'"},
           {shows("value = \"time\""), row, "", "a column has 'of'"},
           {shows("value = \"time\", of = \"q\""), row, "", "there is no row 'q'"},
           {name, row + "\nshown = false", "", "no row is shown"},
           {name, row, "means = [{ title = \"m\", where = \"sequel == 1\" }]\n", "a problem has no 'sequel'"},
           {shows("value = \"speedup\", over = \"q\""), row, "", "there is no row 'q'"},
           {shows("published = \"ms\""), row, "", "no row has a published 'ms'"},
           {name, row + "\npublished = { ms = 3 }", "", "line 7: no column shows the published 'ms'"},
           {shows("published = \"ms\""), row + "\npublished = { ms = [1, 2, 3] }", "",
            "line 10: published 'ms' of row 'r' has 3 figures for 2 problems"},
           {shows("published = \"ms\""), row + "\npublished = { ms = true }", "", "a number or a string"},
           {name, "name = \"r\"", "", "either a variant to run or a baseline to read"},
           {name, row + "\nbaseline = \"b\"", "", "either a variant to run or a baseline to read"},
           {name, row + "\nconfig = \"all\"", "", "config 'all' is not one config"},
           {name, row + "\n[[row]]\n" + row, "", "line 10: there are two rows 'r'"},
           {name, row + "\nproblems = [\"1x1x8x8\", \"1x1x8x8:f32\"]", "", "repeats 1x1x8x8:f32"},
           {name, "name = 3", "", "line 8: [[row]]: 'name' must be a string"}})
    EXPECT_TRUE(fails(parse_preset(with_table(columns, rows, table)), says));
}

/// As it is printed, with colours: two orders of one case, an older form, types and masks that no problem says.
constexpr std::string_view kPrinted =
    "Backend 1/2: Vulkan0\n"
    "  FLASH_ATTN_EXT(hsk=192,hsv=128,nh=4,nr23=[4,3],kv=512,nb=35,mask=1,sinks=1,max_bias=0.000000,"
    "logit_softcap=10.000000,prec=f32,type_K=f16,type_V=f16,permute=[0,1,2,3]):  131040 runs -     8.01 us/run - "
    "0.52 GFLOP/run - \033[1;34m65.02 TFLOPS\033[0m\n"
    "  FLASH_ATTN_EXT(hsk=192,hsv=128,nh=4,nr23=[4,3],kv=512,nb=35,mask=1,sinks=1,max_bias=0.000000,"
    "logit_softcap=10.000000,prec=f32,type_K=f16,type_V=f16,permute=[0,2,1,3]): 1 runs - 16.5 us/run - 1 GFLOP/run\n"
    "  FLASH_ATTN_EXT(hs=64,nh=32,nr=2,kv=1024,nb=1,mask=0,max_bias=0.000000,logit_softcap=0.000000,type_KV=q8_0): OK\n"
    "  FLASH_ATTN_EXT(hsk=64,hsv=64,nh=4,nr23=[1,1],kv=512,nb=3,mask=1,sinks=0,max_bias=8.000000,"
    "logit_softcap=0.000000,prec=f32,type_K=bf16,type_V=bf16,permute=[0,1,2,3]): not supported [Vulkan0]\n"
    "  FLASH_ATTN_EXT(hsk=64,hsv=64,nh=4,nr23=[1,1],kv=512,nb=3,mask=0,type_K=tq1_0,type_V=tq1_0): OK\n"
    "  FLASH_ATTN_EXT(hsk=64,hsv=64,nh=4,nr23=[1,1],kv=512,nb=3,mask=0,type_K=tq1_0,type_V=tq1_0): OK\n"
    "  FLASH_ATTN_EXT(hsk=64,hsv=64,nh=4,nr23=[1,1],kv=512,nb=3,mask=0,type_K=q8_0,type_V=f16): OK\n"
    "  FLASH_ATTN_EXT(hsk=576,hsv=512,nh=1,nr23=[16,1],kv=512,nb=1,mask=0,type_K=f16,type_V=f16,permute=[0,1,2,3],"
    "kv_view=0,v_is_view_of_k=1): OK\n"
    "  FLASH_ATTN_EXT(hsk=64,hsv=64,nh=4,nr23=[1,1],kv=0,nb=3,mask=0,type_K=f16,type_V=f16): OK\n"
    "  FLASH_ATTN_EXT(hsk=64,hsv=64,nh=4,nr23=[1,";

TEST(BackendOps, CasesAreProblemsWithTheirTimes) {
  const BackendOps ops = parse_backend_ops(kPrinted);
  ASSERT_EQ(ops.cases.size(), 6u);
  EXPECT_EQ(to_text(ops.cases[0].problem), "3x16x512x192:q=35:kv=4:dv=128:softcap=10:sinks:mask=batch:f16");
  EXPECT_DOUBLE_EQ(ops.cases[0].ns, 8010);
  EXPECT_EQ(std::tuple(ops.cases[1].permute, ops.cases[1].problem, to_text(ops.cases[2].problem), ops.cases[2].ns,
                       to_text(ops.cases[3].problem), to_text(ops.cases[4].problem)),
            std::tuple("0213", ops.cases[0].problem, "1x64x1024x64:q=1:kv=32:kvtype=q8_0:f16", 0,
                       "1x4x512x64:q=3:mask=alibi:bf16", "1x4x512x64:q=3:ktype=q8_0:f16"));
  EXPECT_EQ(to_text(ops.cases[5].problem), "1x16x512x576:q=1:kv=1:dv=512:mla:f16") << "V is a view of K";
  EXPECT_EQ(ops.left_out.at("type_K=tq1_0"), 2u);
  EXPECT_EQ(ops.left_out.at("a line that is cut off"), 1u);
  EXPECT_EQ(ops.left_out.size(), 3u) << "no keys are no problem";
}

TEST(BackendOps, AreAPresetAndABaseline) {
  const TempDir dir;
  write_file(dir / "cases.txt", std::string(kPrinted));
  const auto preset = must(load_preset("nowhere", (dir / "cases.txt").string()));  // named by its path
  EXPECT_EQ(preset->problems.size(), 5u) << "each once";
  EXPECT_TRUE(has(preset->left_out, "4 cases are left out", "2 of type_K=tq1_0"));

  const auto results = must(results_from_json(kPrinted, "log.txt"));
  ASSERT_EQ(results->records.size(), 2u) << "those with a time";
  EXPECT_DOUBLE_EQ(results->records[0].statistics->median, 8010);
  EXPECT_EQ(results->records[1].config_name, "permute=0213");
  EXPECT_EQ(must(results_from_json(results_to_json(*results), "again"))->records, results->records);

  const std::string_view no_time = "FLASH_ATTN_EXT(hs=64,nh=1,kv=8,nb=1,mask=0,type_KV=f16): OK";
  EXPECT_TRUE(fails(results_from_json(no_time, "log.txt"), ErrorKind::bad_input, "perf -o FLASH_ATTN_EXT"));
  EXPECT_TRUE(fails(parse_preset("FLASH_ATTN_EXT(hs=64,type_KV=tq1_0): OK"), ErrorKind::bad_input, "type_K=tq1_0"));
}

}  // namespace attnscope::preset_test
