// One link for each worker: the window talks to all of them here.
#pragma once

#include "app/gui/worker/worker_thread.hpp"

namespace attnscope::gui {

/// News and the worker that they come from, an index into the options.
struct DeviceEvent {
  size_t worker = 0;
  WorkerEvent news;
};

class WorkerThreads {
 public:
  explicit WorkerThreads(std::vector<WorkerThreadOptions> options) : own_(options.size()) {
    for (WorkerThreadOptions& o : options) links_.push_back(WorkerThread::start(std::move(o)));
  }
  ~WorkerThreads() {
    for (size_t i = 0; i < links_.size(); ++i) end(i);
    for (const auto& link : ended_) link->join();
  }

  size_t size() const { return links_.size(); }
  /// One more; its worker.
  size_t add(WorkerThreadOptions options) {
    links_.push_back(WorkerThread::start(std::move(options)));
    links_.back()->on_news(wake_);
    return links_.size() - 1;
  }
  /// Ends its worker, and waits for nothing; nothing comes of it any more. Its number is not given again.
  void end(size_t worker) {
    if (!links_[worker]) return;
    links_[worker]->quit();
    ended_.push_back(std::move(links_[worker]));
  }
  /// nullptr: it was ended. A worker that was never sent a request is not started.
  WorkerThread* at(size_t worker) const { return worker < links_.size() ? links_[worker].get() : nullptr; }
  /// Of every worker.
  void cancel_jobs() {
    each([](WorkerThread& link) { link.cancel_job(); });
  }
  std::vector<DeviceEvent> take() {
    std::erase_if(ended_, [](const auto& link) {
      const bool finished = link->finished();
      if (finished) link->join();
      return finished;
    });
    std::vector<DeviceEvent> all;
    for (size_t i = 0; i < links_.size(); ++i)
      if (links_[i])
        for (WorkerEvent& news : links_[i]->take()) all.push_back({i, std::move(news)});
    return all;
  }
  void on_news(const std::function<void()>& wake) {
    wake_ = wake;
    each([&](WorkerThread& link) { link.on_news(wake); });
  }

  /// Whether a worker that the window began with takes a batch now; whether all of them that did, wait to be let on.
  /// Those added later are waited for by nobody: one that falls silent holds up itself alone.
  bool sampling() const {
    return std::any_of(links_.begin(), links_.begin() + std::ptrdiff_t(own_),
                       [](const auto& l) { return l && l->sampling(); });
  }
  bool sampling(size_t worker) const { return links_[worker] && links_[worker]->sampling(); }
  bool held() const {
    return !sampling() && std::any_of(links_.begin(), links_.begin() + std::ptrdiff_t(own_),
                                      [](const auto& l) { return l && l->held(); });
  }
  /// Lets on all that wait.
  void resume() {
    each([](WorkerThread& link) { link.resume(); });
  }
  /// The same of those added later alone.
  void resume_added() {
    each([](WorkerThread& link) { link.resume(); }, own_);
  }

 private:
  template <class Call>
  void each(const Call& call, size_t from = 0) {
    for (size_t i = from; i < links_.size(); ++i)
      if (links_[i]) call(*links_[i]);
  }
  std::vector<std::shared_ptr<WorkerThread>> links_;  ///< none: it was ended
  std::vector<std::shared_ptr<WorkerThread>> ended_;  ///< told to end, and not joined yet
  size_t own_ = 0;                                    ///< of links_: those that the window began with
  std::function<void()> wake_;
};

}  // namespace attnscope::gui
