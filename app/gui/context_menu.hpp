// What a right click on something offers.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/gui/ui.hpp"

namespace attnscope::gui {

struct MenuItem {
  std::string id = {};     ///< for scripts, within the menu
  std::string label = {};  ///< "" = a line between entries
  std::function<void()> run = {};
  bool enabled = true;
  std::string keys = {};  ///< that do the same; "" = none
};

/// Of the item drawn last; call right after it. Entries are widgets "ID.menu.ENTRY", where `id` is the item's own name.
/// `items` is asked only while the menu is open, so a row of a table may have one. The caller's item must have an ID
/// that is no other's, which rows get by PushID.
void context_menu(Ui&, const std::string& id, const std::function<std::vector<MenuItem>()>& items);

/// The entries alone, within any popup.
void menu_items(Ui&, const std::string& id, const std::vector<MenuItem>&);

}  // namespace attnscope::gui
