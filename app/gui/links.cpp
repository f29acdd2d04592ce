#include "app/gui/links.hpp"

#include <algorithm>

namespace attnscope::gui {

Links::Links(std::vector<LinkOptions> options) : own_(options.size()) {
  for (LinkOptions& o : options) links_.push_back(std::make_unique<Link>(std::move(o)));
}

Links::~Links() {
  for (const auto& link : links_)
    if (link) link->quit();
}

size_t Links::add(LinkOptions options) {
  links_.push_back(std::make_unique<Link>(std::move(options)));
  links_.back()->on_news(wake_);
  return links_.size() - 1;
}

void Links::end(size_t worker) {
  if (!links_[worker]) return;
  links_[worker]->leave();
  links_[worker].reset();
}

Link* Links::at(size_t worker) const { return worker < links_.size() ? links_[worker].get() : nullptr; }

void Links::wish(size_t worker, const Wish& wish) {
  if (Link* link = at(worker)) link->wish(wish);
}

void Links::submit(size_t worker, const Job& job) {
  if (Link* link = at(worker)) link->submit(job);
}

void Links::cancel_jobs() {
  for (const auto& link : links_)
    if (link) link->cancel_job();
}

void Links::search(size_t worker, const Search& search) {
  if (Link* link = at(worker)) link->search(search);
}
void Links::cancel_search(size_t worker) {
  if (Link* link = at(worker)) link->cancel_search();
}
void Links::keep(size_t worker, uint64_t search) {
  if (Link* link = at(worker)) link->keep(search);
}

std::vector<Heard> Links::take() {
  std::vector<Heard> all;
  for (size_t i = 0; i < links_.size(); ++i)
    if (links_[i])
      for (News& news : links_[i]->take()) all.push_back({i, std::move(news)});
  return all;
}

void Links::on_news(const std::function<void()>& wake) {
  wake_ = wake;
  for (const auto& link : links_)
    if (link) link->on_news(wake);
}

bool Links::sampling() const {
  return std::any_of(links_.begin(), links_.begin() + std::ptrdiff_t(own_),
                     [](const auto& l) { return l && l->sampling(); });
}

bool Links::held() const {
  return !sampling() && std::any_of(links_.begin(), links_.begin() + std::ptrdiff_t(own_),
                                    [](const auto& l) { return l && l->held(); });
}

void Links::resume() {
  for (const auto& link : links_)
    if (link) link->resume();
}

void Links::resume_added() {
  for (size_t i = own_; i < links_.size(); ++i)
    if (links_[i]) links_[i]->resume();
}

}  // namespace attnscope::gui
