// Where the config that is shown is wrong: what was asked of the engine, what it answered, and what is looked at.
// Values.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "app/gui/model/memo.hpp"
#include "engine/session/session.hpp"

namespace attnscope::gui {

/// The largest of the cells that fall into each of fewer cells.
struct ErrorGrid {
  uint32_t columns = 0, rows = 0;
  uint32_t queries = 1, dims = 1;  ///< of a cell
  std::vector<double> cells;       ///< as in ErrorMap
};
ErrorGrid decimated(const ErrorMap&, uint32_t most_columns, uint32_t most_rows);

/// What the panel says of a cell's or a head's ratio.
enum class ErrorClass { unchecked, right, failing, not_a_number };
ErrorClass class_of(double ratio);
/// From 0 (a thousandth of what is allowed, or less) to 1 (all of it), by the logarithm.
double heat_of_error(double ratio);

class Correctness {
 public:
  /// The head to look at; none: the one with the largest error.
  std::optional<std::pair<uint32_t, uint32_t>> head;
  uint64_t job = 0;     ///< the newest request
  std::string failure;  ///< why the newest one has no answer
  size_t at = 0;        ///< of the failing elements, which is looked at

  /// `run`: what tells it from every other run.
  void asked(uint64_t job_id, std::string run);
  void take(std::shared_ptr<const ErrorMapAnswer>, const std::string& error);
  /// Of just this run, or nullptr: device, shader, problem, variant, config and seed are the same. Modes do not change
  /// a result.
  const ErrorMapAnswer* of(const Record& asked) const;
  /// It was asked for last, whether or not it was answered.
  bool tried(const std::string& run) const { return tried_ == run; }
  void step(int by);
  /// The failing element that is looked at, else the worst; nullptr: no map.
  const ErrorElement* element() const;
  const ErrorGrid& grid(uint32_t most_columns, uint32_t most_rows);

 private:
  std::shared_ptr<const ErrorMapAnswer> answer_;
  std::string tried_;
  Memo<std::tuple<std::shared_ptr<const ErrorMapAnswer>, uint32_t, uint32_t>, ErrorGrid> grid_;
};

}  // namespace attnscope::gui
