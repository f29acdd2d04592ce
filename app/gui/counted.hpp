// "1 record", "2 records": a number with its noun.
#pragma once

#include <string>

#include "app/gui/series.hpp"

namespace attnscope::gui {

/// `noun` in the singular, of those that take an s.
inline std::string counted(size_t count, const std::string& noun) {
  return count_text(count) + " " + noun + (count == 1 ? "" : "s");
}

}  // namespace attnscope::gui
