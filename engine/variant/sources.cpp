// Reading variants from disk.
#include <algorithm>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "engine/variant/variant.hpp"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

// A manifest and shaders are a few KB; anything larger in the folder is not ours to read.
constexpr uintmax_t kMaxFileBytes = 1 << 20;

Result<std::map<std::string, std::string>> read_folder(const fs::path& folder) {
  std::map<std::string, std::string> files;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    const std::string extension = it->path().extension().string();
    if (!it->is_regular_file() || name.starts_with('.') ||
        !(extension == ".toml" || extension == ".comp" || extension == ".glsl" || extension == ".h"))
      continue;
    if (it->file_size() > kMaxFileBytes)
      return bad_input(fmt::format("{} is {} bytes; a shader or manifest may have {}", it->path().string(),
                                   it->file_size(), kMaxFileBytes));
    std::ifstream in(it->path(), std::ios::binary);
    if (!in) return bad_input(fmt::format("cannot read {}", it->path().string()));
    files[name] = std::string(std::istreambuf_iterator<char>(in), {});
  }
  if (error) return bad_input(fmt::format("cannot read the folder {}: {}", folder.string(), error.message()));
  return files;
}

}  // namespace

Result<std::vector<VariantSource>> read_variant_sources(const std::vector<fs::path>& dirs) {
  std::map<std::string, VariantSource> found;
  std::map<std::string, fs::path> folder_of;
  std::map<std::string, std::string> first_common;
  for (const auto& dir : dirs) {
    std::error_code error;
    if (!fs::is_directory(dir, error)) return bad_input(fmt::format("there is no shader folder {}", dir.string()));
    std::map<std::string, std::string> common = first_common;
    if (fs::is_directory(dir / "common", error)) {
      auto files = read_folder(dir / "common");
      if (!files) return files.error();
      common = *files;
      if (first_common.empty()) first_common = common;
    }
    std::vector<fs::path> folders;
    for (fs::directory_iterator it(dir, error), end; !error && it != end; it.increment(error))
      if (it->is_directory() && fs::exists(it->path() / "manifest.toml")) folders.push_back(it->path());
    if (error) return bad_input(fmt::format("cannot read the folder {}: {}", dir.string(), error.message()));
    // A variant's own folder may be given, too.
    if (fs::exists(dir / "manifest.toml")) folders.push_back(dir);
    for (const auto& folder : folders) {
      auto files = read_folder(folder);
      if (!files) return files.error();
      const fs::path named = folder.filename().empty() ? folder.parent_path() : folder;
      const fs::path whole = fs::weakly_canonical(named);
      const std::string name = whole.filename().string();
      VariantSource source{name, std::move(*files), common};
      // The same folder given twice replaces nothing.
      if (const auto before = folder_of.find(name); before != folder_of.end())
        source.shadows = before->second == whole ? found[name].shadows : before->second.string();
      folder_of[name] = whole;
      found[name] = std::move(source);
    }
  }
  std::vector<VariantSource> out;
  for (auto& [name, source] : found) out.push_back(std::move(source));
  return out;
}

}  // namespace attnscope
