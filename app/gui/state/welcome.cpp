#include "app/gui/state/welcome.hpp"

namespace attnscope::gui {

void Welcome::watch(const WelcomeNews& news) {
  if (!open || news.problem.empty()) return;
  if (first_.empty()) first_ = news.problem;
  // Whoever searches a shape has picked it, be it the one that was there.
  if (news.problem != first_ || news.search_ended) done[0] = true;
  if (news.search_ended) done[1] = true;
  // Why explains what was found: before there is a time to explain nothing was seen of it.
  if (news.why_in_view && done[1]) done[2] = true;
  if (news.compared) done[3] = true;
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
