// What the tests of foreign kernels share: a made-up engine's shaders, and their manifest.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>

#include "engine/variant/variant.hpp"

namespace attnscope::testing {

inline std::filesystem::path foreign_folder() { return std::filesystem::path(ATTNSCOPE_SOURCE_DIR) / "tests/foreign"; }

inline VariantSource foreign(const std::string& name) {
  const auto sources = read_variant_sources({foreign_folder() / "adapters" / name}, {foreign_folder() / "sources"});
  EXPECT_TRUE(sources) << (sources ? "" : sources.error().message);
  EXPECT_TRUE(sources && sources->size() == 1);
  return sources && !sources->empty() ? sources->front() : VariantSource{};
}
inline VariantSource engine_x() { return foreign("engine_x"); }
inline VariantSource engine_y() { return foreign("engine_y"); }

/// In a file of the variant or of those it takes from elsewhere.
inline VariantSource changed(VariantSource source, const std::string& file, std::string_view from,
                             std::string_view to) {
  std::string& text = source.files.contains(file) ? source.files[file] : source.outside[file];
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  if (at != std::string::npos) text.replace(at, from.size(), to);
  return source;
}

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
