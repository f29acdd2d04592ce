#include "app/gui/charts/maps.hpp"

#include "app/gui/draw/theme.hpp"
#include "app/gui/model/correctness.hpp"
#include "engine/attention/layout.hpp"

namespace attnscope::gui {
namespace {

/// Rows of tiles that are looked at one by one; of more, evenly spread ones stand for their neighbours.
constexpr uint64_t kMostRows = 1 << 15;

struct Sizes {
  uint64_t queries, keys, query_tile, key_tile;
};

/// Tiles of one row: [first, end) have scores that are used, and in [whole, whole_end) all are.
struct RowSplit {
  uint64_t first, whole, whole_end, end;
  uint64_t wholes() const { return whole_end - whole; }
  uint64_t used() const { return end - first; }
};
RowSplit split(const Layout& layout, const Sizes& s, uint64_t row) {
  const uint64_t first = row * s.query_tile, last = std::min(first + s.query_tile, s.queries) - 1;
  const auto up = [&](uint64_t keys) { return (keys + s.key_tile - 1) / s.key_tile; };
  // Both ends of what a query sees move on with the query.
  const uint64_t least = layout.first_visible(0, uint32_t(first)), most = layout.visible(0, uint32_t(last)),
                 all_from = layout.first_visible(0, uint32_t(last)), all_to = layout.visible(0, uint32_t(first));
  RowSplit out{};
  if (most <= least) return out;
  out.first = least / s.key_tile;
  out.end = up(most);
  out.whole = std::clamp(up(all_from), out.first, out.end);
  out.whole_end = std::clamp(all_to == s.keys ? out.end : all_to / s.key_tile, out.whole, out.end);
  return out;
}

uint64_t overlap(uint64_t a0, uint64_t a1, uint64_t b0, uint64_t b1) {
  const uint64_t low = std::max(a0, b0), high = std::min(a1, b1);
  return high > low ? high - low : 0;
}

ImU32 mixed(ImU32 a, ImU32 b, float share) {
  const ImVec4 x = ImGui::ColorConvertU32ToFloat4(a), y = ImGui::ColorConvertU32ToFloat4(b);
  const auto mix = [&](float u, float v) { return u + (v - u) * share; };
  return ImGui::ColorConvertFloat4ToU32({mix(x.x, y.x), mix(x.y, y.y), mix(x.z, y.z), 1});
}

constexpr ImU32 rgb(ImU32 red, ImU32 green, ImU32 blue) { return IM_COL32(red, green, blue, 255); }
/// viridis (Smith and van der Walt), every eighth of it.
constexpr std::array kViridis = {rgb(68, 1, 84),    rgb(71, 44, 122),  rgb(59, 81, 139),
                                 rgb(44, 113, 142), rgb(33, 144, 141), rgb(39, 173, 129),
                                 rgb(92, 200, 99),  rgb(170, 220, 50), rgb(253, 231, 37)};

BestTrials best_trials(const SearchState& searched, size_t arm) {
  BestTrials out;
  if (arm >= searched.arms().size()) return out;
  for (const uint32_t number : searched.arms()[arm].trials)
    if (const SlimTrial& t = searched.trials()[number]; t.outcome == Outcome::measured && t.tried_ns > 0)
      out.others.push_back(number);
  out.best.resize(std::min(BestTrials::kBest, out.others.size()));
  const auto ns = [&](uint32_t n) { return searched.trials()[n].tried_ns; };
  std::ranges::partial_sort_copy(out.others, out.best, {}, ns, ns);
  std::erase_if(out.others, [&](uint32_t n) { return contains(out.best, n); });
  if (out.others.size() <= BestTrials::kOthers) return out;
  // Each has the same chance, and stays while others come: those of the least scrambled numbers.
  const auto scrambled = [](uint32_t n) { return n * 2654435769u; };
  std::ranges::nth_element(out.others, out.others.begin() + BestTrials::kOthers, {}, scrambled);
  out.others.resize(BestTrials::kOthers);
  return out;
}

}  // namespace

TileMap tile_map(const Problem& p, double query_tile, double key_tile, uint32_t most) {
  Sizes s{p.varlen.empty() ? p.seq_q : p.varlen.front(), p.varlen.empty() ? p.seq_kv : p.varlen.front(),
          uint64_t(std::max(1.0, query_tile)), uint64_t(std::max(1.0, key_tile))};
  TileMap map;
  if (s.queries == 0 || s.keys == 0 || most == 0) return map;
  const Layout layout(p, {});
  map.rows = (s.queries + s.query_tile - 1) / s.query_tile;
  map.cols = (s.keys + s.key_tile - 1) / s.key_tile;
  map.tiles_a_cell_row = uint32_t((map.rows + most - 1) / most);
  map.tiles_a_cell_col = uint32_t((map.cols + most - 1) / most);
  map.cell_rows = uint32_t((map.rows + map.tiles_a_cell_row - 1) / map.tiles_a_cell_row);
  map.cell_cols = uint32_t((map.cols + map.tiles_a_cell_col - 1) / map.tiles_a_cell_col);
  map.cells.resize(size_t(map.cell_rows) * map.cell_cols);
  const bool last_row_padded = s.queries % s.query_tile != 0, last_col_padded = s.keys % s.key_tile != 0;
  map.padded = (last_row_padded ? map.cols : 0) + (last_col_padded ? map.rows : 0) -
               (last_row_padded && last_col_padded ? 1 : 0);
  const uint64_t step = std::max<uint64_t>(1, (map.rows + kMostRows - 1) / kMostRows);
  std::vector<uint64_t> looked(map.cell_rows);
  for (uint64_t row = 0; row < map.rows; row += step) {
    const RowSplit at = split(layout, s, row);
    const uint64_t stands_for = std::min(step, map.rows - row);
    map.whole += at.wholes() * stands_for;
    map.partial += (at.used() - at.wholes()) * stands_for;
    map.skipped += (map.cols - at.used()) * stands_for;
    const auto cell_row = uint32_t(row / map.tiles_a_cell_row);
    ++looked[cell_row];
    for (uint32_t c = 0; c < map.cell_cols; ++c) {
      const uint64_t first = uint64_t(c) * map.tiles_a_cell_col,
                     last = std::min<uint64_t>(first + map.tiles_a_cell_col, map.cols);
      TileCell& cell = map.cells[size_t(cell_row) * map.cell_cols + c];
      const float count = float(last - first);
      const auto whole = float(overlap(first, last, at.whole, at.whole_end)),
                 used = float(overlap(first, last, at.first, at.end));
      cell.whole += whole / count;
      cell.partial += (used - whole) / count;
      cell.skipped += 1 - used / count;
    }
  }
  for (uint32_t r = 0; r < map.cell_rows; ++r)
    for (uint32_t c = 0; c < map.cell_cols && looked[r] > 0; ++c) {
      TileCell& cell = map.cells[size_t(r) * map.cell_cols + c];
      for (float* part : {&cell.whole, &cell.partial, &cell.skipped}) *part /= float(looked[r]);
    }
  return map;
}

SweepGrid::SweepGrid(const SearchState& searched, const GridView& view) : view_(view) {
  if (view.arm >= searched.arms().size()) return;
  const SearchState::Arm& arm = searched.arms()[view.arm];
  const std::vector<Parameter>& parameters = arm.arm.parameters;
  uint64_t stride = 1;
  strides_.resize(parameters.size());
  for (size_t p = parameters.size(); p-- > 0;) {
    strides_[p] = stride;
    sizes_.insert(sizes_.begin(), parameters[p].values.size());
    stride *= parameters[p].values.size();
  }
  fixed_.assign(parameters.size(), -1);
  for (size_t p = 0; p < parameters.size() && !view.best_of; ++p) {
    if (p == view.x || p == view.y) continue;
    const auto& values = parameters[p].values;
    // Past the last where the value is no candidate: nothing lies in the slice.
    fixed_[p] =
        std::ranges::find(values, at_or(view.fixed, parameters[p].name, parameters[p].default_value)) - values.begin();
  }
  columns_ = parameters.empty() ? 1 : parameters[view.x].values.size();
  rows_ = parameters.empty() || view.x == view.y ? 1 : parameters[view.y].values.size();
  cells_.assign(columns_ * rows_, {});
  for (size_t i = 0; i < arm.predicted.size(); ++i)
    if (const auto at = place(arm.predicted[i].first))
      if (int64_t& least = cells_[*at].predicted;
          least < 0 || arm.predicted[i].second < arm.predicted[size_t(least)].second)
        least = int64_t(i);
  for (const uint32_t number : arm.trials) add(searched, number);
  for (const uint64_t point : arm.space->legal())
    if (const auto at = place(point)) ++cells_[*at].legal;
  for (size_t i = 0; i < arm.refused.size(); ++i)
    if (const auto at = place(arm.refused[i].first); at && cells_[*at].example < 0) cells_[*at].example = int64_t(i);
  complete_ = arm.space->complete();
  scale(searched);
}

void SweepGrid::add(const SearchState& searched, uint32_t number) {
  const SlimTrial& t = searched.trials()[number];
  const auto at = place(t.point);
  if (!at || t.outcome == Outcome::cancelled) return;
  SweepCell& cell = cells_[*at];
  ++cell.tried;
  if (t.outcome == Outcome::measured && t.tried_ns > 0) {
    ++(t.dropped ? cell.dropped : cell.timed);
    // The race decides between those that raced, and they stand before the others.
    const auto rank = [](const SlimTrial& of) { return std::tuple(!of.raced(), of.dropped, of.median_ns); };
    if (cell.best < 0 || rank(t) < rank(searched.trials()[size_t(cell.best)])) cell.best = number;
    return;
  }
  ++(t.outcome == Outcome::refused ? cell.refused : t.outcome == Outcome::failed_verdict ? cell.wrong : cell.broken);
  if (cell.failed < 0 || searched.trials()[size_t(cell.failed)].outcome == Outcome::refused) cell.failed = number;
}

void SweepGrid::scale(const SearchState& searched) {
  fastest_ = slowest_ = 0;
  best_.reset();
  const auto take = [&](double ns) {
    const bool fastest = fastest_ == 0 || ns < fastest_;
    if (fastest) fastest_ = ns;
    slowest_ = std::max(slowest_, ns);
    return fastest;
  };
  for (size_t i = 0; i < cells_.size(); ++i)
    if (const int64_t best = cells_[i].best;
        best >= 0 && !searched.trials()[size_t(best)].dropped && take(searched.trials()[size_t(best)].tried_ns))
      best_ = {i % columns_, i / columns_};
  // What is measured has the whole scale.
  for (const SweepCell& cell : cells_)
    if (!best_ && cell.predicted >= 0) take(searched.arms()[view_.arm].predicted[size_t(cell.predicted)].second);
  clipped_ = slowest_ > kWidest * fastest_;
  if (clipped_) slowest_ = kWidest * fastest_;
}

Config SweepGrid::config(const SearchState& searched, size_t column, size_t row, const Config& otherwise) const {
  const SweepCell& c = cell(column, row);
  if (c.best >= 0) return searched.config(searched.trials()[size_t(c.best)]);
  const SearchState::Arm& arm = searched.arms()[view_.arm];
  if (c.predicted >= 0 && state(c) == CellState::predicted)
    return arm.space->config(arm.predicted[size_t(c.predicted)].first);
  Config config;
  for (size_t p = 0; p < arm.arm.parameters.size(); ++p) {
    const Parameter& parameter = arm.arm.parameters[p];
    config[parameter.name] = at_or(otherwise, parameter.name, parameter.default_value);
    if (p == view_.y && view_.x != view_.y) config[parameter.name] = parameter.values[row];
    if (p == view_.x) config[parameter.name] = parameter.values[column];
  }
  return config;
}

double heat_of(double ns, double fastest, double slowest) {
  if (!(ns > 0) || !(fastest > 0)) return 0;
  return slowest <= fastest ? double(ns <= slowest)
                            : std::clamp(1 - std::log(ns / fastest) / std::log(slowest / fastest), 0.0, 1.0);
}

ImU32 heat_colour(double heat) {
  const double at = std::clamp(heat, 0.0, 1.0) * double(kViridis.size() - 1);
  const size_t i = std::min(size_t(at), kViridis.size() - 2);
  return mixed(kViridis[i], kViridis[i + 1], float(at - double(i)));
}

ImU32 heat_ink(double heat) { return heat > 0.44 ? IM_COL32_BLACK : IM_COL32_WHITE; }

GridView SweepMap::view_of(const SearchState& searched, const Selection& asked) const {
  GridView view;
  view.search = searched.asked().id;
  view.arm = searched.arm_of(variant_);
  const auto& arms = searched.arms();
  if (view.arm == arms.size() && searched.best() >= 0) view.arm = searched.trials()[size_t(searched.best())].arm;
  if (view.arm == arms.size()) view.arm = searched.arm_of(asked.variant);
  if (view.arm == arms.size() && !arms.empty()) view.arm = 0;
  if (view.arm == arms.size()) return view;
  const search::Arm& arm = arms[view.arm].arm;
  // Unless chosen, the two with the most values: what a tile is about.
  std::vector<size_t> order(arm.parameters.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, std::greater(), [&](size_t p) { return arm.parameters[p].values.size(); });
  if (order.size() > 1) std::sort(order.begin(), order.begin() + 2);
  std::optional<size_t> x, y;
  const auto [along, up] = at_or(axes_, arm.variant);
  for (size_t p = 0; p < order.size(); ++p) {
    if (arm.parameters[p].name == along) x = p;
    if (arm.parameters[p].name == up && x != p) y = p;
  }
  for (const size_t p : order) {
    if (!x && y != p)
      x = p;
    else if (!y && x != p)
      y = p;
  }
  view.x = x.value_or(y.value_or(0));
  view.y = y.value_or(view.x);
  view.best_of = best_of;
  if (!best_of) view.fixed = asked.variant == arm.variant ? asked.config : arm.default_config;
  // The axes' own values are no part of a slice: moving along them changes nothing.
  if (!best_of && !arm.parameters.empty())
    for (const size_t p : {view.x, view.y}) view.fixed.erase(arm.parameters[p].name);
  return view;
}

void SweepMap::step(const SearchState& searched, const Selection& asked) {
  const GridView view = view_of(searched, asked);
  const SearchState::Arm* arm = view.arm < searched.arms().size() ? &searched.arms()[view.arm] : nullptr;
  const auto known =
      arm ? std::tuple(arm->trials.size(), arm->space->legal().size(), arm->refused.size(), arm->space->complete())
          : std::tuple(size_t(0), size_t(0), size_t(0), false);
  grids_(std::tuple_cat(std::tuple(view, searched.rewritten()), known), [&] {
    grid = SweepGrid(searched, view);
    lines = best_trials(searched, view.arm);
    return true;
  });
}

ImU32 error_colour(double ratio) {
  const ErrorClass of = class_of(ratio);
  if (of == ErrorClass::unchecked) return colours::raised;
  return of == ErrorClass::right ? heat_colour(kBrightestError * heat_of_error(ratio)) : colours::bad;
}

std::string error_text(double ratio) {
  const ErrorClass of = class_of(ratio);
  if (of == ErrorClass::unchecked) return "not compared";
  if (of == ErrorClass::not_a_number) return "not written, or no number";
  return fmt::format("{} of what is allowed",
                     ratio < 10 ? fmt::format("{:.3g} %", 100 * ratio) : fmt::format("{:.3g}\u00d7", ratio));
}

namespace shade {
ImU32 whole() { return mixed(colours::panel, colours::soft, 0.6f); }
ImU32 partial() { return colours::second; }
ImU32 skipped() { return colours::raised; }
ImU32 padded() { return colours::warning; }
}  // namespace shade

ImU32 tile_colour(const TileCell& cell) {
  const ImU32 colour = mixed(shade::skipped(), shade::whole(), std::min(1.f, cell.whole));
  if (cell.partial <= 0) return colour;
  return mixed(colour, shade::partial(), std::min(1.f, cell.partial / (cell.partial + cell.whole)));
}

}  // namespace attnscope::gui
