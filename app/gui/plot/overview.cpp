#include "app/gui/plot/overview.hpp"

#include <algorithm>

namespace attnscope::gui {
namespace {

double middle_of(std::vector<double>& values) {
  const auto middle = values.begin() + std::ptrdiff_t(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return values.size() % 2 == 1 ? *middle : (*middle + *std::max_element(values.begin(), middle)) / 2;
}

}  // namespace

void Overview::step(const Series& series) {
  const SampleStore& whole = series.whole();
  const bool another = series.id() != series_;
  if (!another && whole.taken() == taken_) return;
  uint64_t stretch = another ? 1 : stretch_;
  while (whole.taken() / stretch - whole.first() / stretch + 1 > kColumns) stretch *= 2;
  const uint64_t start = whole.first() / stretch * stretch;
  const bool anew = another || stretch != stretch_ || start != start_;
  series_ = series.id();
  stretch_ = stretch;
  start_ = start;
  rebuild_from(series, anew ? whole.first() : taken_);
  taken_ = whole.taken();
}

void Overview::rebuild_from(const Series& series, uint64_t sample) {
  const SampleStore& whole = series.whole();
  const auto samples = whole.all();
  columns_.resize(size_t((sample - start_) / stretch_));
  std::vector<double> judged;
  for (uint64_t begin = start_ + columns_.size() * stretch_; begin < whole.taken(); begin += stretch_) {
    const size_t from = size_t(std::max(begin, whole.first()) - whole.first()),
                 to = size_t(std::min(begin + stretch_, whole.taken()) - whole.first());
    const auto [low, high] = whole.extremes(from, to);
    judged.clear();
    const size_t step = std::max<size_t>(1, (to - from) / kJudged);
    for (size_t i = from; i < to; i += step) judged.push_back(samples[i]);
    looked_at_ += judged.size();
    columns_.push_back({low, middle_of(judged), high});
  }
}

}  // namespace attnscope::gui
