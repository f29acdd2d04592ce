// Finding a line by a few of its letters.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attnscope::gui {

/// How well `typed` names `text`, more is better; nullopt: not at all. Its words, in any order, each have to be there
/// as letters in order, whatever their case; best as the beginnings of words, or in one piece. Nothing typed: 0.
std::optional<int> fuzzy_score(std::string_view typed, std::string_view text);
/// Indices of those that match, the best first; equal ones in their order.
std::vector<size_t> fuzzy_order(std::string_view typed, const std::vector<std::string>& texts);

}  // namespace attnscope::gui
