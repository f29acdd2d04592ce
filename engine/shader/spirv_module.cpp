#include "engine/shader/spirv.hpp"

#define SPV_ENABLE_UTILITY_CODE
#include <glslang/SPIRV/spirv.hpp>

namespace attnscope::spirv {
namespace {

/// A literal string: UTF-8 in little-endian words, ended by a zero byte.
std::string literal_string(std::span<const uint32_t> words) {
  std::string text;
  for (const uint32_t word : words)
    for (int shift = 0; shift < 32; shift += 8) {
      const char c = char((word >> shift) & 0xff);
      if (c == 0) return text;
      text.push_back(c);
    }
  return text;
}

/// Operand words that the rest of this module reads without looking, so that a damaged module is refused here.
size_t operands_needed(uint32_t op) {
  switch (op) {
    case spv::OpTypeStruct: return 1;
    case spv::OpTypeFloat:
    case spv::OpConstantTrue:
    case spv::OpConstantFalse:
    case spv::OpConstantNull:
    case spv::OpSpecConstantTrue:
    case spv::OpSpecConstantFalse: return 2;
    case spv::OpTypeInt:
    case spv::OpTypeVector:
    case spv::OpTypeMatrix:
    case spv::OpTypeArray:
    case spv::OpTypePointer:
    case spv::OpConstant:
    case spv::OpSpecConstant:
    case spv::OpVariable:
    case spv::OpFunctionCall: return 3;
    case spv::OpFunction:
    case spv::OpSpecConstantOp: return 4;
    case spv::OpTypeCooperativeMatrixKHR: return 6;
    default: return 0;
  }
}

/// Component counts and widths that no module has would make nonsense of every size.
bool sensible(const Instruction& in) {
  const auto& a = in.args;
  switch (in.op) {
    case spv::OpTypeVector:
    case spv::OpTypeMatrix: return a[2] >= 2 && a[2] <= 16;
    case spv::OpTypeInt:
    case spv::OpTypeFloat: return a[1] == 8 || a[1] == 16 || a[1] == 32 || a[1] == 64;
    default: return true;
  }
}

/// Words that are ids of what is defined somewhere: a driver need not look, and may say anything or crash.
std::span<const uint32_t> ids_of(const Instruction& in, bool has_type) {
  const auto& a = in.args;
  switch (in.op) {
    case spv::OpEntryPoint: return a.subspan(1, 1);
    case spv::OpStore: return a.first(std::min<size_t>(a.size(), 2));
    case spv::OpBranch:
    case spv::OpReturnValue:
    case spv::OpSelectionMerge: return a.first(std::min<size_t>(a.size(), 1));
    case spv::OpLoopMerge: return a.first(std::min<size_t>(a.size(), 2));
    case spv::OpBranchConditional: return a.first(std::min<size_t>(a.size(), 3));
    case spv::OpLoad: return a.subspan(2, a.size() > 2 ? 1 : 0);
    case spv::OpFunctionCall:
    case spv::OpAccessChain:
    case spv::OpInBoundsAccessChain:
    case spv::OpPhi:
    case spv::OpCompositeConstruct:
    case spv::OpConstantComposite:
    case spv::OpSpecConstantComposite: return a.subspan(2);
    default: break;
  }
  if (in.op >= spv::OpConvertFToU && in.op <= spv::OpBitCount && has_type) return a.subspan(2);
  return {};
}

Result<void> check_ids(const Module& module) {
  for (const Instruction& in : module.instructions) {
    bool has_result = false, has_type = false;
    spv::HasResultAndType(static_cast<spv::Op>(in.op), &has_result, &has_type);
    const auto check = [&](std::span<const uint32_t> ids) -> Result<void> {
      for (const uint32_t id : ids)
        if (!module.find(id))
          return bad_input(
              "The SPIR-V module is invalid: the instruction at word {} takes id {}, which nothing defines.",
              in.args.data() - module.words->data() - 1, id);
      return {};
    };
    if (has_type) TRY(check(in.args.first(1)));
    TRY(check(ids_of(in, has_type)));
  }
  return {};
}

void read_decoration(Module& module, const Instruction& in) {
  const auto& a = in.args;
  if (a.size() < 2) return;
  const uint32_t value = a.size() > 2 ? a[2] : 0;
  switch (a[1]) {
    case spv::DecorationSpecId: module.spec_ids[a[0]] = value; break;
    case spv::DecorationBinding: module.bindings[a[0]] = value; break;
    case spv::DecorationDescriptorSet: module.descriptor_sets[a[0]] = value; break;
    case spv::DecorationArrayStride: module.array_strides[a[0]] = value; break;
    case spv::DecorationBlock: module.blocks.insert(a[0]); break;
    case spv::DecorationBufferBlock: module.buffer_blocks.insert(a[0]); break;
    case spv::DecorationBuiltIn:
      if (value == spv::BuiltInWorkgroupSize) module.workgroup_size_constant = a[0];
      break;
    default: break;
  }
}

Result<void> read_header_instruction(Module& module, const Instruction& in) {
  const auto& a = in.args;
  switch (in.op) {
    case spv::OpCapability:
      if (!a.empty()) module.capabilities.push_back(a[0]);
      break;
    case spv::OpEntryPoint:
      if (a.size() < 3 || a[0] != spv::ExecutionModelGLCompute)
        return bad_input(
            "The SPIR-V module has an entry point that is not a compute shader; only compute shaders run here.");
      if (module.entry_function)
        return bad_input("The SPIR-V module has more than one entry point; a pass needs exactly one.");
      module.entry_function = a[1];
      module.entry_name = literal_string(a.subspan(2));
      break;
    case spv::OpExecutionMode:
    case spv::OpExecutionModeId:
      if (a.size() == 5 && (a[1] == spv::ExecutionModeLocalSize || a[1] == spv::ExecutionModeLocalSizeId))
        module.local_size = in;
      if (a.size() == 3 && a[1] >= spv::ExecutionModeDenormPreserve && a[1] <= spv::ExecutionModeRoundingModeRTZ)
        module.float_controls.emplace(a[1], a[2]);
      break;
    case spv::OpName:
      // The first name is the declared one: `const uint B = A;` of a spec constant A names A's id a second time.
      if (a.size() >= 2) module.names.emplace(a[0], literal_string(a.subspan(1)));
      break;
    case spv::OpMemberName:
      if (a.size() >= 3) module.member_names[{a[0], a[1]}] = literal_string(a.subspan(2));
      break;
    case spv::OpDecorate: read_decoration(module, in); break;
    case spv::OpMemberDecorate:
      if (a.size() >= 4 && a[2] == spv::DecorationOffset) module.member_offsets[{a[0], a[1]}] = a[3];
      break;
    default: break;
  }
  return {};
}

}  // namespace

const Instruction* Module::find(uint32_t id) const {
  const auto it = definition.find(id);
  return it == definition.end() ? nullptr : &instructions[it->second];
}

std::string Module::name_of(uint32_t id) const {
  const auto it = names.find(id);
  return it == names.end() || it->second.empty() ? fmt::format("%{}", id) : it->second;
}

uint32_t Module::held_type(const Instruction& variable) const {
  const Instruction* pointer = find(variable.args[0]);
  return pointer && pointer->op == spv::OpTypePointer && pointer->args.size() >= 3 ? pointer->args[2] : 0;
}

std::vector<const Function*> Module::reachable() const {
  std::vector<const Function*> out;
  std::set<uint32_t> seen;
  std::vector<uint32_t> open{entry_function};
  while (!open.empty()) {
    const uint32_t id = open.back();
    open.pop_back();
    if (!seen.insert(id).second) continue;
    for (const auto& f : functions)
      if (f.id == id) {
        out.push_back(&f);
        open.insert(open.end(), f.calls.begin(), f.calls.end());
      }
  }
  return out;
}

std::set<uint32_t> Module::used_globals() const {
  const std::set<uint32_t> globals(global_variables.begin(), global_variables.end());
  std::set<uint32_t> used;
  for (const Function* f : reachable())
    for (size_t i = f->begin; i < f->end; ++i)
      for (uint32_t word : instructions[i].args)
        if (globals.contains(word)) used.insert(word);
  return used;
}

Result<Module> parse(const Spirv& spirv) {
  if (!spirv || spirv->size() < 5 || (*spirv)[0] != spv::MagicNumber)
    return bad_input("This is not a SPIR-V module: it does not begin with the SPIR-V magic number.");
  Module module;
  module.words = spirv;
  const std::span<const uint32_t> words(*spirv);
  Function* function = nullptr;
  for (size_t at = 5; at < words.size();) {
    const uint32_t count = words[at] >> 16;
    if (count == 0 || at + count > words.size())
      return bad_input("The SPIR-V module is damaged: the instruction at word {} claims {} words of the {} left.", at,
                       count, words.size() - at);
    const Instruction in{words[at] & 0xffff, words.subspan(at + 1, count - 1)};
    const size_t index = module.instructions.size();
    module.instructions.push_back(in);
    if (in.args.size() < operands_needed(in.op) || !sensible(in))
      return bad_input("The SPIR-V module is damaged: the instruction at word {} has operands that make no sense.", at);
    bool has_result = false, has_type = false;
    spv::HasResultAndType(static_cast<spv::Op>(in.op), &has_result, &has_type);
    if (has_result) {
      const size_t id_at = has_type ? 1 : 0;
      if (in.args.size() <= id_at)
        return bad_input("The SPIR-V module is damaged: the instruction at word {} has no result id.", at);
      if (!module.definition.emplace(in.args[id_at], index).second)
        return bad_input("The SPIR-V module is damaged: id {} is defined twice.", in.args[id_at]);
    }
    TRY(read_header_instruction(module, in));
    switch (in.op) {
      case spv::OpFunction:
        function = &module.functions.emplace_back();
        function->id = in.args[1];
        function->begin = index;
        break;
      case spv::OpFunctionEnd:
        if (function) function->end = index + 1;
        function = nullptr;
        break;
      case spv::OpFunctionCall:
        if (function) function->calls.push_back(in.args[2]);
        break;
      // They name functions among their operands; what else is named there is no function.
      case spv::OpCooperativeMatrixPerElementOpNV:
      case spv::OpCooperativeMatrixReduceNV:
      case spv::OpCooperativeMatrixLoadTensorNV:
        if (function) function->calls.insert(function->calls.end(), in.args.begin(), in.args.end());
        break;
      // A kernel that reads clocks could tell what is timed from what is checked, so it is refused undeclared too.
      case spv::OpReadClockKHR: module.capabilities.push_back(spv::CapabilityShaderClockKHR); break;
      case spv::OpVariable: (function ? function->variables : module.global_variables).push_back(in.args[1]); break;
      default: break;
    }
    at += count;
  }
  if (!module.entry_function) return bad_input("The SPIR-V module has no entry point; a pass needs exactly one.");
  if (function ||
      std::ranges::none_of(module.functions, [&](const Function& f) { return f.id == module.entry_function; }))
    return bad_input("The SPIR-V module is damaged: it ends before the function of its entry point does.");
  TRY(check_ids(module));
  return module;
}

}  // namespace attnscope::spirv
