// The texts of the variants as a link read them: what an editor begins with, and what a version consists of.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/variant/manifest.hpp"

namespace attnscope::gui {

struct LoadedFile {
  std::string name;            ///< as SourceFile::name
  std::filesystem::path path;  ///< absolute
  bool own = true;             ///< of the variant's folder alone
  bool writable = false;       ///< by this process
  std::shared_ptr<const std::string> text;
};
struct LoadedVariant {
  std::string name;
  std::filesystem::path folder;
  std::vector<LoadedFile> files;
};

/// Every text of the variants, read from these folders.
std::vector<LoadedVariant> loaded_texts(const std::vector<VariantSource>&,
                                        const std::vector<std::filesystem::path>& dirs,
                                        const std::vector<std::filesystem::path>& outside);

/// A version's texts by file name, shared with other versions that have the same.
using Texts = std::map<std::string, std::shared_ptr<const std::string>>;
Texts texts_of(const LoadedVariant&);
/// The same texts as a session loads them.
VariantSource source_of(const std::string& name, const Texts&);

}  // namespace attnscope::gui
