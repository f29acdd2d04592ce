#include "app/cli/tune_work.hpp"

#include "app/cli/jobs.hpp"
#include "engine/measure/units.hpp"

namespace attnscope::cli {
namespace {

/// How far a search is, on stderr: one line on a terminal, a line for each new best elsewhere.
class SearchStatus {
 public:
  ~SearchStatus() {
    if (drawn_) write_order("\r\x1b[K");
  }
  /// A stage of a search: "1x16x4096x128:f16", "search", how far, since when, and how long it may take (0 = not known).
  void show(const std::string& what, const std::string& stage, const tune::TuneProgress& p, Clock::time_point start,
            double budget_s) {
    const std::lock_guard lock(mutex_);
    const double spent = seconds_since(start);
    const std::string best = p.best_ns > 0
                                 ? fmt::format("best {} {} {}", time_text(p.best_ns), p.best_variant, to_text(p.best))
                                 : "no best yet";
    if (!draws_progress()) {
      const std::string line = fmt::format("[{}] {}: {}", what, stage, best);
      if (line != told_) print_err("{} ({} tried, {:.0f} s)\n", line, p.tried, spent);
      told_ = line;
      return;
    }
    const double left = search::seconds_left(p, spent, budget_s);
    std::string text =
        fmt::format("{} {} tried{}, {}{}", what, p.tried, p.goal > 0 ? fmt::format(" of {}", p.goal) : "",
                    left < 0 ? "" : fmt::format("{:.0f} s left, ", left), best);
    if (stage != "search") text = fmt::format("{} {}: {}", what, stage, best);
    redraw(text);
    drawn_ = true;
  }

 private:
  std::mutex mutex_;
  bool drawn_ = false;
  std::string told_;  ///< where there is no terminal, the last line
};

}  // namespace

void add_search_options(CLI::App& app, SearchOptions& o) {
  add_common_options(app, o.common);
  add_what_options(app, o.work, "Variant by name, or all that can serve the problem; repeatable");
  add_number(app, "--seed", o.work.seed, NumberRange<uint64_t>{0, UINT64_MAX},
             "Seed of the inputs and of the random choices")
      ->capture_default_str();
  add_record_options(app, o.work);
  add_protocol_options(app, o.protocol);
  add_value(app, "--journal", o.journal, "FILE",
            "File that keeps every trial as it comes and that a later run goes on from (default: one for each "
            "device, driver and problem in ~/.local/share/attnscope/trials)");
  app.add_flag("--fresh", o.fresh, "Begin again: an earlier run's trials are set aside");
  app.add_flag("--retry", o.retry, "Try again what an earlier run found wrong or could not finish");
}

Result<std::vector<DeviceSession>> open_search(const SearchOptions& o) {
  if (same_file(o.journal, o.work.output) || same_file(o.journal, history_file()))
    return bad_input("--journal {}: it is also the file of {}: give another name.", o.journal,
                     same_file(o.journal, o.work.output) ? "--output" : "the history of all runs");
  if (o.common.device != "all") return open_sessions(o.common);
  std::vector<DeviceSession> all;
  const auto software = [](const DeviceInfo& d) { return d.type == DeviceType::software; };
  auto workers = mapped(o.common.workers, [](const std::string& worker) { return std::vector{worker}; });
  if (workers.empty()) workers.emplace_back();
  for (const auto& worker : workers) {
    CommonOptions one = o.common;
    one.workers = worker;
    std::vector<std::unique_ptr<Session>> asked = TRY(make_sessions(one));
    std::vector<DeviceInfo> usable = TRY(asked.front()->devices());
    std::erase_if(usable, [](const DeviceInfo& d) { return !d.unsuitable.empty(); });
    if (!std::ranges::all_of(usable, software)) std::erase_if(usable, software);
    if (usable.empty()) return unsupported("--device all: there is no device that can be used");
    for (const DeviceInfo& d : usable) {
      one.device = std::to_string(d.index);
      std::ranges::move(TRY(open_sessions(one)), std::back_inserter(all));
    }
  }
  return all;
}

std::vector<std::vector<search::SearchDevice>> equal_devices(const std::vector<DeviceSession>& opened) {
  Ordered<std::pair<std::string, std::string>, std::vector<search::SearchDevice>> groups;
  for (const DeviceSession& d : opened)
    groups[{d.device.name, d.device.driver}].push_back({d.session.get(), d.device, d.variants});
  return mapped(groups, [](auto& of) { return std::move(of.second); });
}

Result<search::SearchRequest> search_request(const SearchOptions& o, const Problem& problem, const DeviceInfo& device) {
  search::SearchRequest request;
  request.problem = problem;
  request.variants = o.work.variants;
  request.protocol = changed(Protocol(), o.protocol);
  TRY(check_protocol(request.protocol));
  request.seed = o.work.seed;
  request.journal = o.journal;
  if (o.journal.empty())
    request.journal = search::journal_in(trials_dir(), device, problem, request.protocol, request.seed);
  request.fresh = o.fresh;
  request.retry = o.retry;
  return request;
}

Result<search::SearchOutcome> search_on(const SearchOptions& o, const search::SearchRequest& request,
                                        std::span<const search::SearchDevice> group) {
  SearchStatus status;
  const auto start = Clock::now();
  const std::string what = to_text(request.problem);
  search::SearchEvents events;
  events.note = [](const std::string& note) { print_err("note: {}\n", note); };
  if (!o.common.quiet)
    events.tick = [&](const std::string& stage, const tune::TuneProgress& progress) {
      status.show(what, stage, progress, start, request.budget.seconds);
    };
  if (const Result<void> ok = search::check_variants(request, group.front()); !ok)
    return o.work.variants.empty() ? ok.error() : about("--variant", joined(o.work.variants), ok.error());
  return search::run_search(request, group, tuned_tables(), events, interrupted());
}

}  // namespace attnscope::cli
