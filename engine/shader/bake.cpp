#include "engine/shader/bake.hpp"

#include <fmt/format.h>

#include <glslang/SPIRV/spirv.hpp>

#include "engine/shader/spirv_fold.hpp"
#include "engine/shader/spirv_module.hpp"

namespace attnscope {
namespace {

constexpr size_t kHeaderWords = 5;

bool only_for_people(uint32_t op) {
  switch (op) {
    case spv::OpSourceContinued:
    case spv::OpSource:
    case spv::OpSourceExtension:
    case spv::OpName:
    case spv::OpMemberName:
    case spv::OpString:
    case spv::OpLine:
    case spv::OpNoLine:
    case spv::OpModuleProcessed: return true;
    default: return false;
  }
}

}  // namespace

Result<Spirv> bake(const Spirv& words, const SpecValues& values, bool keep_constants) {
  auto parsed = TRY(spirv::parse(words));
  SpecValues final_values = spirv::merged_defaults(parsed);
  for (const auto& [id, bits] : values) {
    if (!final_values.contains(id))
      return bad_input(fmt::format("The shader has no specialization constant with constant_id {}.", id));
    final_values[id] = bits;
  }
  auto out = std::make_shared<std::vector<uint32_t>>(words->begin(), words->begin() + kHeaderWords);
  for (size_t at = kHeaderWords; at < words->size();) {
    const uint32_t op = (*words)[at] & 0xffff, count = (*words)[at] >> 16;
    std::vector<uint32_t> in(words->begin() + std::ptrdiff_t(at), words->begin() + std::ptrdiff_t(at + count));
    at += count;
    if (only_for_people(op)) continue;
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

}  // namespace attnscope
