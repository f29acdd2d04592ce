#include "app/gui/state/cell_words.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "app/gui/series.hpp"

namespace attnscope::gui {

std::vector<std::string> untried_lines(const Searched& s, const SweepGrid& grid, size_t column, size_t row) {
  const SweepCell& cell = grid.cell(column, row);
  const Searched::Arm& arm = s.arms()[grid.view().arm];
  std::vector<std::string> lines;
  if (cell.legal == 1 && !grid.view().best_of)
    lines.emplace_back("It can run here.");
  else if (cell.legal > 0)
    lines.push_back(
        fmt::format("{} of its configs can run here{}.", cell.legal, arm.complete ? "" : ", as far as is known"));
  else
    lines.emplace_back("Whether it can run here is not known yet: not all of the space was planned.");
  const tune::TuneProgress& p = s.progress();
  if (!s.measuring())
    lines.emplace_back("No search goes on. S, or Sweep, goes on from what was tried.");
  else if (s.stage() == "race")
    lines.emplace_back("The search is over its trials: the fastest ones are raced now.");
  else
    lines.push_back(p.goal > 0 ? fmt::format("The search comes to it: {} of {} are tried.", p.tried - p.refused, p.goal)
                               : fmt::format("The search may come to it: {} are tried so far.", p.tried - p.refused));
  // What its neighbours came to says where it will lie.
  double least = 0, most = 0;
  for (size_t r = row > 0 ? row - 1 : 0; r < grid.rows() && r <= row + 1; ++r)
    for (size_t c = column > 0 ? column - 1 : 0; c < grid.columns() && c <= column + 1; ++c)
      if (const int64_t best = grid.cell(c, r).best; best >= 0) {
        const double ns = s.trials()[size_t(best)].median_ns;
        least = least == 0 ? ns : std::min(least, ns);
        most = std::max(most, ns);
      }
  if (least > 0)
    lines.push_back(least == most ? fmt::format("Its neighbour takes {}.", time_text(least))
                                  : fmt::format("Its neighbours take {} to {}.", time_text(least), time_text(most)));
  return lines;
}

}  // namespace attnscope::gui
