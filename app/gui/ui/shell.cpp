#include "app/gui/ui/shell.hpp"

#include <algorithm>
#include <cctype>

namespace attnscope::gui {

void Toasts::step(const MessagesLog& log, double now, bool pointed_at) {
  if (!pointed_at) std::erase_if(all_, [&](const Toast& t) { return t.until <= now; });
  const auto& lines = log.lines();
  const uint64_t first = log.said() - lines.size();
  for (uint64_t n = std::max(seen_, first); n < log.said(); ++n) {
    const LogLine& line = lines[size_t(n - first)];
    if (line.panel.empty()) continue;
    all_.push_back({n, line, now + kSeconds});
    if (all_.size() > kMost) all_.erase(all_.begin());
  }
  seen_ = log.said();
}

void Toasts::dismiss(uint64_t number) {
  std::erase_if(all_, [&](const Toast& t) { return t.number == number; });
}

void Welcome::watch(const WelcomeNews& news) {
  if (!open || news.problem.empty()) return;
  if (first_.empty()) first_ = news.problem;
  // Whoever searches a shape has picked it, be it the one that was there.
  if (news.problem != first_ || news.search_ended) done[0] = true;
  if (news.search_ended) done[1] = true;
  // Why explains what was found: before there is a time to explain nothing was seen of it.
  if (news.why_in_view && done[1]) done[2] = true;
  if (news.compared) done[3] = true;
}

size_t Welcome::next() const {
  for (size_t i = 0; i < done.size(); ++i)
    if (!done[i]) return i;
  return done.size();
}

void Welcome::restart() {
  done = {};
  first_.clear();
  open = true;
}

namespace {

char lower(char c) { return char(std::tolower(static_cast<unsigned char>(c))); }
bool is_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }
bool begins_word(std::string_view text, size_t i) { return i == 0 || !is_letter(text[i - 1]); }

/// From one first letter on: each next letter follows, or begins a later word.
std::optional<int> from(std::string_view word, std::string_view text, size_t first, std::vector<size_t>& letters) {
  int score = begins_word(text, first) ? 12 : 0;
  letters = {first};
  for (size_t k = 1; k < word.size(); ++k) {
    size_t next = letters.back() + 1;
    const auto fits = [&] { return lower(text[next]) == lower(word[k]); };
    score += next < text.size() && fits() ? 8 : 6;
    if (next < text.size() && !fits())
      while (next < text.size() && !(fits() && begins_word(text, next))) ++next;
    if (next >= text.size()) return std::nullopt;
    letters.push_back(next);
  }
  return score;
}

std::optional<int> word_score(std::string_view word, std::string_view text, std::vector<size_t>* letters) {
  std::optional<int> best;
  std::vector<size_t> found, of_best;
  for (size_t i = 0; i < text.size(); ++i) {
    if (lower(text[i]) != lower(word.front())) continue;
    const auto score = from(word, text, i, found);
    if (!score || (best && *score <= *best)) continue;
    best = score;
    of_best = found;
  }
  if (letters) letters->insert(letters->end(), of_best.begin(), of_best.end());
  return best;
}

}  // namespace

std::optional<int> fuzzy_score(std::string_view typed, std::string_view text, std::vector<size_t>* letters) {
  int sum = 0;
  for (size_t at = 0; at < typed.size();) {
    const size_t end = std::min(typed.find(' ', at), typed.size());
    if (end > at) {
      const auto score = word_score(typed.substr(at, end - at), text, letters);
      if (!score) return std::nullopt;
      sum += *score;
    }
    at = end + 1;
  }
  // Of equal ones the shorter says more with it.
  return sum == 0 ? 0 : sum * 16 - int(std::min<size_t>(text.size(), 100) / 8);
}

std::vector<size_t> fuzzy_order(std::string_view typed, const std::vector<std::string>& texts) {
  std::vector<std::pair<int, size_t>> found;
  for (size_t i = 0; i < texts.size(); ++i)
    if (const auto score = fuzzy_score(typed, texts[i])) found.emplace_back(*score, i);
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<size_t> order;
  for (const auto& [score, i] : found) order.push_back(i);
  return order;
}

}  // namespace attnscope::gui
