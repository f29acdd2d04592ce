// The editor's part of a session's file: versions with their texts, each text once, and what was not saved.
#pragma once

#include <nlohmann/json.hpp>

#include "app/gui/edit/editor.hpp"
#include "engine/record/json.hpp"

namespace attnscope::gui {

struct KeptEditor {
  std::map<std::string, std::vector<Version>> versions;
  std::vector<UnsavedText> unsaved;
};
Json kept_editor(const std::map<std::string, std::vector<Version>>& versions, const std::vector<UnsavedText>& unsaved);
/// Throws what the JSON library throws where it is none of these.
void from_json(const Json&, KeptEditor&);

}  // namespace attnscope::gui
