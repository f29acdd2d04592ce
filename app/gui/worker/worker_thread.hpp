// The thread that owns one worker's session: it turns requests into inspections and runs, and streams what comes back
// as news. Searches have a thread of their own beside it, so that what is asked meanwhile is inspected.
#pragma once

#include <condition_variable>
#include <deque>
#include <thread>

#include "app/gui/gui.hpp"
#include "app/gui/worker/messages.hpp"

namespace attnscope::gui {

struct WorkerThreadOptions {
  std::function<std::unique_ptr<Session>()> session;  ///< called on the worker thread, at the first request
  std::string name;                                   ///< of the worker, for a person; "" = this machine's own
  /// Set when it is told to end: what the session waits for without a cancel of its own (WorkerOptions::cancel).
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

/// None of the calls waits for a device or a compiler, but join(). All may come from any thread. They know nothing of
/// each other: two workers measure at the same time.
class WorkerThread {
 public:
  /// Shared with the thread itself: a worker that never answers must not keep the window from closing.
  static std::shared_ptr<WorkerThread> start(WorkerThreadOptions);
  explicit WorkerThread(WorkerThreadOptions o) : options_(std::move(o)) {}

  /// Cancels what runs and ends the worker.
  void quit();
  /// Waits for the threads until two seconds after quit(); later they are left behind (threads_left()).
  void join();
  /// Its threads have ended: join() waits for nothing.
  bool finished() const {
    const std::lock_guard lock(mutex_);
    return finished_;
  }
  void request(const WorkerRequest&);
  void submit(const Job&);
  void cancel_job();
  /// Replaces the last. Meanwhile nothing is sampled live, but requests are inspected; a new device or shaders end it.
  void search(const Search&);
  void cancel_search();
  /// What the last search found, into the tuning cache.
  void keep(uint64_t search);
  std::deque<WorkerEvent> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(news_, {});
  }
  /// `wake` is called from the worker thread when there is something to take (for a window that waits for events).
  void on_news(std::function<void()> wake) {
    const std::lock_guard lock(mutex_);
    wake_ = std::move(wake);
  }

  /// The gate of paced runs: a batch is being taken, or the worker waits to be let on.
  bool sampling() const { return gate_ == Gate::sampling; }
  bool held() const { return gate_ == Gate::held; }
  void resume() {
    const std::lock_guard lock(mutex_);
    if (gate_ == Gate::held) gate_ = Gate::sampling;
    changed_.notify_all();
  }

 private:
  enum class Gate { idle, sampling, held };

  // Any thread.
  void post(WorkerEvent);
  bool newer(const WorkerRequest&);

  // The worker thread.
  void loop();
  bool open(const WorkerRequest&);
  /// Tells of it; false.
  bool failed(const char* what, const Error&);
  bool read_variants(const WorkerRequest&);
  void inspect(const WorkerRequest&);
  void choose_automatic(const WorkerRequest&);
  void choose_config(const WorkerRequest&);
  void check_variants(const WorkerRequest&);
  void plan_neighbours(const WorkerRequest&);
  void read_peaks(const WorkerRequest&);
  bool settled(const WorkerRequest&);
  bool was_lost(const WorkerRequest&) const;
  bool still_asked(const WorkerRequest&);
  /// Tells what a newer request of the run in flight wants beside it, and serves that from then on; false: it wants
  /// more.
  bool told_meanwhile(WorkerRequest& served);
  void run_live(WorkerRequest& served);
  void run_job(const Job&);
  JobEvent take_turns(const Job&, RaceRequest);
  void race_versions(const Job&, const Job::Race&);
  void map_errors(const Job&, const ErrorMapRequest&);
  RunRequest request_of(const Selection&, const Modes&, bool quiet);
  /// Events with the gate around the batches of what is paced, until `cancel`; both outlive it.
  EventSink through_gate(bool paced, const EventSink& sink, const std::atomic<bool>& cancel);
  /// A worker that is gone becomes a Record with Outcome::error.
  Record run(const RunRequest&, const EventSink&);
  void hold(const std::atomic<bool>& cancel);
  /// Ends a search before its session is opened or loaded anew; `why` for a person.
  void end_search(const std::string& why);
  /// Searches may begin: of what is opened and loaded.
  void ready_to_search();
  void look_up_tuned(const WorkerRequest&);
  std::optional<tune::TunedMatch> tuned_for(const Problem&, const std::string& variant, const Modes&);
  const VariantInfo* variant(const std::string& name) const { return find_by(variants_, name, &VariantInfo::name); }

  // The thread of searches.
  void search_loop();
  void run_search(const Search&, const search::SearchDevice&);
  void keep_found(uint64_t id, const std::vector<VariantSource>&);

  /// With the mutex held; whoever waits looks again.
  auto change(const auto& what) {
    const std::lock_guard lock(mutex_);
    changed_.notify_all();
    return what();
  }
  // Any thread, with the mutex held.
  bool measures() const {
    const auto is = [](const std::optional<Search>& s) { return s && !s->look_only; };
    return is(search_) || is(searching_);
  }

  const WorkerThreadOptions options_;
  std::thread thread_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;  ///< a new request, a job, a resume or the end
  std::optional<WorkerRequest> requested_;
  double wished_at_ = 0;
  std::deque<Job> jobs_;
  std::deque<WorkerEvent> news_;
  std::function<void()> wake_;
  bool quit_ = false, finished_ = false;
  std::chrono::steady_clock::time_point quit_at_;  ///< when it was told to
  bool in_job_ = false;
  bool starting_ = false;             ///< the device is being opened, or its shaders loaded
  std::atomic<bool> cancel_ = false;  ///< of the run in flight
  std::atomic<bool> cancel_job_ = false;
  std::atomic<Gate> gate_ = Gate::idle;
  std::optional<Search> search_;                               ///< to be begun
  std::optional<Search> searching_;                            ///< going on
  std::string search_ended_by_;                                ///< why end_search() cancelled it
  std::atomic<bool> cancel_search_ = false;                    ///< of the one going on
  std::optional<uint64_t> keep_;                               ///< the search whose result is to be kept
  std::optional<search::SearchDevice> place_;                  ///< what searches may use; empty while that changes
  std::shared_ptr<const std::vector<VariantSource>> sources_;  ///< as loaded
  bool sampling_ = false;                                      ///< a live run is in flight
  bool again_ = false;     ///< the request is to be served once more: a search is over
  bool tuned_old_ = true;  ///< the tuning cache may have changed since it was read

  // Done already; of the worker thread alone.
  std::unique_ptr<Session> session_;
  std::optional<WorkerRequest> served_, opened_;
  std::optional<WorkerRequest> loaded_;      ///< what the variants were read for
  std::optional<WorkerRequest> not_loaded_;  ///< reading them failed; not tried again before another attempt or reading
  /// The worker was lost over it: not dispatched again before another request, attempt or shader.
  std::optional<WorkerRequest> lost_over_;
  std::string lost_hash_;  ///< of the shader
  DeviceInfo device_;
  std::vector<VariantInfo> variants_;
  std::shared_ptr<const std::vector<LoadedVariant>> texts_;  ///< of the variants
  /// What the window knows of the open device and the variants as they are loaded.
  struct {
    std::optional<Selection> inspected, around;
    std::optional<std::pair<Selection, Modes>> tuned;       ///< without the config
    std::set<std::pair<std::string, std::string>> checked;  ///< variant and problem
  } told_;
  search::TunedTables tables_;
  Predictor predictor_;  ///< by the models of `tables`
  bool legal_ = false;
  bool peaks_asked_ = false;  ///< for what is kept of the open device
  uint64_t peaks_done_ = 0;   ///< WorkerRequest::peaks that was served

  // Of the thread of searches alone.
  struct {
    uint64_t id = 0;
    std::shared_ptr<const search::SearchOutcome> outcome;
    search::SearchDevice place;  ///< it was made there, whatever is open now
  } last_search_;
};

double steady_seconds();

// One link for each worker: the window talks to all of them here.

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
  void resume() {
    each([](WorkerThread& link) { link.resume(); });
  }
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
