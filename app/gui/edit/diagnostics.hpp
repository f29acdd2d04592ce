// What a compiler or the manifest's reader said, at the lines it said it of.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace attnscope::gui {

struct Diagnostic {
  std::string file;   ///< as SourceFile::name; "" = of the variant as a whole
  size_t line = 0;    ///< counted from 1; 0 = of the file as a whole
  bool near = false;  ///< the line was guessed from the names that the message quotes
  std::string text;
  bool operator==(const Diagnostic&) const = default;
};

/// Of VariantInfo::error: lines "file:line: text" (engine/shader/compiler.hpp) and "variant/manifest.toml: text". Where
/// no line is told and `text_of(file)` is known, it is the first that has a name which the message quotes.
std::vector<Diagnostic> diagnostics_of(const std::string& variant, const std::string& error,
                                       const std::function<const std::string*(const std::string& file)>& text_of);

}  // namespace attnscope::gui
