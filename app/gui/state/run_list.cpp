#include "app/gui/state/run_list.hpp"

#include <algorithm>
#include <cctype>
#include <limits>
#include <numeric>
#include <sstream>

#include <fmt/format.h>

#include "app/gui/series.hpp"

namespace attnscope::gui {
namespace {

std::string lowered(std::string text) {
  for (char& c : text) c = char(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

std::string words_of(const RunRow& row) {
  const Record& r = *row.record;
  return lowered(fmt::format("{} {} {} {} {} {} {} {} {}", row.name, r.variant, attnscope::to_text(r.config),
                             to_text(r.problem), verdict_of(r), r.environment.device.name, to_text(r.protocol.cache),
                             r.environment.time_utc, row.remark.note));
}

/// What a column sorts by where that is a number; what has none comes last whichever way it is sorted.
double number_of(const RunRow& row, RunColumn column) {
  const Record& r = *row.record;
  const double none = std::numeric_limits<double>::quiet_NaN();
  switch (column) {
    case RunColumn::number: return double(row.number);
    case RunColumn::max_abs: return r.verdict ? r.verdict->max_abs : none;
    case RunColumn::median: return r.statistics ? r.statistics->median : none;
    case RunColumn::mean: return r.statistics ? r.statistics->mean : none;
    case RunColumn::min: return r.statistics ? r.statistics->min : none;
    case RunColumn::max: return r.statistics ? r.statistics->max : none;
    default: return none;
  }
}

std::string text_of(const RunRow& row, RunColumn column) {
  const Record& r = *row.record;
  switch (column) {
    case RunColumn::name: return row.name;
    case RunColumn::problem: return to_text(r.problem);
    case RunColumn::verdict: return verdict_of(r);
    case RunColumn::device: return r.environment.device.name;
    case RunColumn::when: return r.environment.time_utc;
    case RunColumn::note: return row.remark.note;
    default: return "";
  }
}

bool by_text(RunColumn c) {
  return c == RunColumn::name || c == RunColumn::problem || c == RunColumn::verdict || c == RunColumn::device ||
         c == RunColumn::when || c == RunColumn::note;
}

std::vector<std::string> cells_of(const RunRow& row) {
  const Record& r = *row.record;
  const auto time = [&](double Statistics::*member) { return r.statistics ? time_text((*r.statistics).*member) : ""; };
  return {std::to_string(row.number),
          row.name,
          r.variant,
          attnscope::to_text(r.config),
          to_text(r.problem),
          verdict_of(r),
          r.verdict ? fmt::format("{:.1e}", r.verdict->max_abs) : "",
          time(&Statistics::median),
          time(&Statistics::p20),
          time(&Statistics::p80),
          time(&Statistics::min),
          time(&Statistics::max),
          r.tflops > 0 ? short_number(r.tflops) : "",
          r.gbps > 0 ? short_number(r.gbps) : "",
          std::string(to_text(r.protocol.cache)),
          std::string(to_text(r.protocol.launch)),
          r.environment.device.name,
          r.environment.time_utc,
          row.remark.note};
}

TextTable headed(const std::string& title) {
  TextTable table;
  table.title = title;
  table.columns = {{"#", true},   {"name"},          {"variant"},       {"config"},     {"problem"},
                   {"verdict"},   {"max abs", true}, {"median", true},  {"p20", true},  {"p80", true},
                   {"min", true}, {"max", true},     {"TFLOP/s", true}, {"GB/s", true}, {"cache"},
                   {"launch"},    {"device"},        {"when"},          {"note"}};
  return table;
}

}  // namespace

const char* to_text(RunColumn c) {
  constexpr const char* names[] = {"number", "name", "problem", "verdict", "max_abs", "median",
                                   "mean",   "min",  "max",     "device",  "when",    "note"};
  return names[size_t(c)];
}

const char* verdict_of(const Record& r) {
  if (r.outcome == Outcome::refused) return "refused";
  if (r.outcome == Outcome::error) return "lost";
  if (r.verdict && !r.verdict->pass) return "wrong";
  return r.verdict ? "correct" : "not verified";
}

void RunList::sort_by(RunColumn column) {
  // Times are looked for from the least, runs from the newest.
  descending = column == sort ? !descending : column == RunColumn::number || column == RunColumn::when;
  sort = column;
}

void RunList::step(uint64_t version, const std::function<std::vector<RunRow>()>& rows) {
  const bool others = version != version_;
  if (others) {
    rows_ = rows();
    words_.clear();
    version_ = version;
  }
  if (others || filter != filtered_ || sort != sorted_ || descending != downwards_) arrange();
}

void RunList::arrange() {
  filtered_ = filter;
  sorted_ = sort;
  downwards_ = descending;
  shown_.resize(rows_.size());
  std::iota(shown_.begin(), shown_.end(), 0u);
  std::stringstream words(lowered(filter));
  for (std::string word; words >> word;) {
    if (words_.size() != rows_.size()) {
      words_.clear();
      for (const RunRow& row : rows_) words_.push_back(words_of(row));
    }
    const bool without = word.size() > 1 && word[0] == '!';
    if (without) word.erase(0, 1);
    std::erase_if(shown_, [&](uint32_t i) { return (words_[i].find(word) != std::string::npos) == without; });
  }
  // Keys once, not at every comparison. What is equal keeps the order it came in, the newest first.
  std::stable_sort(shown_.begin(), shown_.end(),
                   [&](uint32_t a, uint32_t b) { return rows_[a].number > rows_[b].number; });
  if (by_text(sort)) {
    std::vector<std::string> keys;
    for (const RunRow& row : rows_) keys.push_back(text_of(row, sort));
    std::stable_sort(shown_.begin(), shown_.end(), [&](uint32_t a, uint32_t b) {
      if (keys[a].empty() != keys[b].empty()) return keys[b].empty();
      return descending ? keys[b] < keys[a] : keys[a] < keys[b];
    });
  } else {
    std::vector<double> keys;
    for (const RunRow& row : rows_) keys.push_back(number_of(row, sort));
    std::stable_sort(shown_.begin(), shown_.end(), [&](uint32_t a, uint32_t b) {
      const bool no_a = keys[a] != keys[a], no_b = keys[b] != keys[b];
      if (no_a || no_b) return !no_a && no_b;
      return descending ? keys[b] < keys[a] : keys[a] < keys[b];
    });
  }
}

TextTable run_table(const RunList& list, const std::string& title) {
  TextTable table = headed(title);
  for (const uint32_t i : list.shown()) table.rows.push_back(cells_of(list.rows()[i]));
  return table;
}

TextTable run_table(const RunRow& row) {
  TextTable table = headed("");
  table.rows.push_back(cells_of(row));
  return table;
}

}  // namespace attnscope::gui
