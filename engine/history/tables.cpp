#include "engine/history/history.hpp"

#include "engine/record/columns.hpp"

namespace attnscope {

namespace {

/// The least width of cells whose beginning is enough.
constexpr size_t kLeastDevice = 10;

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

}  // namespace attnscope
