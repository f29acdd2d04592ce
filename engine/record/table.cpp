#include "engine/record/table.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/record/notes.hpp"
#include "engine/record/units.hpp"
#include "engine/visible.hpp"

namespace attnscope {

namespace {

std::string measured(double x) { return x > 0 ? four_digits(x) : ""; }
std::string count(const std::optional<uint64_t>& x) { return x ? fmt::format("{}", *x) : ""; }

}  // namespace

TextTable record_table(std::span<const Record> records) {
  const TimeUnit unit = choose_time_unit(records);
  TextTable table;
  const auto time_title = [&](const char* what) { return fmt::format("{} {}", what, unit.name); };
  table.columns = {{"variant"},
                   {"config"},
                   {"problem"},
                   {"verdict"},
                   {"rows", true},
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
    std::vector<std::string> row{r.variant, long_config_text(r), to_text(r.problem), verdict_word(r), rows_text(r)};
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
  table.notes = all_notes(records);
  return table;
}

std::vector<size_t> used_columns(const TextTable& table) {
  std::vector<size_t> used;
  for (size_t c = 0; c < table.columns.size(); ++c)
    if (std::any_of(table.rows.begin(), table.rows.end(), [c](const auto& row) { return !row[c].empty(); }))
      used.push_back(c);
  return used;
}

std::string render_markdown(const TextTable& table) {
  const auto used = used_columns(table);
  const auto escaped = [](const std::string& cell) {
    std::string out;
    for (const char c : visible_line(cell)) out += c == '|' ? std::string("\\|") : std::string(1, c);
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
