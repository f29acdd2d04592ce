#include "app/gui/state/welcome.hpp"

namespace attnscope::gui {

void Welcome::watch(const std::string& problem, bool search_ended, bool why_in_view) {
  if (!open || problem.empty()) return;
  if (first_.empty()) first_ = problem;
  if (problem != first_) done[0] = true;
  if (search_ended) done[1] = true;
  // Why explains what was found: before there is a time to explain nothing was seen of it.
  if (why_in_view && done[1]) done[2] = true;
}

size_t Welcome::next() const {
  for (size_t i = 0; i < done.size(); ++i)
    if (!done[i]) return i;
  return done.size();
}

void Welcome::restart() {
  done = {};
  first_.clear();
  open = true;
}

}  // namespace attnscope::gui
