#include "engine/variant/expression.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace attnscope;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(fuzz::text_of(data, size));
  const Names names{{"seq_q", 17}, {"head_dim", 64}, {"BLOCK_M", 32}, {"causal", 0}};
  const auto value = evaluate(text, names);
  const auto used = used_names(text);
  fuzz::must(!value || used, "what has a value can be read");
  double place = 3;
  if (const auto made = CompiledExpression::make(text, [&](const std::string&) { return &place; })) (void)made->value();
  (void)fill_in(text, names);
  Names more = names;
  (void)resolve({{"a", text}, {"b", "a + 1"}}, more, "let");
  return 0;
}
