// Shaders that lie elsewhere: what a variant takes from the folders of --sources, and no more than that.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/result.hpp"
#include "engine/variant/manifest.hpp"

namespace attnscope {

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
