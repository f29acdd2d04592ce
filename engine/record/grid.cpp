#include "engine/record/comparisons.hpp"

#include "engine/record/columns.hpp"

namespace attnscope {
namespace {

/// The text of any field or parameter; "" if the config lacks the parameter.
std::string field_text(std::string_view name, const Record& r) {
  if (const RecordColumn* field = find_column(name, RecordColumn::Use::field)) return column_text(*field, r);
  const std::string parameter(name);
  return r.config.contains(parameter) ? fmt::format("{}", r.config.at(parameter)) : "";
}

std::string arrow(const std::string& a, const std::string& b, const std::string& unit = {}) {
  if (a.empty() && b.empty()) return "";
  const std::string text = a == b ? a : fmt::format("{} → {}", a.empty() ? "–" : a, b.empty() ? "–" : b);
  return unit.empty() ? text : text + " " + unit;
}

/// "−28 %", "same", "+1.3 % ?" for what could not be told.
std::string time_text(const RowComparison& row) {
  const Comparison& c = row.comparison;
  if (!row.b.median_ns) return std::string(to_text(row.b.outcome));
  if (!row.a.median_ns) return fmt::format("{} before", to_text(row.a.outcome));
  if (c.relation == Relation::same) return "same";
  // A pair that cannot be compared has no interval.
  if (c.relation == Relation::unsure && c.low == c.high) return "?";
  const double percent = 100 * (c.ratio - 1);
  return fmt::format("{}{:.{}f} %{}", percent < 0 ? "−" : "+", std::abs(percent), std::abs(percent) < 9.95 ? 1 : 0,
                     c.relation == Relation::unsure ? " ?" : "");
}

struct Row {
  const Record *a, *b;
  const RowComparison* row;
};

std::string shown_text(const std::string& what, const Row& r) {
  if (what == "time") return time_text(*r.row);
  const RecordColumn& column = *find_column(what, RecordColumn::Use::value);
  TableUnits units;
  std::vector<double> times;
  for (const Record* record : {r.a, r.b})
    if (column.statistic && record->statistics) times.push_back((*record->statistics).*column.statistic);
  units.time = choose_time_unit(times);
  const auto text = [&](const Record& record) {
    return column.statistic && !record.statistics ? "" : column_text(column, record, units);
  };
  const bool unit = column.statistic != nullptr;
  return arrow(text(*r.a), text(*r.b), unit ? units.time.name : what == "compile" ? "ms" : what == "code" ? "B" : "");
}

/// Numbers by size, other texts in order of appearance.
std::vector<std::string> axis(const std::vector<Row>& rows, const std::string& field) {
  std::vector<std::string> values;
  bool numbers = true;
  const auto number = [](const std::string& text) {
    const auto n = parse_number<int64_t>(text, {INT64_MIN, INT64_MAX});
    return n ? std::optional(*n) : std::nullopt;
  };
  for (const Row& r : rows) {
    const std::string text = field_text(field, *r.b);
    if (contains(values, text)) continue;
    numbers = numbers && number(text);
    values.push_back(text);
  }
  if (numbers) std::ranges::sort(values, [&](const auto& x, const auto& y) { return *number(x) < *number(y); });
  return values;
}

std::set<std::string> parameters(const std::vector<Row>& rows) {
  std::set<std::string> names;
  for (const Row& r : rows)
    for (const auto& [name, value] : r.b->config) names.insert(name);
  return names;
}

std::string texts_of(const Row& r, const std::vector<std::string>& fields) {
  std::string text;
  for (const std::string& field : fields) text += field_text(field, *r.b) + "\n";
  return text;
}

std::vector<std::string> splitting(const std::vector<Row>& rows, const std::vector<std::string>& by,
                                   const std::vector<std::string>& candidates) {
  std::vector<std::string> fields = by;
  for (bool again = true; again;) {
    again = false;
    std::map<std::string, const Row*> cells;
    std::vector<std::pair<const Row*, const Row*>> sharing;
    for (const Row& r : rows)
      if (const auto [at, fresh] = cells.emplace(texts_of(r, fields), &r); !fresh) sharing.emplace_back(at->second, &r);
    for (const std::string& c : candidates) {
      const bool tells = std::ranges::any_of(
          sharing, [&](const auto& pair) { return field_text(c, *pair.first->b) != field_text(c, *pair.second->b); });
      if (!tells) continue;
      fields.push_back(c);
      again = true;
      break;
    }
  }
  return {fields.begin() + ptrdiff_t(by.size()), fields.end()};
}

TextTable grid(const std::vector<Row>& rows, const GridRequest& asked) {
  TextTable table;
  const std::vector<std::string> down = axis(rows, asked.by[0]);
  const bool both = asked.by.size() == 2;
  const std::vector<std::string> across = both ? axis(rows, asked.by[1]) : asked.show;
  table.columns.push_back({both ? fmt::format("{} ↓ {} →", asked.by[0], asked.by[1]) : asked.by[0], true});
  for (const std::string& title : across) table.columns.push_back({title, true});
  for (const std::string& value : down) {
    std::vector<std::string>& cells = table.rows.emplace_back(std::vector<std::string>{value});
    cells.resize(table.columns.size());
    for (const Row& r : rows) {
      if (field_text(asked.by[0], *r.b) != value) continue;
      auto parts = mapped(asked.show, [&](const std::string& what) { return shown_text(what, r); });
      // As many values as the heading names; empty cells if there are none.
      if (std::ranges::all_of(parts, [](const std::string& part) { return part.empty(); })) continue;
      for (std::string& part : parts)
        if (part.empty()) part = "–";
      for (size_t c = 0; c < across.size(); ++c) {
        if (both && field_text(asked.by[1], *r.b) != across[c]) continue;
        std::string& cell = cells[c + 1];
        cell += (cell.empty() ? "" : "; ") + (both ? joined(parts, " | ") : parts[c]);
      }
    }
  }
  return table;
}

}  // namespace

Result<std::vector<TextTable>> comparison_grids(const FileComparison& files, const GridRequest& asked) {
  std::vector<Row> rows;
  for (size_t i = 0; i < files.rows.size(); ++i)
    rows.push_back({files.pairs[i].first, files.pairs[i].second, &files.rows[i]});
  const std::set<std::string> known = parameters(rows);
  const std::vector<std::string> fields = with_columns({}, RecordColumn::Use::field),
                                 values = with_columns({"time"}, RecordColumn::Use::value);
  if (asked.by.empty() || asked.by.size() > 2) return bad_input("--by takes one field or two, not {}", asked.by.size());
  bool by_parameter = false;
  for (const std::string& field : asked.by) {
    if (contains(fields, field)) continue;
    by_parameter = true;
    if (!known.contains(field))
      return bad_input("--by {}: there is no such field; there are: {}{}{}", field, joined(fields, ", "),
                       known.empty() ? "" : "; parameters: ", fmt::join(known, ", "));
  }
  if (asked.show.empty()) return bad_input("--show names nothing");
  for (const std::string& what : asked.show)
    if (!contains(values, what))
      return bad_input("--show {}: there is no such value; there are: {}", what, joined(values, ", "));

  std::vector<std::string> candidates = filtered(
      fields, [&](const std::string& field) { return field != "problem" && (field != "config" || !by_parameter); });
  candidates.insert(candidates.end(), known.begin(), known.end());
  const std::vector<std::string> split = splitting(rows, asked.by, candidates);

  Ordered<std::string, std::vector<Row>> groups;
  for (const Row& r : rows) groups[texts_of(r, split)].push_back(r);
  std::vector<TextTable> tables;
  for (const auto& group : groups) {
    const std::vector<Row>& members = group.second;
    TextTable& table = tables.emplace_back(grid(members, asked));
    std::vector<std::string> title, varying;
    for (const std::string& field : split)
      if (const std::string text = field_text(field, *members.front().b); !text.empty())
        add_line(title, "{} {}", field, text);
    table.title = joined(title, ", ");
    for (const std::string& field : candidates) {
      const auto told = [&](const auto& names) { return contains(names, field); };
      // The parts of what is told already are told with it; a config's parameters by its name.
      if (told(asked.by) || told(split) || known.contains(field) || contains(asked.by, "problem")) continue;
      const bool differ = std::ranges::any_of(
          members, [&](const Row& r) { return field_text(field, *r.b) != field_text(field, *members.front().b); });
      if (differ && field != "scale") varying.push_back(field);
    }
    if (!varying.empty()) add_line(table.notes, "From cell to cell these differ, too: {}.", joined(varying, ", "));
  }
  if (tables.empty()) return tables;
  std::vector<std::string> heading{
      fmt::format("{} against {}, {}.", files.b.empty() ? "B" : fmt::format("B ({})", files.b),
                  files.a.empty() ? "A" : fmt::format("A ({})", files.a), words_text(files.rows))};
  add_line(heading, "Cells: {}; old → new; \"same\" within ±{:.3g} %, \"?\" where it cannot be told.",
           joined(asked.show, " | "), 100 * files.tolerance);
  tables.front().heading = heading;
  return tables;
}

}  // namespace attnscope
