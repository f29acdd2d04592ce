// Reading variants from disk.

#include "engine/input/base64.hpp"
#include "engine/input/file.hpp"
#include "engine/variant/modules.hpp"
#include "engine/variant/name.hpp"
#include "engine/variant/source_files.hpp"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

/// `common`: folders that links may lead to as well.
Result<std::map<std::string, std::string>> read_folder(const fs::path& folder, std::vector<fs::path> common = {}) {
  std::map<std::string, std::string> files;
  common.push_back(folder);
  uint64_t bytes = 0;
  std::error_code error, ignored;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    const std::string extension = it->path().extension().string();
    if (name.starts_with('.') || !(extension == ".toml" || extension == ".comp" || extension == ".glsl" ||
                                   extension == ".h" || extension == ".spv"))
      continue;
    if (const std::string why = leads_outside(it->path(), common); !why.empty()) return bad_input(why);
    if (!it->is_regular_file(ignored)) continue;
    std::string text = TRY(read_file(it->path(), kMaxSourceBytes));
    bytes += text.size();
    files[name] = is_spirv(name) ? to_base64(text) : std::move(text);
    if (bytes > kMaxFolderBytes || files.size() > kMaxFolderFiles)
      return bad_input(fmt::format("the folder {} has more than {} sources or {} bytes of them", folder.string(),
                                   kMaxFolderFiles, kMaxFolderBytes));
  }
  if (error) return bad_input(fmt::format("cannot read the folder {}: {}", folder.string(), error.message()));
  return files;
}

}  // namespace

Result<std::vector<VariantSource>> read_variant_sources(const std::vector<fs::path>& dirs,
                                                        const std::vector<fs::path>& outside) {
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
    std::error_code ignored;
    const std::vector<fs::path> folders = variant_folders(dir, error);
    if (error) return bad_input(fmt::format("cannot read the folder {}: {}", dir.string(), error.message()));
    for (const auto& folder : folders) {
      auto files = read_folder(folder, {dir / "common", dirs.front() / "common"});
      const fs::path named = folder.filename().empty() ? folder.parent_path() : folder;
      const fs::path whole = fs::weakly_canonical(named, ignored);
      const std::string name = variant_name(folder);
      VariantSource source{name, files ? std::move(*files) : std::map<std::string, std::string>(), common};
      // What is wrong with a folder costs that folder alone.
      source.unreadable = files ? no_common : files.error().message;
      if (const std::string why = not_a_variant_name(name); !why.empty())
        source.unreadable = fmt::format("the folder's name is no name of a variant: {}", why);
      if (source.unreadable.empty())
        if (auto added = add_outside(source, outside); !added) source.unreadable = added.error().message;
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
