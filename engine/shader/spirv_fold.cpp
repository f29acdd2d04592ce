#include "engine/shader/spirv.hpp"

#include <glslang/SPIRV/spirv.hpp>

namespace attnscope::spirv {
namespace {

constexpr int kMaxDepth = 512;  // valid modules define before use; this only bounds a damaged one

uint32_t width_of(const Module& module, uint32_t type) {
  const Instruction* in = module.find(type);
  if (!in) return 0;
  if (in->op == spv::OpTypeBool) return 1;
  if ((in->op == spv::OpTypeInt || in->op == spv::OpTypeFloat) && in->args.size() >= 2) return in->args[1];
  return 0;
}

uint64_t mask(uint64_t bits, uint32_t width) { return width >= 64 ? bits : bits & ((uint64_t{1} << width) - 1); }

int64_t sign_extended(uint64_t bits, uint32_t width) {
  if (width == 0 || width >= 64) return int64_t(bits);
  const uint64_t sign = uint64_t{1} << (width - 1);
  return int64_t((mask(bits, width) ^ sign) - sign);
}

}  // namespace

SpecValues merged_defaults(const Module& module) {
  SpecValues defaults;
  std::map<uint32_t, bool> named;
  for (const auto& in : module.instructions) {
    if (in.op != spv::OpSpecConstant && in.op != spv::OpSpecConstantTrue && in.op != spv::OpSpecConstantFalse) continue;
    const auto spec = module.spec_ids.find(in.args[1]);
    if (spec == module.spec_ids.end()) continue;
    const auto name = module.names.find(in.args[1]);
    const bool has_name = name != module.names.end() && !name->second.empty();
    if (defaults.contains(spec->second) && (named[spec->second] || !has_name)) continue;
    named[spec->second] = has_name;
    defaults[spec->second] = in.op == spv::OpSpecConstant ? in.args[2] : (in.op == spv::OpSpecConstantTrue ? 1u : 0u);
  }
  return defaults;
}

Folder::Folder(const Module& module, const SpecValues& values) : module_(module), values_(merged_defaults(module)) {
  for (const auto& [id, bits] : values) values_[id] = bits;
}

Result<Constant> Folder::value(uint32_t id) { return value(id, 0); }

Result<uint64_t> Folder::scalar(uint32_t id) {
  auto c = TRY(value(id, 0));
  if (!c.parts.empty())
    return bad_input("SPIR-V constant {} is used as a number but is a composite.", module_.name_of(id));
  return c.bits;
}

Result<Constant> Folder::value(uint32_t id, int depth) {
  if (const auto it = known_.find(id); it != known_.end()) return it->second;
  if (depth > kMaxDepth) return bad_input("The SPIR-V module is damaged: a constant is defined by itself.");
  auto c = compute(id, depth + 1);
  if (c) known_.emplace(id, *c);
  return c;
}

Result<Constant> Folder::compute(uint32_t id, int depth) {
  const Instruction* in = module_.find(id);
  if (!in || in->args.size() < 2)
    return bad_input("The SPIR-V module is damaged: constant {} is not defined.", module_.name_of(id));
  const auto& a = in->args;
  Constant c;
  c.type = a[0];
  const uint32_t width = width_of(module_, c.type);
  const auto spec = module_.spec_ids.find(id);
  switch (in->op) {
    case spv::OpConstantTrue: c.bits = 1; return c;
    case spv::OpConstantFalse: return c;
    case spv::OpConstant:
    case spv::OpSpecConstant:
      c.bits = a[2] | (a.size() > 3 ? uint64_t{a[3]} << 32 : 0);
      // A 64-bit constant cannot be given by a 32-bit pattern: it keeps its default.
      if (in->op == spv::OpSpecConstant && spec != module_.spec_ids.end() && width <= 32)
        c.bits = values_.at(spec->second);
      c.bits = mask(c.bits, width);
      return c;
    case spv::OpSpecConstantTrue:
    case spv::OpSpecConstantFalse:
      c.bits = spec != module_.spec_ids.end() ? values_.at(spec->second) != 0 : in->op == spv::OpSpecConstantTrue;
      return c;
    case spv::OpConstantNull:
    case spv::OpUndef: {
      const Instruction* type = module_.find(c.type);
      if (type && type->op == spv::OpTypeVector) c.parts.assign(type->args[2], Constant{type->args[1], 0, {}});
      return c;
    }
    case spv::OpConstantComposite:
    case spv::OpSpecConstantComposite:
      for (size_t i = 2; i < a.size(); ++i) c.parts.push_back(TRY(value(a[i], depth)));
      return c;
    case spv::OpSpecConstantOp: return operation(*in, depth);
    default: return bad_input("SPIR-V id {} is used as a constant but is instruction {}.", module_.name_of(id), in->op);
  }
}

Result<Constant> Folder::operation(const Instruction& in, int depth) {
  const auto& a = in.args;
  const uint32_t type = a[0], id = a[1], op = a[2];
  // Trailing operands of these are literals, not ids.
  const size_t ids_end = op == spv::OpCompositeExtract                                  ? 4
                         : (op == spv::OpVectorShuffle || op == spv::OpCompositeInsert) ? 5
                                                                                        : a.size();
  std::vector<Constant> args;
  for (size_t i = 3; i < std::min(ids_end, a.size()); ++i) args.push_back(TRY(value(a[i], depth)));
  const std::span<const uint32_t> literals = a.subspan(std::min(ids_end, a.size()));
  const auto damaged = [&] {
    return bad_input("The SPIR-V module is damaged: constant {} indexes outside of a composite.", module_.name_of(id));
  };
  const auto part_of = [&](Constant& whole) {
    Constant* at = &whole;
    for (uint32_t index : literals) at = at != nullptr && index < at->parts.size() ? &at->parts[index] : nullptr;
    return at;
  };
  if (op == spv::OpCompositeExtract) {
    const Constant* part = part_of(args[0]);
    return part != nullptr ? Result<Constant>(*part) : damaged();
  }
  if (op == spv::OpCompositeInsert) {
    Constant* part = args.size() == 2 ? part_of(args[1]) : nullptr;
    if (part == nullptr) return damaged();
    *part = Constant(args[0]);
    return args[1];
  }
  if (op == spv::OpVectorShuffle) {
    if (args.size() != 2) return damaged();
    Constant out{type, 0, {}};
    for (uint32_t index : literals) {
      const size_t first = args[0].parts.size();
      if (index >= first + args[1].parts.size()) return damaged();
      out.parts.push_back(index < first ? args[0].parts[index] : args[1].parts[index - first]);
    }
    return out;
  }
  return component_wise(op, type, args, id);
}

Result<Constant> Folder::component_wise(uint32_t op, uint32_t type, const std::vector<Constant>& args, uint32_t id) {
  const Instruction* result = module_.find(type);
  Constant out{type, 0, {}};
  if (!result || result->op != spv::OpTypeVector) {
    out.bits = TRY(scalar_operation(op, type, args, id));
    return out;
  }
  for (uint32_t i = 0; i < result->args[2]; ++i) {
    const auto parts = mapped(args, [&](const Constant& arg) { return i < arg.parts.size() ? arg.parts[i] : arg; });
    auto bits = TRY(scalar_operation(op, result->args[1], parts, id));
    out.parts.push_back(Constant{result->args[1], bits, {}});
  }
  return out;
}

Result<uint64_t> Folder::scalar_operation(uint32_t op, uint32_t type, const std::vector<Constant>& args, uint32_t id) {
  const uint32_t width = width_of(module_, type);
  const uint32_t from = args.empty() ? 0 : width_of(module_, args[0].type);
  const auto u = [&](size_t i) { return i < args.size() ? args[i].bits : 0; };
  const auto s = [&](size_t i) { return sign_extended(u(i), i < args.size() ? width_of(module_, args[i].type) : 0); };
  const auto out = [&](uint64_t bits) -> Result<uint64_t> { return mask(bits, width); };
  const bool divides =
      op == spv::OpUDiv || op == spv::OpSDiv || op == spv::OpUMod || op == spv::OpSRem || op == spv::OpSMod;
  if (divides && u(1) == 0)
    return bad_input("Specialization divides by zero in the constant expression {}.", module_.name_of(id));
  // The one signed division that overflows; SPIR-V leaves it undefined, and in C++ it would trap.
  if ((op == spv::OpSDiv || op == spv::OpSRem || op == spv::OpSMod) && s(1) == -1)
    return out(op == spv::OpSDiv ? uint64_t{0} - u(0) : 0);
  const uint64_t shift = u(1);
  switch (op) {
    case spv::OpUConvert: return out(u(0));
    case spv::OpSConvert: return out(uint64_t(s(0)));
    case spv::OpBitcast:
    case spv::OpCopyObject: return out(u(0));
    case spv::OpSNegate: return out(uint64_t{0} - u(0));
    case spv::OpNot: return out(~u(0));
    case spv::OpIAdd: return out(u(0) + u(1));
    case spv::OpISub: return out(u(0) - u(1));
    case spv::OpIMul: return out(u(0) * u(1));
    case spv::OpUDiv: return out(u(0) / u(1));
    case spv::OpUMod: return out(u(0) % u(1));
    case spv::OpSDiv: return out(uint64_t(s(0) / s(1)));
    case spv::OpSRem: return out(uint64_t(s(0) % s(1)));
    case spv::OpSMod: {  // the sign of the divisor, unlike C++
      const int64_t r = s(0) % s(1);
      return out(uint64_t(r != 0 && (r < 0) != (s(1) < 0) ? r + s(1) : r));
    }
    case spv::OpShiftLeftLogical: return out(shift >= from ? 0 : u(0) << shift);
    case spv::OpShiftRightLogical: return out(shift >= from ? 0 : u(0) >> shift);
    case spv::OpShiftRightArithmetic: return out(uint64_t(s(0) >> std::min<uint64_t>(shift, 63)));
    case spv::OpBitwiseAnd: return out(u(0) & u(1));
    case spv::OpBitwiseOr: return out(u(0) | u(1));
    case spv::OpBitwiseXor: return out(u(0) ^ u(1));
    case spv::OpLogicalAnd: return out(u(0) & u(1));
    case spv::OpLogicalOr: return out(u(0) | u(1));
    case spv::OpLogicalNot: return out(u(0) == 0);
    case spv::OpLogicalEqual:
    case spv::OpIEqual: return out(u(0) == u(1));
    case spv::OpLogicalNotEqual:
    case spv::OpINotEqual: return out(u(0) != u(1));
    case spv::OpULessThan: return out(u(0) < u(1));
    case spv::OpULessThanEqual: return out(u(0) <= u(1));
    case spv::OpUGreaterThan: return out(u(0) > u(1));
    case spv::OpUGreaterThanEqual: return out(u(0) >= u(1));
    case spv::OpSLessThan: return out(s(0) < s(1));
    case spv::OpSLessThanEqual: return out(s(0) <= s(1));
    case spv::OpSGreaterThan: return out(s(0) > s(1));
    case spv::OpSGreaterThanEqual: return out(s(0) >= s(1));
    case spv::OpSelect: return out(u(0) ? u(1) : u(2));
    default:
      return bad_input(
          "The constant expression {} uses SPIR-V operation {}, which sizes cannot depend on; use integer arithmetic.",
          module_.name_of(id), op);
  }
}

}  // namespace attnscope::spirv
