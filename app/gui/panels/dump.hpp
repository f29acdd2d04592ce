// Pieces of the dumped state that several panels write.
#pragma once

#include <nlohmann/json.hpp>

#include "app/gui/panels/panel.hpp"
#include "engine/record/json.hpp"

namespace attnscope::gui {

Json ask_json(const Ask&);
/// A record without its samples: the state is for reading.
Json brief(const Record&);

}  // namespace attnscope::gui
