#include "engine/shader/include_path.hpp"

#include <filesystem>

namespace attnscope {
namespace {

/// The path that a line includes, if any. By hand, since variants load in parallel and std::regex shares unsynchronized
/// tables of the locale.
std::string_view included_path(std::string_view line) {
  const auto skip = [&](std::string_view blanks) {
    line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
  };
  skip(" \t");
  if (!line.starts_with('#')) return {};
  line.remove_prefix(1);
  skip(" \t");
  constexpr std::string_view kInclude = "include";
  if (!line.starts_with(kInclude)) return {};
  line.remove_prefix(kInclude.size());
  skip(" \t");
  if (!line.starts_with('"') && !line.starts_with('<')) return {};
  line.remove_prefix(1);
  const auto end = line.find_first_of("\">");
  return end == std::string_view::npos ? std::string_view{} : line.substr(0, end);
}

}  // namespace

std::string folder_of(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string() : std::string(path.substr(0, slash));
}

std::string plain_path(std::string_view path) {
  if (path.empty() || path.starts_with('/') || path.find('\0') != path.npos) return {};
  const std::string plain = std::filesystem::path(path).lexically_normal().generic_string();
  return plain == "." || plain == ".." || plain.starts_with("../") ? std::string() : plain;
}

std::vector<std::string> include_candidates(const std::string& folder, const std::string& written) {
  std::vector<std::string> out;
  const auto add = [&](std::string path) {
    if (!path.empty() && std::ranges::find(out, path) == out.end()) out.push_back(std::move(path));
  };
  if (!folder.empty() && folder != "common") add(plain_path(folder + "/" + written));
  add(plain_path(written));
  return out;
}

std::vector<std::string> included_paths(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (const std::string_view path = included_path(line); !path.empty()) out.emplace_back(path);
  }
  return out;
}

}  // namespace attnscope
