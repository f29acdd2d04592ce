#include "engine/record/preset_table.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "engine/record/preset_section.hpp"
#include "engine/record/table_values.hpp"
#include "engine/variant/expression.hpp"

namespace attnscope {

namespace {

using preset::Bad;
using preset::Section;

/// A published figure as it is to be shown.
std::string figure(const toml::node& node) {
  if (const auto text = node.value<std::string>(); text && node.is_string()) return *text;
  if (const auto number = node.value<double>(); number && node.is_number()) return fmt::format("{}", *number);
  throw Bad(node, "a published figure is a number or a string");
}

TableColumn read_column(const toml::node& node) {
  const Section s(node, "a column", {"title", "value", "over", "of", "published", "parameter", "on"});
  TableColumn c;
  if (int(s.has("value")) + int(s.has("published")) + int(s.has("parameter")) != 1)
    throw Bad(node, "a column shows one of value, published and parameter");
  for (const char* kind : {"published", "parameter"})
    if (s.has(kind)) {
      c.value = kind;
      c.key = s.needed(kind);
    }
  if (s.has("value")) {
    c.value = s.needed("value");
    const auto known = column_values();
    if (std::find(known.begin(), known.end(), c.value) == known.end())
      throw Bad(*s.find("value"),
                fmt::format("value '{}' is not known; the values are {}", c.value, fmt::join(known, ", ")));
  }
  if ((c.value == "speedup") != s.has("over"))
    throw Bad(node, "a column has 'over', the name of a row, if its value is 'speedup', and only then");
  if ((c.value == "time") != s.has("of"))
    throw Bad(node, "a column has 'of', the name of a row, if its value is 'time', and only then");
  if (c.value == "speedup") c.key = s.needed("over");
  if (c.value == "time") c.key = s.needed("of");
  c.title = c.value == "parameter" && !s.has("title") ? c.key : s.needed("title");
  if (s.has("on")) {
    const std::string on = s.needed("on");
    c.on_all = on == "all";
    if (c.on_all && !is_time_value(c.value))
      throw Bad(*s.find("on"), fmt::format("'{}' has no mean over all problems: name one", c.value));
    if (!c.on_all) {
      const auto problem = parse_problem(on);
      if (!problem) throw Bad(*s.find("on"), problem.error().message);
      c.on = *problem;
    }
  }
  return c;
}

/// The problems alone; whose they are goes to the table.
std::vector<Problem> take(const std::vector<preset::NamedProblem>& named, SystemTable& t) {
  std::vector<Problem> out;
  for (const preset::NamedProblem& one : named) {
    if (!one.whose.empty()) t.whose[to_text(one.problem)] = one.whose;
    out.push_back(one.problem);
  }
  return out;
}

TableRow read_row(const toml::node& node, const std::vector<Problem>& shared, SystemTable& t) {
  const Section s(node, "[[row]]", {"name", "variant", "baseline", "config", "problems", "published", "shown"});
  TableRow row;
  row.name = s.needed("name");
  row.from_baseline = s.has("baseline");
  if (s.has("variant") == row.from_baseline)
    throw Bad(node, fmt::format("row '{}' has either a variant to run or a baseline to read", row.name));
  row.variant = s.needed(row.from_baseline ? "baseline" : "variant");
  row.config = s.text("config");
  if (row.config == "all" || row.config == "tuned")
    throw Bad(node, fmt::format("row '{}': config '{}' is not one config", row.name, row.config));
  row.problems = s.has("problems") ? take(s.problems("problems"), t) : shared;
  row.shown = !s.has("shown") || s.flag("shown");
  if (row.problems.empty())
    throw Bad(node, fmt::format("row '{}' has no problems, and neither has the table", row.name));
  if (const toml::node* published = s.find("published")) {
    if (!published->is_table()) throw Bad(*published, "published must be a table of figures");
    for (const auto& [key, value] : *published->as_table()) {
      auto& texts = row.published[std::string(key.str())];
      if (!value.is_array()) {
        texts.push_back(figure(value));
        continue;
      }
      for (const toml::node& item : *value.as_array()) texts.push_back(figure(item));
      if (texts.size() != row.problems.size())
        throw Bad(value, fmt::format("published '{}' of row '{}' has {} figures for {} problems", key.str(), row.name,
                                     texts.size(), row.problems.size()));
    }
  }
  return row;
}

TableMean read_mean(const toml::node& node) {
  const Section s(node, "a mean", {"title", "where"});
  TableMean mean{s.needed("title"), s.text("where")};
  if (mean.where.empty()) return mean;
  const auto known = problem_names({}, {});
  const auto used = used_names(mean.where);
  if (!used) throw Bad(*s.find("where"), used.error().message);
  for (const std::string& name : *used)
    if (!known.contains(name)) throw Bad(*s.find("where"), fmt::format("where: a problem has no '{}'", name));
  return mean;
}

/// What can only be said of the rows and columns together.
void check(const SystemTable& t, const toml::array& columns, const toml::array& rows) {
  std::set<std::string> names, shown;
  bool several = false;
  for (size_t r = 0; r < t.rows.size(); ++r) {
    if (!names.insert(t.rows[r].name).second)
      throw Bad(rows[r], fmt::format("there are two rows '{}'", t.rows[r].name));
    several |= t.rows[r].problems.size() > 1;
  }
  const auto any = [&](const auto& has) { return std::any_of(t.rows.begin(), t.rows.end(), has); };
  if (!any([](const TableRow& row) { return row.shown; })) throw Bad(rows[0], "no row is shown");
  for (size_t i = 0; i < t.columns.size(); ++i) {
    const TableColumn& c = t.columns[i];
    if (c.value == "published" && t.source.empty())
      throw Bad(columns[i], "source of [table] is missing or empty: published figures come from somewhere");
    if (c.value == "published") shown.insert(c.key);
    if (c.value == "published" && !any([&](const TableRow& row) { return row.published.contains(c.key); }))
      throw Bad(columns[i], fmt::format("no row has a published '{}'", c.key));
    if ((c.value == "speedup" || c.value == "time") && !names.contains(c.key))
      throw Bad(columns[i], fmt::format("there is no row '{}'", c.key));
    if (c.on && !any([&](const TableRow& row) {
          return std::find(row.problems.begin(), row.problems.end(), *c.on) != row.problems.end();
        }))
      throw Bad(columns[i], fmt::format("no row has the problem {}", to_text(*c.on)));
    const bool free = c.value == "name" || c.value == "published";  // of no problem
    if (several && !t.line_per_problem && !free && !c.on && !c.on_all)
      throw Bad(columns[i], fmt::format("column '{}' needs 'on', since rows have several problems", c.title));
  }
  for (size_t r = 0; r < t.rows.size(); ++r)
    for (const auto& [key, texts] : t.rows[r].published)
      if (!shown.contains(key)) throw Bad(rows[r], fmt::format("no column shows the published '{}'", key));
}

const toml::array& array_of(const toml::node* node, const toml::node& parent, const char* what) {
  if (!node || !node->is_array() || node->as_array()->empty())
    throw Bad(node ? *node : parent, fmt::format("{} is missing or empty", what));
  return *node->as_array();
}

SystemTable read(const toml::table& file) {
  const toml::node* head = file.get("table");
  if (!head) throw Bad(*file.get("row"), "[[row]] needs a [table]");
  const Section s(*head, "[table]",
                  {"device", "source", "unit", "problems", "columns", "lines", "mark_best", "software_gflop",
                   "baselines", "baseline_note", "notes", "means"});
  SystemTable t;
  t.device = s.text("device");
  t.source = s.text("source");
  if (s.has("unit")) t.unit = s.needed("unit");
  if (!time_unit_ns(t.unit)) throw Bad(*s.find("unit"), fmt::format("unit '{}' is none of ns, µs, ms, s", t.unit));
  if (const std::string lines = s.text("lines"); !lines.empty() && lines != "row" && lines != "problem")
    throw Bad(*s.find("lines"), fmt::format("lines '{}' is neither 'row' nor 'problem'", lines));
  else
    t.line_per_problem = lines == "problem";
  t.mark_best = s.flag("mark_best");
  t.software_gflop = s.number("software_gflop").value_or(0);
  t.baselines = s.texts("baselines");
  t.baseline_note = s.text("baseline_note");
  t.notes = s.texts("notes");
  if (const toml::node* means = s.find("means"))
    for (const toml::node& mean : array_of(means, *head, "means of [table]")) t.means.push_back(read_mean(mean));
  // Those of the preset, where the table has none of its own and each of its lines is a problem's.
  const toml::node* whole = file.get("problems");
  const bool own = s.has("problems") || !t.line_per_problem || !whole;
  const auto shared = take(own ? s.problems("problems") : preset::named_problems(*whole, "problems"), t);
  const toml::array& columns = array_of(s.find("columns"), *head, "columns of [table]");
  for (const toml::node& column : columns) t.columns.push_back(read_column(column));
  const toml::array& rows = array_of(file.get("row"), *head, "[[row]]");
  for (const toml::node& row : rows) t.rows.push_back(read_row(row, shared, t));
  check(t, columns, rows);
  return t;
}

}  // namespace

Result<std::optional<SystemTable>> read_system_table(const toml::table& file) {
  if (!file.contains("table") && !file.contains("row")) return std::optional<SystemTable>();
  try {
    return std::optional<SystemTable>(read(file));
  } catch (const Bad& bad) {
    return bad_input(bad.what());
  }
}

}  // namespace attnscope
