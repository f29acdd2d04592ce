#include "app/cli/tune_work.hpp"

#include <algorithm>

#include <fmt/ranges.h>

#include "app/cli/interrupt.hpp"
#include "app/cli/number_option.hpp"
#include "app/cli/places.hpp"
#include "app/cli/print.hpp"
#include "app/cli/tuned_config.hpp"

#include "engine/clock.hpp"

namespace attnscope::cli {
void add_search_work_options(CLI::App& app, WorkOptions& o) {
  add_what_options(app, o, "Variant by name, or all that can serve the problem; repeatable");
  app.add_option("--seed", o.seed, "Seed of the inputs and of what is drawn")
      ->type_name("N")
      ->check(in_range(NumberRange<uint64_t>{0, UINT64_MAX}))
      ->capture_default_str();
  app.add_option("--output", o.output, "Also write the records to FILE.json, FILE.csv or FILE.md")
      ->type_name("FILE")
      ->check(not_empty());
  add_history_option(app, o);
}

void add_search_options(CLI::App& app, SearchOptions& o) {
  add_device_options(app, o.common);
  add_output_options(app, o.common);
  add_search_work_options(app, o.work);
  add_protocol_options(app, o.protocol);
  app.add_option("--shard", o.shard, "Only share I of N of all configs, such as 2/8: the N shares together are all")
      ->type_name("I/N")
      ->check(not_empty());
  app.add_option("--journal", o.journal,
                 "File that keeps every trial as it comes and that a later run goes on from (default: one for each "
                 "device, driver and problem in ~/.local/share/attnscope/trials)")
      ->type_name("FILE")
      ->check(not_empty());
  app.add_flag("--fresh", o.fresh, "Begin anew: what an earlier run tried is set aside");
  app.add_flag("--retry", o.retry, "Try again what an earlier run found wrong or could not finish");
}

Result<std::vector<Opened>> open_search(const SearchOptions& o) {
  if (same_file(o.journal, o.work.output) || same_file(o.journal, history_file()))
    return bad_input(fmt::format("--journal {}: it is also the file of {}: give another name.", o.journal,
                                 same_file(o.journal, o.work.output) ? "--output" : "the history of all runs"));
  if (o.common.device != "all") return open_sessions(o.common);
  std::vector<Opened> all;
  std::vector<std::vector<std::string>> workers;
  for (const std::string& worker : o.common.workers) workers.push_back({worker});
  if (workers.empty()) workers.emplace_back();
  for (const auto& worker : workers) {
    CommonOptions one = o.common;
    one.workers = worker;
    Result<std::vector<std::unique_ptr<Session>>> asked = make_sessions(one);
    if (!asked) return asked.error();
    const Result<std::vector<DeviceInfo>> devices = asked->front()->devices();
    if (!devices) return devices.error();
    const auto usable = [&](bool software) {
      std::vector<uint32_t> indices;
      for (const DeviceInfo& d : *devices)
        if (d.unsuitable.empty() && (d.type == DeviceType::software) == software) indices.push_back(d.index);
      return indices;
    };
    std::vector<uint32_t> indices = usable(false);
    if (indices.empty()) indices = usable(true);
    if (indices.empty()) return unsupported("--device all: there is no device that can be used");
    for (const uint32_t index : indices) {
      one.device = std::to_string(index);
      Result<std::vector<Opened>> opened = open_sessions(one);
      if (!opened) return opened.error();
      for (Opened& device : *opened) all.push_back(std::move(device));
    }
  }
  return all;
}

std::vector<std::vector<Opened*>> equal_devices(std::vector<Opened>& opened) {
  std::vector<std::vector<Opened*>> groups;
  for (Opened& device : opened) {
    const auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& g) {
      return g.front()->device.name == device.device.name && g.front()->device.driver == device.device.driver;
    });
    if (group == groups.end())
      groups.push_back({&device});
    else
      group->push_back(&device);
  }
  return groups;
}

Result<search::SearchRequest> search_request(const SearchOptions& o, const Problem& problem, const DeviceInfo& device) {
  search::SearchRequest request;
  request.problem = problem;
  request.variants = o.work.variants;
  request.protocol = changed(Protocol(), o.protocol);
  if (const Result<void> ok = check_protocol(request.protocol); !ok) return ok.error();
  request.seed = o.work.seed;
  if (!o.shard.empty()) {
    const Result<tune::Shard> shard = tune::parse_shard(o.shard);
    if (!shard) return about("--shard", o.shard, shard.error());
    request.shard = *shard;
  }
  request.journal = o.journal;
  if (o.journal.empty() && !user_data_dir().empty())
    request.journal = search::journal_in(trials_dir(), device, problem, request.protocol, request.seed);
  request.fresh = o.fresh;
  request.retry = o.retry;
  return request;
}

std::vector<search::SearchDevice> places_of(std::span<Opened* const> group) {
  std::vector<search::SearchDevice> places;
  for (const Opened* device : group) places.push_back({device->session.get(), device->device, device->variants});
  return places;
}

Result<search::SearchOutcome> search_on(const SearchOptions& o, const search::SearchRequest& request,
                                        std::span<Opened* const> group, TuneStatus& status) {
  const auto start = Clock::now();
  const std::string what = to_text(request.problem);
  search::SearchEvents events;
  events.note = [](const std::string& note) { print_err("note: {}\n", note); };
  if (!o.common.quiet)
    events.tick = [&](const std::string& stage, const tune::TuneProgress& progress) {
      status.show(what, stage, progress, start, request.budget.seconds);
    };
  const std::vector<search::SearchDevice> places = places_of(group);
  if (const Result<void> ok = search::check_variants(request, places.front()); !ok)
    return o.work.variants.empty()
               ? ok.error()
               : about("--variant", fmt::format("{}", fmt::join(o.work.variants, ", ")), ok.error());
  Result<search::SearchOutcome> out = search::run_search(request, places, tuned_tables(), events, interrupted());
  status.clear();
  return out;
}

}  // namespace attnscope::cli
