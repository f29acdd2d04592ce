// The three steps of a first start: pick a shape, find the best, see why. What of them was done.
#pragma once

#include <array>
#include <string>

namespace attnscope::gui {

struct Welcome {
  bool open = false;
  /// In the order of the steps.
  std::array<bool, 3> done{};

  /// What went on since the last frame; `problem` as text, "" while none is known. A step once done stays done.
  void watch(const std::string& problem, bool search_ended, bool why_in_view);
  /// The step to do next; 3 = all are done.
  size_t next() const;
  /// Begins anew.
  void restart();

 private:
  std::string first_;
};

}  // namespace attnscope::gui
