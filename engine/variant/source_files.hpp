// Where the files of variants lie: for whoever shows, edits or watches them. What they hold is VariantSource's.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <system_error>
#include <vector>

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

/// Of variants as read_variant_sources(dirs, outside) has just read them, by name. Modules (.spv) are no texts and are
/// left out. A manifest that cannot be parsed names no shader: then every .comp of the folder counts as one.
std::map<std::string, SourceFiles> source_files(const std::vector<VariantSource>&,
                                                const std::vector<std::filesystem::path>& dirs,
                                                const std::vector<std::filesystem::path>& outside);

/// Every folder in which a file that is added, changed or removed may change a variant: `dirs`, the variants' folders
/// in them, those of their includes. Each once, existing ones alone.
std::vector<std::filesystem::path> source_folders(const std::vector<VariantSource>&,
                                                  const std::vector<std::filesystem::path>& dirs,
                                                  const std::vector<std::filesystem::path>& outside);

/// The folders of variants in a folder of --shaders (or that folder itself), in the order in which later ones win.
std::vector<std::filesystem::path> variant_folders(const std::filesystem::path& dir, std::error_code&);
/// What the variant in this folder is called.
std::string variant_name(const std::filesystem::path& folder);

}  // namespace attnscope
