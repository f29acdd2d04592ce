// What a person does with runs that were measured: restore one, name it, remove it, list them.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "app/gui/state/labels.hpp"
#include "app/gui/workbench.hpp"
#include "engine/record/same_device.hpp"
#include "engine/search/search.hpp"

namespace attnscope::gui {

void Workbench::take_ask(const Ask& wanted, const Modes& modes) {
  Ask& ask = asked.ask;
  asked.modes = modes;
  // A person's choice: the engine's reason is none of it.
  end_automatic();
  if (ask == wanted) return;
  if (ask.variant != wanted.variant) {
    if (chosen_ == Chosen::by_engine)
      last_config_.erase(ask.variant);
    else
      last_config_[ask.variant] = ask.config;
  }
  ask = wanted;
  problem_chosen_ = true;
  chosen_ = Chosen::by_hand;
  history.remember(ask);
}

void Workbench::take(const Record& r) {
  const VariantInfo* v = known.variant(r.variant);
  if (!v || !v->error.empty())
    return say(Level::warning, fmt::format("There is no variant '{}' now{}.", r.variant,
                                           v ? " that loads" : "; --shaders adds a folder of them"));
  // Of an earlier version of the variant: what it has no more is left out, what is new has its default.
  Config config = default_config(*v);
  for (auto& [name, value] : config)
    if (const auto had = r.config.find(name); had != r.config.end()) value = had->second;
  take_ask({r.problem, r.variant, config}, {r.protocol.cache, r.protocol.launch});
  const DeviceInfo& device = r.environment.device;
  if (!known.device || device.name.empty() || same_device(device, *known.device)) return;
  const DeviceInfo& here = *known.device;
  say(Level::info,
      device.name != here.name
          ? fmt::format("That was measured on {}; it is measured here on {} now.", device.name, here.name)
      : device.driver != here.driver
          ? fmt::format("That was measured under {}; it is measured under {} now.", device.driver, here.driver)
          : fmt::format("That was measured on another {}; it is measured on this one now.", here.name));
}

void Workbench::pin(const Record& r) {
  if (r.outcome != Outcome::measured || r.samples_ns.empty())
    return say(Level::warning, fmt::format("{} on {} has no samples to compare with.", short_name(r.variant, r.config),
                                           to_text(r.problem)));
  pins.add(r);
  say(Level::info, fmt::format("Pinned {} on {}.", short_name(r.variant, r.config), to_text(r.problem)));
}

std::vector<Record> Workbench::all_records() const {
  std::vector<Record> all;
  std::map<std::string, size_t> seen;  // samples, by run
  // What went on being sampled after it was pinned is the same run told twice, until it has far more to say.
  const auto add = [&](const Record& r) {
    const std::string& time = r.environment.time_utc;
    const auto [at, fresh] =
        seen.emplace(fmt::format("{}|{}", identity_of(r), time.empty() ? std::to_string(r.samples_ns.size()) : time),
                     r.samples_ns.size());
    if (!fresh && r.samples_ns.size() <= 2 * at->second) return;
    at->second = r.samples_ns.size();
    all.push_back(r);
  };
  for (const Pin& p : pins.all()) add(*p.record);
  for (const auto& r : across.results()) add(*r);
  const Live* live = timed();
  const std::optional<Record> now = live ? live->record() : std::nullopt;
  const std::string shown = now ? identity_of(*now) : "";
  // The log's line of what is shown is an earlier look at it.
  for (const Tried::Entry& t : tried.entries())
    if (t.key != shown) add(*t.record);
  if (now) add(*now);
  const search::SearchOutcome* search = searched.outcome();
  if (!search) return all;
  // Those that raced were measured anew and whole: their trials are only how they came there.
  std::set<std::string> raced;
  for (const Record& r : search->result.raced) {
    raced.insert(identity_of(r));
    add(r);
  }
  for (const tune::TriedConfig& tried_config : search->tried) {
    Record r = search::record_of(*search, tried_config);
    // When an earlier search made it is not told: not now, in any case.
    if (tried_config.recalled) r.environment.time_utc.clear();
    if (!raced.contains(identity_of(r))) all.push_back(std::move(r));
  }
  return all;
}

void Workbench::copy(std::string text, const std::string& what) {
  copied = std::move(text);
  say(Level::info, fmt::format("Copied {}.", what));
}

void Workbench::remove_runs(const std::set<uint64_t>& numbers) {
  auto gone = tried.remove(numbers);
  if (gone.empty()) return;
  say(Level::info,
      fmt::format("Removed {} from the session log; Ctrl+Z brings {} back.",
                  gone.size() == 1 ? "a run" : fmt::format("{} runs", gone.size()), gone.size() == 1 ? "it" : "them"));
  history.removed(std::move(gone));
}

void Workbench::clear_session() {
  pins.clear();
  tried.clear();
  remarks.clear();
  history = {};
}

std::string Workbench::name_of(const Tried::Entry& e) const {
  if (const Remark* r = remarks.of(e.key); r && !r->name.empty()) return r->name;
  const std::string& name = captions_.tried(e.number);
  return name.empty() ? short_name(e.record->variant, e.record->config) : name;
}

const Record* Workbench::before() const {
  if (timed()) return nullptr;
  // Its successor is not dispatched yet, or has not begun.
  if (live_.timed() && (live_.ask != asked.ask || live_.modes != asked.modes || !shown())) return &*live_.began;
  return before_.newest();
}

std::span<const double> Workbench::before_samples() const {
  const Record* r = before();
  if (!r) return {};
  if (live_.began && r == &*live_.began) return live_.series.samples();
  return r->samples_ns;
}

void Workbench::list_runs() {
  // Names come a little after the runs; lists of many are not made for each of many changes.
  constexpr double kApart = 0.25;
  past.step();
  for (auto& whole : past.take_whole()) {
    if (whole)
      pin(*whole);
    else
      say(Level::error, whole.error().message);
  }
  const bool soon = now_ - listed_at_ < kApart && tried.entries().size() > 500;
  const uint64_t names = remarks.version() + captions_.tried_version() + known.variants_version();
  const auto row = [&](uint64_t number, const std::shared_ptr<const Record>& record, std::string key) {
    const Remark* remark = remarks.of(key);
    return RunRow{number, record, std::move(key), {}, remark ? *remark : Remark{}, false};
  };
  if (!soon) {
    log.step(tried.version() * 1'000'003 + names, [&] {
      std::vector<RunRow> rows;
      for (const Tried::Entry& e : tried.entries()) {
        rows.push_back(row(e.number, e.record, e.key));
        rows.back().name = name_of(e);
        rows.back().best = e.best;
      }
      return rows;
    });
    listed_at_ = now_;
  } else {
    log.step(log.version(), {});
  }
  past_list.step(past.version() * 1'000'003 + remarks.version() + known.variants_version(), [&] {
    std::vector<const Record*> records;
    for (const auto& e : past.entries()) records.push_back(e.record.get());
    const auto labels = labels_of(records, known);
    std::vector<RunRow> rows;
    for (size_t i = 0; i < past.entries().size(); ++i) {
      const auto& e = past.entries()[i];
      rows.push_back(row(uint64_t(e.id), e.record, identity_of(*e.record)));
      rows.back().name = rows.back().remark.name.empty() ? labels[i] : rows.back().remark.name;
    }
    return rows;
  });
}

}  // namespace attnscope::gui
