// Whether a future has its value; nothing here waits for one.
#pragma once

#include <chrono>
#include <future>

namespace attnscope::gui {

template <class T>
bool ready(const std::future<T>& f) {
  return f.valid() && f.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

}  // namespace attnscope::gui
