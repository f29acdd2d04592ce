#include "engine/variant/outside_sources.hpp"

#include <algorithm>

#include "engine/input/base64.hpp"
#include "engine/input/file.hpp"
#include "engine/input/toml.hpp"
#include "engine/shader/include_path.hpp"
#include "engine/variant/modules.hpp"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

class Taker {
 public:
  Taker(VariantSource& source, const std::vector<fs::path>& folders) : source_(source), folders_(folders) {}

  Result<void> take(const std::string& shader) {
    TRY(find({plain_path(shader)}));
    while (!todo_.empty()) {
      const std::string path = std::move(todo_.back());
      todo_.pop_back();
      for (const std::string& written : included_paths(*find_source_file(source_, path)))
        TRY(find(include_candidates(folder_of(path), written)));
    }
    return {};
  }

 private:
  /// The first of these that is anywhere is looked into once.
  Result<void> find(const std::vector<std::string>& candidates) {
    for (const std::string& path : candidates) {
      if (path.empty()) continue;
      if (!find_source_file(source_, path)) {
        const auto read = TRY(read_outside(path));
        if (!read) continue;
      }
      if (!is_spirv(path) && std::ranges::find(seen_, path) == seen_.end()) {
        seen_.push_back(path);
        todo_.push_back(path);
      }
      return {};
    }
    return {};
  }

  Result<bool> read_outside(const std::string& path) {
    std::error_code error;
    for (const fs::path& folder : folders_) {
      const fs::path file = folder / path;
      if (!fs::exists(fs::symlink_status(file, error))) continue;
      const fs::path whole = fs::canonical(file, error), root = fs::canonical(folder, error);
      const auto [end, ignored] = std::mismatch(root.begin(), root.end(), whole.begin(), whole.end());
      if (error || end != root.end())
        return bad_input(fmt::format("{} leads out of the folder {} of --sources", file.string(), folder.string()));
      std::string text = TRY(read_file(file, kMaxSourceBytes));
      bytes_ += text.size();
      source_.outside[path] = is_spirv(path) ? to_base64(text) : std::move(text);
      if (bytes_ > kMaxFolderBytes || source_.outside.size() > kMaxFolderFiles)
        return bad_input(fmt::format("{} takes more than {} files or {} bytes from --sources", source_.name,
                                     kMaxFolderFiles, grouped(kMaxFolderBytes)));
      return true;
    }
    return false;
  }

  VariantSource& source_;
  const std::vector<fs::path>& folders_;
  std::vector<std::string> seen_, todo_;
  uint64_t bytes_ = 0;
};

}  // namespace

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

Result<void> add_outside(VariantSource& source, const std::vector<fs::path>& folders) {
  if (folders.empty()) return {};
  Taker taker(source, folders);
  for (const std::string& shader : shaders_named(source)) TRY(taker.take(shader));
  return {};
}

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

}  // namespace attnscope
