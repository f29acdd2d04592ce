// The one check of limits, on made-up devices; what lies one step away from a config.
#include "tests/variant/variant_test.hpp"

namespace attnscope::limits_test {

using namespace testing;

/// `toy` with a matrix of workgroup scope.
VariantSource workgroup_matrices() {
  return changed(changed(toy(), "layout(local_size_x_id",
                         "#extension GL_KHR_cooperative_matrix : require\n"
                         "#extension GL_KHR_memory_scope_semantics : require\nlayout(local_size_x_id",
                         "toy.comp"),
                 "  barrier();\n",
                 "  barrier();\n  coopmat<float, gl_ScopeWorkgroup, 16, 64, gl_MatrixUseAccumulator> m =\n"
                 "      coopmat<float, gl_ScopeWorkgroup, 16, 64, gl_MatrixUseAccumulator>(tile[5]);\n"
                 "  coopMatStore(m, s, 0, 64, gl_CooperativeMatrixLayoutRowMajor);\n",
                 "toy.comp");
}

DeviceInfo reserving_gpu() {
  DeviceInfo d = big_gpu();
  d.name = "Reserving GPU";
  for (const char* feature : {"coopmat", "coopmat2_workgroup", "vulkan_memory_model"}) d.features.emplace_back(feature);
  d.limits.coopmat2_reserved_shared_bytes = 32768;
  return d;
}

TEST(Limits, TheReserveOfWorkgroupMatricesIsPartOfThePlan) {
  Loaded v(workgroup_matrices());
  const Problem p = problem("1x1x64x64");
  const Config most{{"BLOCK_M", 64}, {"BLOCK_N", 64}}, more{{"BLOCK_M", 128}, {"BLOCK_N", 64}};
  EXPECT_TRUE(v.plan("1x1x64x64", most, reserving_gpu()).passes[0].facts.workgroup_matrices);
  EXPECT_TRUE(fails(v.try_plan("1x1x64x64", more, reserving_gpu()), "32,768", "16,384", "49,152", "reserves",
                    "Lower BLOCK_M or BLOCK_N", "Reserving GPU"))
      << "16 KB are left of 48";
  // What inspection offers agrees.
  const auto choices = parameter_choices(Planner(v.variant, p, reserving_gpu(), v.compiler), most);
  EXPECT_EQ(choices[0].why_not[2], "");
  EXPECT_NE(choices[0].why_not[3], "");
  EXPECT_EQ(nearest_legal(Planner(v.variant, p, reserving_gpu(), v.compiler), more).config.at("BLOCK_M"), 64);
  // A device without the feature is refused by its name, whatever the manifest forgot to ask for.
  DeviceInfo none = reserving_gpu();
  std::erase(none.features, "coopmat2_workgroup");
  EXPECT_TRUE(fails(v.try_plan("1x1x64x64", {}, none), ErrorKind::unsupported, "coopmat2_workgroup"));
}

TEST(Limits, HugePrivateArraysAreRefusedWithWhatTheyComeFrom) {
  const VariantSource source = changed(toy(), "void main() {",
                                       "void main() {\n  float hoard[BLOCK_M * 8388608];\n  for (uint i = 0; i < "
                                       "seq_kv; ++i) hoard[i * BLOCK_N] = q[i];\n"
                                       "  s[gl_LocalInvocationIndex] = hoard[seq_kv];",
                                       "toy.comp");
  EXPECT_TRUE(fails(Loaded(source).try_plan("1x1x64x64", {{"BLOCK_M", 128}}), "private memory", "4,294,967,296",
                    "524,288", "BLOCK_M=128", "Lower BLOCK_M"));
}

struct CheckModule : ::testing::Test {
  std::string error(const DeviceInfo& device) {
    const auto over = check_module({"pass 'p'", reflection, facts, subgroup_size, full}, device);
    return over ? over->error.message : "";
  }
  Reflection reflection;
  ModuleFacts facts{{128, 1, 1}};
  uint32_t subgroup_size = 0;
  bool full = false;
};

TEST_F(CheckModule, SubgroupSizes) {
  DeviceInfo d = big_gpu();
  d.limits.min_subgroup_size = 8;
  EXPECT_EQ(error(d), "");
  subgroup_size = 16;
  EXPECT_EQ(error(d), "");
  subgroup_size = 12;
  EXPECT_TRUE(has(error(d), "powers of two from 8 to 32"));
  subgroup_size = 64;
  EXPECT_TRUE(has(error(d), "asks for 64"));
  // Only so many subgroups a workgroup, where a size is asked for.
  subgroup_size = 8;
  d.limits.max_workgroup_subgroups = 8;
  EXPECT_TRUE(has(error(d), "allows 8 subgroups a workgroup, so 64 invocations"));
  d.limits.max_workgroup_subgroups = 16;
  EXPECT_EQ(error(d), "");
  // Without control, the one size there is need not be asked for, and no other can be.
  std::erase(d.features, "subgroup_size_control");
  EXPECT_TRUE(has(error(d), "subgroup_size_control"));
  d.limits.min_subgroup_size = 32;
  subgroup_size = 32;
  EXPECT_EQ(error(d), "");
}

TEST_F(CheckModule, FullSubgroupsAndStorageBuffers) {
  DeviceInfo d = big_gpu();
  full = true;
  EXPECT_EQ(error(d), "");
  facts.local_size = {48, 1, 1};
  EXPECT_TRUE(has(error(d), "48, must be a multiple of 32"));
  full = false;
  reflection.storage_bindings = {0, 1, 2, 3, 8};
  EXPECT_EQ(error(d), "") << "0: the device did not say";
  d.limits.max_storage_buffers = 4;
  EXPECT_TRUE(has(error(d), "uses 5; Big GPU allows 4"));
  reflection.capabilities = {"coopmat"};
  EXPECT_TRUE(has(error(d), "needs coopmat, which Big GPU lacks"));
}

TEST(Limits, BuffersCountTheGuardsThatARunPutsAroundThem) {
  DeviceInfo d = big_gpu();
  const Problem p = problem("1x1x1024x64");  // 262,144 bytes a tensor
  d.limits.max_storage_buffer_bytes = guarded_bytes(262144);
  EXPECT_FALSE(check_buffers(p, {}, {}, d));
  d.limits.max_storage_buffer_bytes = guarded_bytes(262144) - 1;
  const auto refused = must(check_buffers(p, {}, {}, d));
  EXPECT_TRUE(has(refused->error.message, "storage buffer: Q", "262,144", "512 B for guards", "262,655"));
  d.limits.max_storage_buffer_bytes = 1ull << 32;
  // Pages, a mask, sinks and lists of keys have buffers of their own.
  const Problem paged = problem("4x300x1024x64:q=3:page=1:topk=5:mask:sinks:f16");
  d.limits.device_memory_bytes = 2 * guarded_bytes(4 * 300 * 3 * 64 * 2) + 2 * guarded_bytes(4 * 300 * 1024 * 64 * 2) +
                                 guarded_bytes(0) + guarded_bytes(4 * 4 * 1024) + guarded_bytes(4 * 4 * 300 * 3 * 5) +
                                 guarded_bytes(4 * 300) + guarded_bytes(2 * 3 * 1024);
  EXPECT_FALSE(check_buffers(paged, {}, {}, d));
  --d.limits.device_memory_bytes;
  EXPECT_EQ(must(check_buffers(paged, {}, {}, d))->reason, "device memory");
  d.limits.device_memory_bytes = 0;
  EXPECT_EQ(must(check_buffers(problem("1x8x4194304x128:q=1:kvtype=q4_0:f16"), {}, {}, d))->reason, "elements of K");
}

VariantSource tiled_toy() {
  return changed(
      toy(), "[let]",
      "[tiles]\nquery = \"BLOCK_M\"\nkey = \"BLOCK_N\"\nlane_stride = \"4 * BLOCK_N\"\nlane_bytes = 4\n\n[let]");
}

Result<NeighbourPlans> neighbours(const VariantSource& source, const Config& config) {
  Loaded v(source);
  return plan_neighbours(Planner(v.variant, problem("1x2x256x64"), big_gpu(), v.compiler), config);
}

TEST(NeighbourPlans, AreTheNearestLegalValuesOfEachParameterOrTheRefusalAndTilesAreCheckedWhenTheVariantLoads) {
  const auto around = must(neighbours(tiled_toy(), {{"BLOCK_M", 32}, {"BLOCK_N", 64}}));
  EXPECT_EQ(std::tuple(around->shape.workgroups, around->shape.invocations, around->shape.passes,
                       around->shape.shared_bytes, around->shape.extra_bytes, around->shape.tiles),
            std::tuple(16u, 128u, 1u, 32u * 64 * 4, 80, (Tiles{32, 64, 0, 256, 4})));
  // BLOCK_M=16 and BLOCK_N=128 break the constraint.
  ASSERT_EQ(around->neighbours.size(), 2u);
  EXPECT_EQ(
      std::tuple(around->neighbours[0].parameter, around->neighbours[0].value, around->neighbours[0].shape.workgroups,
                 around->neighbours[0].shape.tiles.query, around->neighbours[1].parameter, around->neighbours[1].value),
      std::tuple("BLOCK_M", 64, 8u, 64, "BLOCK_N", 32));
  EXPECT_TRUE(fails(neighbours(toy(), {{"BLOCK_M", 16}, {"BLOCK_N", 64}}), "more than twice"));
  EXPECT_EQ(neighbours(toy(), {})->shape.tiles, Tiles{}) << "it has none";
  expect_faults(tiled_toy(), {{"query = \"BLOCK_M\"", "query = \"BLOCK_X\"", "BLOCK_X"},
                              {"query = ", "queries = ", "tiles: unknown key 'queries'"}});
}

}  // namespace attnscope::limits_test
