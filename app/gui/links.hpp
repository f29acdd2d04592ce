// One link for each worker: the window talks to all of them here.
#pragma once

#include <string>
#include <vector>

#include "app/gui/link.hpp"

namespace attnscope::gui {

/// News and the worker that they come from, an index into the options.
struct Heard {
  size_t worker = 0;
  News news;
};

class Links {
 public:
  explicit Links(std::vector<LinkOptions>);
  ~Links();

  size_t size() const { return links_.size(); }
  /// One more; its worker.
  size_t add(LinkOptions);
  /// Ends its worker; nothing comes of it any more. Its number is not given again.
  void end(size_t worker);
  /// A worker that was never wished anything of is not started.
  void wish(size_t worker, const Wish&);
  void submit(size_t worker, const Job&);
  /// Of every worker.
  void cancel_jobs();
  void search(size_t worker, const Search&);
  void cancel_search(size_t worker);
  void keep(size_t worker, uint64_t search);
  std::vector<Heard> take();
  void on_news(const std::function<void()>& wake);

  /// Whether any worker takes a batch now; whether all that were, wait to be let on.
  bool sampling() const;
  bool sampling(size_t worker) const { return links_[worker].sampling(); }
  bool held() const;
  void resume();

 private:
  std::vector<Link> links_;
  std::function<void()> wake_;
};

}  // namespace attnscope::gui
