#include "engine/variant/source_files.hpp"

#include "engine/input/file.hpp"
#include "engine/input/text.hpp"
#include "engine/input/toml.hpp"
#include "engine/shader/compiler.hpp"
#include "engine/variant/modules.hpp"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

fs::path whole(const fs::path& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error).lexically_normal();
  return absolute.has_filename() ? absolute : absolute.parent_path();
}

fs::path canonical_folder(const fs::path& folder) {
  std::error_code ignored;
  return fs::weakly_canonical(folder.filename().empty() ? folder.parent_path() : folder, ignored);
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

/// Reads a file into `source.outside` from the first of the folders that has it; `bytes` counts what was read so far.
Result<void> read_outside(VariantSource& source, const std::vector<fs::path>& folders, const std::string& path,
                          uint64_t& bytes) {
  std::error_code error;
  for (const fs::path& folder : folders) {
    const fs::path file = folder / path;
    if (!fs::exists(fs::symlink_status(file, error))) continue;
    const fs::path whole = fs::canonical(file, error), root = fs::canonical(folder, error);
    const auto [end, ignored] = std::mismatch(root.begin(), root.end(), whole.begin(), whole.end());
    if (error || end != root.end())
      return bad_input("{} leads out of the folder {} of --sources", file.string(), folder.string());
    std::string text = TRY(read_file(file, kMaxSourceBytes));
    bytes += text.size();
    source.outside[path] = is_spirv(path) ? to_base64(text) : std::move(text);
    if (bytes > kMaxFolderBytes || source.outside.size() > kMaxFolderFiles)
      return bad_input("{} takes more than {} files or {} bytes from --sources", source.name, kMaxFolderFiles,
                       grouped(kMaxFolderBytes));
    return {};
  }
  return {};
}

/// "" = it may be read; else what lies elsewhere than in these folders, and would be shown and sent to a worker.
std::string leads_outside(const fs::path& file, const std::vector<fs::path>& inside) {
  std::error_code error;
  if (!fs::is_symlink(file, error)) return {};
  const fs::path target = fs::canonical(file, error);
  if (error) return fmt::format("{} is a link that leads nowhere ({})", file.string(), error.message());
  for (const fs::path& folder : inside)
    if (const fs::path root = fs::canonical(folder, error); !error && target.parent_path() == root) return {};
  return fmt::format("{} is a link to {}, outside its folder: copy the file into the folder", file.string(),
                     target.string());
}

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
      return bad_input("the folder {} has more than {} sources or {} bytes of them", folder.string(), kMaxFolderFiles,
                       kMaxFolderBytes);
  }
  if (error) return bad_input("cannot read the folder {}: {}", folder.string(), error.message());
  return files;
}

/// The shaders that the passes of a manifest, which may be wrong in every way, name in order.
std::vector<std::string> shaders_named(const VariantSource& source) {
  std::vector<std::string> out;
  const auto manifest = source.files.find("manifest.toml");
  if (manifest == source.files.end()) return out;
  try {
    const toml::table table = parse_toml(manifest->second);
    if (const toml::array* passes = table["pass"].as_array())
      for (const toml::node& node : *passes)
        if (const toml::table* pass = node.as_table())
          if (const auto shader = (*pass)["shader"].value<std::string>()) out.push_back(*shader);
  } catch (const TomlError&) {
  }
  return out;
}

/// Reads into `source.outside` every named shader that the variant lacks, and all that they #include, from the first
/// folder that has it. The error: a file leads out of its folder, is over a limit, or cannot be read.
Result<void> add_outside(VariantSource& source, const std::vector<fs::path>& folders) {
  if (folders.empty()) return {};
  uint64_t bytes = 0;
  const auto find = [&](const std::string& path) -> Result<const std::string*> {
    if (!path.empty() && !find_source_file(source, path)) TRY(read_outside(source, folders, path, bytes));
    return find_source_file(source, path);
  };
  for (const std::string& shader : shaders_named(source)) TRY(reachable_files(plain_path(shader), find));
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

std::string variant_name(const fs::path& folder) { return canonical_folder(folder).filename().string(); }

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

Result<std::vector<VariantSource>> read_variant_sources(const std::vector<fs::path>& dirs,
                                                        const std::vector<fs::path>& outside) {
  std::map<std::string, VariantSource> found;
  std::map<std::string, fs::path> folder_of;
  std::map<std::string, std::string> first_common;
  for (const auto& dir : dirs) {
    std::error_code error;
    if (!fs::is_directory(dir, error)) return bad_input("there is no shader folder {}", dir.string());
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
    const std::vector<fs::path> folders = variant_folders(dir, error);
    if (error) return bad_input("cannot read the folder {}: {}", dir.string(), error.message());
    for (const auto& folder : folders) {
      auto files = read_folder(folder, {dir / "common", dirs.front() / "common"});
      const fs::path whole = canonical_folder(folder);
      const std::string name = whole.filename().string();
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
  return mapped(found, [](auto& of) { return std::move(of.second); });
}

}  // namespace attnscope
