#include "engine/tune/budget.hpp"

#include <fmt/format.h>

#include "engine/number.hpp"

namespace attnscope::tune {

Result<Budget> parse_budget(const std::string& text) {
  const auto wrong = [&] {
    return bad_input(
        fmt::format("'{}': a budget is a time to search in (60s, 5m, 1h) or a number of configs to try (200)", text));
  };
  Budget budget;
  double unit = 0;
  std::string_view digits = text;
  if (!text.empty()) unit = text.back() == 's' ? 1 : text.back() == 'm' ? 60 : text.back() == 'h' ? 3600 : 0;
  if (unit == 0) {
    const Result<uint64_t> count = parse_number<uint64_t>(digits, NumberRange<uint64_t>{1, 100'000'000});
    if (!count) return wrong();
    budget.trials = *count;
    return budget;
  }
  digits.remove_suffix(1);
  const Result<double> number = parse_number<double>(digits, NumberRange<double>{0.001, 1e7});
  if (!number) return wrong();
  budget.seconds = *number * unit;
  return budget;
}

}  // namespace attnscope::tune
