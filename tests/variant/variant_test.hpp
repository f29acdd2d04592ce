// What the tests of variants share: made-up devices, and a small variant written out in full.
#pragma once

#include "engine/variant/planner.hpp"
#include "tests/has.hpp"

namespace attnscope::testing {

inline DeviceInfo big_gpu() {
  DeviceInfo d;
  d.name = "Big GPU";
  d.type = DeviceType::discrete_gpu;
  d.features = {"round_to_even_f16",     "storage_16bit",        "shader_f16",
                "subgroup_arithmetic",   "subgroup_ballot",      "subgroup_shuffle",
                "subgroup_size_control", "buffer_device_address"};
  DeviceLimits& l = d.limits;
  l.max_shared_bytes = 49152;
  l.max_workgroup_invocations = 1024;
  l.max_workgroup_size = {1024, 1024, 64};
  l.max_workgroup_count = {2147483647, 65535, 65535};
  l.max_storage_buffer_bytes = 4294967295;
  l.max_allocation_bytes = 1ull << 40;
  l.max_push_constant_bytes = 256;
  l.subgroup_size = l.min_subgroup_size = l.max_subgroup_size = 32;
  l.device_memory_bytes = 140ull << 30;
  l.core_count = 132;
  return d;
}

/// The least that Vulkan 1.3 hardware offers, and subgroups of 64.
inline DeviceInfo small_gpu() {
  DeviceInfo d = big_gpu();
  d.name = "Small GPU";
  DeviceLimits& l = d.limits;
  l.max_shared_bytes = 32768;
  l.max_workgroup_invocations = 256;
  l.max_workgroup_size = {256, 256, 64};
  l.max_workgroup_count = {65535, 65535, 65535};
  l.max_storage_buffer_bytes = 128u << 20;
  l.max_allocation_bytes = 1u << 30;
  l.max_push_constant_bytes = 128;
  l.subgroup_size = l.min_subgroup_size = l.max_subgroup_size = 64;
  l.device_memory_bytes = 512u << 20;
  return d;
}

/// Matrix units whose layout no kernel knows, little shared memory, no f16 accumulators.
inline DeviceInfo matrix_gpu() {
  DeviceInfo d = small_gpu();
  d.name = "Matrix GPU";
  for (const char* feature : {"coopmat", "int16", "subgroup_vote", "vulkan_memory_model"})
    d.features.emplace_back(feature);
  d.limits.subgroup_size = d.limits.min_subgroup_size = d.limits.max_subgroup_size = 16;
  d.matrix_shapes = {{8, 16, 16, "f16", "f16", "f32", "f32", "subgroup"}};
  d.matrix_layout = MatrixLayout{.m = 8, .n = 16, .k = 16};
  return d;
}

/// As an H200 describes itself.
inline DeviceInfo h200() {
  DeviceInfo d = big_gpu();
  for (const char* feature : {"coopmat", "coopmat2_workgroup", "coopmat2_flexible", "coopmat2_reductions",
                              "coopmat2_conversions", "coopmat2_per_element", "coopmat2_tensor", "subgroup_vote",
                              "vulkan_memory_model", "int16", "subgroup_clustered"})
    d.features.emplace_back(feature);
  d.matrix_shapes = {{16, 16, 16, "f16", "f16", "f32", "f32", "subgroup"},
                     {16, 16, 16, "f16", "f16", "f16", "f16", "subgroup"}};
  d.matrix_layout = MatrixLayout{.m = 16,
                                 .n = 16,
                                 .k = 16,
                                 .elements = 8,
                                 .row_shift = 2,
                                 .lane_mask = 3,
                                 .element_rows = 0x88880000,
                                 .element_cols = 0x98109810,
                                 .row_lanes = 4,
                                 .a_like_accumulator = true,
                                 .half_columns = true};
  return d;
}

inline Problem problem(std::string_view text) { return *must(parse_problem(text), std::string(text)); }

/// One pass, two parameters, shared memory of BLOCK_M * BLOCK_N floats, a workgroup of BLOCK_M * 4 invocations.
inline VariantSource toy() {
  VariantSource source;
  source.name = "toy";
  source.files["manifest.toml"] = R"toml(
title = "Toy"
summary = "A variant for tests"
dtypes = ["f32", "f16"]
extra_bytes = "tiles * 10"

[let]
tiles = "ceil_div(seq_q, BLOCK_M)"
threads = "4 * BLOCK_M"

[[supports]]
require = "head_dim <= 256"
because = "head_dim is {head_dim}, and 256 is the most"

[[parameter]]
name = "BLOCK_M"
meaning = "rows"
values = [16, 32, 64, 128]
[[parameter]]
name = "BLOCK_N"
meaning = "keys"
values = [16, 32, 64, 128]

[[constraint]]
require = "BLOCK_N <= 2 * BLOCK_M"
because = "BLOCK_N={BLOCK_N} is more than twice BLOCK_M={BLOCK_M}"

[[scratch]]
name = "partial"
binding = 8
bytes = "4 * batch * heads_q * seq_q * seq_kv"

[[pass]]
name = "main"
shader = "toy.comp"
grid = ["tiles", "batch * heads_q"]
constants = { WORKGROUP = "threads" }

[[config]]
name = "wide"
purpose = "for tests"
values = { BLOCK_M = 64, BLOCK_N = 128 }
)toml";
  source.files["toy.comp"] = R"glsl(#version 460
#extension GL_GOOGLE_include_directive : require
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint WORKGROUP = 128;
layout(constant_id = 1) const uint BLOCK_M = 32;
layout(constant_id = 2) const uint BLOCK_N = 32;
layout(constant_id = 3) const uint HEAD_DIM = 64;
layout(push_constant) uniform Params { uint seq_kv; float scale; };
layout(set = 0, binding = 0) readonly buffer Q { float q[]; };
layout(set = 0, binding = 8) buffer S { float s[]; };
#include "common/size.glsl"
shared float tile[BLOCK_M * BLOCK_N];
void main() {
  tile[gl_LocalInvocationIndex] = q[gl_LocalInvocationIndex] * scale * float(HEAD_DIM + WORKGROUP + SIZE);
  barrier();
  s[gl_GlobalInvocationID.x % seq_kv] = tile[0];
}
)glsl";
  source.common["size.glsl"] = "#define SIZE 7\n";
  return source;
}

/// Where the tests of a build tree keep modules: most of the time of those of shipped variants is compiling.
inline fs::path module_cache() { return fs::path(std::getenv("XDG_CACHE_HOME")) / "modules"; }

/// The shipped variants, loaded once.
inline const std::vector<Variant>& shipped_variants() {
  static const std::vector<Variant> all = [] {
    std::vector<Variant> variants;
    Compiler compiler(module_cache());
    const auto sources = must(read_variant_sources({ATTNSCOPE_SOURCE_DIR "/shaders"}));
    for (const VariantSource& source : *sources) variants.push_back(*must(load_variant(source, compiler)));
    return variants;
  }();
  return all;
}

inline const Variant& shipped_variant(const std::string& name) {
  const Variant* found = find_by(shipped_variants(), name, &Variant::name);
  return found ? *found : throw std::runtime_error("there is no " + name);
}

/// A variant that loads, with its compiler, and its plans.
struct Loaded {
  explicit Loaded(const VariantSource& source) : variant(*must(load_variant(source, compiler))) {}
  const Variant* operator->() const { return &variant; }
  Result<Plan> try_plan(const std::string& text, const Config& config = {}, const DeviceInfo& device = big_gpu()) {
    return make_plan(variant, problem(text), config, device, compiler);
  }
  Plan plan(const std::string& text, const Config& config = {}, const DeviceInfo& device = big_gpu()) {
    return *must(try_plan(text, config, device));
  }
  Compiler compiler;
  Variant variant;
};

/// A variant and its compiler, where a test loads several.
struct VariantTest : ::testing::Test {
  void load(const VariantSource& source) { variant = *must(load_variant(source, compiler)); }
  Compiler compiler;
  Variant variant;
};

/// Of push constants, the four bytes at an offset.
inline uint32_t word(const std::vector<std::byte>& push, size_t at) {
  uint32_t out = 0;
  std::memcpy(&out, push.data() + at, 4);
  return out;
}

/// Why a variant does not load.
inline std::string failure(const VariantSource& source) {
  Compiler compiler;
  return refusal(load_variant(source, compiler));
}

/// The source with `to` for `from`, which has to be in a file of the variant or of those it takes from elsewhere.
inline VariantSource changed(VariantSource source, std::string_view from, std::string_view to,
                             const std::string& file = "manifest.toml") {
  std::string& text = source.files.contains(file) ? source.files[file] : source.outside[file];
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  if (at != std::string::npos) text.replace(at, from.size(), to);
  return source;
}

/// One change of a source, and what the message then says; | between several parts of it.
struct Fault {
  std::string from, to, says, file = "manifest.toml";
};
/// That each change alone is refused, a manifest's in one line, by a message that begins with the file's name.
inline void expect_faults(const VariantSource& source, const std::vector<Fault>& faults) {
  for (const Fault& fault : faults) {
    const std::string message = failure(changed(source, fault.from, fault.to, fault.file));
    EXPECT_TRUE(message.starts_with(source.name + "/")) << message;
    EXPECT_FALSE(fault.file == "manifest.toml" && has(message, '\n')) << message;
    std::istringstream parts(fault.says);
    for (std::string part; std::getline(parts, part, '|');) EXPECT_TRUE(has(message, part)) << fault.to;
  }
}

}  // namespace attnscope::testing
