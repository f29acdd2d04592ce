// A selection of runs of a history: conditions on any field, and a span of time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/record/flat.hpp"
#include "engine/result.hpp"

namespace attnscope {

struct HistoryCondition {
  enum class Test { equal, not_equal, less, at_most, more, at_least, contains };
  std::string field;  ///< a column, or a parameter such as BLOCK_M
  bool parameter = false;
  Test test = Test::equal;
  Cell value;  ///< empty: the field is not there
  bool operator==(const HistoryCondition&) const = default;
};
struct HistoryFilter {
  std::vector<HistoryCondition> conditions = {};  ///< all of them
  std::string since = {}, until = {};             ///< UTC, as records have it, or its beginning; both inclusive
};

/// `variant=coopmat`, `head_dim>=128`, `device~H200` (contains), `median_ns<1e6`, `BLOCK_M=64`, `registers=` (not
/// there). Problems are understood in any order of their options. The error lists the fields there are.
Result<HistoryCondition> parse_condition(std::string_view text);
/// A date or the beginning of one: 2026, 2026-11-21, 2026-11-21T05:46.
Result<std::string> parse_date(std::string_view text);
/// All that conditions can name.
std::vector<std::string> history_fields();

/// " WHERE ..." over the table `runs`, and what is to be bound there; "" when everything passes.
struct Where {
  std::string text;
  std::vector<Cell> values;
};
Where where_of(const HistoryFilter&);

}  // namespace attnscope
