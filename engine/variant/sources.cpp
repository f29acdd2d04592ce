// Reading variants from disk.
#include <algorithm>

#include <fmt/format.h>

#include "engine/input/file.hpp"
#include "engine/variant/variant.hpp"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

// All of a folder travels to the worker in one message.
constexpr uint64_t kMaxFolderBytes = uint64_t{4} << 20;
constexpr size_t kMaxFolderFiles = 256;

Result<std::map<std::string, std::string>> read_folder(const fs::path& folder) {
  std::map<std::string, std::string> files;
  uint64_t bytes = 0;
  std::error_code error, ignored;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    const std::string extension = it->path().extension().string();
    if (!it->is_regular_file(ignored) || name.starts_with('.') ||
        !(extension == ".toml" || extension == ".comp" || extension == ".glsl" || extension == ".h"))
      continue;
    Result<std::string> text = read_file(it->path(), kMaxSourceBytes);
    if (!text) return text.error();
    bytes += text->size();
    files[name] = std::move(*text);
    if (bytes > kMaxFolderBytes || files.size() > kMaxFolderFiles)
      return bad_input(fmt::format("the folder {} has more than {} sources or {} bytes of them", folder.string(),
                                   kMaxFolderFiles, kMaxFolderBytes));
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
    std::string no_common;
    if (fs::is_directory(dir / "common", error)) {
      auto files = read_folder(dir / "common");
      if (files)
        common = *files;
      else
        no_common = files.error().message;
      if (first_common.empty()) first_common = common;
    }
    std::vector<fs::path> folders;
    std::error_code ignored;
    for (fs::directory_iterator it(dir, error), end; !error && it != end; it.increment(error))
      if (it->is_directory(ignored) && fs::exists(it->path() / "manifest.toml", ignored)) folders.push_back(it->path());
    if (error) return bad_input(fmt::format("cannot read the folder {}: {}", dir.string(), error.message()));
    // A variant's own folder may be given, too.
    if (fs::exists(dir / "manifest.toml", ignored)) folders.push_back(dir);
    for (const auto& folder : folders) {
      auto files = read_folder(folder);
      const fs::path named = folder.filename().empty() ? folder.parent_path() : folder;
      const fs::path whole = fs::weakly_canonical(named, ignored);
      const std::string name = whole.filename().string();
      VariantSource source{name, files ? std::move(*files) : std::map<std::string, std::string>(), common};
      // What is wrong with a folder costs that folder alone.
      source.unreadable = files ? no_common : files.error().message;
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
