#include "engine/variant/source_files.hpp"

#include <set>

#include "engine/variant/modules.hpp"
#include "engine/variant/outside_sources.hpp"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

fs::path whole(const fs::path& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error).lexically_normal();
  return absolute.has_filename() ? absolute : absolute.parent_path();
}

/// Of a variant: the folder that won, and the common/ that serves it.
struct Where {
  fs::path folder, common;
};
std::map<std::string, Where> places(const std::vector<fs::path>& dirs) {
  std::map<std::string, Where> found;
  fs::path first_common;
  for (const fs::path& dir : dirs) {
    std::error_code error;
    const fs::path own_common = dir / "common";
    const bool has_common = fs::is_directory(own_common, error);
    if (has_common && first_common.empty()) first_common = whole(own_common);
    for (const fs::path& folder : variant_folders(dir, error))
      found[variant_name(folder)] = {whole(folder), has_common ? whole(own_common) : first_common};
  }
  return found;
}

fs::path path_outside(const std::string& name, const std::vector<fs::path>& outside) {
  std::error_code error;
  for (const fs::path& dir : outside)
    if (fs::exists(dir / name, error)) return whole(dir / name);
  return {};
}

}  // namespace

std::vector<fs::path> variant_folders(const fs::path& dir, std::error_code& error) {
  // Also where its manifest is a link that leads nowhere: that is then said.
  const auto is_variant = [](const fs::path& folder) {
    std::error_code ignored;
    return fs::exists(fs::symlink_status(folder / "manifest.toml", ignored));
  };
  std::vector<fs::path> folders;
  std::error_code ignored;
  for (fs::directory_iterator it(dir, error), end; !error && it != end; it.increment(error))
    if (!it->path().filename().string().starts_with('.') && it->is_directory(ignored) && is_variant(it->path()))
      folders.push_back(it->path());
  // A variant's own folder may be given, too.
  if (!error && is_variant(dir)) folders.push_back(dir);
  return folders;
}

std::string variant_name(const fs::path& folder) {
  std::error_code ignored;
  const fs::path named = folder.filename().empty() ? folder.parent_path() : folder;
  return fs::weakly_canonical(named, ignored).filename().string();
}

std::map<std::string, SourceFiles> source_files(const std::vector<VariantSource>& sources,
                                                const std::vector<fs::path>& dirs,
                                                const std::vector<fs::path>& outside) {
  const std::map<std::string, Where> where = places(dirs);
  std::map<std::string, SourceFiles> out;
  for (const VariantSource& source : sources) {
    const auto place = where.find(source.name);
    if (place == where.end()) continue;
    SourceFiles& of = out[source.name];
    of.folder = place->second.folder;
    of.common = place->second.common;
    std::set<std::string> listed;
    const auto add = [&](const std::string& name) {
      if (is_spirv(name) || !listed.insert(name).second || find_source_file(source, name) == nullptr) return;
      const bool own = source.files.contains(name);
      const bool common = name.starts_with("common/") && source.common.contains(name.substr(7));
      const fs::path path = own ? of.folder / name : common ? of.common / name.substr(7) : path_outside(name, outside);
      if (!path.empty()) of.files.push_back({name, path, own});
    };
    add("manifest.toml");
    std::vector<std::string> shaders = shaders_named(source);
    for (const std::string& shader : shaders) add(shader);
    if (shaders.empty())
      for (const auto& [name, text] : source.files)
        if (name.ends_with(".comp")) shaders.push_back(name);
    for (const auto& [name, text] : source.files) add(name);
    for (const std::string& shader : shaders)
      for (const auto& [name, text] : reachable_files(source, shader)) add(name);
  }
  return out;
}

std::vector<fs::path> source_folders(const std::vector<VariantSource>& sources, const std::vector<fs::path>& dirs,
                                     const std::vector<fs::path>& outside) {
  std::set<fs::path> found;
  const auto add = [&](const fs::path& folder) {
    std::error_code error;
    if (fs::is_directory(folder, error)) found.insert(whole(folder));
  };
  for (const fs::path& dir : dirs) {
    std::error_code error;
    add(dir);
    add(dir / "common");
    // A folder that is no variant yet becomes one with its manifest.
    for (fs::directory_iterator it(dir, error), end; !error && it != end; it.increment(error)) add(it->path());
  }
  for (const auto& [name, of] : source_files(sources, dirs, outside))
    for (const SourceFile& file : of.files) add(file.path.parent_path());
  return {found.begin(), found.end()};
}

}  // namespace attnscope
