#include "app/gui/worker/pacing.hpp"

namespace attnscope::gui {

void FrameTimes::add(double begin, double end) {
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
  ++count_;
  last_end_ = end;
}

Pacing::Step Pacing::next(const Scene& scene, double now) {
  if (debt_at_ >= 0) debt_ = std::min(debt_ + kLeastRate * (now - debt_at_), kLeastRate * kWindow);
  debt_at_ = now;
  if (scene.held && turn_began_ < 0) {
    turn_began_ = now;
    batch_s_ = now - batch_began_;
  }
  const Step step = decide(scene, now);
  if (step.resume || !scene.held) {
    if (turn_began_ >= 0 || !scene.sampling) batch_began_ = now;
    turn_began_ = -1;
  }
  return step;
}

Pacing::Step Pacing::decide(const Scene& scene, double now) const {
  const double since = last_end_ < 0 ? 1e9 : now - last_end_;
  if (scene.quiet && scene.sampling) {
    const double due = scene.input ? std::min(kInputPatience, kLongestGap) : kLongestGap;
    if (since >= due) return {.draw = true};
    return {.wait = due - since};
  }
  if (scene.quiet && scene.held) {
    const bool turn_over = now - turn_began_ > std::max(batch_s_, kLeastTurn);
    if (debt_ > 0 ? !turn_over : scene.input && since > 0.5 / kLeastRate) return {.draw = true};
    return {.resume = true};
  }
  // A higher rate than the one that the next frame was planned with counts at once.
  const double due = std::max(std::min(due_, last_begin_ + 1 / scene.rate), last_end_ + kLeastPause);
  if (last_end_ < 0 || now >= due) return {.draw = true, .resume = scene.held};
  return {.resume = scene.held, .wait = due - now};
}

void Pacing::drawn(double begin, double end, const Scene& scene) {
  if (scene.quiet && scene.sampling && scene.input) disturbed_ = true;
  if (first_ < 0) first_ = begin;
  times_.add(begin, end);
  // What is late by more than a frame is not made up for.
  const double period = 1 / scene.rate;
  due_ = std::clamp(due_, begin - period, begin) + period;
  last_begin_ = begin;
  // Frames beyond what is owed buy no silence later.
  debt_ = std::max(debt_ - 1, -1.0);
  last_end_ = end;
  recent_.push_back(end);
  while (!recent_.empty() && recent_.front() < end - kWindow) recent_.pop_front();
}

}  // namespace attnscope::gui
