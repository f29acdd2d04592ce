// attnscope export: the example builds with a C compiler and the Vulkan headers alone, runs, and is right.

#include "engine/export/export.hpp"
#include "engine/variant/planner.hpp"
#include "tests/cli/run_binary.hpp"

namespace attnscope::export_test {

const std::string kInclude = "-isystem " + quoted(ATTNSCOPE_VULKAN_HEADERS);

/// How to link Vulkan's loader: its development link, or the library that runs; "" = there is neither, or no compiler.
const std::string& loader() {
  static const std::string found = [] {
    const TempDir dir;
    write_file(dir / "t.c", "int main(void) { return 0; }\n");
    for (const char* library : {"-lvulkan", "-l:libvulkan.so.1"})
      if (shell("cc " + quoted(dir / "t.c") + " -o " + quoted(dir / "t") + " " + library).code == 0)
        return std::string(library);
    return std::string();
  }();
  return found;
}

struct Exported {
  TempDir dir;
  std::string folder = dir / "out-of-it";
  Finished done;
  explicit Exported(std::vector<std::string> more) {
    more.insert(more.begin(), {"export", folder, "--device", "cpu"});
    done = run_ok(more, data_in(dir));
  }
  /// Builds and runs the example.
  Finished run() const {
    const Finished built =
        shell("cc -std=c99 -O1 -Wall -Wextra -Werror " + kInclude + " " + quoted(folder + "/example.c") + " " +
              quoted(folder + "/dispatch.c") + " -o " + quoted(folder + "/example") + " " + loader() + " -lm");
    EXPECT_EQ(built.code, 0) << built.err;
    return shell("cd " + quoted(folder) + " && timeout 120 ./example");
  }
};

TEST(ExportFiles, OfAVariantWithSourcesFromElsewhereAndOfSeveralConfigsFitInOneProgram) {
  const TempDir dir;
  write_file(dir / "v/mine/manifest.toml", read_file(shipped("shaders/row/manifest.toml")));
  write_file(dir / "elsewhere/row.comp", read_file(shipped("shaders/row/row.comp")));
  run_ok(typed("export {} --device cpu --shaders {} --sources {} --variant mine --problem 1x1x8x16", dir / "theirs",
               dir / "v", dir / "elsewhere"));
  EXPECT_TRUE(fs::exists(dir / "theirs/attention.json"));

  const Exported a({"--variant", "row", "--problem", "1x1x8x16"}), b({"--variant", "row", "--problem", "1x1x9x16"}),
      c({"--variant", "row", "--problem", "1x1x9x16", "--prefix", "mine"});
  std::string all, sources;
  for (const Exported* one : {&a, &b, &c}) {
    all += "#include \"" + one->folder + "/dispatch.h\"\n";
    sources += quoted(one->folder + "/dispatch.c") + " ";
  }
  write_file(dir / "all.c",
             all + "int main(void) { mine_plan plan; mine_problem p = {0}; return mine_find(&p, &plan); }\n");
  const Finished built =
      shell("cc -std=c99 " + quoted(dir / "all.c") + " " + sources + " -o " + quoted(dir / "o") + " -lm");
  EXPECT_EQ(built.code, 0) << built.err;
  for (const char* file : {"/dispatch.h", "/example.h"}) EXPECT_FALSE(has(read_file(c.folder + file), "attn_")) << file;
  EXPECT_TRUE(ends(run_binary({"export", dir / "x", "--problem", "1x1x8x16", "--prefix", "2 x"}), 2));
}

TEST(ExportDispatch, LeavesOutWhatNothingServes) {
  const TempDir dir;
  const std::string here = data_in(dir) + " ATTNSCOPE_HISTORY=" + quoted(dir / "history.sqlite");
  run_ok(typed("verify --device cpu --variant row --problem 1x1x8x16"), here);
  const std::vector<std::string> words = typed("export {} --device cpu --json --variant row --problem", dir / "out");
  const Finished f = run_binary(with(words, typed("varlen=3,4:1x16 --problem 1x1x8x16 --problem 1x1x9x16")), here);
  EXPECT_TRUE(ends(f, 2, "varlen=3,4:1x16:f32 is left out"));
  const json j = json::parse(f.out);
  EXPECT_EQ(j.at("left_out").at(0).at("problem"), "varlen=3,4:1x16:f32");
  EXPECT_TRUE(has(j.at("entries").at(0).at("verified").get<std::string>(), "correct on ", ", 20"));
  EXPECT_EQ(j.at("entries").at(1).at("verified"), "not verified here");
  EXPECT_FALSE(j.at("entries").at(1).at("general"));
  EXPECT_TRUE(j.at("entries").at(2).at("general"));
  EXPECT_TRUE(has(read_file(dir / "out/dispatch.c"), "/* 1x1x8x16:f32: correct on "));
  EXPECT_TRUE(ends(run_binary(with(words, typed("varlen=3,4:1x16 --problem varlen=5:1x16"))), 2));
  write_file(dir / "p.toml", "title = 'p'\npurpose = 'p'\nproblems = ['varlen=3,4:1x16', '1x1x8x16']\n");
  EXPECT_EQ(run_binary(typed("export {} --device cpu --variant row --preset {}", dir / "o", dir / "p.toml")).code, 0);
}

/// What dispatch.c plans for a problem is what the engine plans for it: grids, push constants, scratch memory.
TEST(ExportDispatch, PlansShapesThatNobodyNamed) {
  const TempDir dir;
  const std::string out = dir / "out";
  run_ok(typed("export {} --device cpu --prefix mine --problem 1x8x512x64:q=1:kv=2:f16 --problem 1x4x128x64:f16 "
               "--problem 1x4x128x64:window=32:softcap=30:sinks:f16 --problem 1x4x128x64:q=1:kvtype=q8_0:f16 "
               "--problem 1x4x64x64:mask:f16 --problem 1x4x64x64:q=1:kv=1:dv=32:mla:f16 "
               "--problem 1x4x64x64:q=1:kv=1:topk=8:vtype=q4_0:f16",
               out),
         data_in(dir));
  EXPECT_TRUE(has(read_file(out + "/dispatch.h"), "SPDX-License-Identifier"));
  struct Row {
    const char* changes;       ///< of the problem of the row before
    const char *of, *problem;  ///< in what it was made of, "-" = there is no plan; what it is to serve
  };
  const Row rows[] = {
      {"p.dtype = 1, p.batch = 1, p.heads_q = 8, p.heads_kv = 2, p.seq_q = 1, p.seq_kv = 512, p.head_dim = p.v_dim = "
       "64",
       " 1x8x512x64:q=1:kv=2:f16 ", "1x8x512x64:q=1:kv=2:f16"},
      {"p.seq_kv = 100000, p.heads_q = 64, p.heads_kv = 8", "", "1x64x100000x64:q=1:kv=8:f16"},
      // Nothing like it was named.
      {"p.head_dim = 80, p.v_dim = 48, p.seq_q = 37, p.seq_kv = 91, p.causal = 1", "", ""},
      {"p.head_dim = p.v_dim = 64, p.causal = 0, p.window = 7, p.softcap = 5, p.sinks = 1", "window=32",
       "1x64x91x64:q=37:kv=8:window=7:softcap=5:sinks:f16"},
      // A window that hides nothing.
      {"p.window = 91", "window=32", ""},
      {"p.window = 91, p.softcap = 0, p.sinks = 0", "1x4x128x64:f16", "1x64x91x64:q=37:kv=8:window=91:f16"},
      {"p.window = 0, p.mask = 1", ":mask", "1x64x91x64:q=37:kv=8:mask:f16"},
      {"p.mask = 0, p.ktype = p.vtype = 1, p.seq_q = 1", "kvtype=q8_0", "1x64x91x64:q=1:kv=8:kvtype=q8_0:f16"},
      {"p.ktype = p.vtype = 0, p.mla = 1, p.heads_kv = 1, p.v_dim = 32", ":mla", "1x64x91x64:q=1:kv=1:dv=32:mla:f16"},
      {"p.mla = 0, p.v_dim = 64, p.topk = 16, p.vtype = 3", "vtype=q4_0", "1x64x91x64:q=1:kv=1:topk=16:vtype=q4_0:f16"},
      // No problem of f32 was exported, and two heads of K and V are none of three's.
      {"p.dtype = 0", "-", ""},
      {"p.dtype = 1, p.topk = 0, p.vtype = 0, p.heads_q = 3, p.heads_kv = 2", "-", ""}};
  std::string use = R"c(
#include "dispatch.h"
#include <stdio.h>
#include <string.h>
static void planned(mine_problem p)
{
    mine_plan plan;
    if (!mine_find(&p, &plan)) {
        printf("-\n");
        return;
    }
    printf("%s %s %u %ux%ux%u %u\n", plan.variant, plan.problem, plan.pass_count, plan.pass[0].grid[0],
           plan.pass[0].grid[1], plan.pass[0].grid[2], (unsigned)plan.pass[0].module->spirv_bytes);
}
int main(void)
{
    mine_problem p;
    memset(&p, 0, sizeof p);
)c";
  for (const Row& r : rows) use += fmt::format("    {};\n    planned(p);\n", r.changes);
  use += "    return 0;\n}\n";
  write_file(dir / "use.c", use);
  write_file(dir / "use.cpp", use);
  const std::string flags = " -O1 -Wall -Wextra -Wpedantic -Wshadow -Werror -I " + quoted(out) + " ";
  std::vector<std::string> line;
  for (const std::string& compiler :
       {"cc -std=c99" + flags + quoted(dir / "use.c"), "cc -std=c11" + flags + quoted(dir / "use.c"),
        "c++ -std=c++20 -x c++" + flags + quoted(dir / "use.cpp")}) {
    const Finished built = shell(compiler + " " + quoted(out + "/dispatch.c") + " -o " + quoted(dir / "use") + " -lm");
    ASSERT_EQ(built.code, 0) << built.err;
    line = lines_of(shell(quoted(dir / "use")).out);
    ASSERT_EQ(line.size(), std::size(rows));
  }
  for (size_t i = 0; i < line.size(); ++i) {
    SCOPED_TRACE(line[i]);
    const auto& [changes, of, problem] = rows[i];
    EXPECT_EQ(line[i] == "-", std::string_view(of) == "-");
    EXPECT_TRUE(has(line[i], of));
    if (*problem == '\0') continue;
    // Against the plan of the engine itself.
    const std::vector<std::string> word = words(line[i]);
    ASSERT_EQ(word.size(), 5u);
    EXPECT_GT(std::stoul(word[4]), 20u) << "bytes of SPIR-V";
    const TempDir at;
    const auto exported = [&](const std::string& folder, const std::string& of_it) {
      return run_ok(typed("export {} --device cpu --json --variant " + word[0] + of_it, at / folder), data_in(at)).out;
    };
    const json config = json::parse(exported("x", " --problem " + word[1])).at("entries").at(0).at("config");
    std::string values;
    for (auto it = config.begin(); it != config.end(); ++it)
      values += (values.empty() ? "" : ",") + it.key() + "=" + it.value().dump();
    exported("y", " --config " + values + " --problem " + problem);
    const json passes = json::parse(read_file(at / "y/attention.json")).at("passes"), grid = passes.at(0).at("grid");
    EXPECT_EQ(word[3], grid.at(0).dump() + "x" + grid.at(1).dump() + "x" + grid.at(2).dump()) << problem;
    EXPECT_EQ(word[2], std::to_string(passes.size())) << problem;
  }
}

/// The crate plans as dispatch.c does, of the same formulas, and what it plans for a shape that nobody named runs.
TEST(ExportCrate, IsRightOnAShapeThatNobodyNamed) {
  const TempDir dir;
  const std::string out = dir / "crate";
  run_ok(
      typed(
          "export {} --device cpu --rust --prefix mine --problem 1x8x512x64:q=1:kv=2:f16 --problem 1x4x64x64:mask:f16",
          out),
      data_in(dir));
  EXPECT_TRUE(has(read_file(out + "/src/lib.rs"), "SPDX-License-Identifier"));
  if (shell("rustc --version | cut -d' ' -f2 | (echo 1.77; cat) | sort -VC && cargo --version").code != 0)
    GTEST_SKIP() << "there is no cargo of Rust 1.77 or newer";
  const Finished built = shell("cd " + quoted(out) + " && RUSTFLAGS=-Dwarnings cargo build --offline --examples");
  ASSERT_EQ(built.code, 0) << built.err;
  const std::string run = "cd " + quoted(out) + " && target/debug/examples/run";
  if (shell("ldconfig -p | grep -q libvulkan.so.1").code != 0) GTEST_SKIP() << "there is no Vulkan loader";
  for (const char* problem : {"", " 0 1 8 2 1 512 64 0 1", " 0 2 6 2 37 91 48 1 1"}) {
    const Finished ran = shell(run + problem);
    EXPECT_EQ(ran.code, 0) << problem << ": " << ran.out << ran.err;
    EXPECT_TRUE(has(ran.out, "right: max error"));
  }
  EXPECT_GT(fs::file_size(out + "/attention.cache"), 0u);
  EXPECT_EQ(shell(run + " 0 1 1 1 8 8 16 0 2").code, 2) << "no problem of bf16 was exported";
}

using Words = std::vector<std::string>;
struct ExportRuns : testing::TestWithParam<Words> {};

TEST_P(ExportRuns, AndIsRight) {
  if (loader().empty()) GTEST_SKIP() << "there is no C compiler, or no Vulkan loader to link";
  const Exported e(GetParam());
  const Finished ran = e.run();
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_TRUE(has(ran.out, "right: max error"));
  EXPECT_GT(fs::file_size(e.folder + "/attention.cache"), 0u) << "pipelines that were compiled";
}

INSTANTIATE_TEST_SUITE_P(
    Export, ExportRuns,
    testing::Values(Words{"--variant", "row", "--problem", "1x4x33x40:kv=2:causal:f32"},
                    Words{"--variant", "tiled", "--problem", "1x2x65x64:dv=32:f16"},
                    Words{"--variant", "decode", "--config", "MERGE=1,SPLITS=4", "--problem",
                          "1x8x512x64:q=1:kv=2:f16"},
                    Words{"--variant", "naive", "--problem", "1x2x17x32:q=9:causal:bf16"},
                    Words{"--variant", "decode", "--problem", "2x4x100x64:q=1:kv=2:page=16:f16"},
                    Words{"--variant", "varlen", "--problem", "varlen=20,65:4x40:kv=2:causal:f32"},
                    Words{"--problem", "1x4x100x64:q=1:kv=2:ktype=q8_0:vtype=iq4_nl:f16"},
                    Words{"--problem", "2x4x100x64:q=1:kv=1:dv=32:mla:kvtype=q5_1:f16"},
                    Words{"--variant", "row", "--problem", "1x4x40x64:kv=2:topk=16:causal:ktype=f8e4m3:vtype=q4_1:f32"},
                    Words{"--problem", "1x6x100x64:q=70:kv=2:window=9:softcap=3:sinks:f16"},
                    Words{"--variant", "row", "--problem", "2x3x50x40:mask=batch:causal:sinks:f32"},
                    Words{"--problem", "1x5x77x64:mask=alibi:f16"},
                    Words{"--problem", "1x4x60x64:mask=causal:window=7:f32"}, Words{"--problem", "1x2x9x16"}));

TEST(Export, ChecksReallyCheck) {
  if (loader().empty()) GTEST_SKIP() << "there is no C compiler, or no Vulkan loader to link";
  const Exported e({"--variant", "row", "--problem", "1x1x9x16"});
  // A scale that the kernel is not told of.
  write_file(e.folder + "/example.c", replaced(read_file(e.folder + "/example.c"), "score *= ", "score *= 2 * "));
  const Finished ran = e.run();
  EXPECT_EQ(ran.code, 1) << ran.out << ran.err;
  EXPECT_TRUE(has(ran.out, "WRONG"));
}

/// As MoltenVK has it on Apple's GPUs, with these features beside those of subgroups.
DeviceInfo apple_gpu(std::vector<std::string> features) {
  DeviceInfo d;
  d.name = "Apple GPU";
  d.features = with({"subgroup_vote", "subgroup_arithmetic", "subgroup_shuffle"}, features);
  DeviceLimits& l = d.limits;
  l.max_shared_bytes = 32768;
  l.max_workgroup_invocations = 1024;
  l.max_workgroup_size = {1024, 1024, 1024};
  l.max_workgroup_count = {65535, 65535, 65535};
  l.max_storage_buffer_bytes = 4294967295;
  l.max_push_constant_bytes = 4096;
  l.max_storage_buffers = 31;
  l.subgroup_size = l.min_subgroup_size = l.max_subgroup_size = 32;
  return d;
}
void write_export(const exporting::ExportRequest& request, const fs::path& dir) {
  const auto config = must(exporting::export_config(request));
  const auto dispatch = must(exporting::export_dispatch(std::span(&request, 1), ""));
  for (const auto& files : {config, dispatch})
    for (const exporting::ExportedFile& file : *files) write_file(dir / file.name, file.content);
}

/// The example has the structures of extensions by number, since headers may be older than those.
TEST(Export, TurnsOnTheFeaturesOfExtensions) {
  const TempDir dir;
  const auto shaders = must(read_variant_sources({shipped("shaders")}));
  VariantSource row = *std::ranges::find_if(*shaders, [](const VariantSource& s) { return s.name == "row"; });
  std::string& manifest = row.files["manifest.toml"];
  manifest = replaced(manifest, "[\"subgroup_shuffle\"",
                      "[\"subgroup_shuffle\", \"coopmat\", \"coopmat2_block_loads\", \"coopmat_bfloat16\"");
  write_export(
      {row, *parse_problem("1x1x8x16"), {}, apple_gpu({"coopmat", "coopmat2_block_loads", "coopmat_bfloat16"})},
      dir / "x");
  const std::string example = read_file(dir / "x/example.c");
  std::string checks;
  for (const auto& [extension, structure, type, field, place, member] :
       {std::array{"VK_KHR_cooperative_matrix", "VkPhysicalDeviceCooperativeMatrixFeaturesKHR",
                   "VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR", "coopmat", "has[0]",
                   "cooperativeMatrix"},
        {"VK_NV_cooperative_matrix2", "VkPhysicalDeviceCooperativeMatrix2FeaturesNV",
         "VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_2_FEATURES_NV", "coopmat2", "has[6]",
         "cooperativeMatrixBlockLoads"},
        {"VK_KHR_shader_bfloat16", "VkPhysicalDeviceShaderBfloat16FeaturesKHR",
         "VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_BFLOAT16_FEATURES_KHR", "bfloat16", "has[2]",
         "shaderBFloat16CooperativeMatrix"}}) {
    EXPECT_TRUE(has(example, extension, fmt::format("want->{}.{} = VK_TRUE", field, place)));
    checks += fmt::format(
        "#ifdef {}\n_Static_assert(offsetof({}, {}) == offsetof(struct extension_features, {}), \"\");\n"
        "_Static_assert({} == {}, \"\");\n#endif\n",
        extension, structure, member, place, type,
        example.substr(example.find("(VkStructureType)", example.find(fmt::format("f->{}.sType", field))), 27));
  }
  write_file(dir / "x/checked.c", "#include <stddef.h>\n#include \"example.c\"\n" + checks);
  if (shell("cc --version").code != 0) GTEST_SKIP() << "there is no C compiler";
  const Finished built = shell("cc -std=c11 -Wall -Wextra -Werror " + kInclude + " -c " + quoted(dir / "x/checked.c") +
                               " -o " + quoted(dir / "o"));
  EXPECT_EQ(built.code, 0) << built.err;
}

TEST(Export, WhatTheDocumentsListTranslatesToMetal) {
  const TempDir dir;
  if (shell("spirv-cross --help").code != 0) GTEST_SKIP() << "spirv-cross is not installed";
  const DeviceInfo device = apple_gpu({"storage_16bit", "shader_f16"});
  std::string list = read_file(shipped("docs/gpus.md"));
  list = list.substr(list.find("translated `"));
  list.resize(list.find("of each"));
  size_t listed = 0;
  Compiler compiler;
  const auto shaders = must(read_variant_sources({shipped("shaders")}));
  for (const VariantSource& source : *shaders) {
    const std::string& name = source.name;
    const Variant variant = *must(load_variant(source, compiler));
    const bool can = why_not(variant, device).empty();
    EXPECT_EQ(has(list, "`" + name + "`"), can) << name << ": " << list;
    if (!can) continue;
    ++listed;
    for (const char* type : {":f32", ":f16", ":bf16"}) {
      const Problem problem =
          *parse_problem((name == "varlen" ? "varlen=33,64:1x64" : "1x1x64x64") + std::string(type));
      const ConfigChoice config = *must(choose_config(Planner(variant, problem, device, compiler), "default"));
      write_export({source, problem, config.config, device}, dir / (name + type));
    }
    const Finished done = shell("find " + quoted(dir / name) +
                                ":* -name '*.spv' | xargs -n 1 spirv-cross --msl "
                                "--msl-version 30000 >/dev/null");
    EXPECT_EQ(done.code, 0) << name << ": " << done.err;
  }
  EXPECT_EQ(listed, size_t(std::ranges::count(list, '`')) / 2) << list;
}

TEST(Export, SaysWhatADispatchNeeds) {
  const Exported e({"--variant", "decode", "--config", "SPLITS=2", "--problem", "1x4x512x64:q=1:kv=2:f16"});
  const json j = json::parse(read_file(e.folder + "/attention.json"));
  ASSERT_EQ(j.at("passes").size(), 2u);
  EXPECT_EQ(std::tuple(j.at("variant"), j.at("config").at("SPLITS")), std::tuple("decode", 2));
  const json& pass = j.at("passes").at(0);
  EXPECT_EQ(pass.at("grid_formula").at(0), "row_tiles * split_count");
  EXPECT_TRUE(j.at("let").contains("split_count")) << "what formulas speak of";
  const auto any = [](const json& list, const json& wanted) {
    return std::ranges::any_of(list, [&](json one) {
      const json all = one;
      one.update(wanted);
      return one == all;
    });
  };
  for (const auto& [list, wanted] : std::vector<std::pair<json, json>>{
           {pass.at("spec_constants"), {{"name", "SPLIT_COUNT"}, {"bits", 2}, {"formula", "split_count"}}},
           {pass.at("push_constants"), {{"name", "seq_kv"}, {"bits", 512}, {"type", "uint"}, {"offset", 8}}},
           {j.at("needs").at("features"), {{"name", "storage_16bit"}, {"vulkan", {"storageBuffer16BitAccess"}}}}})
    EXPECT_TRUE(any(list, wanted)) << wanted << " is not in " << list;
  EXPECT_TRUE(std::ranges::any_of(j.at("buffers"), [](const json& b) {
    return b.at("binding") == 8 && b.at("bytes") > 0 && b.at("bytes_formula") != "";
  }));
  for (const char* name :
       {"split.spv", "split.constants.spv", "reduce.spv", "dispatch.c", "dispatch.h", "example.c", "example.h"})
    EXPECT_TRUE(fs::exists(e.folder + "/" + name)) << name;
  EXPECT_LT(fs::file_size(e.folder + "/split.spv"), fs::file_size(e.folder + "/split.constants.spv"))
      << "no SpecId is left";
}

}  // namespace attnscope::export_test
