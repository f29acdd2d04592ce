#include "app/gui/free_name.hpp"

#include <filesystem>

#include <fmt/format.h>

namespace attnscope::gui {

std::string free_name(const std::string& name, const std::string& extension) {
  for (int i = 1;; ++i) {
    const std::string path = i == 1 ? name + extension : fmt::format("{}-{}{}", name, i, extension);
    std::error_code error;
    if (std::filesystem::exists(std::filesystem::symlink_status(path, error))) continue;
    const std::filesystem::path whole = std::filesystem::absolute(path, error);
    return error ? path : whole.string();
  }
}

}  // namespace attnscope::gui
