// A whole series in as many columns as are seen: least, median and greatest of each, made from what is new.
#pragma once

#include <cstdint>
#include <vector>

#include "app/gui/series.hpp"

namespace attnscope::gui {

class Overview {
 public:
  static constexpr size_t kColumns = 1024;  ///< at most
  static constexpr size_t kJudged = 128;    ///< samples of a column that its median is taken of
  /// All in ns.
  struct Column {
    double low = 0, median = 0, high = 0;
  };
  /// Follows the series: costs what was added since, and twice in its length all of it.
  void step(const Series&);
  const std::vector<Column>& columns() const { return columns_; }
  /// Samples a column; column i holds those with numbers from start() + i * stretch().
  uint64_t stretch() const { return stretch_; }
  uint64_t start() const { return start_; }
  uint64_t taken() const { return taken_; }
  /// Samples looked at so far, for whoever wants to know what it costs.
  uint64_t looked_at() const { return looked_at_; }

 private:
  void rebuild_from(const Series&, uint64_t sample);
  std::vector<Column> columns_;
  uint64_t series_ = 0, stretch_ = 1, start_ = 0, taken_ = 0, looked_at_ = 0;
};

}  // namespace attnscope::gui
