// What the values of options may be, checked on the text itself: a number that does not fit is refused, never made fit.
#pragma once

#include <optional>
#include <string>
#include <string_view>

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

/// An option whose argument is called `type`.
template <class T>
CLI::Option* add_text(CLI::App& app, const std::string& name, T& value, const char* type, const std::string& help) {
  return app.add_option(name, value, help)->type_name(type);
}
/// The same. One that takes a list may be repeated, with one value each; others may
/// not be empty.
template <class T>
CLI::Option* add_value(CLI::App& app, const std::string& name, T& value, const char* type, const std::string& help) {
  CLI::Option* option = add_text(app, name, value, type, help);
  if constexpr (requires { value.push_back(std::string()); } && !std::is_same_v<T, std::string>)
    option->allow_extra_args(false);
  else
    option->check(not_empty());
  return option;
}
/// The same of a number in a range.
template <class T, class R>
CLI::Option* add_number(CLI::App& app, const std::string& name, T& value, const NumberRange<R>& range,
                        const std::string& help, const char* type = "N") {
  return add_text(app, name, value, type, help)->check(in_range(range));
}

/// Of a difference between two times.
inline constexpr NumberRange<double> kPercent{0.001, 1000};

/// The fraction: "3%" is 0.03. The sign has to be there, since 0.03 alone could be either.
inline Result<double> parse_percent(std::string_view text) {
  std::string_view number = text;
  if (number.ends_with('%')) number.remove_suffix(1);
  while (number.ends_with(' ')) number.remove_suffix(1);
  const Result<double> percent = parse_number<double>(number, kPercent);
  if (!text.ends_with('%') || !percent)
    return bad_input(
        fmt::format("'{}' is not a percentage from {:g}% to {:g}%, such as 3%", text, kPercent.least, kPercent.most));
  return *percent / 100;
}

inline CLI::Option* add_percent(CLI::App& app, const std::string& name, std::optional<double>& fraction,
                                const std::string& help) {
  return app
      .add_option_function<std::string>(
          name, [&fraction](const std::string& text) { fraction = *parse_percent(text); }, help)
      ->type_name("PERCENT")
      ->check(CLI::Validator(
          [](const std::string& text) {
            const Result<double> percent = parse_percent(text);
            return percent ? std::string() : percent.error().message;
          },
          ""));
}

}  // namespace attnscope::cli
