#include "app/gui/state/past_runs.hpp"

#include <chrono>
#include <sstream>

#include "engine/history/history.hpp"

namespace attnscope::gui {
namespace {

bool is_condition(const std::string& word) {
  return word.find_first_of("=<>~") != std::string::npos && word.front() != '!';
}

template <class T>
bool ready(const std::future<T>& f) {
  return f.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
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

void PastRuns::ask(const PastQuery& query, bool again) {
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
    auto history = attnscope::History::open_to_read(file);
    if (!history) return history.error();
    return history->read(id);
  }));
}

void PastRuns::step() {
  if (listing_.valid() && ready(listing_)) {
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

}  // namespace attnscope::gui
