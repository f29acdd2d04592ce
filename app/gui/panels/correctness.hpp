// The verdict in few words, as the headline of the timing and the panel of Correctness tell it.
#pragma once

#include <string>

#include "app/gui/ui/ui.hpp"

namespace attnscope::gui {

struct VerdictLight {
  ImU32 colour = 0;
  std::string word = {};  ///< "Correct"
  std::string more = {};  ///< "6 % of allowed"; ""
  std::string why = {};   ///< a sentence, of what is not correct; ""
};
VerdictLight verdict_light(const Workbench&);

}  // namespace attnscope::gui
