#include "engine/shader/module.hpp"

#include <glslang/SPIRV/spirv.hpp>

#include "engine/shader/spirv.hpp"

namespace attnscope {
namespace {

constexpr size_t kHeaderWords = 5, kBound = 3;

constexpr uint32_t kOnlyForPeople[] = {
    spv::OpSourceContinued, spv::OpSource, spv::OpSourceExtension, spv::OpName,           spv::OpMemberName,
    spv::OpString,          spv::OpLine,   spv::OpNoLine,          spv::OpModuleProcessed};
/// Instructions that come before the debug strings (SPIR-V 2.4, sections 1 to 6).
constexpr uint32_t kBeforeStrings[] = {spv::OpCapability,     spv::OpExtension,  spv::OpExtInstImport,
                                       spv::OpMemoryModel,    spv::OpEntryPoint, spv::OpExecutionMode,
                                       spv::OpExecutionModeId};

using spirv::Folder;
using spirv::Module;

// Only an estimate of private bytes depends on it, and only for subgroup-scope matrices: the commonest size.
constexpr uint32_t kAssumedSubgroup = 32;

Result<std::array<uint32_t, 3>> local_size(const Module& module, Folder& folder) {
  std::array<uint32_t, 3> size{1, 1, 1};
  // The built-in constant, where a module has it, overrides the execution mode.
  if (module.workgroup_size_constant) {
    auto value = TRY(folder.value(module.workgroup_size_constant));
    for (size_t i = 0; i < 3 && i < value.parts.size(); ++i) size[i] = uint32_t(value.parts[i].bits);
  } else if (module.local_size.op == spv::OpExecutionMode) {
    for (size_t i = 0; i < 3; ++i) size[i] = module.local_size.args[2 + i];
  } else if (module.local_size.op == spv::OpExecutionModeId) {
    for (size_t i = 0; i < 3; ++i) size[i] = uint32_t(TRY(folder.scalar(module.local_size.args[2 + i])));
  }
  for (uint32_t n : size)
    if (n == 0)
      return bad_input("Specialization gives a workgroup of {}x{}x{} invocations; none may be 0.", size[0], size[1],
                       size[2]);
  return size;
}

/// Workgroup-scope matrices are a feature of their own, seen only in the type; a constant may be their scope.
bool has_workgroup_matrix(const Module& module, Folder& folder) {
  for (const auto& in : module.instructions)
    if (in.op == spv::OpTypeCooperativeMatrixKHR && in.args.size() >= 3)
      if (auto scope = folder.scalar(in.args[2]); scope && *scope == spv::ScopeWorkgroup) return true;
  return false;
}

}  // namespace

Result<Spirv> bake(const Spirv& words, const SpecValues& values, bool keep_constants) {
  auto parsed = TRY(spirv::parse(words));
  SpecValues final_values = spirv::merged_defaults(parsed);
  for (const auto& [id, bits] : values) {
    if (!final_values.contains(id))
      return bad_input("The shader has no specialization constant with constant_id {}.", id);
    final_values[id] = bits;
  }
  auto out = std::make_shared<std::vector<uint32_t>>(words->begin(), words->begin() + kHeaderWords);
  for (size_t at = kHeaderWords; at < words->size();) {
    const uint32_t op = (*words)[at] & 0xffff, count = (*words)[at] >> 16;
    std::vector<uint32_t> in(words->begin() + ptrdiff_t(at), words->begin() + ptrdiff_t(at + count));
    at += count;
    if (contains(kOnlyForPeople, op)) continue;
    if (!keep_constants && op == spv::OpDecorate && in.size() > 2 && in[2] == spv::DecorationSpecId) continue;
    const bool truth = op == spv::OpSpecConstantTrue || op == spv::OpSpecConstantFalse;
    if (truth || op == spv::OpSpecConstant) {
      const auto id = parsed.spec_ids.find(in[2]);
      // 32 bits, like all reflected constants; wider ones keep their defaults.
      if (id != parsed.spec_ids.end() && (truth || in.size() == 4)) {
        const uint32_t bits = final_values.at(id->second);
        if (truth)
          in[0] = count << 16 | (bits != 0 ? spv::OpSpecConstantTrue : spv::OpSpecConstantFalse);
        else
          in[3] = bits;
      }
      if (!keep_constants) {
        const uint32_t now = in[0] & 0xffff;
        in[0] = count << 16 | (now == spv::OpSpecConstantTrue    ? spv::OpConstantTrue
                               : now == spv::OpSpecConstantFalse ? spv::OpConstantFalse
                                                                 : spv::OpConstant);
      }
    }
    out->insert(out->end(), in.begin(), in.end());
  }
  return Spirv(std::move(out));
}

Result<Spirv> with_string(const Spirv& spirv, std::string_view text) {
  if (!spirv || spirv->size() < kHeaderWords || (*spirv)[0] != spv::MagicNumber)
    return bad_input("This is not a SPIR-V module.");
  const std::vector<uint32_t>& words = *spirv;
  size_t at = kHeaderWords;
  while (at < words.size() && contains(kBeforeStrings, words[at] & 0xffff)) {
    const size_t length = words[at] >> 16;
    if (length == 0 || length > words.size() - at)
      return bad_input("The SPIR-V module ends within the instruction at word {}.", at);
    at += length;
  }
  std::vector<uint32_t> string(2 + text.size() / 4 + 1);  // a terminating zero at least
  string[0] = uint32_t(string.size()) << 16 | spv::OpString;
  string[1] = words[kBound];
  std::memcpy(&string[2], text.data(), text.size());
  std::vector<uint32_t> out(words);
  out.insert(out.begin() + ptrdiff_t(at), string.begin(), string.end());
  ++out[kBound];
  return std::make_shared<const std::vector<uint32_t>>(std::move(out));
}

Result<ModuleFacts> specialize(const Spirv& words, const SpecValues& values) {
  const Module module = TRY(spirv::parse(words));
  const SpecValues known = spirv::merged_defaults(module);
  for (const auto& [id, bits] : values)
    if (!known.contains(id)) return bad_input("The shader has no specialization constant with constant_id {}.", id);
  Folder folder(module, values);
  ModuleFacts out;
  out.local_size = TRY(local_size(module, folder));
  spirv::Sizer sizer(module, folder, out.local_size, kAssumedSubgroup);

  uint64_t overlaid = 0;  // Workgroup blocks (explicit layout) share one address range
  for (uint32_t id : module.global_variables) {
    const auto* variable = module.find(id);
    const uint32_t type = module.held_type(*variable), storage = variable->args[2];
    if (type == 0) continue;
    const bool shared = storage == spv::StorageClassWorkgroup;
    if (!shared && !(storage == spv::StorageClassPrivate && sizer.is_bulky(type))) continue;
    const auto bytes = TRY(within(module.name_of(id), sizer.size(type)));
    if (shared && module.blocks.contains(type))
      overlaid = std::max(overlaid, bytes.bytes);
    else if (shared)
      out.shared_bytes += (bytes.bytes + 15) / 16 * 16;
    else
      out.private_bytes += bytes.bytes;
  }
  out.shared_bytes += (overlaid + 15) / 16 * 16;
  for (const auto* function : module.reachable())
    for (uint32_t id : function->variables) {
      const uint32_t type = module.held_type(*module.find(id));
      if (type == 0 || !sizer.is_bulky(type)) continue;
      out.private_bytes += TRY(within(module.name_of(id), sizer.size(type))).bytes;
    }
  out.workgroup_matrices = has_workgroup_matrix(module, folder);
  return out;
}

}  // namespace attnscope
