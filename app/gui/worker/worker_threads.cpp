#include "app/gui/worker/worker_threads.hpp"

#include <algorithm>

namespace attnscope::gui {

WorkerThreads::WorkerThreads(std::vector<WorkerThreadOptions> options) : own_(options.size()) {
  for (WorkerThreadOptions& o : options) links_.push_back(std::make_unique<WorkerThread>(std::move(o)));
}

WorkerThreads::~WorkerThreads() {
  for (const auto& link : links_)
    if (link) link->quit();
}

size_t WorkerThreads::add(WorkerThreadOptions options) {
  links_.push_back(std::make_unique<WorkerThread>(std::move(options)));
  links_.back()->on_news(wake_);
  return links_.size() - 1;
}

void WorkerThreads::end(size_t worker) {
  if (!links_[worker]) return;
  links_[worker]->quit();
  ended_.push_back(std::move(links_[worker]));
}

void WorkerThreads::cancel_jobs() {
  for (const auto& link : links_)
    if (link) link->cancel_job();
}

std::vector<DeviceEvent> WorkerThreads::take() {
  std::erase_if(ended_, [](const auto& link) { return link->finished(); });
  std::vector<DeviceEvent> all;
  for (size_t i = 0; i < links_.size(); ++i)
    if (links_[i])
      for (WorkerEvent& news : links_[i]->take()) all.push_back({i, std::move(news)});
  return all;
}

void WorkerThreads::on_news(const std::function<void()>& wake) {
  wake_ = wake;
  for (const auto& link : links_)
    if (link) link->on_news(wake);
}

bool WorkerThreads::sampling() const {
  return std::any_of(links_.begin(), links_.begin() + std::ptrdiff_t(own_),
                     [](const auto& l) { return l && l->sampling(); });
}

bool WorkerThreads::held() const {
  return !sampling() && std::any_of(links_.begin(), links_.begin() + std::ptrdiff_t(own_),
                                    [](const auto& l) { return l && l->held(); });
}

void WorkerThreads::resume() {
  for (const auto& link : links_)
    if (link) link->resume();
}

void WorkerThreads::resume_added() {
  for (size_t i = own_; i < links_.size(); ++i)
    if (links_[i]) links_[i]->resume();
}

}  // namespace attnscope::gui
