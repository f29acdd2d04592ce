#include "app/gui/sample_store.hpp"

#include <algorithm>

namespace attnscope::gui {
namespace {

void include(SampleStore::Extremes& into, const SampleStore::Extremes& more, bool fresh) {
  into = fresh ? more : SampleStore::Extremes{std::min(into.low, more.low), std::max(into.high, more.high)};
}

}  // namespace

void SampleStore::add(std::span<const double> samples_ns) {
  if (samples_ns.size() > kMost) {
    dropped_ += samples_ns.size() - kMost;
    samples_ns = samples_ns.last(kMost);
  }
  size_t too_many = 0;
  while (samples_.size() + samples_ns.size() - std::min(too_many, samples_.size()) > kMost) too_many += kDropped;
  if (too_many > 0) {
    const size_t gone = std::min(too_many, samples_.size());
    samples_.erase(samples_.begin(), samples_.begin() + std::ptrdiff_t(gone));
    dropped_ += gone;
    // Once in half a million samples: simply made anew.
    for (size_t level = 0; level < kLevels; ++level) {
      levels_[level].clear();
      done_[level] = 0;
    }
  }
  samples_.insert(samples_.end(), samples_ns.begin(), samples_ns.end());
  extend();
}

void SampleStore::extend() {
  size_t length = 1;
  for (size_t level = 0; level < kLevels; ++level) {
    length *= kFan;
    std::vector<Extremes>& nodes = levels_[level];
    for (size_t i = done_[level]; i < samples_.size(); ++i) {
      const bool fresh = i % length == 0;
      if (fresh) nodes.emplace_back();
      include(nodes.back(), {samples_[i], samples_[i]}, fresh);
    }
    done_[level] = samples_.size();
  }
}

SampleStore::Extremes SampleStore::extremes(size_t from, size_t to) const {
  Extremes found;
  bool fresh = true;
  for (size_t at = from; at < to;) {
    // The longest stretch that begins here and ends within.
    size_t length = 1, level = 0;
    while (level < kLevels && at % (length * kFan) == 0 && at + length * kFan <= to) {
      length *= kFan;
      ++level;
    }
    include(found, level == 0 ? Extremes{samples_[at], samples_[at]} : levels_[level - 1][at / length], fresh);
    fresh = false;
    at += length;
  }
  return found;
}

}  // namespace attnscope::gui
