// Moves a file away that cannot be used, so that nothing in it is lost.
#pragma once

#include <filesystem>

#include "engine/standard.hpp"

namespace attnscope {

/// Renames it to a free name beside it ("tuned.json.aside-1"), and gives that; "" when it could not.
inline std::string set_aside(const std::filesystem::path& path) {
  for (int i = 1; i < 1000; ++i) {
    const std::filesystem::path aside = fmt::format("{}.aside-{}", path.string(), i);
    std::error_code error;
    if (std::filesystem::exists(aside, error)) continue;
    std::filesystem::rename(path, aside, error);
    return error ? std::string() : aside.string();
  }
  return {};
}

}  // namespace attnscope
