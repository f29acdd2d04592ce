// Configs kept for comparison: their records as they were when pinned.
#pragma once

#include "app/gui/worker/memo.hpp"
#include "app/gui/worker/selection.hpp"
#include "app/gui/worker/series.hpp"

namespace attnscope::gui {

struct Pin {
  uint64_t id = 0;
  size_t slot = 0;  ///< colour and dash, the same for as long as it lives
  bool shown = true;
  std::shared_ptr<const Record> record;
  RunId run;
  std::string dataset = {};  ///< the file that it is a row of; "" = a person's own pin
  bool operator==(const Pin&) const = default;
};

/// By which its remarks are kept: a row of a file has its own, whatever else is of that run.
inline std::string remark_key(const Pin& p) { return (p.dataset.empty() ? "" : p.dataset + "|") + to_text(p.run); }

class Pins {
 public:
  const std::vector<Pin>& all() const { return pins_; }
  bool empty() const { return pins_.empty(); }
  /// In the first free slot unless the one that is asked for is free.
  const Pin& add(Record record, std::optional<size_t> slot = {}, bool shown = true, const std::string& dataset = "") {
    RunId run = run_id(record);
    ++version_;
    return pins_.emplace_back(Pin{next_id_++, !slot || taken(*slot) ? free_slot() : *slot, shown,
                                  std::make_shared<const Record>(std::move(record)), std::move(run), dataset});
  }
  /// The measured records of a file as rows of a dataset; no plot shows them until a person does.
  void open(const std::string& dataset, const std::vector<Record>& records) {
    // Beyond those of pins, so that a file takes no pin's colour.
    constexpr size_t kSlots = size_t{1} << 20;
    for (const Record& r : records)
      if (r.outcome == Outcome::measured && r.statistics) add(r, kSlots + next_id_, false, dataset);
  }
  void show(uint64_t id, bool shown) {
    if (Pin* pin = find_by(pins_, id, &Pin::id)) pin->shown = shown;
  }
  /// What is taken out can be put back, in its old place and colour.
  std::vector<Pin> remove(const std::function<bool(const Pin&)>& which) {
    std::vector<Pin> out = filtered(pins_, which);
    std::erase_if(pins_, which);
    ++version_;
    return out;
  }
  void put_back(const std::vector<Pin>& removed) {
    for (Pin p : removed) {
      if (taken(p.slot)) p.slot = free_slot();
      pins_.insert(std::ranges::upper_bound(pins_, p.id, {}, &Pin::id), std::move(p));
    }
    ++version_;
  }
  const Pin* find(uint64_t id) const { return find_by(pins_, id, &Pin::id); }
  /// The first record of a run, of pins and rows of files; nullptr: there is none.
  std::shared_ptr<const Record> find(const RunId& run) const {
    const auto& runs = runs_(version_, [&] {
      Runs all;
      for (const Pin& p : pins_) all.try_emplace(p.run, p.record);
      return all;
    });
    return at_or(runs, run);
  }
  /// A person's own pin of the same run, if there is one.
  const Pin* same(const Record& r) const {
    const auto at =
        std::ranges::find_if(pins_, [run = run_id(r)](const Pin& p) { return p.dataset.empty() && p.run == run; });
    return at == pins_.end() ? nullptr : &*at;
  }
  /// Whether a person pinned anything.
  bool any_own() const { return find_by(pins_, "", &Pin::dataset) != nullptr; }

  // What a person chose among them; it stays where the pin goes and comes back.
  uint64_t selected = 0;  ///< the row whose facts are shown in place of the live config's
  uint64_t baseline = 0;  ///< what the rows are compared with in place of the live config
  uint64_t version() const { return version_; }

 private:
  size_t free_slot() const {
    std::vector<bool> used(pins_.size() + 1);
    for (const Pin& p : pins_)
      if (p.slot < used.size()) used[p.slot] = true;
    return size_t(std::ranges::find(used, false) - used.begin());
  }
  bool taken(size_t slot) const { return find_by(pins_, slot, &Pin::slot) != nullptr; }
  using Runs = std::map<RunId, std::shared_ptr<const Record>>;
  std::vector<Pin> pins_;
  uint64_t next_id_ = 1, version_ = 0;
  mutable Memo<uint64_t, Runs> runs_;
};

// The pinned configs on a list of problems: what is to be measured, and what was.

/// Pins on the listed problems, points along an axis, where a result is wrong; in turns: two versions, pins and live.
enum class JobKind { all, scaling, errors, versions, pins };
struct JobState {
  uint64_t id = 0;
  JobKind kind = JobKind::all;
  size_t done = 0, total = 0;
  double began = 0;
  bool running = false;
  bool cancelled = false;  ///< it ends after the samples in flight
  std::optional<Selection> current = {};
  std::string stage = {};  ///< of a race
};

/// "40 s", "12 min", "1.5 h".
inline std::string span_text(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", std::max(1.0, seconds));
  if (seconds < 5400) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

/// "3 of 8, about 12 s left", as those before took on average.
inline std::string how_far(const JobState& job, double now) {
  std::string counts = fmt::format("{} of {}", job.done, job.total);
  if (job.cancelled || job.done == 0 || job.done >= job.total) return counts;
  const double left = (now - job.began) / double(job.done) * double(job.total - job.done);
  return fmt::format("{}, about {} left", counts, span_text(left));
}

/// The problems that the pins are to be measured on.
class ProblemList {
 public:
  const std::vector<Problem>& all() const { return problems_; }
  bool listed(const Problem& problem) const { return contains(problems_, problem); }
  /// Once each.
  void add(const Problem& problem) {
    if (!listed(problem)) problems_.push_back(problem);
  }
  void remove(size_t index) {
    if (index < problems_.size()) problems_.erase(problems_.begin() + std::ptrdiff_t(index));
  }
  void set_problems(const std::vector<Problem>& problems) {
    problems_.clear();
    for (const Problem& p : problems) add(p);
  }

 private:
  std::vector<Problem> problems_;
};

}  // namespace attnscope::gui
