// Cells in and out of statements.
#pragma once

#include <string>
#include <string_view>

#include <SQLiteCpp/SQLiteCpp.h>

#include "engine/record/flat.hpp"

namespace attnscope {

/// A column's name within a statement; names come from the tables of fields.
inline std::string in_quotes(std::string_view name) { return "\"" + std::string(name) + "\""; }

inline void bind_cell(SQLite::Statement& statement, int place, const Cell& cell) {
  std::visit(
      [&](const auto& x) {
        if constexpr (std::is_same_v<std::decay_t<decltype(x)>, std::monostate>)
          statement.bind(place);
        else
          statement.bind(place, x);
      },
      cell);
}

inline Cell cell_at(SQLite::Statement& statement, int place) {
  const SQLite::Column column = statement.getColumn(place);
  if (column.isNull()) return {};
  if (column.isInteger()) return column.getInt64();
  if (column.isFloat()) return column.getDouble();
  return column.getString();
}

}  // namespace attnscope
