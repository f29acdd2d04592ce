// The steps of a first start: pick a shape, find the best, see why; then two further ones, compare and export. What of
// them was done.
#pragma once

#include <array>
#include <string>

namespace attnscope::gui {

/// What went on since the last frame.
struct WelcomeNews {
  std::string problem;  ///< as text; "" while none is known
  bool search_ended = false, why_in_view = false;
  bool compared = false;  ///< what is shown has a word against a pin
};

struct Welcome {
  /// The steps of the first screen; the others come when these are done.
  static constexpr size_t kFirst = 3, kAll = 5;

  bool open = false;
  /// In the order of the steps.
  std::array<bool, kAll> done{};

  /// A step once done stays done.
  void watch(const WelcomeNews&);
  /// A file was written.
  void got_out() { done[4] = true; }
  /// The step to do next; kAll = all are done.
  size_t next() const;
  /// The first of the steps that are shown, and one beyond the last.
  size_t first_shown() const { return next() < kFirst ? 0 : kFirst; }
  size_t end_shown() const { return next() < kFirst ? kFirst : kAll; }
  /// Begins anew.
  void restart();

 private:
  std::string first_;
};

}  // namespace attnscope::gui
