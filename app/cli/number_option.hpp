// What the values of options may be, checked on the text itself: a number that does not fit is refused, never made fit.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "engine/number.hpp"

namespace attnscope::cli {

/// Finite, decimal, and in its range, which help and errors name.
template <class T>
CLI::Validator in_range(const NumberRange<T>& range) {
  return {[range](const std::string& text) {
            const Result<T> number = parse_number<T>(text, range);
            return number ? std::string() : number.error().message;
          },
          fmt::format("{} to {}", range.least, range.most)};
}

/// For names of files, of which "" is none.
inline CLI::Validator not_empty() {
  return {[](const std::string& text) {
            return std::string(text.empty() ? "it is empty; leave the option out instead" : "");
          },
          ""};
}

}  // namespace attnscope::cli
