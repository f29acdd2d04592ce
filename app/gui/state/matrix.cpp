#include "app/gui/state/matrix.hpp"

#include <chrono>

#include "engine/record/compare_records.hpp"

namespace attnscope::gui {

CompareMatrix::Made CompareMatrix::make(std::map<uint64_t, Side> sides, const std::vector<Pair>& pairs) {
  Made out;
  for (auto& [id, side] : sides) {
    if (!side.evidence) side.evidence = std::make_shared<const Evidence>(weigh(side.record->samples_ns));
    out.evidence[id] = side.evidence;
  }
  for (const auto& [row, column] : pairs) {
    const Side &a = sides.at(row), &b = sides.at(column);
    MatrixCell cell;
    // Of two problems not even a ratio says anything.
    if (a.record->problem == b.record->problem && a.record->statistics && b.record->statistics &&
        b.record->statistics->median > 0)
      cell.ratio = a.record->statistics->median / b.record->statistics->median;
    cell.why_not = why_not_comparable(*b.record, *a.record);
    if (cell.why_not.empty()) {
      // Of the row, so the column is what it is held against.
      cell.word = compare_records(*b.record, *b.evidence, *a.record, *a.evidence);
      cell.ratio = cell.word.ratio;
    }
    out.cells[{row, column}] = std::move(cell);
  }
  return out;
}

void CompareMatrix::look(const Pins& pins, const std::vector<uint64_t>& rows, const std::vector<uint64_t>& columns) {
  step(pins);
  if (making_.valid()) return;
  std::map<uint64_t, Side> sides;
  std::vector<Pair> missing;
  const auto take = [&](uint64_t id) {
    if (sides.contains(id)) return true;
    const Pin* pin = pins.find(id);
    if (!pin) return false;
    const auto weighed = evidence_.find(id);
    sides[id] = {pin->record, weighed == evidence_.end() ? nullptr : weighed->second};
    return true;
  };
  for (const uint64_t row : rows)
    for (const uint64_t column : columns)
      if (row != column && missing.size() < kBatch && !cells_.contains({row, column}) && take(row) && take(column))
        missing.emplace_back(row, column);
  if (missing.empty()) return;
  making_ = std::async(std::launch::async, [sides = std::move(sides), missing = std::move(missing)]() mutable {
    return make(std::move(sides), missing);
  });
}

void CompareMatrix::step(const Pins& pins) {
  if (making_.valid() && making_.wait_for(std::chrono::seconds(0)) == std::future_status::ready) {
    Made made = making_.get();
    made_ += made.cells.size();
    for (auto& [pair, cell] : made.cells) cells_[pair] = std::move(cell);
    evidence_.merge(made.evidence);
    pins_ = ~0ull;  // some may have gone meanwhile
  }
  if (pins_ == pins.version()) return;
  pins_ = pins.version();
  std::set<uint64_t> there;
  for (const Pin& p : pins.all()) there.insert(p.id);
  std::erase_if(cells_,
                [&](const auto& c) { return !there.contains(c.first.first) || !there.contains(c.first.second); });
  std::erase_if(evidence_, [&](const auto& e) { return !there.contains(e.first); });
}

const MatrixCell* CompareMatrix::cell(uint64_t row, uint64_t column) const {
  const auto at = cells_.find({row, column});
  return at == cells_.end() ? nullptr : &at->second;
}

}  // namespace attnscope::gui
