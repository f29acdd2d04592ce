#include "engine/history/where.hpp"

#include "engine/history/rows.hpp"
#include "engine/history/sql.hpp"

namespace attnscope {

namespace {

const char* sql_of(HistoryCondition::Test test) {
  using enum HistoryCondition::Test;
  switch (test) {
    case equal: return "IS";
    case not_equal: return "IS NOT";
    case less: return "<";
    case at_most: return "<=";
    case more: return ">";
    case at_least: return ">=";
    case contains: break;
  }
  return "";
}

bool of_environment(const std::string& field) {
  for (const ColumnInfo& c : environment_columns())
    if (c.name == field) return true;
  return false;
}

}  // namespace

Where where_of(const HistoryFilter& filter) {
  Where where;
  const auto add = [&](const std::string& text) { where.text += (where.text.empty() ? " WHERE " : " AND ") + text; };
  using Test = HistoryCondition::Test;
  for (const HistoryCondition& c : filter.conditions) {
    const std::string name = in_quotes(c.field);
    std::string test;
    if (c.parameter) {
      test = fmt::format("instr(',' || config || ',', ?) {} 0", c.test == Test::equal ? ">" : "=");
      where.values.push_back(fmt::format(",{}={},", c.field, std::get<std::string>(c.value)));
    } else if (c.test == Test::contains) {
      test = fmt::format("instr(lower({}), lower(?)) > 0", name);
      where.values.push_back(c.value);
    } else if (c.field == "config" && (c.test == Test::equal || c.test == Test::not_equal)) {
      // By its values or by its name, as on every command line.
      test = fmt::format("{} (config IS ? OR config_name IS ?)", c.test == Test::equal ? "" : "NOT");
      where.values.insert(where.values.end(), 2, c.value);
    } else {
      test = fmt::format("{} {} ?", name, sql_of(c.test));
      where.values.push_back(c.value);
    }
    // The plus keeps the order of time: few environments have nearly all runs.
    add(of_environment(c.field) ? "+environment IN (SELECT id FROM environments WHERE " + test + ")" : test);
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
