// The thread that owns one worker's session: it turns requests into inspections and runs, and streams what comes back
// as news. Searches have a thread of their own beside it, so that what is asked meanwhile is inspected.
#pragma once

#include <deque>
#include <thread>

#include "app/gui/gui.hpp"
#include "app/gui/worker/messages.hpp"

namespace attnscope::gui {

struct WorkerThreadOptions {
  std::function<std::unique_ptr<Session>()> session;  ///< called on the worker thread, at the first request
  std::string name;                                   ///< of the worker, for a person; "" = this machine's own
  /// Set when the link is told to end: what the session waits for without a cancel of its own (WorkerOptions::cancel).
  std::shared_ptr<std::atomic<bool>> ending = {};
  /// Set when another attempt is asked for while the session opens or loads (WorkerOptions::abandon).
  std::shared_ptr<std::atomic<bool>> abandon = {};
  std::vector<std::filesystem::path> shader_dirs, source_dirs;
  std::function<void(const Record&, bool live)> finished = {};  ///< as of GuiOptions
  TuningPlaces tuning = {};
  std::string cache_dir;           ///< of compiled shaders; "" = none
  double settle_s = 0.12;          ///< a request must stay the same for this long before it is dispatched (dragging)
  double batch_ms = 25;            ///< of live samples in quiet mode
  double streaming_batch_ms = 50;  ///< otherwise
};

/// None of the calls waits for a device or a compiler. All may come from any thread. Links know nothing of each other:
/// two workers measure at the same time.
class WorkerThread {
 public:
  explicit WorkerThread(WorkerThreadOptions);
  /// Cancels what runs, ends the worker and joins the threads. They are waited for until two seconds after quit();
  /// later they are left behind (threads_left()).
  ~WorkerThread();
  WorkerThread(WorkerThread&&) noexcept = default;
  WorkerThread& operator=(WorkerThread&&) = delete;

  /// The first half of the destructor, so that several links end at the same time.
  void quit();
  /// Its threads have ended: the destructor waits for nothing.
  bool finished() const;
  void request(const WorkerRequest&);
  void submit(const Job&);
  void cancel_job();
  /// Replaces the one before. While it measures nothing is sampled live, and requests are still inspected; another
  /// device or newly read shaders end it.
  void search(const Search&);
  void cancel_search();
  /// What the last search found, into the tuning cache.
  void keep(uint64_t search);
  std::deque<WorkerEvent> take();
  /// `wake` is called from the worker thread whenever there is news (for a window that waits for events).
  void on_news(std::function<void()> wake);

  /// The gate of paced runs: a batch is being taken, or the worker waits to be let on.
  bool sampling() const;
  bool held() const;
  void resume();

 private:
  struct Core;
  std::shared_ptr<Core> core_;
  std::thread thread_;
};

}  // namespace attnscope::gui
