#include "app/gui/worker/messages.hpp"

#include "engine/variant/modules.hpp"
#include "engine/variant/source_files.hpp"

namespace attnscope::gui {
namespace {

constexpr std::string_view kCommon = "common/";

/// It is replaced by another one beside it, so the folder counts, too.
bool can_write(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::path real = std::filesystem::weakly_canonical(path, error);
  return may_write(real) && may_write(real.parent_path());
}

}  // namespace

std::vector<LoadedVariant> loaded_texts(const std::vector<VariantSource>& sources,
                                        const std::vector<std::filesystem::path>& dirs,
                                        const std::vector<std::filesystem::path>& outside) {
  const auto files = source_files(sources, dirs, outside);
  std::vector<LoadedVariant> out;
  // What many variants include is kept once.
  std::map<std::string, std::shared_ptr<const std::string>> shared;
  for (const VariantSource& source : sources) {
    const auto found = files.find(source.name);
    if (found == files.end()) continue;
    LoadedVariant& v = out.emplace_back();
    v.name = source.name;
    v.folder = found->second.folder;
    for (const SourceFile& file : found->second.files) {
      const std::string* text = find_source_file(source, file.name);
      if (text == nullptr) continue;
      auto& kept = shared[file.path.string()];
      if (!kept || *kept != *text) kept = std::make_shared<const std::string>(*text);
      v.files.push_back({file.name, file.path, file.own, can_write(file.path), kept});
    }
  }
  return out;
}

Texts texts_of(const LoadedVariant& variant) {
  Texts texts;
  for (const LoadedFile& file : variant.files) texts[file.name] = file.text;
  return texts;
}

VariantSource source_of(const std::string& name, const Texts& texts) {
  VariantSource source;
  source.name = name;
  for (const auto& [file, text] : texts) {
    if (file.starts_with(kCommon))
      source.common[file.substr(kCommon.size())] = *text;
    else if (file.find('/') != file.npos)
      source.outside[file] = *text;
    else
      source.files[file] = *text;
  }
  return source;
}

}  // namespace attnscope::gui
