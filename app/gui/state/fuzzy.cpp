#include "app/gui/state/fuzzy.hpp"

#include <algorithm>
#include <cctype>

namespace attnscope::gui {
namespace {

char lower(char c) { return char(std::tolower(static_cast<unsigned char>(c))); }
bool is_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }
bool begins_word(std::string_view text, size_t i) { return i == 0 || !is_letter(text[i - 1]); }

/// From one first letter on; the sooner and the closer together the better.
std::optional<int> from(std::string_view word, std::string_view text, size_t first) {
  int score = begins_word(text, first) ? 12 : 0;
  size_t at = first;
  for (size_t k = 1; k < word.size(); ++k) {
    size_t next = at + 1;
    if (next < text.size() && lower(text[next]) == lower(word[k])) {
      score += 8;
    } else {
      // The beginning of a later word is a better guess than any letter.
      while (next < text.size() && !(lower(text[next]) == lower(word[k]) && begins_word(text, next))) ++next;
      if (next < text.size()) {
        score += 6;
      } else {
        next = at + 1;
        while (next < text.size() && lower(text[next]) != lower(word[k])) ++next;
        if (next >= text.size()) return std::nullopt;
        score -= int(std::min<size_t>(next - at, 6));
      }
    }
    at = next;
  }
  return score;
}

std::optional<int> word_score(std::string_view word, std::string_view text) {
  std::optional<int> best;
  for (size_t i = 0; i < text.size(); ++i) {
    if (lower(text[i]) != lower(word.front())) continue;
    const auto score = from(word, text, i);
    if (score && (!best || *score > *best)) best = score;
  }
  return best;
}

}  // namespace

std::optional<int> fuzzy_score(std::string_view typed, std::string_view text) {
  int sum = 0;
  for (size_t at = 0; at < typed.size();) {
    const size_t end = std::min(typed.find(' ', at), typed.size());
    if (end > at) {
      const auto score = word_score(typed.substr(at, end - at), text);
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
