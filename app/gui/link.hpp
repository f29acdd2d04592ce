// The thread that owns the sessions: it turns wishes into inspections and runs, and streams what comes back as news.
#pragma once

#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/gui/messages.hpp"

namespace attnscope::gui {

struct LinkOptions {
  /// One for each worker command; called on the measuring thread, when that worker is first wished for.
  std::vector<std::function<std::unique_ptr<Session>()>> sessions;
  std::vector<std::string> names;  ///< of each worker, for a person
  std::vector<std::filesystem::path> shader_dirs;
  double settle_s = 0.12;          ///< a wish must stay the same for this long before it is dispatched (dragging)
  double batch_ms = 25;            ///< of live samples in quiet mode
  double streaming_batch_ms = 50;  ///< otherwise
};

/// None of the calls waits for a device or a compiler. All may come from any thread.
class Link {
 public:
  explicit Link(LinkOptions);
  /// Cancels what runs and ends the workers. A worker that does not answer is left to its deadline after two seconds.
  ~Link();
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  void wish(const Wish&);
  void submit(const Job&);
  void cancel_job();
  std::deque<News> take();
  /// `wake` is called from the measuring thread whenever there is news (for a window that waits for events).
  void on_news(std::function<void()> wake);

  /// The gate of paced runs: a batch is being taken, or the worker waits to be let on.
  bool sampling() const;
  bool held() const;
  void resume();

 private:
  struct Core;
  std::shared_ptr<Core> core_;
};

}  // namespace attnscope::gui
