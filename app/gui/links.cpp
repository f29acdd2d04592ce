#include "app/gui/links.hpp"

#include <algorithm>

namespace attnscope::gui {

Links::Links(std::vector<LinkOptions> options) {
  links_.reserve(options.size());
  for (LinkOptions& o : options) links_.emplace_back(std::move(o));
}

Links::~Links() {
  for (Link& link : links_) link.quit();
}

size_t Links::add(LinkOptions options) {
  links_.emplace_back(std::move(options));
  links_.back().on_news(wake_);
  return links_.size() - 1;
}

void Links::end(size_t worker) { links_[worker].quit(); }

void Links::wish(size_t worker, const Wish& wish) {
  if (worker < links_.size()) links_[worker].wish(wish);
}

void Links::submit(size_t worker, const Job& job) {
  if (worker < links_.size()) links_[worker].submit(job);
}

void Links::cancel_jobs() {
  for (Link& link : links_) link.cancel_job();
}

void Links::search(size_t worker, const Search& search) { links_[worker].search(search); }
void Links::cancel_search(size_t worker) { links_[worker].cancel_search(); }
void Links::keep(size_t worker, uint64_t search) { links_[worker].keep(search); }

std::vector<Heard> Links::take() {
  std::vector<Heard> all;
  for (size_t i = 0; i < links_.size(); ++i)
    for (News& news : links_[i].take()) all.push_back({i, std::move(news)});
  return all;
}

void Links::on_news(const std::function<void()>& wake) {
  wake_ = wake;
  for (Link& link : links_) link.on_news(wake);
}

bool Links::sampling() const {
  return std::any_of(links_.begin(), links_.end(), [](const Link& l) { return l.sampling(); });
}

bool Links::held() const {
  return !sampling() && std::any_of(links_.begin(), links_.end(), [](const Link& l) { return l.held(); });
}

void Links::resume() {
  for (Link& link : links_) link.resume();
}

}  // namespace attnscope::gui
