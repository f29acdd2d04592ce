// What a link's thread and its callers share.
#pragma once

#include <condition_variable>

#include "app/gui/worker/worker_thread.hpp"

namespace attnscope::gui {

struct WorkerThread::Core {
  enum class Gate { idle, sampling, held };

  explicit Core(WorkerThreadOptions o) : options(std::move(o)) {}

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
  void check_variants(const WorkerRequest&);
  void plan_neighbours(const WorkerRequest&);
  void read_peaks(const WorkerRequest&);
  bool settled(const WorkerRequest&);
  bool was_lost(const WorkerRequest&) const;
  bool still_asked(const WorkerRequest&);
  void run_live(const WorkerRequest&);
  void run_job(const Job&);
  Raced take_turns(uint64_t job, const RaceRequest&);
  void race_versions(const Job&, const Job::Race&);
  void map_errors(const Job&, const ErrorMapRequest&);
  RunRequest request_of(const Selection&, const Modes&, bool quiet);
  /// Runs with the gate around its batches; a worker that is gone becomes a Record with Outcome::error.
  Record run(const RunRequest&, const std::function<void(const Event&)>&);
  void hold();
  /// Ends a search before its session is opened or loaded anew; `why` for a person.
  void end_search(const std::string& why);
  /// Searches may begin: of what is opened and loaded.
  void ready_to_search();
  void look_up_tuned(const WorkerRequest&);
  std::optional<tune::TunedMatch> tuned_for(const Problem&, const std::string& variant, const Modes&);

  // The thread of searches.
  void search_loop();
  void run_search(const Search&, const search::SearchDevice&);
  void keep_found(uint64_t id, const std::vector<VariantSource>&);

  // Any thread, with the mutex held.
  bool measures() const {
    const auto is = [](const std::optional<Search>& s) { return s && !s->look_only; };
    return is(search) || is(searching);
  }

  const WorkerThreadOptions options;

  std::mutex mutex;
  std::condition_variable changed;  ///< a new request, a job, a resume or the end
  std::optional<WorkerRequest> requested;
  double wished_at = 0;
  std::deque<Job> jobs;
  std::deque<WorkerEvent> news;
  std::function<void()> wake;
  bool quit = false, finished = false;
  std::chrono::steady_clock::time_point quit_at;  ///< when it was told to
  bool in_job = false;
  bool starting = false;             ///< the device is being opened, or its shaders loaded
  std::atomic<bool> cancel = false;  ///< of the run in flight
  std::atomic<bool> cancel_job = false;
  std::atomic<Gate> gate = Gate::idle;
  std::optional<Search> search;                               ///< to be begun
  std::optional<Search> searching;                            ///< going on
  std::string search_ended_by;                                ///< why end_search() cancelled it
  std::atomic<bool> cancel_search = false;                    ///< of the one going on
  std::optional<uint64_t> keep;                               ///< the search whose result is to be kept
  std::optional<search::SearchDevice> place;                  ///< what searches may use; empty while that changes
  std::shared_ptr<const std::vector<VariantSource>> sources;  ///< as loaded
  bool sampling = false;                                      ///< a live run is in flight
  bool again = false;     ///< the request is to be served once more: a search is over
  bool tuned_old = true;  ///< the tuning cache may have changed since it was read

  // Done already; of the worker thread alone.
  std::unique_ptr<Session> session;
  std::optional<WorkerRequest> served, opened;
  std::optional<WorkerRequest> loaded;      ///< what the variants were read for
  std::optional<WorkerRequest> not_loaded;  ///< reading them failed; not tried again before another attempt or reading
  std::optional<WorkerRequest>
      lost_over;  ///< the worker was lost over it: not dispatched again whatever else is requested with it
  DeviceInfo device;
  std::vector<VariantInfo> variants;
  std::shared_ptr<const std::vector<LoadedVariant>> texts;  ///< of the variants
  /// What the window knows of the open device and the variants as they are loaded.
  struct {
    std::optional<Selection> inspected, around;
    std::optional<std::pair<Selection, Modes>> tuned;       ///< without the config
    std::set<std::pair<std::string, std::string>> checked;  ///< variant and problem
  } told;
  search::TunedTables tables;
  Predictor predictor;  ///< by the models of `tables`
  bool legal = false;
  bool peaks_asked = false;  ///< for what is kept of the open device
  uint64_t peaks_done = 0;   ///< WorkerRequest::peaks that was served

  // Of the thread of searches alone.
  struct {
    uint64_t id = 0;
    std::shared_ptr<const search::SearchOutcome> outcome;
    search::SearchDevice place;  ///< it was made there, whatever is open now
  } last_search;
};

/// Whether both are served by the same run, by what it is of. What else they ask for waits for the end of a batch:
/// nothing is broken off for it.
bool of_one_run(const WorkerRequest&, const WorkerRequest&);

/// What tells of a job that came to nothing.
WorkerEvent end_of(const Job&, const std::string& why);

/// Seconds of a steady clock.
double steady_seconds();

}  // namespace attnscope::gui
