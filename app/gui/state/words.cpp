#include "app/gui/state/words.hpp"

#include <fmt/format.h>

namespace attnscope::gui {

std::string relation_text(const Comparison& c) {
  const std::string word(to_text(c.relation));
  if (c.relation == Relation::same || c.relation == Relation::unsure) return word;
  return fmt::format("{} {:.2f}\u00d7", word, c.ratio < 1 ? 1 / c.ratio : c.ratio);
}

std::string cell_text(const MatrixCell& cell) {
  if (cell.why_not.empty())
    return cell.word.relation == Relation::same || cell.word.relation == Relation::unsure
               ? fmt::format("{} {:.2f}\u00d7", to_text(cell.word.relation), cell.ratio)
               : relation_text(cell.word);
  return cell.ratio > 0 ? fmt::format("({:.2f}\u00d7)", cell.ratio) : "\u2013";
}

std::string cannot_run(const Inspection& i) {
  return i.broken ? "The shader does not compile" : "This config cannot run";
}

}  // namespace attnscope::gui
