#include "app/gui/link.hpp"

#include <chrono>
#include <thread>

#include "app/gui/link_core.hpp"

namespace attnscope::gui {

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

bool of_one_run(const Wish& a, const Wish& b) {
  return a.ask == b.ask && a.modes == b.modes && a.device == b.device && a.attempt == b.attempt &&
         a.sources == b.sources;
}

News end_of(const Job& job, const std::string& why) {
  if (job.errors) return ErrorsKnown{job.id, nullptr, why};
  if (job.versions) return VersionsRaced{job.id, "", {}, why};
  if (job.rivals) return RivalsRaced{job.id, "", {}, why};
  return JobStep{job.id, job.items.size(), job.items.size(), {}, {}};
}

Link::Link(LinkOptions options) : core_(std::make_shared<Core>(std::move(options))) {
  // The thread shares the core: a worker that never answers must not keep the window from closing.
  std::thread([core = core_] {
    std::thread searches([core] { core->search_loop(); });
    core->loop();
    searches.join();
    core->session.reset();
    const std::lock_guard lock(core->mutex);
    core->finished = true;
    core->changed.notify_all();
  }).detach();
}

void Link::quit() {
  const std::lock_guard lock(core_->mutex);
  if (!core_->quit) core_->quit_at = std::chrono::steady_clock::now();
  core_->quit = true;
  core_->cancel = core_->cancel_job = core_->cancel_search = true;
  core_->wake = nullptr;
  if (core_->options.ending) *core_->options.ending = true;
  core_->changed.notify_all();
}

void Link::leave() {
  quit();
  core_.reset();
}

Link::~Link() {
  if (!core_) return;  // moved from, or left
  quit();
  std::unique_lock lock(core_->mutex);
  // From when it was told to end: of many that hang, each has its two seconds at the same time.
  core_->changed.wait_until(lock, core_->quit_at + std::chrono::seconds(2), [&] { return core_->finished; });
}

void Link::wish(const Wish& wish) {
  const std::lock_guard lock(core_->mutex);
  if (core_->wished == wish) return;
  // A tab that is clicked, say, is no reason to end a run: its worker may be busy for longer than it is waited for.
  const bool goes_on = core_->wished && core_->wished->run == wish.run && core_->wished->choose == wish.choose &&
                       core_->wished->automatic == wish.automatic && of_one_run(*core_->wished, wish);
  core_->wished = wish;
  core_->wished_at = steady_seconds();
  if (!core_->in_job && !goes_on) core_->cancel = true;
  core_->changed.notify_all();
}

void Link::submit(const Job& job) {
  const std::lock_guard lock(core_->mutex);
  core_->jobs.push_back(job);
  core_->cancel_job = false;
  if (!core_->in_job) core_->cancel = true;
  core_->changed.notify_all();
}

void Link::cancel_job() {
  const std::lock_guard lock(core_->mutex);
  for (const Job& dropped : core_->jobs) core_->news.push_back(end_of(dropped, "It was cancelled."));
  core_->jobs.clear();
  core_->cancel_job = true;
  if (core_->in_job) core_->cancel = true;
  core_->changed.notify_all();
}

void Link::search(const Search& search) {
  const std::lock_guard lock(core_->mutex);
  if (core_->search) core_->news.push_back(SearchNews{core_->search->id, SearchEnded{"Another one was begun.", {}}});
  core_->search = search;
  if (core_->searching) core_->cancel_search = true;
  if (!search.look_only && !core_->in_job) core_->cancel = true;
  core_->changed.notify_all();
}

void Link::cancel_search() {
  const std::lock_guard lock(core_->mutex);
  if (core_->search) core_->news.push_back(SearchNews{core_->search->id, SearchEnded{{}, {}}});
  core_->search.reset();
  core_->cancel_search = true;
  core_->changed.notify_all();
}

void Link::keep(uint64_t search) {
  const std::lock_guard lock(core_->mutex);
  core_->keep = search;
  core_->changed.notify_all();
}

std::deque<News> Link::take() {
  const std::lock_guard lock(core_->mutex);
  return std::exchange(core_->news, {});
}

void Link::on_news(std::function<void()> wake) {
  const std::lock_guard lock(core_->mutex);
  core_->wake = std::move(wake);
}

bool Link::sampling() const { return core_->gate == Core::Gate::sampling; }
bool Link::held() const { return core_->gate == Core::Gate::held; }

void Link::resume() {
  const std::lock_guard lock(core_->mutex);
  if (core_->gate == Core::Gate::held) core_->gate = Core::Gate::sampling;
  core_->changed.notify_all();
}

}  // namespace attnscope::gui
