#include "app/gui/model/run_list.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <sstream>

#include <fmt/format.h>

#include "app/gui/worker/ready.hpp"
#include "app/gui/worker/series.hpp"
#include "engine/history/history.hpp"
#include "engine/page/command.hpp"
#include "engine/words.hpp"

namespace attnscope::gui {
namespace {

std::string words_of(const RunRow& row) {
  const Record& r = *row.record;
  return lower_case(fmt::format("{} {} {} {} {} {} {} {} {}", row.name, r.variant, attnscope::to_text(r.config),
                                to_text(r.problem), verdict_of(r), r.environment.device.name, to_text(r.protocol.cache),
                                r.environment.time_utc, row.remark.note));
}

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// A field of a run: what a table of text says of it, and what a list is sorted by: a number where it has one, whose
/// absence comes last whichever way it is sorted, else the text.
struct RunField {
  const char* title;
  std::string (*text)(const RunRow&);
  double (*number)(const RunRow&) = nullptr;
  std::optional<RunColumn> column = {};  ///< of the list
};

template <double Statistics::*kMember>
double ns_of(const RunRow& row) {
  return row.record->statistics ? (*row.record->statistics).*kMember : kNone;
}
template <double Statistics::*kMember>
std::string time_of(const RunRow& row) {
  return row.record->statistics ? time_text((*row.record->statistics).*kMember) : "";
}
std::string rate_text(double rate) { return rate > 0 ? short_number(rate) : ""; }

const std::vector<RunField>& fields() {
  using R = const RunRow&;
  using C = RunColumn;
  static const std::vector<RunField> all = {
      {"#", [](R r) { return std::to_string(r.number); }, [](R r) { return double(r.number); }, C::number},
      {"name", [](R r) { return r.name; }, nullptr, C::name},
      {"variant", [](R r) { return r.record->variant; }},
      {"config", [](R r) { return attnscope::to_text(r.record->config); }},
      {"problem", [](R r) { return to_text(r.record->problem); }, nullptr, C::problem},
      {"verdict", [](R r) { return std::string(verdict_of(*r.record)); }, nullptr, C::verdict},
      {"max abs", [](R r) { return r.record->verdict ? fmt::format("{:.1e}", r.record->verdict->max_abs) : ""; },
       [](R r) { return r.record->verdict ? r.record->verdict->max_abs : kNone; }, C::max_abs},
      {"median", time_of<&Statistics::median>, ns_of<&Statistics::median>, C::median},
      {"mean", time_of<&Statistics::mean>, ns_of<&Statistics::mean>, C::mean},
      {"p20", time_of<&Statistics::p20>, ns_of<&Statistics::p20>},
      {"p80", time_of<&Statistics::p80>, ns_of<&Statistics::p80>},
      {"min", time_of<&Statistics::min>, ns_of<&Statistics::min>, C::min},
      {"max", time_of<&Statistics::max>, ns_of<&Statistics::max>, C::max},
      {"TFLOP/s", [](R r) { return rate_text(r.record->tflops); }, [](R r) { return r.record->tflops; }, C::tflops},
      {"GB/s", [](R r) { return rate_text(r.record->gbps); }, [](R r) { return r.record->gbps; }, C::gbps},
      {"cache", [](R r) { return std::string(to_text(r.record->protocol.cache)); }},
      {"launch", [](R r) { return std::string(to_text(r.record->protocol.launch)); }},
      {"device", [](R r) { return r.record->environment.device.name; }, nullptr, C::device},
      {"when", [](R r) { return r.record->environment.time_utc; }, nullptr, C::when},
      {"note", [](R r) { return r.remark.note; }, nullptr, C::note},
  };
  return all;
}

const RunField& field_of(RunColumn column) {
  const auto& all = fields();
  return *std::find_if(all.begin(), all.end(), [&](const RunField& f) { return f.column == column; });
}

}  // namespace

const char* to_text(RunColumn c) {
  constexpr const char* names[] = {"number", "name", "problem", "verdict", "max_abs", "median", "tflops",
                                   "gbps",   "mean", "min",     "max",     "device",  "when",   "note"};
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
  if (version != version_) {
    rows_ = rows();
    words_.clear();
    version_ = version;
  }
  shown_({version, filter, sort, descending}, [&] { return arranged(); });
}

std::vector<uint32_t> RunList::arranged() {
  std::vector<uint32_t> shown(rows_.size());
  std::iota(shown.begin(), shown.end(), 0u);
  std::stringstream words(lower_case(filter));
  for (std::string word; words >> word;) {
    if (words_.size() != rows_.size()) {
      words_.clear();
      for (const RunRow& row : rows_) words_.push_back(words_of(row));
    }
    const bool without = word.size() > 1 && word[0] == '!';
    if (without) word.erase(0, 1);
    std::erase_if(shown, [&](uint32_t i) { return (words_[i].find(word) != std::string::npos) == without; });
  }
  // Keys once, not at every comparison. What is equal keeps the order it came in, the newest first.
  std::stable_sort(shown.begin(), shown.end(),
                   [&](uint32_t a, uint32_t b) { return rows_[a].number > rows_[b].number; });
  const RunField& by = field_of(sort);
  const auto sort_by = [&](auto key, auto absent) {
    std::vector<decltype(key(rows_[0]))> keys;
    for (const RunRow& row : rows_) keys.push_back(key(row));
    std::stable_sort(shown.begin(), shown.end(), [&](uint32_t a, uint32_t b) {
      if (absent(keys[a]) || absent(keys[b])) return !absent(keys[a]) && absent(keys[b]);
      return descending ? keys[b] < keys[a] : keys[a] < keys[b];
    });
  };
  if (by.number)
    sort_by(by.number, [](double key) { return key != key; });
  else
    sort_by(by.text, [](const std::string& key) { return key.empty(); });
  return shown;
}

TextTable run_table(const RunList& list, const std::string& title) {
  std::vector<RunRow> rows;
  for (const uint32_t i : list.shown()) rows.push_back(list.rows()[i]);
  return run_table(rows, title);
}

TextTable run_table(const std::vector<RunRow>& rows, const std::string& title) {
  TextTable table;
  table.title = title;
  for (const RunField& f : fields()) table.columns.push_back({f.title, f.number != nullptr});
  for (const RunRow& row : rows) {
    auto& cells = table.rows.emplace_back();
    for (const RunField& f : fields()) cells.push_back(f.text(row));
  }
  return table;
}

namespace {

bool is_condition(const std::string& word) {
  return word.find_first_of("=<>~") != std::string::npos && word.front() != '!';
}

}  // namespace

std::string plain_words(const std::string& words) {
  std::stringstream in(words);
  std::string out;
  for (std::string word; in >> word;)
    if (!is_condition(word)) out += (out.empty() ? "" : " ") + word;
  return out;
}

PastRuns::Listed PastRuns::list(const std::filesystem::path& file, const PastQuery& query) {
  Listed out;
  HistoryFilter filter;
  const auto add = [&](const std::string& word) {
    auto condition = parse_condition(word);
    if (condition)
      filter.conditions.push_back(*condition);
    else if (out.error.empty())
      out.error = condition.error().message;
  };
  if (query.problem) add("problem=" + to_text(*query.problem));
  std::stringstream words(query.words);
  for (std::string word; words >> word;)
    if (is_condition(word)) add(word);
  if (!out.error.empty()) return out;
  auto history = attnscope::History::open_to_read(file);
  if (!history) return {{}, false, history.error().message};
  auto page = history->list(filter, kMost);
  if (!page) return {{}, false, page.error().message};
  for (HistoryEntry& e : page->entries)
    out.entries.push_back({e.id, std::make_shared<const Record>(std::move(e.record))});
  out.more = page->more;
  return out;
}

void PastRuns::selection(const PastQuery& query, bool again) {
  if (file.empty()) {
    error_ = "There is no history: it is switched off, or there is no place for it.";
    return;
  }
  if (asked_ == query && !again) return;
  asked_ = query;
  next_ = query;
  step();
}

void PastRuns::read(int64_t id) {
  reading_.push_back(std::async(std::launch::async, [file = file, id]() -> Result<Record> {
    auto history = TRY(attnscope::History::open_to_read(file));
    return history.read(id);
  }));
}

void PastRuns::step() {
  if (ready(listing_)) {
    Listed listed = listing_.get();
    entries_ = std::move(listed.entries);
    error_ = std::move(listed.error);
    more_ = listed.more;
    ++version_;
  }
  if (!listing_.valid() && next_) {
    listing_ = std::async(std::launch::async, [file = file, query = *next_] { return list(file, query); });
    next_.reset();
  }
}

std::vector<Result<Record>> PastRuns::take_whole() {
  std::vector<Result<Record>> out;
  std::erase_if(reading_, [&](auto& f) {
    if (!ready(f)) return false;
    out.push_back(f.get());
    return true;
  });
  return out;
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
