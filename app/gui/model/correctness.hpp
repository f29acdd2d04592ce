// Where the shown config is wrong: what was asked of the engine, what it answered, and what is looked at. Values.
#pragma once

#include "app/gui/worker/memo.hpp"
#include "engine/record/run.hpp"
#include "engine/session/session.hpp"

namespace attnscope::gui {

/// The largest of the cells that fall into each of fewer cells.
struct ErrorGrid {
  uint32_t columns = 0, rows = 0;
  uint32_t queries = 1, dims = 1;  ///< of a cell
  std::vector<double> cells;       ///< as in ErrorMap
};
inline ErrorGrid decimated(const ErrorMap& map, uint32_t most_columns, uint32_t most_rows) {
  ErrorGrid grid;
  if (map.rows == 0 || map.columns == 0 || map.cells.size() != size_t{map.rows} * map.columns) return grid;
  const auto each = [](uint32_t have, uint32_t most) { return (have + std::max(1u, most) - 1) / std::max(1u, most); };
  const uint32_t by_x = each(map.columns, most_columns), by_y = each(map.rows, most_rows);
  grid.columns = (map.columns + by_x - 1) / by_x;
  grid.rows = (map.rows + by_y - 1) / by_y;
  grid.dims = by_x * map.cell_dims;
  grid.queries = by_y * map.cell_queries;
  grid.cells.assign(size_t{grid.columns} * grid.rows, kUnchecked);
  for (uint32_t y = 0; y < map.rows; ++y)
    for (uint32_t x = 0; x < map.columns; ++x) {
      double& cell = grid.cells[size_t{y / by_y} * grid.columns + x / by_x];
      cell = std::max(cell, map.cells[size_t{y} * map.columns + x]);
    }
  return grid;
}

/// What the panel says of a cell's or a head's ratio.
enum class ErrorClass { unchecked, right, failing, not_a_number };
inline ErrorClass class_of(double ratio) {
  if (ratio < 0) return ErrorClass::unchecked;
  return ratio >= kNotANumber ? ErrorClass::not_a_number : ratio > 1 ? ErrorClass::failing : ErrorClass::right;
}
/// From 0 (a thousandth of what is allowed, or less) to 1 (all of it), by the logarithm.
inline double heat_of_error(double ratio) { return ratio > 1e-3 ? std::min(1.0, 1 + std::log10(ratio) / 3) : 0; }

class Correctness {
 public:
  /// The head to look at; none: the one with the largest error.
  std::optional<std::pair<uint32_t, uint32_t>> head;
  std::string failure;  ///< why the newest one has no answer
  size_t at = 0;        ///< of the failing elements, which is looked at

  void asked(RunId run) {
    tried_ = std::move(run);
    failure.clear();
  }
  void take(std::shared_ptr<const ErrorMapAnswer> answer, const std::string& error) {
    failure = error;
    at = 0;
    answer_ = std::move(answer);
    if (!answer_) return;
    const Record& r = answer_->record;
    // A worker of another version may say what it likes.
    const auto& map = answer_->map;
    if (map && map->cells.size() != size_t{map->rows} * map->columns) {
      failure = "The answer's cells are not as many as it says.";
      answer_.reset();
    } else if (!map) {
      failure = r.message.empty() ? "The run ended without a result." : r.message;
    }
  }
  /// Of just this run, whatever its modes: device, shader, problem, variant, config and seed are the same; or nullptr.
  const ErrorMapAnswer* of(const Record& asked) const {
    if (!map()) return nullptr;
    const Record& r = answer_->record;
    const bool same = same_device(r.environment.device, asked.environment.device) &&
                      r.environment.shader_hash == asked.environment.shader_hash && r.variant == asked.variant &&
                      r.problem == asked.problem && r.config == asked.config && r.seed == asked.seed;
    return same ? answer_.get() : nullptr;
  }
  /// It was asked for last, whether or not it was answered.
  bool tried(const RunId& run) const { return tried_ == run; }
  void step(int by) {
    if (!map() || map()->first.empty()) return;
    const auto count = int64_t(map()->first.size());
    at = size_t((int64_t(at) + by + count) % count);
  }
  /// The failing element that is looked at, else the worst; nullptr: no map.
  const ErrorElement* element() const {
    const ErrorMap* m = map();
    if (m && !m->first.empty()) return &m->first[std::min(at, m->first.size() - 1)];
    return m && m->worst ? &*m->worst : nullptr;
  }
  const ErrorGrid& grid(uint32_t most_columns, uint32_t most_rows) {
    return grid_({answer_, most_columns, most_rows},
                 [&] { return map() ? decimated(*map(), most_columns, most_rows) : ErrorGrid{}; });
  }

 private:
  const ErrorMap* map() const { return answer_ && answer_->map ? &*answer_->map : nullptr; }
  std::shared_ptr<const ErrorMapAnswer> answer_;
  RunId tried_;
  Memo<std::tuple<std::shared_ptr<const ErrorMapAnswer>, uint32_t, uint32_t>, ErrorGrid> grid_;
};

}  // namespace attnscope::gui
