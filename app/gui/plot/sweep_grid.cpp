#include "app/gui/plot/sweep_grid.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace attnscope::gui {

void SweepGrid::step(const Searched& searched, const GridView& view) {
  if (view.arm >= searched.arms().size()) {
    *this = {};
    return;
  }
  if (!(view == view_) || cells_.empty() || rewritten_ != searched.rewritten()) reset(searched, view);
  const Searched::Arm& arm = searched.arms()[view.arm];
  if (trials_ == arm.trials.size() && legal_ == arm.legal.size() && refused_ == arm.refused.size() &&
      complete_ == arm.complete)
    return;
  for (; trials_ < arm.trials.size(); ++trials_) add(searched, arm.trials[trials_]);
  for (; legal_ < arm.legal.size(); ++legal_)
    if (const auto at = place(arm.legal[legal_])) ++cells_[*at].legal;
  for (; refused_ < arm.refused.size(); ++refused_)
    if (const auto at = place(arm.refused[refused_].first); at && cells_[*at].example < 0)
      cells_[*at].example = int64_t(refused_);
  complete_ = arm.complete;
  scale(searched);
  ++version_;
}

void SweepGrid::reset(const Searched& searched, const GridView& view) {
  const Searched::Arm& arm = searched.arms()[view.arm];
  const std::vector<Parameter>& parameters = arm.arm.parameters;
  const uint64_t version = version_ + 1;
  *this = {};
  version_ = version;
  view_ = view;
  rewritten_ = searched.rewritten();
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
    const auto value = view.fixed.find(parameters[p].name);
    const int64_t wanted = value == view.fixed.end() ? parameters[p].default_value : value->second;
    const auto& values = parameters[p].values;
    const auto it = std::find(values.begin(), values.end(), wanted);
    // A value that is no candidate: nothing lies in the slice.
    fixed_[p] = it == values.end() ? int64_t(values.size()) : it - values.begin();
  }
  columns_ = parameters.empty() ? 1 : parameters[view.x].values.size();
  rows_ = parameters.empty() || view.x == view.y ? 1 : parameters[view.y].values.size();
  cells_.assign(columns_ * rows_, {});
}

std::optional<size_t> SweepGrid::place(uint64_t point) const {
  for (size_t p = 0; p < fixed_.size(); ++p)
    if (fixed_[p] >= 0 && int64_t(point / strides_[p] % sizes_[p]) != fixed_[p]) return std::nullopt;
  if (fixed_.empty()) return 0;
  const auto digit = [&](size_t p) { return size_t(point / strides_[p] % sizes_[p]); };
  return (view_.x == view_.y ? 0 : digit(view_.y)) * columns_ + digit(view_.x);
}

void SweepGrid::add(const Searched& searched, uint32_t number) {
  const SlimTrial& t = searched.trials()[number];
  const auto at = place(t.point);
  if (!at || t.outcome == Outcome::cancelled) return;
  SweepCell& cell = cells_[*at];
  ++cell.tried;
  if (t.outcome == Outcome::measured && t.median_ns > 0) {
    ++cell.measured;
    if (cell.best < 0 || t.median_ns < searched.trials()[size_t(cell.best)].median_ns) cell.best = number;
    return;
  }
  ++(t.outcome == Outcome::refused ? cell.refused : t.outcome == Outcome::failed_verdict ? cell.wrong : cell.broken);
  // What is wrong says more than what cannot be.
  if (cell.failed < 0 || searched.trials()[size_t(cell.failed)].outcome == Outcome::refused) cell.failed = number;
}

void SweepGrid::scale(const Searched& searched) {
  fastest_ = slowest_ = 0;
  best_.reset();
  for (size_t i = 0; i < cells_.size(); ++i) {
    if (cells_[i].best < 0) continue;
    const double ns = searched.trials()[size_t(cells_[i].best)].median_ns;
    if (fastest_ == 0 || ns < fastest_) {
      fastest_ = ns;
      best_ = {i % columns_, i / columns_};
    }
    slowest_ = std::max(slowest_, ns);
  }
  clipped_ = slowest_ > kWidest * fastest_;
  if (clipped_) slowest_ = kWidest * fastest_;
}

CellState SweepGrid::state(const SweepCell& cell) const {
  if (cell.best >= 0) return CellState::measured;
  if (cell.wrong > 0) return CellState::wrong;
  if (cell.broken > 0) return CellState::broken;
  const bool known = complete_ && cell.legal == 0;
  // In a slice a cell is one config: what was refused of it is all of it.
  return known || (cell.refused > 0 && !view_.best_of) ? CellState::refused : CellState::untried;
}

std::optional<std::pair<size_t, size_t>> SweepGrid::cell_of(const Searched& searched, const Config& config) const {
  if (cells_.empty()) return std::nullopt;
  const auto point = searched.arms()[view_.arm].space->point(config);
  const auto at = point ? place(*point) : std::nullopt;
  if (!at) return std::nullopt;
  return std::pair{*at % columns_, *at / columns_};
}

Config SweepGrid::config(const Searched& searched, size_t column, size_t row, const Config& otherwise) const {
  const SweepCell& c = cell(column, row);
  if (c.best >= 0) return searched.config(searched.trials()[size_t(c.best)]);
  const Searched::Arm& arm = searched.arms()[view_.arm];
  Config config;
  for (size_t p = 0; p < arm.arm.parameters.size(); ++p) {
    const Parameter& parameter = arm.arm.parameters[p];
    const auto value = otherwise.find(parameter.name);
    config[parameter.name] = value == otherwise.end() ? parameter.default_value : value->second;
    if (p == view_.y && view_.x != view_.y) config[parameter.name] = parameter.values[row];
    if (p == view_.x) config[parameter.name] = parameter.values[column];
  }
  return config;
}

double heat_of(double ns, double fastest, double slowest) {
  if (!(ns > 0) || !(fastest > 0)) return 0;
  if (slowest <= fastest) return 1;
  return std::clamp(1 - std::log(ns / fastest) / std::log(slowest / fastest), 0.0, 1.0);
}

namespace {

/// viridis (Smith and van der Walt), every eighth of it.
constexpr std::array<std::array<int, 3>, 9> kViridis = {{{68, 1, 84},
                                                         {71, 44, 122},
                                                         {59, 81, 139},
                                                         {44, 113, 142},
                                                         {33, 144, 141},
                                                         {39, 173, 129},
                                                         {92, 200, 99},
                                                         {170, 220, 50},
                                                         {253, 231, 37}}};

}  // namespace

ImU32 heat_colour(double heat) {
  const double at = std::clamp(heat, 0.0, 1.0) * double(kViridis.size() - 1);
  const size_t i = std::min(size_t(at), kViridis.size() - 2);
  const double f = at - double(i);
  const auto mix = [&](size_t c) { return int(std::lround(kViridis[i][c] * (1 - f) + kViridis[i + 1][c] * f)); };
  return IM_COL32(mix(0), mix(1), mix(2), 255);
}

ImU32 heat_ink(double heat) { return heat > 0.55 ? IM_COL32(13, 16, 21, 255) : IM_COL32(229, 235, 242, 255); }

void BestTrials::step(const Searched& searched, size_t arm) {
  if (search_ != searched.asked().id || arm_ != arm || rewritten_ != searched.rewritten()) {
    *this = {};
    search_ = searched.asked().id;
    arm_ = arm;
    rewritten_ = searched.rewritten();
  }
  if (arm >= searched.arms().size()) return;
  const std::vector<uint32_t>& all = searched.arms()[arm].trials;
  const auto ns = [&](uint32_t number) { return searched.trials()[number].median_ns; };
  for (; trials_ < all.size(); ++trials_) {
    uint32_t number = all[trials_];
    const SlimTrial& t = searched.trials()[number];
    if (t.outcome != Outcome::measured || t.median_ns <= 0) continue;
    if (best_.size() < kBest || ns(number) < ns(best_.back())) {
      best_.insert(
          std::upper_bound(best_.begin(), best_.end(), number, [&](uint32_t a, uint32_t b) { return ns(a) < ns(b); }),
          number);
      if (best_.size() <= kBest) continue;
      number = best_.back();
      best_.pop_back();
    }
    // Each of the others stays with the same chance, however many come (reservoir sampling).
    ++seen_;
    if (others_.size() < kOthers) {
      others_.push_back(number);
      continue;
    }
    random_ = random_ * 6364136223846793005ull + 1442695040888963407ull;
    if (const uint64_t at = (random_ >> 33) % seen_; at < kOthers) others_[at] = number;
  }
}

}  // namespace attnscope::gui
