// Where the files of variants lie, for whoever shows, edits or watches them, and what comes from --sources.
#pragma once

#include <filesystem>
#include <system_error>

#include "engine/variant/manifest.hpp"

namespace attnscope {

struct SourceFile {
  std::string name;            ///< as errors and #include name it: "manifest.toml", "mine.comp", "common/mask.glsl"
  std::filesystem::path path;  ///< absolute, links not followed
  bool own = true;  ///< of the variant's folder; else of common/ or of --sources, where others may take it too
};
struct SourceFiles {
  std::filesystem::path folder;   ///< the variant's own, absolute
  std::filesystem::path common;   ///< whose files it includes as "common/…"
  std::vector<SourceFile> files;  ///< the manifest, its passes' shaders, other texts of the folder, what they include
};

/// Of variants as just read, by name, without modules (.spv). Of a manifest that cannot be parsed every .comp counts.
std::map<std::string, SourceFiles> source_files(const std::vector<VariantSource>&,
                                                const std::vector<std::filesystem::path>& dirs,
                                                const std::vector<std::filesystem::path>& outside);

/// Every existing folder in which a change of files may change a variant.
std::vector<std::filesystem::path> source_folders(const std::vector<VariantSource>&,
                                                  const std::vector<std::filesystem::path>& dirs,
                                                  const std::vector<std::filesystem::path>& outside);

/// The folders of variants in a folder of --shaders (or that folder itself), in the order in which later ones win.
std::vector<std::filesystem::path> variant_folders(const std::filesystem::path& dir, std::error_code&);
std::string variant_name(const std::filesystem::path& folder);

/// All of a folder travels to the worker in one message, and so does what is taken from elsewhere.
inline constexpr uint64_t kMaxFolderBytes = uint64_t{4} << 20;
inline constexpr size_t kMaxFolderFiles = 256;

}  // namespace attnscope
