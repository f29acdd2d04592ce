// Where the files of variants lie: for whoever shows, edits or watches them. What they hold is VariantSource's. And
// shaders that lie elsewhere: what a variant takes from the folders of --sources, and no more than that.
#pragma once

#include <filesystem>
#include <system_error>

#include "engine/result.hpp"
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

/// All of a folder travels to the worker in one message, and so does what is taken from elsewhere.
inline constexpr uint64_t kMaxFolderBytes = uint64_t{4} << 20;
inline constexpr size_t kMaxFolderFiles = 256;

/// Reads into `source.outside` every shader that the manifest names and the variant does not have, and all that they
/// reach by #include, from the first folder that has it. What is in none of them is not there afterwards. The error is
/// of a file that leads out of its folder, is over a limit, or cannot be read.
Result<void> add_outside(VariantSource&, const std::vector<std::filesystem::path>& folders);

/// The shaders that the manifest's passes name, in order; of a manifest that may be wrong in every way: what is,
/// loading says.
std::vector<std::string> shaders_named(const VariantSource&);

/// A link may lead to a file of one of these folders. What lies elsewhere is not of the variant, and would be shown in
/// its errors and sent to its worker. "" = it may be read.
std::string leads_outside(const std::filesystem::path& file, const std::vector<std::filesystem::path>& inside);

}  // namespace attnscope
