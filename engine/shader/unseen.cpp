#include "engine/shader/unseen.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace attnscope {
namespace {

constexpr uint32_t kMagic = 0x07230203, kHeaderWords = 5, kBound = 3;
constexpr uint32_t kOpString = 7;

/// Instructions that come before the debug strings (SPIR-V 2.4, sections 1 to 6).
bool before_strings(uint32_t op) {
  constexpr uint32_t kFirst[] = {17 /* Capability */,
                                 10 /* Extension */,
                                 11 /* ExtInstImport */,
                                 14 /* MemoryModel */,
                                 15 /* EntryPoint */,
                                 16 /* ExecutionMode */,
                                 331 /* ExecutionModeId */};
  return std::find(std::begin(kFirst), std::end(kFirst), op) != std::end(kFirst);
}

}  // namespace

Result<Spirv> with_string(const Spirv& spirv, std::string_view text) {
  if (!spirv || spirv->size() < kHeaderWords || (*spirv)[0] != kMagic) return bad_input("This is not a SPIR-V module.");
  const std::vector<uint32_t>& words = *spirv;
  size_t at = kHeaderWords;
  while (at < words.size() && before_strings(words[at] & 0xffff)) {
    const size_t length = words[at] >> 16;
    if (length == 0 || length > words.size() - at)
      return bad_input(fmt::format("The SPIR-V module ends within the instruction at word {}.", at));
    at += length;
  }
  std::vector<uint32_t> string(2 + text.size() / 4 + 1);  // a terminating zero at least
  string[0] = uint32_t(string.size()) << 16 | kOpString;
  string[1] = words[kBound];
  std::memcpy(&string[2], text.data(), text.size());
  std::vector<uint32_t> out;
  out.reserve(words.size() + string.size());
  out.insert(out.end(), words.begin(), words.begin() + std::ptrdiff_t(at));
  out.insert(out.end(), string.begin(), string.end());
  out.insert(out.end(), words.begin() + std::ptrdiff_t(at), words.end());
  ++out[kBound];
  return std::make_shared<const std::vector<uint32_t>>(std::move(out));
}

}  // namespace attnscope
