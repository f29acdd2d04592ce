// The versions of the variant that is shown, as a list: a part of the editor's panel.
#pragma once

#include "app/gui/panels/dump.hpp"

namespace attnscope::gui {

void versions_list(Ui&);
void dump_versions(const Workbench&, Json& into);

}  // namespace attnscope::gui
