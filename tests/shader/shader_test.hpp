// Shared by the shader tests: compile a text, or fail the test with the compiler's message.
#pragma once

#include "engine/shader/compiler.hpp"
#include "tests/has.hpp"

namespace attnscope {

inline Spirv compiled(const std::string& text, const std::map<std::string, std::string>& includes = {},
                      const std::vector<std::pair<std::string, std::string>>& defines = {}) {
  return *must(Compiler().compile({"test.comp", text, includes, defines}));
}

/// Macros of which A39 expands to 2^39 terms of a sum.
inline std::string macro_bomb() {
  std::string text = "#define A0 1.0 +\n";
  for (int i = 1; i < 40; ++i) text += fmt::format("#define A{0} A{1} A{1}\n", i, i - 1);
  return text;
}

}  // namespace attnscope
