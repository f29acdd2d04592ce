#include "engine/record/table.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "engine/record/units.hpp"

namespace attnscope {

namespace {

std::string error_text(double x) { return fmt::format("{:.2e}", x); }
std::string measured(double x) { return x > 0 ? four_digits(x) : ""; }
std::string count(const std::optional<uint64_t>& x) { return x ? fmt::format("{}", *x) : ""; }

std::string config_text(const Record& r) {
  const std::string values = to_text(r.config);
  return r.config_name.empty() ? values : r.config_name + (values.empty() ? "" : " " + values);
}

void add_notes(std::span<const Record> records, std::vector<std::string>& notes) {
  uint64_t sampled = 0, unreported = 0, compiled = 0;
  for (const Record& r : records) {
    const std::string who = fmt::format("{} {} on {}", r.variant, config_text(r), to_text(r.problem));
    if (r.verdict && !r.verdict->pass) notes.push_back(fmt::format("{}: {}", who, r.verdict->reason));
    if (!r.message.empty()) notes.push_back(fmt::format("{}: {}", who, r.message));
    if (r.statistics && std::abs(r.statistics->drift) > kDriftWarning)
      notes.push_back(
          fmt::format("{}: the samples drift by {:+.1f} % (throttling, or a clock still rising); they are kept.", who,
                      100 * r.statistics->drift));
    if (r.statistics && !r.settled)
      notes.push_back(fmt::format("{}: the warm-up ended at its cap of {:.0f} ms before the times had settled.", who,
                                  r.protocol.warmup_cap_ms));
    sampled += r.verdict && r.verdict->rows_checked < r.verdict->rows_total;
    if (r.resources.compile != Compile::not_asked) {
      ++compiled;
      unreported += !r.resources.registers;
    }
  }
  if (sampled > 0)
    notes.push_back(
        fmt::format("{} of {} verdicts compare a seeded sample of rows of every head with the reference; "
                    "that every element was written and is finite is checked on all.",
                    sampled, records.size()));
  std::map<std::string, std::vector<std::string>> sums;  // who adds in what
  const auto planned = [](const Record& r) { return r.outcome != Outcome::refused && r.outcome != Outcome::error; };
  for (const Record& r : records) {
    if (!planned(r)) continue;
    const bool by_config = std::any_of(records.begin(), records.end(), [&](const Record& other) {
      return planned(other) && other.variant == r.variant && other.precision != r.precision;
    });
    const std::string name =
        by_config ? r.variant + " " + (r.config_name.empty() ? to_text(r.config) : r.config_name) : r.variant;
    std::vector<std::string>& who = sums[to_text(r.precision)];
    if (std::find(who.begin(), who.end(), name) == who.end()) who.push_back(name);
  }
  for (const auto& [what, who] : sums)
    notes.push_back(sums.size() == 1 ? fmt::format("Sums in {}.", what)
                                     : fmt::format("Sums in {}: {}.", what, fmt::join(who, ", ")));
  if (compiled > 0 && unreported == compiled) notes.push_back("Registers and spills: not reported by this driver.");
}

std::vector<size_t> used_columns(const TextTable& table) {
  std::vector<size_t> used;
  for (size_t c = 0; c < table.columns.size(); ++c)
    if (std::any_of(table.rows.begin(), table.rows.end(), [c](const auto& row) { return !row[c].empty(); }))
      used.push_back(c);
  return used;
}

std::string padded(const std::string& text, size_t width, bool right) {
  const std::string space(width - std::min(width, display_width(text)), ' ');
  return right ? space + text : text + space;
}

}  // namespace

TextTable record_table(std::span<const Record> records) {
  const TimeUnit unit = choose_time_unit(records);
  TextTable table;
  const auto time_title = [&](const char* what) { return fmt::format("{} {}", what, unit.name); };
  table.columns = {{"variant"},
                   {"config"},
                   {"problem"},
                   {"verdict"},
                   {"max abs", true},
                   {"NMSE", true},
                   {time_title("median"), true},
                   {time_title("min"), true},
                   {time_title("mean"), true},
                   {"p20–p80", true},
                   {"TFLOP/s", true},
                   {"GB/s", true},
                   {"regs", true},
                   {"spill B", true},
                   {"shared B", true}};
  for (const Record& r : records) {
    std::vector<std::string> row{r.variant, config_text(r), to_text(r.problem), verdict_word(r)};
    const bool compared = r.verdict && r.verdict->rows_checked > 0;
    row.push_back(compared ? error_text(r.verdict->max_abs) : "");
    row.push_back(compared ? error_text(r.verdict->nmse) : "");
    if (const auto& s = r.statistics) {
      for (const double ns : {s->median, s->min, s->mean}) row.push_back(four_digits(ns / unit.ns));
      row.push_back(four_digits(s->p20 / unit.ns) + "–" + four_digits(s->p80 / unit.ns));
    } else {
      row.push_back(r.outcome == Outcome::measured ? "no accepted samples" : "");
      row.insert(row.end(), 3, "");
    }
    row.push_back(measured(r.tflops));
    row.push_back(measured(r.gbps));
    row.push_back(count(r.resources.registers));
    row.push_back(count(r.resources.spill_bytes));
    const bool planned = r.outcome != Outcome::refused && r.outcome != Outcome::error;
    row.push_back(planned ? fmt::format("{}", r.resources.shared_bytes) : "");
    table.rows.push_back(std::move(row));
  }
  add_notes(records, table.notes);
  return table;
}

std::string render_terminal(const TextTable& table) {
  const auto used = used_columns(table);
  std::vector<size_t> widths;
  for (const size_t c : used) {
    widths.push_back(display_width(table.columns[c].title));
    for (const auto& row : table.rows) widths.back() = std::max(widths.back(), display_width(row[c]));
  }
  std::string text;
  if (!table.title.empty()) text += table.title + "\n";
  for (const auto& sentence : table.heading) text += sentence + "\n";
  if (!text.empty()) text += "\n";
  const auto line = [&](const auto& cell_of, bool rule) {
    std::string out;
    for (size_t i = 0; i < used.size(); ++i) {
      if (i > 0) out += "  ";
      if (rule)
        for (size_t k = 0; k < widths[i]; ++k) out += "─";
      else
        out += padded(cell_of(used[i]), widths[i], table.columns[used[i]].right);
    }
    out.erase(out.find_last_not_of(' ') + 1);
    text += out + "\n";
  };
  line([&](size_t c) { return table.columns[c].title; }, false);
  line([&](size_t) { return std::string(); }, true);
  for (const auto& row : table.rows) line([&](size_t c) { return row[c]; }, false);
  if (!table.notes.empty()) text += "\n";
  for (const auto& note : table.notes) text += note + "\n";
  return text;
}

std::string render_markdown(const TextTable& table) {
  const auto used = used_columns(table);
  const auto escaped = [](const std::string& cell) {
    std::string out;
    for (const char c : cell) out += c == '|' ? std::string("\\|") : std::string(1, c == '\n' ? ' ' : c);
    return out;
  };
  std::string head = "|", rule = "|", body;
  for (const size_t c : used) {
    head += " " + escaped(table.columns[c].title) + " |";
    rule += table.columns[c].right ? " ---: |" : " --- |";
  }
  for (const auto& row : table.rows) {
    body += "|";
    for (const size_t c : used) body += " " + escaped(row[c]) + " |";
    body += "\n";
  }
  std::string text;
  if (!table.title.empty()) text += "## " + table.title + "\n\n";
  for (const auto& sentence : table.heading) text += sentence + "\n";
  if (!table.heading.empty()) text += "\n";
  text += head + "\n" + rule + "\n" + body;
  if (!table.notes.empty()) text += "\n";
  for (const auto& note : table.notes) text += "- " + escaped(note) + "\n";
  return text;
}

}  // namespace attnscope
