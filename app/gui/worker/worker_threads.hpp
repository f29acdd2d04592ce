// One link for each worker: the window talks to all of them here.
#pragma once

#include <memory>
#include <vector>

#include "app/gui/worker/worker_thread.hpp"

namespace attnscope::gui {

/// News and the worker that they come from, an index into the options.
struct DeviceEvent {
  size_t worker = 0;
  WorkerEvent news;
};

class WorkerThreads {
 public:
  explicit WorkerThreads(std::vector<WorkerThreadOptions>);
  ~WorkerThreads();

  size_t size() const { return links_.size(); }
  /// One more; its worker.
  size_t add(WorkerThreadOptions);
  /// Ends its worker, and waits for nothing; nothing comes of it any more. Its number is not given again.
  void end(size_t worker);
  /// nullptr: it was ended. A worker that was never sent a request is not started.
  WorkerThread* at(size_t worker) const { return worker < links_.size() ? links_[worker].get() : nullptr; }
  /// Of every worker.
  void cancel_jobs();
  std::vector<DeviceEvent> take();
  void on_news(const std::function<void()>& wake);

  /// Whether a worker that the window began with takes a batch now; whether all of them that did, wait to be let on.
  /// Those added later are waited for by nobody: one that falls silent holds up itself alone.
  bool sampling() const;
  bool sampling(size_t worker) const { return links_[worker] && links_[worker]->sampling(); }
  bool held() const;
  /// Lets on all that wait.
  void resume();
  /// The same of those added later alone.
  void resume_added();

 private:
  std::vector<std::unique_ptr<WorkerThread>> links_;  ///< none: it was ended
  std::vector<std::unique_ptr<WorkerThread>> ended_;  ///< told to end; waited for with the others
  size_t own_ = 0;                                    ///< of them: those that the window began with
  std::function<void()> wake_;
};

}  // namespace attnscope::gui
