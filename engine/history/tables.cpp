#include "engine/history/history.hpp"

#include "engine/record/columns.hpp"
#include "engine/record/comparisons.hpp"
#include "engine/record/labels.hpp"

namespace attnscope {

namespace {

/// The least width of cells whose beginning is enough.
constexpr size_t kLeastDevice = 10, kLeastWhy = 12, kLeastChange = 18;

/// "2026-11-21 05:46"
std::string minute(const std::string& time_utc) {
  std::string text = time_utc.substr(0, 16);
  std::ranges::replace(text, 'T', ' ');
  return text;
}

std::string spread(const Statistics& s) {
  const TimeUnit unit = choose_time_unit(std::span(&s.median, 1));
  return four_digits(s.p20 / unit.ns) + "–" + four_digits(s.p80 / unit.ns);
}

size_t rank(Relation relation) {
  constexpr std::array order{Relation::slower, Relation::faster, Relation::unsure, Relation::same};
  return size_t(std::ranges::find(order, relation) - order.begin());
}

}  // namespace

TextTable history_table(std::span<const HistoryEntry> entries) {
  TextTable table;
  table.columns = {{"run", true, 9},
                   {"UTC", false, 1},
                   {"problem", false, 0, kLeastProblem},
                   {"variant", false, 0, kLeastVariant},
                   {"config", false, 0, kLeastConfig},
                   {"verdict", false, 2},
                   {"median", true},
                   {"p20–p80", true, 7},
                   {"FLOP/s", true, 5},
                   {"device", false, 3, kLeastDevice},
                   {"driver", false, 8, kLeastDevice},
                   {"modes", false, 6}};
  std::vector<ConfigName> names;
  for (const HistoryEntry& e : entries) names.push_back(config_name(e.record));
  const std::vector<std::string> labels = short_config_labels(names);
  for (size_t i = 0; i < entries.size(); ++i) {
    const Record& r = entries[i].record;
    const auto& s = r.statistics;
    table.rows.push_back({fmt::format("{}", entries[i].id), minute(r.environment.time_utc), to_text(r.problem),
                          r.variant, labels[i], verdict_word(r), s ? time_text(s->median) : "", s ? spread(*s) : "",
                          flops_text(r.tflops * 1e12), r.environment.device.name, r.environment.device.driver,
                          fmt::format("{}, {}", to_text(r.protocol.cache), to_text(r.protocol.launch))});
  }
  return table;
}

HistoryComparison compare_change(HistoryPair ids, Record was, Record now) {
  HistoryComparison c;
  c.ids = ids;
  const auto differ = [&](const char* what, const std::string& old_one, const std::string& new_one) {
    if (old_one != new_one)
      c.what.push_back(fmt::format("{} {} → {}", what, old_one.empty() ? "unknown" : old_one,
                                   new_one.empty() ? "unknown" : new_one));
  };
  const DeviceInfo &before = was.environment.device, &after = now.environment.device;
  differ("driver", before.driver, after.driver);
  differ("shader", was.environment.shader_hash.substr(0, 8), now.environment.shader_hash.substr(0, 8));
  differ("attnscope", was.environment.program_version, now.environment.program_version);
  // The driver is what may have changed, so it does not forbid a comparison.
  Record as_now = was;
  as_now.environment.device.driver = after.driver;
  as_now.environment.device.pipeline_uuid = after.pipeline_uuid;
  c.comparison = compare_records(as_now, now);
  c.was = std::move(was);
  c.now = std::move(now);
  return c;
}

TextTable changes_table(std::vector<HistoryComparison> changes) {
  std::ranges::stable_sort(changes, [](const HistoryComparison& a, const HistoryComparison& b) {
    return rank(a.comparison.relation) < rank(b.comparison.relation);
  });
  TextTable table;
  table.columns = {{"problem", false, 0, kLeastProblem},
                   {"variant", false, 0, kLeastVariant},
                   {"config", false, 0, kLeastConfig},
                   {"was", true},
                   {"now", true},
                   {"", false},
                   {"ratio", true, 2},
                   {"changed", false, 1, kLeastChange},
                   {"unsure since", false, 3, kLeastWhy},
                   {"modes", false, 5},
                   {"device", false, 4, kLeastWhy}};
  std::vector<ConfigName> names;
  for (const HistoryComparison& c : changes) names.push_back(config_name(c.now));
  const std::vector<std::string> labels = short_config_labels(names);
  std::array<size_t, 4> count{};
  for (size_t i = 0; i < changes.size(); ++i) {
    const auto& [ids, was, now, comparison, what] = changes[i];
    ++count[rank(comparison.relation)];
    table.rows.push_back({to_text(now.problem), now.variant, labels[i], time_text(was.statistics->median),
                          time_text(now.statistics->median), std::string(to_text(comparison.relation)),
                          fmt::format("{:.3f}", comparison.ratio), fmt::format("{}", fmt::join(what, "; ")),
                          comparison.reason,
                          fmt::format("{}, {}", to_text(now.protocol.cache), to_text(now.protocol.launch)),
                          now.environment.device.name});
  }
  if (!changes.empty())
    table.notes.push_back(
        fmt::format("{} SLOWER, {} FASTER, {} UNSURE, {} SAME.", count[0], count[1], count[2], count[3]));
  return table;
}

}  // namespace attnscope
