#include "engine/record/preset.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace attnscope;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto preset = parse_preset(fuzz::text_of(data, size));
  fuzz::must(preset || !preset.error().message.empty(), "a refusal has a reason");
  return 0;
}
