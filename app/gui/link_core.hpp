// What a link's thread and its callers share.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <set>

#include "app/gui/link.hpp"

namespace attnscope::gui {

struct Link::Core {
  enum class Gate { idle, sampling, held };

  explicit Core(LinkOptions o) : options(std::move(o)) {}

  // Any thread.
  void post(News);
  bool newer(const Wish&);

  // The link's thread.
  void loop();
  bool open(const Wish&);
  void read_variants(const Wish&);
  void inspect(const Wish&);
  void check_variants(const Wish&);
  void look_around(const Wish&);
  void read_peaks(const Wish&);
  bool settled(const Wish&);
  bool was_lost(const Wish&) const;
  bool still_asked(const Wish&);
  void run_live(const Wish&);
  void run_job(const Job&);
  void race_versions(const Job&);
  void race_rivals(const Job&);
  void map_errors(const Job&);
  RunRequest request_of(const Ask&, const Modes&, bool quiet) const;
  /// Runs with the gate around its batches; a worker that is gone becomes a Record with Outcome::error.
  Record run(const RunRequest&, const std::function<void(const Event&)>&);
  void hold();
  /// Ends a search before its session is opened or loaded anew; `why` for a person.
  void end_search(const std::string& why);
  /// Searches may begin: of what is opened and loaded.
  void ready_to_search();
  void look_up_tuned(const Wish&);
  std::optional<tune::TunedMatch> tuned_for(const Problem&, const std::string& variant, const Modes&);

  // The thread of searches.
  void search_loop();
  void run_search(const Search&, const search::Place&);
  void keep_found(uint64_t id, const std::vector<VariantSource>&);

  // Any thread, with the mutex held.
  bool measures() const {
    const auto is = [](const std::optional<Search>& s) { return s && !s->look_only; };
    return is(search) || is(searching);
  }

  const LinkOptions options;

  std::mutex mutex;
  std::condition_variable changed;  ///< a new wish, a job, a resume or the end
  std::optional<Wish> wished;
  double wished_at = 0;
  std::deque<Job> jobs;
  std::deque<News> news;
  std::function<void()> wake;
  bool quit = false, finished = false;
  std::chrono::steady_clock::time_point quit_at;  ///< when it was told to
  bool in_job = false;
  std::atomic<bool> cancel = false;  ///< of the run in flight
  std::atomic<bool> cancel_job = false;
  std::atomic<Gate> gate = Gate::idle;
  std::optional<Search> search;                               ///< to be begun
  std::optional<Search> searching;                            ///< going on
  std::string search_ended_by;                                ///< why end_search() cancelled it
  std::atomic<bool> cancel_search = false;                    ///< of the one going on
  std::optional<uint64_t> keep;                               ///< the search whose result is to be kept
  std::optional<search::Place> place;                         ///< what searches may use; empty while that changes
  std::shared_ptr<const std::vector<VariantSource>> sources;  ///< as loaded
  bool sampling = false;                                      ///< a live run is in flight
  bool again = false;                                         ///< the wish is to be served once more: a search is over
  bool tuned_old = true;                                      ///< the tuning cache may have changed since it was read

  // Done already; of the link's thread alone.
  std::unique_ptr<Session> session;
  std::optional<Wish> served, opened, loaded;
  std::optional<Wish> lost_over;  ///< the worker was lost over it: not dispatched again whatever else is wished with it
  DeviceInfo device;
  std::vector<VariantInfo> variants;
  std::shared_ptr<const std::vector<LoadedVariant>> texts;  ///< of the variants
  std::optional<Ask> inspected;
  std::optional<std::pair<Ask, Modes>> tuned_told;  ///< without the config
  search::TunedTables tables;
  bool legal = false;
  std::optional<Ask> around;                              ///< that was looked around last
  bool peaks_asked = false;                               ///< for what is kept of the open device
  uint64_t peaks_done = 0;                                ///< Wish::peaks that was served
  std::set<std::pair<std::string, std::string>> checked;  ///< (variant, problem) already reported for this device

  // Of the thread of searches alone.
  struct {
    uint64_t id = 0;
    std::shared_ptr<const search::SearchOutcome> outcome;
    search::Place place;  ///< it was made there, whatever is open now
  } last_search;
};

/// Whether both are served by the same run, by what it is of. What else they wish waits for the end of a batch: nothing
/// is broken off for it.
bool of_one_run(const Wish&, const Wish&);

/// What tells of a job that came to nothing.
News end_of(const Job&, const std::string& why);

/// Seconds of a steady clock.
double steady_seconds();

}  // namespace attnscope::gui
