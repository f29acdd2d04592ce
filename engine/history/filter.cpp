#include "engine/history/history.hpp"

#include "engine/history/database.hpp"

namespace attnscope {
namespace {

using Test = HistoryCondition::Test;

struct TestText {
  std::string_view text;
  Test test;
  const char* sql;
};
constexpr auto kTests = std::to_array<TestText>({{"!=", Test::not_equal, "IS NOT"},
                                                 {"<=", Test::at_most, "<="},
                                                 {">=", Test::at_least, ">="},
                                                 {"=", Test::equal, "IS"},
                                                 {"<", Test::less, "<"},
                                                 {">", Test::more, ">"},
                                                 {"~", Test::contains, ""}});

const ColumnInfo* column(std::string_view name) {
  for (const auto* columns : {&run_columns(), &environment_columns()})
    if (const ColumnInfo* c = find_by(*columns, name, &ColumnInfo::name)) return c;
  return nullptr;
}

/// Parameters are written like constants; no field is.
bool looks_like_parameter(std::string_view name) {
  return !name.empty() && name.front() >= 'A' && name.front() <= 'Z' &&
         std::ranges::all_of(name, [](char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; });
}

Cell number(std::string_view text) {
  constexpr double kAny = std::numeric_limits<double>::infinity();
  if (const auto integer = parse_number<int64_t>(text, {INT64_MIN, INT64_MAX})) return *integer;
  if (text.find_first_not_of("0123456789") == text.npos) return std::string(text);  // beyond 2^63 - 1
  if (const auto real = parse_number<double>(text, {-kAny, kAny})) return *real;
  return std::string(text);
}

std::vector<std::string> history_fields() {
  std::vector<std::string> names;
  for (const auto* columns : {&run_columns(), &environment_columns()})
    for (const ColumnInfo& c : *columns) names.push_back(c.name);
  std::ranges::sort(names);
  return names;
}

}  // namespace

Result<HistoryCondition> parse_condition(std::string_view text) {
  const size_t at = text.find_first_of("=<>!~");
  const auto test = std::ranges::find_if(
      kTests, [&](const auto& t) { return at != text.npos && text.substr(at).starts_with(t.text); });
  if (at == 0 || test == kTests.end())
    return bad_input(
        "'{}' is not a condition: give FIELD=VALUE, or with !=, <, <=, >, >= or ~ (contains) in place of =.", text);
  const std::string_view name = text.substr(0, at), value = text.substr(at + test->text.size());
  HistoryCondition condition{std::string(name), false, test->test, {}};
  const ColumnInfo* known = column(name);
  if (!known && !looks_like_parameter(name))
    return bad_input("'{}': there is no field '{}'; there are {}, and parameters such as BLOCK_M.", text, name,
                     fmt::join(history_fields(), ", "));
  condition.parameter = !known;
  if (value.empty()) {
    if (condition.parameter || (condition.test != Test::equal && condition.test != Test::not_equal))
      return bad_input("'{}': a value is missing after {}.", text, test->text);
    return condition;
  }
  condition.value = std::string(value);
  if (condition.parameter) {
    if (condition.test != Test::equal && condition.test != Test::not_equal)
      return bad_input("'{}': a parameter can be compared with = and != alone.", text);
    if (!std::holds_alternative<int64_t>(number(value)))
      return bad_input("'{}': a parameter's value is an integer.", text);
  } else if (known->kind == CellKind::number && condition.test != Test::contains) {
    condition.value = number(value);
    if (std::holds_alternative<std::string>(condition.value) && value.find_first_not_of("0123456789") != value.npos)
      return bad_input("'{}': {} is a number.", text, name);
  } else if (known->kind == CellKind::truth) {
    if (value != "true" && value != "false") return bad_input("'{}': {} is true or false.", text, name);
    condition.value = int64_t{value == "true"};
  } else if (name == "problem" && condition.test != Test::contains) {
    condition.value = to_text(TRY(within(fmt::format("'{}'", text), parse_problem(value))));
  }
  return condition;
}

Result<std::string> parse_date(std::string_view text) {
  constexpr std::string_view pattern = "dddd-dd-ddTdd:dd:ddZ";
  bool good = text.size() >= 4 && text.size() <= pattern.size();
  for (size_t i = 0; good && i < text.size(); ++i)
    good = pattern[i] == 'd' ? text[i] >= '0' && text[i] <= '9' : text[i] == pattern[i];
  const auto part = [&](size_t at) { return text.size() < at + 2 ? 0 : std::stoi(std::string(text.substr(at, 2))); };
  constexpr std::array whole{4, 7, 10, 13, 16, 19, 20};
  good = good && std::ranges::find(whole, int(text.size())) != whole.end();
  if (good) {
    const auto year = std::chrono::year(std::stoi(std::string(text.substr(0, 4))));
    const auto month = std::chrono::month(text.size() < 7 ? 1U : unsigned(part(5)));
    const auto day = std::chrono::day(text.size() < 10 ? 1U : unsigned(part(8)));
    good = (year / month / day).ok() && part(11) < 24 && part(14) < 60 && part(17) < 60;
  }
  if (!good) return bad_input("'{}' is not a date: give one such as 2026-11-21 or 2026-11-21T05:46, in UTC.", text);
  return std::string(text);
}

Where where_of(const HistoryFilter& filter) {
  Where where;
  const auto add = [&](const std::string& text) { where.text += (where.text.empty() ? " WHERE " : " AND ") + text; };
  using enum HistoryCondition::Test;
  for (const HistoryCondition& c : filter.conditions) {
    const std::string name = in_quotes(c.field);
    std::string test;
    if (c.parameter) {
      test = fmt::format("instr(',' || config || ',', ?) {} 0", c.test == equal ? ">" : "=");
      where.values.emplace_back(fmt::format(",{}={},", c.field, std::get<std::string>(c.value)));
    } else if (c.test == contains) {
      test = fmt::format("instr(lower({}), lower(?)) > 0", name);
      where.values.push_back(c.value);
    } else if (c.field == "config" && (c.test == equal || c.test == not_equal)) {
      // By its values or by its name, as on every command line.
      test = fmt::format("{} (config IS ? OR config_name IS ?)", c.test == equal ? "" : "NOT");
      where.values.insert(where.values.end(), 2, c.value);
    } else {
      test = fmt::format("{} {} ?", name, std::ranges::find(kTests, c.test, &TestText::test)->sql);
      where.values.push_back(c.value);
    }
    // The plus keeps the order of time: few environments have nearly all runs.
    const bool shared = find_by(environment_columns(), c.field, &ColumnInfo::name) != nullptr;
    add(shared ? "+environment IN (SELECT id FROM environments WHERE " + test + ")" : test);
  }
  if (!filter.since.empty()) {
    add("time_utc >= ?");
    where.values.emplace_back(filter.since);
  }
  if (!filter.until.empty()) {
    add("time_utc < ?");
    where.values.emplace_back(filter.until + "~");  // behind whatever begins so
  }
  return where;
}

}  // namespace attnscope
