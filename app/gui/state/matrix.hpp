// Pins against each other: a word and a ratio for each two of them, made by the engine on a thread of its own, once,
// for what is in view.
#pragma once

#include <future>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "app/gui/state/pins.hpp"
#include "engine/measure/compare.hpp"

namespace attnscope::gui {

/// A pin (the row) against another (the column).
struct MatrixCell {
  Comparison word;      ///< of the row against the column; its ratio is row / column
  std::string why_not;  ///< why the two are not compared; then there is no word
  double ratio = 0;     ///< of the medians, also where there is no word; 0 = one of them has none
};

class CompareMatrix {
 public:
  static constexpr size_t kBatch = 512;  ///< cells made at a time

  /// Pins by id that are in view, as rows and as columns: what is missing of them is made. Call once a frame in view.
  void look(const Pins&, const std::vector<uint64_t>& rows, const std::vector<uint64_t>& columns);
  /// Folds in what was made; forgets pins that are gone. Never waits.
  void step(const Pins&);
  /// nullptr: not made yet.
  const MatrixCell* cell(uint64_t row, uint64_t column) const;
  bool busy() const { return making_.valid(); }
  /// Cells made so far, for whoever wants to know what it costs.
  uint64_t made() const { return made_; }

 private:
  using Pair = std::pair<uint64_t, uint64_t>;
  struct Side {
    std::shared_ptr<const Record> record;
    std::shared_ptr<const Evidence> evidence;  ///< nullptr: to be weighed
  };
  struct Made {
    std::map<Pair, MatrixCell> cells;
    std::map<uint64_t, std::shared_ptr<const Evidence>> evidence;
  };
  static Made make(std::map<uint64_t, Side>, const std::vector<Pair>&);
  std::map<Pair, MatrixCell> cells_;
  std::map<uint64_t, std::shared_ptr<const Evidence>> evidence_;
  std::future<Made> making_;
  uint64_t pins_ = ~0ull, made_ = 0;
};

}  // namespace attnscope::gui
