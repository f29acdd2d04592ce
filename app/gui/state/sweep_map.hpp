// The sweep map: what of a search is looked at, and how; its grid and lines follow the search.
#pragma once

#include <map>

#include "app/gui/plot/sweep_grid.hpp"

namespace attnscope::gui {

class SweepMap {
 public:
  bool best_of = true;    ///< minimized over the other parameters; else sliced at the config that is asked
  bool parallel = false;  ///< lines over all parameters instead of the grid
  bool tflops = false;    ///< cells tell TFLOP/s

  /// A person's choice; "" = the variant of the fastest trial.
  void choose_variant(const std::string& name) { variant_ = name; }
  const std::string& chosen_variant() const { return variant_; }
  void choose_axis(const std::string& variant, bool x, const std::string& parameter);
  /// Follows the search; `asked` decides the slice.
  void step(const Searched&, const Ask& asked);

  /// The arm shown; arms().size(): there is none.
  size_t arm() const { return grid.view().arm; }
  bool empty() const { return grid.columns() == 0; }
  SweepGrid grid;
  BestTrials lines;

 private:
  GridView view_of(const Searched&, const Ask&) const;
  std::string variant_;
  std::map<std::string, std::pair<std::string, std::string>> axes_;  ///< by variant: x and y; "" = not chosen
};

}  // namespace attnscope::gui
