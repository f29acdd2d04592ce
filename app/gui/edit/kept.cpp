#include "app/gui/edit/kept.hpp"

#include "engine/record/json_fields.hpp"
#include "engine/shader/compiler.hpp"

namespace attnscope::gui {
namespace {

struct KeptVersion {
  int number = 0;
  std::string hash;
  std::map<std::string, std::string> files;  ///< which text, by file
};
void from_json(const Json& j, KeptVersion& v) {
  Fields(j).need("number", v.number).need("hash", v.hash).maybe("files", v.files);
}

}  // namespace

void from_json(const Json& j, UnsavedText& t) {
  Fields(j).need("path", t.path).need("text", t.text).need("base", t.base_hash);
}

Json kept_editor(const std::map<std::string, std::vector<Version>>& versions, const std::vector<UnsavedText>& unsaved) {
  Json j = {{"texts", Json::object()}, {"versions", Json::object()}, {"unsaved", Json::array()}};
  for (const auto& [variant, all] : versions) {
    Json& list = j["versions"][variant] = Json::array();
    for (const Version& v : all) {
      Json files = Json::object();
      for (const auto& [name, text] : v.texts) {
        const std::string hash = content_hash(*text);
        j["texts"][hash] = *text;
        files[name] = hash;
      }
      list.push_back({{"number", v.number}, {"hash", v.hash}, {"files", files}});
    }
  }
  for (const UnsavedText& t : unsaved)
    j["unsaved"].push_back({{"path", t.path}, {"text", t.text}, {"base", t.base_hash}});
  return j;
}

void from_json(const Json& j, KeptEditor& kept) {
  std::map<std::string, std::string> texts;
  std::map<std::string, std::vector<KeptVersion>> versions;
  Fields(j).maybe("texts", texts).maybe("versions", versions).maybe("unsaved", kept.unsaved);
  std::map<std::string, std::shared_ptr<const std::string>> shared;
  for (auto& [hash, text] : texts) shared[hash] = std::make_shared<const std::string>(std::move(text));
  for (const auto& [variant, all] : versions)
    for (const KeptVersion& v : all) {
      Version& back = kept.versions[variant].emplace_back();
      back.number = v.number;
      back.hash = v.hash;
      for (const auto& [name, hash] : v.files)
        if (const auto text = shared.find(hash); text != shared.end()) back.texts[name] = text->second;
      // Half a version is none.
      if (back.texts.size() != v.files.size()) back.texts.clear();
    }
}

}  // namespace attnscope::gui
