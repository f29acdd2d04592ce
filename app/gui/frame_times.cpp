#include "app/gui/frame_times.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace attnscope::gui {

void FrameTimes::Sum::add(double seconds) {
  sum += seconds;
  most = std::max(most, seconds);
}

void FrameTimes::add(double begin, double end, const FrameParts& parts) {
  if (first_ < 0) first_ = begin;
  const auto keep = [&](std::vector<float>& kept, double ms) {
    if (kept.size() < kKept)
      kept.push_back(float(ms));
    else
      kept[count_ % kKept] = float(ms);
  };
  last_ms_ = (end - begin) * 1e3;
  keep(frames_, last_ms_);
  if (last_end_ >= 0) {
    const double gap = (end - last_end_) * 1e3;
    max_gap_ms_ = std::max(max_gap_ms_, gap);
    keep(gaps_, gap);
  }
  max_ms_ = std::max(max_ms_, last_ms_);
  min_ms_ = count_ == 0 ? last_ms_ : std::min(min_ms_, last_ms_);
  sum_ms_ += last_ms_;
  news_.add(parts.news);
  build_.add(parts.build);
  drawing_.add(end - begin - parts.build);
  ++count_;
  last_end_ = end;
}

void FrameTimes::reset(double now) {
  *this = {};
  first_ = last_end_ = now;
}

double FrameTimes::quantile_of(std::vector<float> values, double q) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[size_t(q * double(values.size() - 1) + 0.5)];
}

std::string FrameTimes::text(double now) const {
  return fmt::format(
      "frames: {} in {:.1f} s, {:.1f} a second; median {:.1f} ms, p99 {:.1f} ms, longest {:.1f} ms; from one to the "
      "next: median {:.1f} ms, p99 {:.1f} ms, longest {:.1f} ms; of a frame {:.1f} ms panels (longest {:.1f}), {:.1f} "
      "ms drawing (longest {:.1f}); news between frames {:.1f} ms (longest {:.1f})",
      count_, seconds(now), mean_fps(now), frame_ms(0.5), frame_ms(0.99), max_ms_, gap_ms(0.5), gap_ms(0.99),
      max_gap_ms_, build().mean_ms, build().max_ms, drawing().mean_ms, drawing().max_ms, news().mean_ms, news().max_ms);
}

}  // namespace attnscope::gui
