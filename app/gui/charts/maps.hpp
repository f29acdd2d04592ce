// The scores of one head as the tiles that a kernel walks: which are computed whole, in part, as padding, or skipped.
// Plain numbers; a large problem is summed up into cells that can be seen.
#pragma once

#include <imgui.h>

#include "app/gui/model/search_state.hpp"
#include "app/gui/worker/memo.hpp"

namespace attnscope::gui {

/// Shares of the cell's tiles.
struct TileCell {
  float whole = 0;    ///< every score is used
  float partial = 0;  ///< the mask cuts through the tile
  float skipped = 0;  ///< wholly masked: no work where the kernel skips it
};
struct TileMap {
  uint64_t rows = 0, cols = 0;  ///< tiles of queries and of keys
  uint32_t cell_rows = 0, cell_cols = 0;
  uint32_t tiles_a_cell_row = 1, tiles_a_cell_col = 1;
  std::vector<TileCell> cells;                               ///< [cell_rows][cell_cols]
  uint64_t whole = 0, partial = 0, skipped = 0, padded = 0;  ///< tiles in all; a padded one is one of the others, too
};
/// Of the first sequence. `most`: cells along a side. Tiles of 0 are one query, or one key.
TileMap tile_map(const Problem&, double query_tile, double key_tile, uint32_t most);

// Trials of one variant as a grid over two of its parameters; made anew of all trials where one came.

struct GridView {
  uint64_t search = 0;
  size_t arm = 0;
  size_t x = 0, y = 0;  ///< parameters; equal where the variant has but one: then there is one row
  bool best_of = true;  ///< each cell is the fastest over all other parameters; else those are as in `fixed`
  Config fixed;         ///< empty with best_of
  bool operator==(const GridView&) const = default;
};

enum class CellState { untried, predicted, refused, wrong, broken, measured };

struct SweepCell {
  int64_t best = -1;  ///< number of its fastest trial
  uint32_t tried = 0, timed = 0, dropped = 0, wrong = 0, broken = 0, refused = 0;
  uint64_t legal = 0;      ///< configs in it that can run, as far as known
  int64_t failed = -1;     ///< a trial that was wrong, broken or refused
  int64_t example = -1;    ///< into Arm::refused
  int64_t predicted = -1;  ///< into Arm::predicted, the least
};

class SweepGrid {
 public:
  SweepGrid() = default;
  SweepGrid(const SearchState&, const GridView&);

  const GridView& view() const { return view_; }
  size_t columns() const { return columns_; }
  size_t rows() const { return rows_; }
  const SweepCell& cell(size_t column, size_t row) const { return cells_[row * columns_ + column]; }
  CellState state(const SweepCell& cell) const {
    if (cell.best >= 0) return CellState::measured;
    if (cell.wrong > 0) return CellState::wrong;
    if (cell.broken > 0) return CellState::broken;
    const bool known = complete_ && cell.legal == 0;
    // In a slice a cell is one config: what was refused of it is all of it.
    if (known || (cell.refused > 0 && !view_.best_of)) return CellState::refused;
    return cell.predicted >= 0 ? CellState::predicted : CellState::untried;
  }
  /// Times of the fastest and the slowest cell, ns; both 0 when none has one. Before one is measured those that are
  /// predicted. The slowest counts up to kWidest times the fastest: what lies beyond looks alike.
  static constexpr double kWidest = 10;
  double fastest() const { return fastest_; }
  double slowest() const { return slowest_; }
  bool clipped() const { return clipped_; }
  /// Row by row.
  const std::vector<SweepCell>& cells() const { return cells_; }
  /// The cell of the fastest trial.
  std::optional<std::pair<size_t, size_t>> best() const { return best_; }
  /// Where a config of the variant lies; nullopt: a value is no candidate. In a slice only what lies in it.
  std::optional<std::pair<size_t, size_t>> cell_of(const SearchState& searched, const Config& config) const {
    if (cells_.empty()) return std::nullopt;
    const auto point = searched.arms()[view_.arm].space->point(config);
    const auto at = point ? place(*point) : std::nullopt;
    if (!at) return std::nullopt;
    return std::pair{*at % columns_, *at / columns_};
  }
  /// Whether its cell shows this very config, and not the time of a faster one.
  bool shows(const SearchState& searched, const Config& of) const {
    const auto at = cell_of(searched, of);
    return at && config(searched, at->first, at->second, of) == of;
  }
  /// What a cell stands for: the config of its fastest trial, of the least predicted time, or the fixed one.
  Config config(const SearchState&, size_t column, size_t row, const Config& otherwise) const;

 private:
  std::optional<size_t> place(uint64_t point) const {
    for (size_t p = 0; p < fixed_.size(); ++p)
      if (fixed_[p] >= 0 && int64_t(point / strides_[p] % sizes_[p]) != fixed_[p]) return std::nullopt;
    if (fixed_.empty()) return 0;
    const auto digit = [&](size_t p) { return size_t(point / strides_[p] % sizes_[p]); };
    return (view_.x == view_.y ? 0 : digit(view_.y)) * columns_ + digit(view_.x);
  }
  void add(const SearchState&, uint32_t number);
  void scale(const SearchState&);

  GridView view_;
  size_t columns_ = 0, rows_ = 0;
  bool complete_ = false, clipped_ = false;
  double fastest_ = 0, slowest_ = 0;
  std::optional<std::pair<size_t, size_t>> best_;
  std::vector<SweepCell> cells_;
  std::vector<uint64_t> strides_, sizes_;  ///< of the points' digits
  std::vector<int64_t> fixed_;             ///< a digit each; -1 = any
};

/// From 0 (slowest) to 1 (fastest), by the logarithm.
double heat_of(double ns, double fastest, double slowest);
/// Perceptually even, dark for 0 and bright for 1 (viridis); the ink is what is read on it.
ImU32 heat_colour(double heat);
ImU32 heat_ink(double heat);

/// The trials to draw as lines: the best few, fastest first, and a fair sample of the others that does not grow.
struct BestTrials {
  static constexpr size_t kBest = 12, kOthers = 300;
  std::vector<uint32_t> best, others;
};

/// The sweep map: what of a search is looked at, and how; its grid and lines follow the search.
class SweepMap {
 public:
  bool best_of = true;  ///< minimized over the other parameters; else sliced at the config that is asked

  /// A person's choice; "" = the variant of the fastest trial.
  void choose_variant(const std::string& name) { variant_ = name; }
  const std::string& chosen_variant() const { return variant_; }
  void choose_axis(const std::string& variant, bool x, const std::string& parameter) {
    auto& [along, up] = axes_[variant];
    std::string& mine = x ? along : up;
    std::string& other = x ? up : along;
    // Both axes of one parameter would be a line: they change places.
    if (other == parameter) other = mine;
    mine = parameter;
  }
  /// Follows the search; `asked` decides the slice.
  void step(const SearchState&, const Selection& asked);

  /// The arm shown; arms().size(): there is none.
  size_t arm() const { return grid.view().arm; }
  bool empty() const { return grid.columns() == 0; }
  /// Raised by every change of the grid.
  uint64_t version() const { return grids_.made(); }
  SweepGrid grid;
  BestTrials lines;

 private:
  /// View, trials told again, how many trials, legal and refused configs are known, and whether that is all.
  using GridKey = std::tuple<GridView, uint64_t, size_t, size_t, size_t, bool>;
  Memo<GridKey, bool> grids_;
  GridView view_of(const SearchState&, const Selection&) const;
  std::string variant_;
  std::map<std::string, std::pair<std::string, std::string>> axes_;  ///< by variant: x and y; "" = not chosen
};

// Colours of cells that more than one drawing has: a panel's, and the file's that is made of it.

/// Of what is right in an image of errors: beyond lies what a failing element has.
inline constexpr double kBrightestError = 0.78;
/// An error over what is allowed of its element, as ErrorMap has it.
ImU32 error_colour(double ratio);
std::string error_text(double ratio);

namespace shade {
ImU32 whole();
ImU32 partial();
ImU32 skipped();
ImU32 padded();
}  // namespace shade
/// Without its padding.
ImU32 tile_colour(const TileCell&);

}  // namespace attnscope::gui
