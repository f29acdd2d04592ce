#include <cstring>

#include "engine/shader/module.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace attnscope;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::vector<uint32_t> words(size / 4);
  if (!words.empty()) std::memcpy(words.data(), data, words.size() * 4);
  const Spirv spirv = std::make_shared<const std::vector<uint32_t>>(std::move(words));
  (void)with_string(spirv, "x");
  const auto reflection = reflect(spirv);
  (void)specialize(spirv, {});
  if (!reflection) return 0;
  SpecValues values;
  for (const SpecConstant& constant : reflection->constants) values[constant.id] = constant.default_bits ^ 3;
  (void)specialize(spirv, values);
  return 0;
}
