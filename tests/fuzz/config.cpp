#include "engine/variant/variant.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace attnscope;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::vector<Parameter> parameters{{"BLOCK_M", "rows", {16, 32, 64}, 32},
                                                 {"ROWS", "rows an invocation", {-1, 0, 1}, 0}};
  static const std::vector<NamedConfig> configs{{"wide", "for tests", {{"BLOCK_M", 64}}}};
  const ConfigSpace space{"toy", parameters, configs};
  const auto config = parse_config(space, fuzz::text_of(data, size));
  if (!config) return 0;
  const auto again = parse_config(space, to_text(*config));
  fuzz::must(again && *again == *config, "a config's text is that config");
  return 0;
}
