// A filter as SQL.
#pragma once

#include <string>
#include <vector>

#include "engine/history/filter.hpp"

namespace attnscope {

/// " WHERE ..." over the table `runs`, and what is to be bound there; "" when everything passes.
struct Where {
  std::string text;
  std::vector<Cell> values;
};
Where where_of(const HistoryFilter&);

}  // namespace attnscope
