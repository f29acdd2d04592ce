// What a link's thread and its callers share.
#pragma once

#include <atomic>
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
  void run_live(const Wish&);
  void run_job(const Job&);
  RunRequest request_of(const Ask&, const Modes&, bool quiet) const;
  /// Runs with the gate around its batches; a worker that is gone becomes a Record with Outcome::error.
  Record run(const RunRequest&, const std::function<void(const Event&)>&);
  void hold();

  const LinkOptions options;

  std::mutex mutex;
  std::condition_variable changed;  ///< a new wish, a job, a resume or the end
  std::optional<Wish> wished;
  double wished_at = 0;
  std::deque<Job> jobs;
  std::deque<News> news;
  std::function<void()> wake;
  bool quit = false, finished = false;
  bool in_job = false;
  std::atomic<bool> cancel = false;  ///< of the run in flight
  std::atomic<bool> cancel_job = false;
  std::atomic<Gate> gate = Gate::idle;

  // Done already; of the link's thread alone.
  std::unique_ptr<Session> session;
  std::optional<Wish> served, opened, loaded;
  DeviceInfo device;
  std::vector<VariantInfo> variants;
  std::optional<Ask> inspected;
  bool legal = false;
  std::optional<Ask> around;                              ///< that was looked around last
  bool peaks_asked = false;                               ///< for what is kept of the open device
  uint64_t peaks_done = 0;                                ///< Wish::peaks that was served
  std::set<std::pair<std::string, std::string>> checked;  ///< (variant, problem) already reported for this device
};

/// Seconds of a steady clock.
double steady_seconds();

}  // namespace attnscope::gui
