#include "app/gui/model/run_list.hpp"

#include <sstream>

#include "app/gui/model/explain.hpp"
#include "app/gui/worker/series.hpp"
#include "engine/measure/units.hpp"
#include "engine/page/page.hpp"

namespace attnscope::gui {
namespace {

std::string words_of(const RunRow& row) {
  const Record& r = *row.record;
  return fmt::format("{} {} {} {} {} {} {} {} {}", row.name, r.variant, attnscope::to_text(r.config),
                     to_text(r.problem), verdict_of(r), r.environment.device.name, to_text(r.protocol.cache),
                     r.environment.time_utc, row.remark.note);
}

using R = const Record&;
template <double Statistics::*kMember>
double time_of(R r) {
  return r.statistics ? (*r.statistics).*kMember : INFINITY;
}
/// In the unit of its size, since rows of a file may be a thousand times faster.
template <Metric metric>
std::string own_rate(double rate) {
  return rate > 0 ? metric_text(metric, rate) : "";
}

constexpr RunNumber kNumbers[] = {
    {"median", explain::median, "88.8 ms", time_of<&Statistics::median>, time_text},
    {"mean", explain::mean, "88.8 ms", time_of<&Statistics::mean>, time_text},
    {"min", explain::min, "88.8 ms", time_of<&Statistics::min>, time_text},
    {"max", "", "88.8 ms", time_of<&Statistics::max>, time_text},
    {"p20", "", "88.8 ms", time_of<&Statistics::p20>, time_text},
    {"p80", "", "88.8 ms", time_of<&Statistics::p80>, time_text},
    {"spread", explain::spread, "888.8 %",
     [](R r) { return r.statistics ? (r.statistics->p80 - r.statistics->p20) / r.statistics->median : INFINITY; },
     [](double x) { return fmt::format("{:.{}f} %", 100 * x, x < 9.995 ? 1 : 0); }},
    {"samples", explain::timing::samples, "8,888",
     [](R r) { return r.statistics ? double(r.statistics->count) : INFINITY; },
     [](double x) { return count_text(uint64_t(x)); }},
    {"FLOP/s", explain::flops, "88.8 GFLOP/s", [](R r) { return r.tflops; }, own_rate<Metric::tflops>},
    {"B/s", explain::bandwidth, "88.8 GB/s", [](R r) { return r.gbps; }, own_rate<Metric::gbps>},
    {"moved", explain::moved, "88.8 MiB", [](R r) { return r.bytes + r.extra_bytes; }, bytes_text},
    {"workspace", explain::scratch, "88.8 MiB", [](R r) { return double(r.scratch_bytes); }, bytes_text},
    {"max abs", explain::max_abs, "8.8e-08", [](R r) { return r.verdict ? r.verdict->max_abs : INFINITY; },
     [](double x) { return fmt::format("{:.1e}", x); }},
};

/// A field of a run: what a table of text says of it, and what a list is sorted by: a number where it has one, whose
/// absence comes last whichever way it is sorted, else the text.
struct RunField {
  const char* title;
  std::string (*text)(const RunRow&) = nullptr;  ///< none: the number's own
  const char* number = nullptr;                  ///< number_of(); "#": that of the row

  double value(const RunRow& row) const {
    return number == std::string_view("#") ? double(row.number) : number_of(number).value(*row.record);
  }
  std::string cell(const RunRow& row) const {
    if (text) return text(row);
    const double x = value(row);
    return std::isfinite(x) ? number_of(number).text(x) : "";
  }
};

std::string rate_text(double rate) { return rate > 0 ? short_number(rate) : ""; }

const std::vector<RunField>& fields() {
  using Row = const RunRow&;
  static const std::vector<RunField> all = {
      {"#", [](Row r) { return std::to_string(r.number); }, "#"},
      {"name", [](Row r) { return r.name; }},
      {"variant", [](Row r) { return r.record->variant; }},
      {"config", [](Row r) { return attnscope::to_text(r.record->config); }},
      {"problem", [](Row r) { return to_text(r.record->problem); }},
      {"verdict", [](Row r) { return std::string(verdict_of(*r.record)); }},
      {"max abs", nullptr, "max abs"},
      {"median", nullptr, "median"},
      {"mean", nullptr, "mean"},
      {"p20", nullptr, "p20"},
      {"p80", nullptr, "p80"},
      {"min", nullptr, "min"},
      {"max", nullptr, "max"},
      {"TFLOP/s", [](Row r) { return rate_text(r.record->tflops); }, "FLOP/s"},
      {"GB/s", [](Row r) { return rate_text(r.record->gbps); }, "B/s"},
      {"cache", [](Row r) { return std::string(to_text(r.record->protocol.cache)); }},
      {"launch", [](Row r) { return std::string(to_text(r.record->protocol.launch)); }},
      {"device", [](Row r) { return r.record->environment.device.name; }},
      {"when", [](Row r) { return r.record->environment.time_utc; }},
      {"note", [](Row r) { return r.remark.note; }},
  };
  return all;
}

}  // namespace

const RunNumber& number_of(std::string_view title) { return *std::ranges::find(kNumbers, title, &RunNumber::title); }

const char* verdict_of(const Record& r) {
  if (r.outcome == Outcome::refused) return "refused";
  if (r.outcome == Outcome::error) return "lost";
  return !r.verdict ? "not verified" : r.verdict->pass ? "correct" : "wrong";
}

std::vector<uint32_t> RunList::arranged() {
  const std::vector<RunRow>& rows = rows_.value();
  std::vector<uint32_t> shown(rows.size());
  std::iota(shown.begin(), shown.end(), 0u);
  std::stringstream words(lower_case(filter));
  for (std::string word; words >> word;) {
    const bool without = word.size() > 1 && word[0] == '!';
    if (without) word.erase(0, 1);
    const auto& all =
        words_(rows_.made(), [&] { return mapped(rows, [](const RunRow& row) { return lower_case(words_of(row)); }); });
    std::erase_if(shown, [&](uint32_t i) { return (all[i].find(word) != std::string::npos) == without; });
  }
  // Keys once, not at every comparison. What is equal keeps the order it came in, the newest first.
  std::ranges::stable_sort(shown, std::greater(), [&](uint32_t i) { return rows[i].number; });
  const RunField& by = *std::ranges::find(fields(), sort, &RunField::title);
  const auto sort_by = [&](auto key, auto absent) {
    const auto keys = mapped(rows, key);
    std::ranges::stable_sort(shown, [&](uint32_t a, uint32_t b) {
      if (absent(keys[a]) || absent(keys[b])) return !absent(keys[a]) && absent(keys[b]);
      return descending ? keys[b] < keys[a] : keys[a] < keys[b];
    });
  };
  if (by.number)
    sort_by([&](const RunRow& row) { return by.value(row); }, [](double key) { return !std::isfinite(key); });
  else
    sort_by(by.text, [](const std::string& key) { return key.empty(); });
  return shown;
}

TextTable run_table(const RunList& list, const std::string& title) {
  return run_table(mapped(list.shown(), [&](uint32_t i) { return list.rows()[i]; }), title);
}

TextTable run_table(const std::vector<RunRow>& rows, const std::string& title) {
  TextTable table;
  table.title = title;
  for (const RunField& f : fields()) table.columns.push_back({f.title, f.number != nullptr});
  for (const RunRow& row : rows) table.rows.push_back(mapped(fields(), [&](const RunField& f) { return f.cell(row); }));
  return table;
}

std::string command_line_of(const Record& record, const Places& places, size_t worker) {
  std::string command = command_of(record);
  if (command.empty()) return command;
  const auto add = [&](const char* option, const std::string& value) {
    command += fmt::format(" {} {}", option, shell_quoted(value));
  };
  const auto whole = [](const std::filesystem::path& path) {
    std::error_code error;
    const auto absolute = std::filesystem::absolute(path, error);
    return (error ? path : absolute).string();
  };
  if (worker < places.workers.size() && !places.workers[worker].empty()) add("--worker", places.workers[worker]);
  for (const auto& dir : places.shaders) add("--shaders", whole(dir));
  for (const auto& dir : places.sources) add("--sources", whole(dir));
  return command;
}

}  // namespace attnscope::gui
