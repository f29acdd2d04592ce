// Reflection: a module's declarations.

#include <glslang/SPIRV/spirv.hpp>

#include "engine/shader/spirv.hpp"

namespace attnscope {
namespace {

using spirv::Module;

/// Structures in structures of a block; deeper ones count as one member.
constexpr int kMostNested = 8;
constexpr uint32_t kMostUniformBytes = 16384;  // of any device

/// The feature, as DeviceInfo names it, that a capability needs; "" for what every Vulkan 1.3 device has.
std::string feature_of(uint32_t capability) {
  switch (capability) {
    case spv::CapabilityMatrix:
    case spv::CapabilityShader:
    case spv::CapabilityGroupNonUniform:
    case spv::CapabilityReplicatedCompositesEXT: return "";
    case spv::CapabilityDenormPreserve:
    case spv::CapabilityDenormFlushToZero:
    case spv::CapabilitySignedZeroInfNanPreserve:
    case spv::CapabilityRoundingModeRTE:
    case spv::CapabilityRoundingModeRTZ: return "";  // devices have them by width, which the execution mode says
    case spv::CapabilityStorageBuffer16BitAccess:
    case spv::CapabilityUniformAndStorageBuffer16BitAccess: return "storage_16bit";
    case spv::CapabilityStorageBuffer8BitAccess:
    case spv::CapabilityUniformAndStorageBuffer8BitAccess: return "storage_8bit";
    case spv::CapabilityFloat16: return "shader_f16";
    case spv::CapabilityFloat64: return "float64";
    case spv::CapabilityInt8: return "int8";
    case spv::CapabilityInt16: return "int16";
    case spv::CapabilityInt64: return "int64";
    case spv::CapabilityGroupNonUniformVote: return "subgroup_vote";
    case spv::CapabilityGroupNonUniformBallot: return "subgroup_ballot";
    case spv::CapabilityGroupNonUniformArithmetic: return "subgroup_arithmetic";
    case spv::CapabilityGroupNonUniformShuffle:
    case spv::CapabilityGroupNonUniformShuffleRelative: return "subgroup_shuffle";
    case spv::CapabilityGroupNonUniformClustered: return "subgroup_clustered";
    case spv::CapabilityGroupNonUniformQuad: return "subgroup_quad";
    case spv::CapabilityVulkanMemoryModel:
    case spv::CapabilityVulkanMemoryModelDeviceScope: return "vulkan_memory_model";
    case spv::CapabilityPhysicalStorageBufferAddresses: return "buffer_device_address";
    case spv::CapabilityWorkgroupMemoryExplicitLayoutKHR:
    case spv::CapabilityWorkgroupMemoryExplicitLayout16BitAccessKHR: return "shared_explicit_layout";
    case spv::CapabilityDotProduct:
    case spv::CapabilityDotProductInputAll:
    case spv::CapabilityDotProductInput4x8Bit:
    case spv::CapabilityDotProductInput4x8BitPacked: return "integer_dot_product";
    case spv::CapabilityCooperativeMatrixKHR: return "coopmat";
    case spv::CapabilityCooperativeMatrixReductionsNV: return "coopmat2_reductions";
    case spv::CapabilityCooperativeMatrixConversionsNV: return "coopmat2_conversions";
    case spv::CapabilityCooperativeMatrixPerElementOperationsNV: return "coopmat2_per_element";
    case spv::CapabilityTensorAddressingNV:
    case spv::CapabilityCooperativeMatrixTensorAddressingNV: return "coopmat2_tensor";
    case spv::CapabilityCooperativeMatrixBlockLoadsNV: return "coopmat2_block_loads";
    case 5116:  // BFloat16TypeKHR, BFloat16DotProductKHR, BFloat16CooperativeMatrixKHR: newer than these headers
    case 5117: return "bfloat16";
    case 5118: return "coopmat_bfloat16";
    default: return fmt::format("spirv_capability_{}", capability);
  }
}

/// The same of an execution mode of floats of `width` bits.
std::string feature_of_mode(uint32_t mode, uint32_t width) {
  constexpr std::array<std::string_view, 5> kNames{"denorm_preserve", "denorm_flush", "nan_preserve", "round_to_even",
                                                   "round_to_zero"};
  return fmt::format("{}_f{}", kNames.at(mode - spv::ExecutionModeDenormPreserve), width);
}

ScalarType scalar_type(const Module& module, uint32_t type) {
  const auto* in = module.find(type);
  if (!in) return ScalarType::other;
  if (in->op == spv::OpTypeBool) return ScalarType::boolean;
  if (in->op == spv::OpTypeFloat && in->args[1] == 32) return ScalarType::float32;
  if (in->op == spv::OpTypeInt && in->args[1] == 32) return in->args[2] ? ScalarType::int32 : ScalarType::uint32;
  return ScalarType::other;
}

std::vector<SpecConstant> spec_constants(const Module& module) {
  const SpecValues defaults = spirv::merged_defaults(module);
  std::map<uint32_t, SpecConstant> by_id;
  for (const auto& in : module.instructions) {
    if (in.op != spv::OpSpecConstant && in.op != spv::OpSpecConstantTrue && in.op != spv::OpSpecConstantFalse) continue;
    const auto spec = module.spec_ids.find(in.args[1]);
    if (spec == module.spec_ids.end()) continue;
    SpecConstant& c = by_id[spec->second];
    if (!c.name.empty()) continue;  // the first named one stands for all that share its id
    c = {spec->second, at_or(module.names, in.args[1]), scalar_type(module, in.args[0]), defaults.at(spec->second)};
  }
  return mapped(by_id, [](auto& of) { return std::move(of.second); });
}

/// The members of a structure that lies at `base` of the block.
Result<void> read_push(const Module& module, uint32_t type, uint32_t base, int depth, Block& out) {
  const auto* in = module.find(type);
  if (!in || in->op != spv::OpTypeStruct) return bad_input("A push-constant or uniform block is not a structure.");
  spirv::Folder folder(module, {});
  spirv::Sizer sizer(module, folder, {1, 1, 1}, 1);
  for (uint32_t m = 0; m + 1 < in->args.size(); ++m) {
    const std::pair member_id(type, m);
    auto size = TRY(sizer.size(in->args[m + 1]));
    const uint32_t at = base + at_or(module.member_offsets, member_id);
    const auto* part = module.find(in->args[m + 1]);
    if (part && part->op == spv::OpTypeStruct && part < in && depth < kMostNested) {
      TRY(read_push(module, in->args[m + 1], at, depth + 1, out));
      continue;
    }
    PushMember member{at_or(module.member_names, member_id), at, scalar_type(module, in->args[m + 1]),
                      uint32_t(size.bytes)};
    out.push_bytes = std::max(out.push_bytes, uint32_t((member.offset + size.bytes + 3) / 4 * 4));
    out.push.push_back(std::move(member));
  }
  return {};
}

}  // namespace

std::string place_text(uint32_t place) {
  return set_of(place) == 0 ? fmt::format("binding {}", binding_of(place))
                            : fmt::format("binding {} of set {}", binding_of(place), set_of(place));
}

Result<Reflection> reflect(const Spirv& words) {
  const Module module = TRY(spirv::parse(words));
  Reflection out;
  out.constants = spec_constants(module);
  out.entry = module.entry_name;
  std::set<uint32_t> bindings;
  const std::set<uint32_t> used = module.used_globals();
  const auto add_buffer = [&](uint32_t id, uint32_t uniform_type = 0) -> Result<void> {
    if (!used.contains(id)) return {};
    const uint32_t number = at_or(module.descriptor_sets, id);
    const auto binding = module.bindings.find(id);
    if (number >= kMostSets || (binding != module.bindings.end() && binding->second > kMostBinding))
      return bad_input("Buffer {} is on binding {} of descriptor set {}; sets 0 to {} can be bound.",
                       module.name_of(id), at_or(module.bindings, id), number, kMostSets - 1);
    if (binding == module.bindings.end()) return {};
    const uint32_t place = place_of(number, binding->second);
    if (uniform_type == 0) {
      bindings.insert(place);
      return {};
    }
    Block& block = out.uniforms[place] = {};
    TRY(read_push(module, uniform_type, 0, 0, block));
    if (block.push_bytes <= kMostUniformBytes) return {};
    return bad_input("The uniform block on {} has {} bytes; {} are allowed.", place_text(place), block.push_bytes,
                     kMostUniformBytes);
  };
  for (uint32_t id : module.global_variables) {
    const auto* variable = module.find(id);
    const auto* pointer = module.find(variable->args[0]);
    if (!pointer || pointer->op != spv::OpTypePointer || pointer->args.size() < 3) continue;
    switch (variable->args[2]) {
      case spv::StorageClassPushConstant: TRY(read_push(module, pointer->args[2], 0, 0, out)); break;
      case spv::StorageClassStorageBuffer: TRY(add_buffer(id)); break;
      case spv::StorageClassUniform:
        // A storage buffer in SPIR-V before 1.3 is a block of this class too.
        TRY(add_buffer(id, module.buffer_blocks.contains(pointer->args[2]) ? 0 : pointer->args[2]));
        break;
      case spv::StorageClassUniformConstant:
        if (used.contains(id))
          return bad_input(
              "{} is an image or a sampler; a pass may use storage buffers, uniform blocks and push constants.",
              module.name_of(id));
        break;
      default: break;
    }
  }
  out.storage_bindings.assign(bindings.begin(), bindings.end());
  std::set<std::string> features;
  for (uint32_t capability : module.capabilities)
    if (std::string feature = feature_of(capability); !feature.empty()) features.insert(std::move(feature));
  for (const auto& [mode, width] : module.float_controls) features.insert(feature_of_mode(mode, width));
  out.capabilities.assign(features.begin(), features.end());
  return out;
}

}  // namespace attnscope
