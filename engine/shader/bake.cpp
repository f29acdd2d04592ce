#include "engine/shader/bake.hpp"

#include <cstring>

#include <glslang/SPIRV/spirv.hpp>

#include "engine/shader/spirv.hpp"

namespace attnscope {
namespace {

constexpr size_t kHeaderWords = 5, kBound = 3;

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

/// Instructions that come before the debug strings (SPIR-V 2.4, sections 1 to 6).
bool before_strings(uint32_t op) {
  switch (op) {
    case spv::OpCapability:
    case spv::OpExtension:
    case spv::OpExtInstImport:
    case spv::OpMemoryModel:
    case spv::OpEntryPoint:
    case spv::OpExecutionMode:
    case spv::OpExecutionModeId: return true;
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

Result<Spirv> with_string(const Spirv& spirv, std::string_view text) {
  if (!spirv || spirv->size() < kHeaderWords || (*spirv)[0] != spv::MagicNumber)
    return bad_input("This is not a SPIR-V module.");
  const std::vector<uint32_t>& words = *spirv;
  size_t at = kHeaderWords;
  while (at < words.size() && before_strings(words[at] & 0xffff)) {
    const size_t length = words[at] >> 16;
    if (length == 0 || length > words.size() - at)
      return bad_input(fmt::format("The SPIR-V module ends within the instruction at word {}.", at));
    at += length;
  }
  std::vector<uint32_t> string(2 + text.size() / 4 + 1);  // a terminating zero at least
  string[0] = uint32_t(string.size()) << 16 | spv::OpString;
  string[1] = words[kBound];
  std::memcpy(&string[2], text.data(), text.size());
  std::vector<uint32_t> out(words);
  out.insert(out.begin() + std::ptrdiff_t(at), string.begin(), string.end());
  ++out[kBound];
  return std::make_shared<const std::vector<uint32_t>>(std::move(out));
}

}  // namespace attnscope
