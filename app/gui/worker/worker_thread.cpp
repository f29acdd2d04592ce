#include "app/gui/worker/worker_thread.hpp"

#include "app/gui/worker/worker_thread_core.hpp"

namespace attnscope {
namespace {

std::atomic<int> threads_running = 0;

}  // namespace

bool threads_left() { return threads_running > 0; }

namespace gui {

double steady_seconds() { return seconds_since({}); }

bool of_one_run(const WorkerRequest& a, const WorkerRequest& b) {
  return a.selection == b.selection && a.modes == b.modes && a.device == b.device && a.attempt == b.attempt &&
         a.sources == b.sources;
}

WorkerEvent end_of(const Job& job, const std::string& why) {
  if (job.as<ErrorMapRequest>()) return ErrorsKnown{job.id, nullptr, why};
  if (job.as<Job::Race>() || job.as<RaceRequest>()) return Raced{job.id, "", {}, why};
  const size_t count = job.as<Job::Items>()->size();
  return JobStep{job.id, count, count, {}, {}};
}

WorkerThread::WorkerThread(WorkerThreadOptions options) : core_(std::make_shared<Core>(std::move(options))) {
  // The thread shares the core: a worker that never answers must not keep the window from closing.
  ++threads_running;
  thread_ = std::thread([core = core_]() mutable {
    std::thread searches([&core] { core->search_loop(); });
    core->loop();
    searches.join();
    core->session.reset();
    {
      const std::lock_guard lock(core->mutex);
      core->finished = true;
      core->changed.notify_all();
    }
    core.reset();
    --threads_running;
  });
}

void WorkerThread::quit() {
  const std::lock_guard lock(core_->mutex);
  if (!core_->quit) core_->quit_at = std::chrono::steady_clock::now();
  core_->quit = true;
  core_->cancel = core_->cancel_job = core_->cancel_search = true;
  core_->wake = nullptr;
  if (core_->options.ending) *core_->options.ending = true;
  core_->changed.notify_all();
}

bool WorkerThread::finished() const {
  const std::lock_guard lock(core_->mutex);
  return core_->finished;
}

WorkerThread::~WorkerThread() {
  if (!core_) return;  // moved from
  quit();
  bool ended = false;
  {
    std::unique_lock lock(core_->mutex);
    // From when it was told to end: of many that hang, each has its two seconds at the same time.
    ended = core_->changed.wait_until(lock, core_->quit_at + std::chrono::seconds(2), [&] { return core_->finished; });
  }
  ended ? thread_.join() : thread_.detach();
}

void WorkerThread::request(const WorkerRequest& request) {
  const std::lock_guard lock(core_->mutex);
  if (core_->requested == request) return;
  // A tab that is clicked, say, is no reason to end a run: its worker may be busy for longer than it is waited for.
  const bool goes_on = core_->requested && core_->requested->run == request.run &&
                       core_->requested->choose == request.choose && core_->requested->automatic == request.automatic &&
                       of_one_run(*core_->requested, request);
  if (core_->starting && core_->options.abandon && core_->requested &&
      (core_->requested->attempt != request.attempt || core_->requested->sources != request.sources ||
       core_->requested->device != request.device))
    *core_->options.abandon = true;
  core_->requested = request;
  core_->wished_at = steady_seconds();
  if (!core_->in_job && !goes_on) core_->cancel = true;
  core_->changed.notify_all();
}

void WorkerThread::submit(const Job& job) {
  const std::lock_guard lock(core_->mutex);
  core_->jobs.push_back(job);
  core_->cancel_job = false;
  if (!core_->in_job) core_->cancel = true;
  core_->changed.notify_all();
}

void WorkerThread::cancel_job() {
  std::deque<Job> dropped;
  {
    const std::lock_guard lock(core_->mutex);
    dropped = std::exchange(core_->jobs, {});
    core_->cancel_job = true;
    if (core_->in_job) core_->cancel = true;
    core_->changed.notify_all();
  }
  for (const Job& job : dropped) core_->post(end_of(job, "It was cancelled."));
}

void WorkerThread::search(const Search& search) {
  std::optional<Search> dropped;
  {
    const std::lock_guard lock(core_->mutex);
    dropped = std::exchange(core_->search, search);
    if (core_->searching) core_->cancel_search = true;
    if (!search.look_only && !core_->in_job) core_->cancel = true;
    core_->changed.notify_all();
  }
  if (dropped) core_->post(SearchNews{dropped->id, SearchEnded{"Another one was begun.", {}}});
}

void WorkerThread::cancel_search() {
  std::optional<Search> dropped;
  {
    const std::lock_guard lock(core_->mutex);
    dropped = std::exchange(core_->search, std::nullopt);
    core_->cancel_search = true;
    core_->changed.notify_all();
  }
  if (dropped) core_->post(SearchNews{dropped->id, SearchEnded{{}, {}}});
}

void WorkerThread::keep(uint64_t search) {
  const std::lock_guard lock(core_->mutex);
  core_->keep = search;
  core_->changed.notify_all();
}

std::deque<WorkerEvent> WorkerThread::take() {
  const std::lock_guard lock(core_->mutex);
  return std::exchange(core_->news, {});
}

void WorkerThread::on_news(std::function<void()> wake) {
  const std::lock_guard lock(core_->mutex);
  core_->wake = std::move(wake);
}

bool WorkerThread::sampling() const { return core_->gate == Core::Gate::sampling; }
bool WorkerThread::held() const { return core_->gate == Core::Gate::held; }

void WorkerThread::resume() {
  const std::lock_guard lock(core_->mutex);
  if (core_->gate == Core::Gate::held) core_->gate = Core::Gate::sampling;
  core_->changed.notify_all();
}

}  // namespace gui
}  // namespace attnscope
