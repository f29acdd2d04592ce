// The shipped variants: each loads and can be planned, its rank and the config that its manifest takes.
#include "tests/variant/variant_test.hpp"

namespace attnscope::shipped_test {

using namespace testing;

std::vector<VariantSource> shipped() { return *must(read_variant_sources({ATTNSCOPE_SOURCE_DIR "/shaders"})); }

/// One for all that a test plans.
Compiler& compiler() {
  static Compiler one(module_cache());
  return one;
}

/// An H200 whose matrices take bf16 as well.
DeviceInfo bf16_matrices() {
  DeviceInfo d = h200();
  for (const char* feature : {"bfloat16", "coopmat_bfloat16"}) d.features.emplace_back(feature);
  d.matrix_shapes.push_back({16, 16, 16, "bf16", "bf16", "f32", "f32", "subgroup"});
  return d;
}

const std::vector<std::string>& shapes() {
  static const std::vector<std::string> all = {
      "1x4x32x32", "2x8x512x64", "1x3x77x40", "2x6x129x64:kv=2", "1x2x100x80:q=33:causal", "1x4x65x96:causal",
      "1x2x17x33:dv=7", "1x4x64x256", "1x4x64x64:dv=256", "1x8x1000x128:q=1:kv=2", "1x2x5x8:q=9:causal",
      "varlen=37,5,90:4x64", "1x16x256x128", "1x4x16x512:q=16", "1x8x300x64:q=1:kv=2:page=16", "1x4x64x4096:q=16",
      "1x4x32x8192:q=16",
      // What only some variants take.
      "1x4x300x64:kv=2:causal:window=128:softcap=50:sinks", "1x8x300x64:q=1:kv=2:window=40:sinks",
      "varlen=37,5,90:4x64:window=9:sinks", "1x4x65x64:mask=alibi", "1x8x300x64:q=1:kv=2:kvtype=q8_0:softcap=30",
      "1x8x300x64:q=1:kv=2:kvtype=f8e4m3", "1x2x50x40:q=2:kvtype=f8e4m3", "1x8x300x64:q=1:kv=2:ktype=q4_0:vtype=q5_1",
      "1x8x300x96:q=2:kv=1:dv=64:mla", "1x8x300x64:q=2:kv=2:topk=70"};
  return all;
}
/// Whether it computes on matrix units.
bool on_matrices(const Variant& v) { return contains(v.manifest.features, "coopmat"); }
TEST(Shipped, LoadsForEveryTypeItClaimsAndEachOptionIsTakenByTwo) {
  EXPECT_GE(shipped().size(), 4u);
  std::map<std::string, size_t> takers;
  for (const auto& source : shipped()) {
    const auto manifest = must(parse_manifest(source));
    EXPECT_FALSE(manifest->title.empty() || manifest->summary.empty());
    for (const std::string& option : manifest->options) ++takers[option];
    for (const auto& dtype : manifest->dtypes) {
      VariantSource one = source;
      std::string& text = one.files["manifest.toml"];
      const size_t at = text.find("dtypes = [");
      ASSERT_NE(at, std::string::npos) << source.name;
      text.replace(at, text.find(']', at) - at + 1, "dtypes = [\"" + dtype + "\"]");
      std::ignore = must(load_variant(one, compiler()), dtype);
    }
  }
  for (const ProblemOption& option : kProblemOptions) EXPECT_GE(takers[std::string(option.name)], 2u) << option.name;
}

TEST(Shipped, PlansEveryShapeAndTypeItClaims) {
  for (const Variant& v : shipped_variants()) {
    for (const DeviceInfo& device : {big_gpu(), small_gpu(), matrix_gpu()}) {
      if (!why_not(v, device).empty()) continue;
      for (const auto& dtype : v.manifest.dtypes) {
        size_t planned = 0;
        for (const auto& shape : shapes()) {
          const Problem p = problem(shape + ":" + dtype);
          if (!why_not(v, p, device).empty()) continue;
          const auto nearest = nearest_legal(Planner(v, p, device, compiler()), default_config(v), {.ms = 60'000});
          ASSERT_EQ(nearest.end, Nearest::End::found)
              << v.name << " " << shape << " " << dtype << ": " << nearest.why.message;
          planned += bool(must(make_plan(v, p, nearest.config, device, compiler())));
        }
        // A variant may do without matrices of unknown layout.
        EXPECT_TRUE(planned > 0 || device.matrix_layout) << v.name << " " << dtype << " on " << device.name;
      }
    }
  }
}

/// All but lists of keys.
TEST(Shipped, MatrixUnitsTakeTheOptions) {
  for (const char* text :
       {"1x4x256x128:mask:f16", "2x4x250x96:mask=batch:causal:f16", "1x4x256x64:mask=alibi:f16",
        "1x4x256x128:causal:window=64:f16", "1x4x256x128:softcap=30:sinks:f16", "1x4x256x128:kvtype=q8_0:f16",
        "1x4x250x72:kvtype=f8e4m3:f16", "1x4x256x128:ktype=q5_1:vtype=iq4_nl:f16", "1x4x256x64:vtype=q4_1:f16",
        "1x16x300x576:q=1:kv=1:dv=512:mla:ktype=q4_0:vtype=q4_0:f16",
        "1x8x4096x128:q=1:kv=2:window=512:softcap=30:sinks:mask:kvtype=q8_0:f16"}) {
    size_t takers = 0;
    for (const Variant& v : shipped_variants()) {
      if (!on_matrices(v) || !why_not(v, problem(text), h200()).empty()) continue;
      const auto choice = must(choose_config(Planner(v, problem(text), h200(), compiler()), "default"), v.name);
      takers += bool(must(make_plan(v, problem(text), choice->config, h200(), compiler()), v.name));
    }
    EXPECT_GE(takers, 1u) << text;
  }
}

TEST(Shipped, DefaultsServeALittleMemoryAndMatricesOfUnknownLayout) {
  size_t of_unknown_layout = 0;
  for (const Variant& v : shipped_variants()) {
    const Problem p = problem("1x4x128x128:f16"), narrow = problem("1x4x128x64:f16");
    const auto planned = [&](const Problem& of, const DeviceInfo& d) {
      return make_plan(v, of, default_config(v), d, compiler());
    };
    EXPECT_TRUE(!why_not(v, p, small_gpu()).empty() || planned(p, small_gpu()))
        << v.name << ": a head dim of 128 in 32 KB";
    of_unknown_layout += on_matrices(v) && why_not(v, narrow, matrix_gpu()).empty() && planned(narrow, matrix_gpu());
  }
  EXPECT_GT(of_unknown_layout, 0u);
}

TEST(Shipped, Bf16MatricesAreUsedWhereADeviceHasThemAndNowhereElse) {
  const DeviceInfo has = bf16_matrices();
  const Problem p = problem("1x4x128x64:bf16");
  const auto uses = [&](const Variant& v, const DeviceInfo& device) {
    const auto plan = must(make_plan(v, p, default_config(v), device, compiler()));
    const auto module = must(reflect(plan->passes[0].spirv));
    const auto& needs = module->capabilities;
    const bool own = contains(needs, "coopmat_bfloat16");
    EXPECT_EQ(own, plan->precision.probabilities == DType::bf16);
    return own;
  };
  size_t using_them = 0;
  for (const Variant& v : shipped_variants()) {
    if (!why_not(v, p, has).empty()) continue;
    SCOPED_TRACE(v.name);
    using_them += uses(v, has);
    EXPECT_FALSE(uses(v, h200()));
  }
  EXPECT_GT(using_them, 0u);
}

TEST(Shipped, InputsBeyondF16AreTakenWhereNothingBecomesF16) {
  const DeviceInfo matrices = bf16_matrices();
  const Problem p = problem("1x4x128x64:in=wide:bf16");
  size_t with = 0, without = 0;
  for (const Variant& v : shipped_variants()) {
    with += why_not(v, p, matrices).empty();
    without += why_not(v, p, h200()).empty();
  }
  EXPECT_GT(without, 5u) << "those that compute in f32";
  EXPECT_GT(with, without) << "and those on matrices of bf16";
}

TEST(Shipped, EachValueOfAParameterCompiles) {
  for (const Variant& v : shipped_variants()) {
    for (const Parameter& parameter : v.parameters) {
      size_t planned = 0;
      for (const char* text : {"1x4x256x64:causal:f16", "1x4x256x64:causal", "1x8x4096x64:q=1:kv=2:f16",
                               "1x4x16x1024:q=16:f16", "2x8x249x96:q=700:f16", "varlen=37,5,90:4x64"}) {
        const Problem p = problem(text);
        if (!why_not(v, p, h200()).empty()) continue;
        for (const int64_t value : parameter.values) {
          Config config = default_config(v);
          config[parameter.name] = value;
          const auto plan = make_plan(v, p, config, h200(), compiler());
          planned += bool(plan);
          if (plan) continue;
          // What is refused is refused by a rule: a message of the compiler begins with the file and the line.
          for (const char* file : {".comp:", ".glsl:"})
            EXPECT_FALSE(has(plan.error().message, file))
                << v.name << " " << parameter.name << "=" << value << " on " << text << ": ";
        }
      }
      EXPECT_GT(planned, 1u) << v.name << " " << parameter.name;
    }
  }
}

// Found with `attnscope compile` (docs/gpus.md): where the defaults of devices measured spill on others.
TEST(Shipped, TheChoiceFollowsTheRegistersOfADevice) {
  const auto device = [](uint32_t least, uint32_t most, uint32_t cores) {
    DeviceInfo d = big_gpu();
    d.features.insert(d.features.end(), {"subgroup_vote"});
    d.limits.min_subgroup_size = least;
    d.limits.subgroup_size = d.limits.max_subgroup_size = most;
    d.limits.core_count = cores;
    return d;
  };
  const DeviceInfo nvidia = device(32, 32, 132), cpu = device(8, 8, 1), intel = device(8, 32, 32),
                   amd = device(32, 64, 72);
  size_t leaner = 0;
  for (const Variant& v : shipped_variants()) {
    for (const char* text :
         {"1x64x4096x128:f16", "1x64x4096x256:f16", "1x32x8192x128:q=1:kv=8:f16", "varlen=370,900:16x128:f16"}) {
      const Problem p = problem(text);
      if (!why_not(v, p, nvidia).empty()) continue;
      const auto name = [&](const DeviceInfo& d) {
        return must(choose_config(Planner(v, p, d, compiler()), "default"))->name;
      };
      const auto by_registers = [&](const std::string& config) {
        const NamedConfig* named = find_by(v.manifest.configs, config, &NamedConfig::name);
        return named != nullptr &&
               (has(named->suits, "max_subgroup_size == 32") || has(named->suits, "max_subgroup_size >= 64"));
      };
      EXPECT_FALSE(by_registers(name(nvidia))) << v.name << " on " << text;
      EXPECT_FALSE(by_registers(name(cpu))) << v.name << " on " << text;
      leaner += by_registers(name(intel));
      EXPECT_EQ(by_registers(name(amd)), has(name(amd), "wide")) << v.name << " on " << text;
      EXPECT_FALSE(p.head_dim <= 128 && by_registers(name(amd))) << v.name << " on " << text;
    }
  }
  EXPECT_GE(leaner, 8u);
}

TEST(Shipped, NamedConfigsServeSomeShapeOnABigGpu) {
  for (const Variant& v : shipped_variants()) {
    if (!why_not(v, big_gpu()).empty()) continue;
    for (const auto& named : v.manifest.configs) {
      std::string refused;
      bool served = false;
      for (const auto& shape : shapes())
        for (const auto& dtype : v.manifest.dtypes) {
          const Problem p = problem(shape + ":" + dtype);
          const auto plan = make_plan(v, p, *parse_config(v, named.name), big_gpu(), compiler());
          served = served || plan;
          if (!plan) refused += shape + ": " + plan.error().message + "\n";
        }
      EXPECT_TRUE(served) << v.name << " " << named.name << "\n" << refused;
    }
  }
}

Result<Variant> ranked(const std::string& line) {
  VariantSource source = toy();
  source.files["manifest.toml"].insert(0, line + "\n");
  return load_variant(source, compiler());
}
double rank(const std::string& line, const std::string& text) {
  return rank_of(*must(ranked(line), line), problem(text), big_gpu()).rank;
}

TEST(Rank, IsAnExpressionOverProblemAndDeviceAndKnowsNoConfig) {
  EXPECT_EQ(rank("", "1x1x64x64"), 0) << "missing";
  EXPECT_EQ(rank("rank = 2.5", "1x1x64x64"), 2.5);
  EXPECT_EQ(rank("rank = \"seq_q > 32 ? core_count : head_dim / 2\"", "1x1x64x64"), 132);
  EXPECT_EQ(rank("rank = \"seq_q > 32 ? core_count : head_dim / 2\"", "1x1x8x64"), 32);
  EXPECT_EQ(rank("rank = \"1 / (seq_q - 64)\"", "1x1x64x64"), 0) << "not finite here";
  const auto unranked = must(ranked("rank = \"1 / (seq_q - 64)\""));
  EXPECT_TRUE(has(rank_of(*unranked, problem("1x1x64x64"), big_gpu()).why_not, "rank: expression"));
  const auto v = must(ranked("rank = 1"));
  EXPECT_TRUE(has(rank_of(*v, problem("1x1x8x512"), big_gpu()).why_not, "head_dim is 512"));
  EXPECT_EQ(rank_of(*v, problem("1x1x8x64"), big_gpu()).why_not, "");
  for (const char* line : {"rank = \"BLOCK_M\"", "rank = \"tiles\"", "rank = \"nosuch\"", "rank = \"0/0\""})
    EXPECT_TRUE(fails(ranked(line), "rank")) << line;
  EXPECT_FALSE(ranked("rank = \"1 +\""));
}

std::string highest(const std::string& text, const DeviceInfo& device) {
  VariantRank best;
  best.rank = -1;
  for (const Variant& v : shipped_variants()) {
    const VariantRank one = rank_of(v, problem(text), device);
    if (one.why_not.empty() && one.rank > best.rank) best = one;
  }
  return best.variant;
}

TEST(Rank, TakesWhatWasMeasuredTheFastestOnMatrixUnits) {
  const DeviceInfo device = h200();
  // By measured times, but for 1x14x2048x64 and 1x12x1024x64, where coopmat's config of today was not measured.
  const std::map<std::string, std::string> fastest = {
      {"coopmat",
       "1x32x2048x128:kv=8:causal:f16 1x64x4096x128:kv=8:causal:f16 "
       "1x14x2048x64:kv=2:causal:f16 1x16x2048x256:kv=8:causal:f16 1x32x2048x96:causal:f16 "
       "1x32x2048x80:causal:f16 1x12x1024x64:causal:f16 8x12x512x64:f16 1x16x577x64:f16 "
       "1x16x729x72:f16 1x20x1500x64:f16 2x8x4096x40:f16 2x8x1024x80:f16 2x8x256x160:f16 "
       "2x10x4096x64:f16 2x10x77x64:q=4096:f16 1x24x4608x128:f16 "
       "1x16x4096x192:dv=128:causal:f16 1x32x2048x128:kv=8:causal:bf16 "
       "1x32x16384x128:q=512:kv=8:causal:f16 1x12x2304x128:q=410:kv=6:f16 2x16x900x192:f16 "
       "varlen=4096,4096,4096,4096:16x128:f16"},
      {"coopmat_split", "1x12x1024x64:causal:f32 2x8x4096x40:f32"},
      {"decode_matrix",
       "1x32x8192x128:q=1:kv=8:f16 32x32x2048x128:q=1:kv=8:f16 1x71x2048x64:q=1:kv=1:f16 "
       "1x32x8192x128:q=4:kv=8:causal:f16 1x64x32768x128:q=1:kv=8:f16 "
       "1x16x8192x576:q=1:kv=1:dv=512:f16 1x16x139x160:causal:bf16 1x8x500x192:causal:f16 "
       "1x32x4096x128:q=64:kv=8:causal:f16 1x48x64x256:q=320:kv=24:bf16 8x32x4096x128:q=1:kv=8:page=16:f16 "
       "1x32x1024x128:q=1:kv=8:kvtype=q8_0:f16 1x16x2000x96:q=1:kv=4:kvtype=q8_0:bf16"},
      {"decode", "1x16x8192x256:q=1:kv=8:f16 1x32x2048x80:q=1:f16"},
      {"wide", "1x4x64x512:f32 1x4x64x4096:f32"},
      {"wide_matrix", "1x4x64x4096:f16"},
  };
  for (const auto& [variant, problems] : fastest)
    for (const std::string& text : words(problems)) EXPECT_EQ(highest(text, device), variant) << text;
}

TEST(Rank, TakesWhatSuitsADeviceWithoutThem) {
  DeviceInfo gpu = big_gpu();
  gpu.features.emplace_back("subgroup_vote");
  EXPECT_EQ(highest("1x16x4096x128:f16", gpu), "simt");
  EXPECT_EQ(highest("1x32x8192x128:q=1:kv=8:f16", gpu), "decode");
  EXPECT_EQ(highest("1x16x4096x128:f16", big_gpu()), "fmha") << "simt needs votes";
  // A CPU: narrow subgroups, and no number of cores.
  DeviceInfo cpu = gpu;
  cpu.type = DeviceType::software;
  cpu.limits.core_count = 0;
  cpu.limits.subgroup_size = cpu.limits.min_subgroup_size = cpu.limits.max_subgroup_size = 8;
  EXPECT_EQ(highest("2x8x64x64:f32", cpu), "fmha");
  EXPECT_EQ(highest("1x2x128x64:f16", cpu), "fmha");
  EXPECT_EQ(highest("1x3x61x32:f32", cpu), "tiled");
  EXPECT_EQ(highest("1x4x32x32:f32", cpu), "tiled");
  EXPECT_EQ(highest("1x4x256x64:q=1:kv=2:f16", cpu), "decode");
  EXPECT_EQ(highest("1x8x256x64:q=4:kv=1:causal:f32", cpu), "naive");
  EXPECT_EQ(highest("1x1x16x2048:f32", cpu), "naive");
  EXPECT_EQ(highest("varlen=20,65:4x40:kv=2:f32", cpu), "varlen");
}

/// What runs where nothing is said, and the value of one of the manifest's expressions for it.
struct Choice {
  std::string name;
  Config config;
};
Choice chosen(const Variant& v, const Problem& p) {
  Choice choice{suited_config(Planner(v, p, h200(), compiler())), default_config(v)};
  if (const auto* named = find_by(v.manifest.configs, choice.name, &NamedConfig::name))
    choice.config = full_config(v, *named);
  const auto nearest = nearest_legal(Planner(v, p, h200(), compiler()), choice.config, {.ms = 60'000});
  EXPECT_EQ(nearest.end, Nearest::End::found) << nearest.why.message;
  choice.config = nearest.config;
  return choice;
}
double value(const Variant& v, const Problem& p, const Config& config, const std::string& expression) {
  const DeviceInfo device = h200();
  return *must(Planner(v, p, device, compiler()).value(expression, config), expression);
}

TEST(Defaults, DecodeKeepsItsRowsInRegisters) {
  const Variant& v = shipped_variant("decode");
  for (const char* dtype : {"f16", "bf16", "f32"})
    for (const int group : {1, 2, 3, 4, 5, 7, 8, 16, 71, 128})
      for (const int dim : {64, 80, 96, 128, 192, 256, 512}) {
        const Problem p = problem("1x" + std::to_string(group) + "x4096x" + std::to_string(dim) + ":q=1:kv=1:" + dtype);
        // 192 spilled 128 bytes on an H200, 64 registers beyond 255.
        EXPECT_LE(value(v, p, chosen(v, p).config, "registers"), 183) << to_text(p);
      }
}

TEST(Defaults, DecodeMatrixFillsTheDeviceOnce) {
  const Variant& v = shipped_variant("decode_matrix");
  struct Row {
    const char* problem;
    double least_workgroups;
  };
  for (const Row& row : {Row{"1x64x32768x128:q=1:kv=8:f16", 120}, Row{"1x16x8192x576:q=1:kv=1:dv=512:f16", 120},
                         Row{"1x32x8192x128:q=4:kv=8:causal:f16", 120}, Row{"1x71x2048x64:q=1:kv=1:f16", 30},
                         Row{"1x14x4096x64:q=1:kv=2:f16", 30}, Row{"1x16x8192x256:q=1:kv=8:f16", 200},
                         Row{"32x32x2048x128:q=1:kv=8:f16", 200}, Row{"1x128x4096x576:q=2:kv=1:dv=512:bf16", 100},
                         Row{"1x8x1x24:q=1:f16", 8}, Row{"1x32x2048x80:q=1:f16", 120}}) {
    const Problem p = problem(row.problem);
    const Choice choice = chosen(v, p);
    const auto of = [&](const char* expression) { return value(v, p, choice.config, expression); };
    const bool one_pass = choice.name.ends_with("one-pass");
    EXPECT_TRUE(one_pass || choice.config == default_config(v)) << row.problem << ": the defaults themselves are legal";
    EXPECT_LE(of("registers"), 232) << row.problem;
    EXPECT_LE(of("shared_bytes"), 49152) << row.problem;
    const double workgroups = of("tiles_rows_all * split_count");
    EXPECT_GE(workgroups, row.least_workgroups) << row.problem;
    if (of("split_count") > 1) {
      EXPECT_LE(workgroups, one_pass ? 132 : of("132 * workgroups_a_core")) << row.problem << ": no second wave";
    }
  }
}

TEST(Defaults, CoopmatFollowsRegistersAndWorkgroupsACore) {
  const Variant& v = shipped_variant("coopmat");
  const std::map<std::string, std::string> problems_of = {
      {"", "1x16x4096x128:f16"},
      {"head-64", "1x16x2048x64:f16 2x8x4096x40:f16 2x10x4096x64:f16"},
      {"tiny", "2x8x256x64:f16 2x8x256x160:f16"},
      {"short", "2x8x512x64:f16 1x12x1024x64:causal:f16"},
      {"head-80", "1x40x2048x80:f16"},
      {"head-96", "1x32x2048x96:causal:f16"},
      {"even", "1x16x729x72:f16 1x32x2048x128:kv=8:causal:f16 1x32x16384x128:q=512:kv=8:causal:f16"},
      {"head-160", "2x8x4096x160:f16"},
      {"head-192", "1x16x4096x192:dv=128:causal:f16"},
      {"head-256", "1x16x2048x256:causal:f16"},
      {"short-wide", "1x8x1024x256:f16"},
      {"few-keys", "2x10x77x64:q=4096:f16"},
      {"causal", "1x16x4096x128:causal:f16 1x64x4096x128:kv=8:causal:f16"},
  };
  for (const auto& [config, problems] : problems_of)
    for (const std::string& text : words(problems)) {
      const Problem p = problem(text);
      const Choice choice = chosen(v, p);
      EXPECT_EQ(choice.name, config) << text;
      EXPECT_LE(value(v, p, choice.config, "registers"), 246) << text;
      EXPECT_LE(value(v, p, choice.config, "shared_bytes"), 49152) << text;
    }
}

TEST(Work, WholeWavesOfTilesAreNotSplit) {
  // At these numbers of cores 32 heads of a power of two of queries are whole waves.
  for (const char* name : {"coopmat", "coopmat_split"}) {
    const Variant& v = shipped_variant(name);
    for (const uint32_t cores : {16u, 40u, 64u, 128u, 132u})
      for (const char* text : {"1x32x1024x128", "1x32x2048x128", "4x32x2048x64", "1x32x1000x128", "1x33x1024x128"}) {
        const Problem p = problem(text + std::string(v.name == "coopmat" ? ":f16" : ":f32"));
        DeviceInfo device = h200();
        device.limits.core_count = cores;
        const auto plan = make_plan(v, p, default_config(v), device, compiler());
        EXPECT_TRUE(plan) << name << " " << text << ", " << cores << " cores: " << plan.error().message;
      }
  }
}

TEST(Work, IsOfAllKeysWhereMaskedOnesAreComputedToo) {
  const Variant& v = shipped_variant("few_keys");
  const Problem p = problem("8x12x64x128:q=640:causal:f16");
  const auto work = Planner(v, p, h200(), compiler()).work(default_config(v));
  ASSERT_TRUE(work);
  EXPECT_EQ(std::pair(work->steps, work->most_steps), std::pair(4.0, 4.0));
}

TEST(Work, OfTailTilesIsSplitAndCounted) {
  const Variant& v = shipped_variant("coopmat");
  const auto work = [&](const std::string& text, std::map<std::string, uint32_t> values = {}) {
    const Problem p = problem(text);
    Config config = default_config(v);
    for (const auto& [name, value] : values) config[name] = value;
    return *must(Planner(v, p, h200(), compiler()).work(config), text);
  };
  // 144 tiles of 256 queries on 132 cores: eleven of each head run whole, the last one of each in eleven parts.
  const ConfigWork tail = work("1x12x3008x128:f16");
  EXPECT_EQ(std::tuple(tail.passes, tail.workgroups, tail.most_steps), std::tuple(2u, 12u * (11 + 11), 94));
  EXPECT_NEAR(tail.parts, 11.0 / 12, 1e-9);
  EXPECT_NEAR(tail.steps, (11 * 94 + 11 * 9) / 22.0, 1e-9);
  EXPECT_EQ(work("1x8x2048x128:causal:window=33:f16", {{"SPLITS", 1}}).most_steps, 9) << "256 + 32 keys, 32 a step";
  EXPECT_EQ(work("1x8x2064x128:q=2048:causal:window=33:f16", {{"SPLITS", 1}}).most_steps, 10) << "from amid a tile on";
  const ConfigWork whole = work("1x12x3008x128:f16", {{"SPLITS", 1}});
  EXPECT_EQ(std::tuple(whole.passes, whole.workgroups, whole.parts), std::tuple(1u, 144u, 0));
  // 200 tiles: 132 whole ones; the other 68 are too many for one wave of pieces, and make two of three each.
  EXPECT_NEAR(work("1x10x5000x128:f16").parts, 68 * 3.0 / 200, 1e-9);
  // 322 tiles: two waves of 132, and 58 in halves.
  const ConfigWork halves = work("1x14x2840x256:f16", {{"ROWS", 1}});
  EXPECT_NEAR(halves.parts, 58 * 2.0 / 322, 1e-9);
  EXPECT_EQ(halves.passes, 1) << "the last of few pieces joins them";
  // All of them where a causal mask makes them unequal.
  const ConfigWork all = work("1x8x2048x128:causal:f16", {{"SPLITS", 4}});
  EXPECT_EQ(all.workgroups, 64u * 4);
  EXPECT_EQ(std::pair(all.passes, all.parts), std::pair(2u, 4.0));
  EXPECT_EQ(work("1x8x2048x128:causal:f16", {{"SPLITS", 3}}).passes, 2);
  EXPECT_EQ(work("1x8x2048x128:causal:f16", {{"SPLITS", 2}}).passes, 1);
  EXPECT_EQ(work("1x8x2048x128:f16", {{"SPLITS", 3}}).passes, 1);
  EXPECT_LT(all.most_steps, 20);
  // As measured (docs/performance.md, "Tails"): what splitting would slow is left whole.
  const std::map<std::string, uint32_t> even{{"SUBGROUPS", 8}, {"ROWS", 1}, {"BLOCK_N", 64}, {"Q_SHARED", 0}},
      wide{{"SUBGROUPS", 8}, {"ROWS", 1}, {"BLOCK_N", 32}, {"Q_SHARED", 0}},
      small{{"SUBGROUPS", 4}, {"ROWS", 1}, {"BLOCK_N", 64}, {"Q_SHARED", 0}};
  EXPECT_EQ(work("1x20x3072x128:f16").parts, 0);
  EXPECT_EQ(work("1x16x4096x128:f16").parts, 0);
  EXPECT_EQ(work("1x24x768x160:kv=3:causal:f16", wide).parts, 0);
  EXPECT_EQ(work("1x8x2048x128:causal:f16", small).parts, 0);
  EXPECT_EQ(work("1x8x2048x128:causal:f16", even).parts, 2);
  EXPECT_EQ(work("1x32x4096x128:q=64:kv=8:causal:f16", small).parts, 4);
  EXPECT_EQ(work("varlen=512,1024,77:32x128:f16").parts, 0);
  // A causal mask leaves a chunk's tiles nearly one length: 264 of 320 run two a core, 56 in four pieces each.
  const ConfigWork chunk = work("8x40x2048x128:q=128:kv=8:causal:f16", {{"SUBGROUPS", 4}, {"Q_SHARED", 0}});
  EXPECT_EQ(std::pair(chunk.workgroups, chunk.most_steps), std::pair(264ul + 56 * 4, 64.0));
  EXPECT_NEAR(chunk.parts, 56 * 4.0 / 320, 1e-9);
  EXPECT_NEAR(chunk.steps, (264 * 64 + 56 * 4 * 16) / 488.0, 1e-9);
  EXPECT_EQ(work("8x40x2048x128:q=640:kv=8:causal:f16", {{"SUBGROUPS", 4}, {"Q_SHARED", 0}}).parts, 0);
}

}  // namespace attnscope::shipped_test
