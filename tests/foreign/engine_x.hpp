// What the tests of foreign kernels share: a made-up engine's shaders, and their manifest.
#pragma once

#include "tests/variant/variant_test.hpp"

namespace attnscope::testing {

inline fs::path foreign_folder() { return fs::path(ATTNSCOPE_SOURCE_DIR) / "tests/foreign"; }

inline VariantSource foreign(const std::string& name) {
  return must(read_variant_sources({foreign_folder() / "adapters" / name}, {foreign_folder() / "sources"}))->at(0);
}
inline VariantSource engine_x() { return foreign("engine_x"); }
inline VariantSource engine_y() { return foreign("engine_y"); }

/// Q, K and V in one buffer, a token's beside each other.
inline VariantSource packed_engine_y() {
  const std::string rows = "strides = { batch = \"3 * heads_q * 16 * seq_q\", head = 16, row = \"3 * heads_q * 16\" }";
  VariantSource packed = engine_y();
  std::string& text = packed.files["manifest.toml"];
  text.replace(text.find("k = {"), text.find("mask = {") - text.find("k = {"),
               "q = { " + rows + " }\nk = { in = \"q\", offset = \"heads_q * 16\", " + rows +
                   " }\nv = { in = \"q\", offset = \"2 * heads_q * 16\", " + rows + " }\n");
  return packed;
}

}  // namespace attnscope::testing
