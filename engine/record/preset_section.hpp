// Reading one table of a preset file, strictly: unknown keys and wrong types are errors with their line.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "engine/attention/problem.hpp"

namespace attnscope::preset {

/// Thrown while a file is read, and caught there: what is wrong, with its line.
class Bad : public std::runtime_error {
 public:
  Bad(const toml::node& at, const std::string& what)
      : runtime_error(fmt::format("line {}: {}", at.source().begin.line, what)) {}
};

/// A problem, and whose shape it is ("" = nobody's).
struct NamedProblem {
  Problem problem;
  std::string whose;
};
/// An array whose items are problems as text, or { whose = "…", problem = "…" }. `what` is for the error.
inline std::vector<NamedProblem> named_problems(const toml::node& node, const std::string& what) {
  if (!node.is_array()) throw Bad(node, what + " must be an array of strings, or of tables with whose and problem");
  std::vector<NamedProblem> out;
  for (const toml::node& item : *node.as_array()) {
    NamedProblem one;
    const toml::node* text = &item;
    if (const toml::table* table = item.as_table()) {
      for (const auto& [key, value] : *table)
        if (key.str() != "whose" && key.str() != "problem")
          throw Bad(value, fmt::format("key '{}' is not known in {}; the keys are whose, problem", key.str(), what));
      text = table->get("problem");
      if (!text) throw Bad(item, fmt::format("an item of {} has no problem", what));
      if (const toml::node* whose = table->get("whose")) {
        if (!whose->is_string()) throw Bad(*whose, fmt::format("whose of {} must be a string", what));
        one.whose = *whose->value<std::string>();
      }
    }
    if (!text->is_string())
      throw Bad(item, fmt::format("{} must hold strings alone, or tables with whose and problem", what));
    const auto problem = parse_problem(*text->value<std::string>());
    if (!problem) throw Bad(*text, problem.error().message);
    one.problem = *problem;
    out.push_back(std::move(one));
  }
  return out;
}

/// One table of the file; every key that it may have is asked for.
class Section {
 public:
  Section(const toml::node& node, std::string name, std::initializer_list<std::string_view> known)
      : node_(node), table_(node.as_table()), name_(std::move(name)) {
    if (!table_) throw Bad(node, name_ + " must be a table");
    for (const auto& [key, value] : *table_)
      if (std::find(known.begin(), known.end(), key.str()) == known.end())
        throw Bad(value, fmt::format("key '{}' is not known in {}; the keys are {}", key.str(), name_,
                                     fmt::join(known, ", ")));
  }
  const toml::node* find(std::string_view key) const { return table_->get(key); }
  bool has(std::string_view key) const { return find(key) != nullptr; }
  std::string text(std::string_view key) const {
    const toml::node* node = find(key);
    if (!node) return "";
    if (!node->is_string()) throw Bad(*node, fmt::format("{} of {} must be a string", key, name_));
    return *node->value<std::string>();
  }
  std::string needed(std::string_view key) const {
    const std::string value = text(key);
    if (value.empty()) throw Bad(node_, fmt::format("{} of {} is missing or empty", key, name_));
    return value;
  }
  std::vector<std::string> texts(std::string_view key) const {
    std::vector<std::string> out;
    const toml::node* node = find(key);
    if (!node) return out;
    if (!node->is_array()) throw Bad(*node, fmt::format("{} of {} must be an array of strings", key, name_));
    for (const toml::node& item : *node->as_array()) {
      if (!item.is_string()) throw Bad(item, fmt::format("{} of {} must hold strings alone", key, name_));
      out.push_back(*item.value<std::string>());
    }
    return out;
  }
  /// Each once.
  std::vector<NamedProblem> problems(std::string_view key) const {
    const toml::node* node = find(key);
    std::vector<NamedProblem> out;
    if (!node) return out;
    out = named_problems(*node, fmt::format("{} of {}", key, name_));
    for (size_t i = 0; i < out.size(); ++i)
      for (size_t k = 0; k < i; ++k)
        if (out[k].problem == out[i].problem)
          throw Bad((*node->as_array())[i], fmt::format("{} of {} repeats {}", key, name_, to_text(out[i].problem)));
    return out;
  }
  /// False where it is absent.
  bool flag(std::string_view key) const {
    const toml::node* node = find(key);
    if (!node) return false;
    if (!node->is_boolean()) throw Bad(*node, fmt::format("{} must be true or false", key));
    return *node->value<bool>();
  }
  std::optional<double> number(std::string_view key) const {
    const toml::node* node = find(key);
    if (!node) return std::nullopt;
    // TOML knows nan and inf, too.
    if (!node->is_number() || !(*node->value<double>() >= 0 && *node->value<double>() <= kMostNumber))
      throw Bad(*node, fmt::format("{} must be a number from 0 to {}", key, kMostNumber));
    return *node->value<double>();
  }
  const toml::node& node() const { return node_; }

 private:
  static constexpr double kMostNumber = 1e12;
  const toml::node& node_;
  const toml::table* table_;
  std::string name_;
};

}  // namespace attnscope::preset
