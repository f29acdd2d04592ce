#include "engine/record/preset.hpp"

#include "engine/attention/packed_types.hpp"
#include "engine/input/file.hpp"
#include "engine/input/toml.hpp"
#include "engine/record/columns.hpp"

namespace attnscope {
namespace {

using Node = toml::node;

/// Of what a person names: the longest run of test-backend-ops takes 2 MB.
constexpr uint64_t kMaxPresetBytes = uint64_t{32} << 20;

using Bad = TomlError;

/// Problems as text, or { whose = "…", problem = "…" }, which goes to `whose`. None twice.
std::vector<Problem> read_problems(const TomlReader& s, Whose& whose) {
  std::vector<Problem> out;
  for (const Node& item : s.list("problems")) {
    if (!item.is_string() && !item.is_table())
      throw Bad(item, "'problems' must hold strings alone, or tables with whose and problem");
    const auto named =
        item.is_table() ? std::optional(TomlReader(item, "an item of problems", {"whose", "problem"})) : std::nullopt;
    const auto problem = parse_problem(named ? named->needed("problem") : *item.value<std::string>());
    if (!problem) throw Bad(item, problem.error().message);
    if (contains(out, *problem)) throw Bad(item, "'problems' repeats {}", to_text(*problem));
    out.push_back(*problem);
    if (const std::string name = named ? named->text("whose") : ""; !name.empty()) whose[to_text(*problem)] = name;
  }
  return out;
}

std::string figure(const Node& node) {
  if (node.is_string()) return *node.value<std::string>();
  if (node.is_number()) return fmt::format("{}", *node.value<double>());
  throw Bad(node, "a published figure is a number or a string");
}

TableColumn read_column(const Node& node) {
  const TomlReader s(node, "a column", {"title", "value", "over", "of", "published", "parameter"});
  TableColumn c;
  if (int(s.has("value")) + int(s.has("published")) + int(s.has("parameter")) != 1)
    throw Bad(node, "a column shows one of value, published and parameter");
  c.value = s.has("value") ? s.needed("value") : s.has("published") ? "published" : "parameter";
  const auto known = with_columns({"name", "problem", "whose", "variant", "config", "time", "speedup", "baseline"},
                                  RecordColumn::Use::value);
  if (s.has("value") && !contains(known, c.value))
    throw Bad(*s.find("value"), "value '{}' is not known; the values are {}", c.value, fmt::join(known, ", "));
  for (const auto& [value, key] : {std::pair("speedup", "over"), std::pair("time", "of")})
    if ((c.value == value) != s.has(key))
      throw Bad(node, "a column has '{}', the name of a row, if its value is '{}', and only then", key, value);
  for (const char* key : {"over", "of", "published", "parameter"})
    if (s.has(key)) c.key = s.needed(key);
  c.title = c.value == "parameter" && !s.has("title") ? c.key : s.needed("title");
  return c;
}

TableRow read_row(const Node& node, const std::vector<Problem>& shared, Whose& whose) {
  const TomlReader s(node, "[[row]]", {"name", "variant", "baseline", "config", "problems", "published", "shown"});
  TableRow row;
  row.name = s.needed("name");
  const auto bad = [&](const std::string& what) { return Bad(node, "row '{}'{}", row.name, what); };
  row.from_baseline = s.has("baseline");
  if (s.has("variant") == row.from_baseline) throw bad(" has either a variant to run or a baseline to read");
  row.variant = s.needed(row.from_baseline ? "baseline" : "variant");
  row.config = s.text("config");
  if (row.config == "all" || row.config == "tuned")
    throw bad(fmt::format(": config '{}' is not one config", row.config));
  row.problems = s.has("problems") ? read_problems(s, whose) : shared;
  row.shown = !s.has("shown") || s.flag("shown");
  if (row.problems.empty()) throw bad(" has no problems, and neither has the table");
  for (const auto& [key, value] : s.table("published")) {
    auto& texts = row.published[std::string(key.str())];
    if (!value.is_array()) {
      texts.push_back(figure(value));
      continue;
    }
    for (const Node& item : *value.as_array()) texts.push_back(figure(item));
    if (texts.size() != row.problems.size())
      throw Bad(value, "published '{}' of row '{}' has {} figures for {} problems", key.str(), row.name, texts.size(),
                row.problems.size());
  }
  return row;
}

TableMean read_mean(const Node& node) {
  const TomlReader s(node, "a mean", {"title", "where"});
  TableMean mean{s.needed("title"), s.text("where")};
  if (mean.where.empty()) return mean;
  const auto known = problem_names({}, {});
  const auto used = used_names(mean.where);
  if (!used) throw Bad(*s.find("where"), used.error().message);
  for (const std::string& name : *used)
    if (!known.contains(name)) throw Bad(*s.find("where"), "where: a problem has no '{}'", name);
  return mean;
}

void check(const SystemTable& t, const toml::array& columns, const toml::array& rows) {
  std::set<std::string> names, shown;
  for (size_t r = 0; r < t.rows.size(); ++r)
    if (!names.insert(t.rows[r].name).second) throw Bad(rows[r], "there are two rows '{}'", t.rows[r].name);
  const auto any = [&](const auto& has) { return std::ranges::any_of(t.rows, has); };
  if (!any([](const TableRow& row) { return row.shown; })) throw Bad(rows[0], "no row is shown");
  for (size_t i = 0; i < t.columns.size(); ++i) {
    const TableColumn& c = t.columns[i];
    const bool published = c.value == "published";
    if (published && t.source.empty())
      throw Bad(columns[i], "source of [table] is missing or empty: published figures come from somewhere");
    if (published && !any([&](const TableRow& row) { return row.published.contains(c.key); }))
      throw Bad(columns[i], "no row has a published '{}'", c.key);
    if (published) shown.insert(c.key);
    if ((c.value == "speedup" || c.value == "time") && !names.contains(c.key))
      throw Bad(columns[i], "there is no row '{}'", c.key);
  }
  for (size_t r = 0; r < t.rows.size(); ++r)
    for (const auto& [key, texts] : t.rows[r].published)
      if (!shown.contains(key)) throw Bad(rows[r], "no column shows the published '{}'", key);
}

SystemTable read_table(const TomlReader& file) {
  const Node* head = file.find("table");
  if (!head) throw Bad(*file.find("row"), "[[row]] needs a [table]");
  const TomlReader s(*head, "[table]",
                     {"device", "source", "unit", "problems", "columns", "mark_best", "software_gflop", "baselines",
                      "baseline_note", "notes", "means"});
  SystemTable t;
  t.device = s.text("device");
  t.source = s.text("source");
  if (s.has("unit")) t.unit = s.needed("unit");
  if (!time_unit_ns(t.unit)) throw Bad(*s.find("unit"), "unit '{}' is none of ns, µs, ms, s", t.unit);
  t.mark_best = s.flag("mark_best");
  t.software_gflop = s.number("software_gflop").value_or(0);
  t.baselines = s.texts("baselines");
  t.baseline_note = s.text("baseline_note");
  t.notes = s.texts("notes");
  for (const Node& mean : s.list("means")) t.means.push_back(read_mean(mean));
  // The preset's, if the table has none.
  const auto shared = read_problems(s.has("problems") ? s : file, t.whose);
  const toml::array& columns = s.items("columns");
  for (const Node& column : columns) t.columns.push_back(read_column(column));
  const Node* row = file.find("row");
  if (!row) throw Bad(*head, "[[row]] is missing or empty");
  const toml::array& rows = file.items("row");
  for (const Node& one : rows) t.rows.push_back(read_row(one, shared, t.whose));
  check(t, columns, rows);
  return t;
}

Result<Preset> preset_of(const BackendOps& ops) {
  Preset preset;
  preset.title = "Cases of test-backend-ops";
  std::set<std::string> known;
  for (const BackendOpsCase& one : ops.cases)
    if (known.insert(to_text(one.problem)).second) preset.problems.push_back(one.problem);
  size_t count = 0;
  std::string reasons;
  for (const auto& [reason, cases] : ops.left_out) {
    if (count == 0 || reasons.size() < 300) reasons += fmt::format("{}{} of {}", count == 0 ? "" : ", ", cases, reason);
    count += cases;
  }
  if (preset.problems.empty()) return bad_input("no case can be measured here: " + reasons);
  if (count > 0) preset.left_out = fmt::format("{} cases are left out: {}.", count, reasons);
  return preset;
}

constexpr std::string_view kCase = "FLASH_ATTN_EXT(";
constexpr size_t kMaxCases = 100000;
constexpr double kAlibi = 8;  ///< the max_bias whose slopes are those of MaskKind::alibi

using CaseFields = std::map<std::string, std::string, std::less<>>;

/// "a=1,b=[2,3]" by name.
CaseFields case_fields(std::string_view text) {
  CaseFields out;
  size_t begin = 0, depth = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '[') ++depth;
    if (i < text.size() && text[i] == ']' && depth > 0) --depth;
    if (i < text.size() && (text[i] != ',' || depth > 0)) continue;
    const std::string_view item = text.substr(begin, i - begin);
    if (const size_t equals = item.find('='); equals != item.npos)
      out.emplace(item.substr(0, equals), item.substr(equals + 1));
    begin = i + 1;
  }
  return out;
}

std::string value_of(const CaseFields& fields, std::string_view name, std::string_view otherwise = "") {
  return at_or(fields, name, std::string(otherwise));
}

double number_of(const CaseFields& fields, std::string_view name, double otherwise) {
  const Result<double> number = parse_number(value_of(fields, name), NumberRange<double>{0, 1e12});
  return number ? *number : otherwise;
}

Result<std::string> problem_text(const CaseFields& f) {
  // Older versions print hs for both head dims, one repetition, and one type.
  const std::string hs = value_of(f, "hs"), both = value_of(f, "type_KV", "f16");
  const std::string k = value_of(f, "type_K", both), v = value_of(f, "type_V", both);
  const auto packed = [](std::string_view name) {
    return std::ranges::any_of(packed_types(), [&](const PackedType& type) { return type.name == name; });
  };
  // Beside a packed one f16, which is the dtype then.
  const std::string dtype = packed(k) ? packed(v) ? "f16" : v : k;
  if ((!packed(v) && v != dtype) || (dtype != "f16" && (packed(k) || packed(v))))
    return bad_input("type_K={} with type_V={}", k, v);
  if (dtype != "f32" && dtype != "f16" && dtype != "bf16") return bad_input("type_K=" + k);
  const double bias = number_of(f, "max_bias", 0);
  if (bias != 0 && bias != kAlibi) return bad_input("max_bias=" + value_of(f, "max_bias"));

  double repeat = number_of(f, "nr", 1), batch = 1;
  if (const std::string both_dims = value_of(f, "nr23"); !both_dims.empty()) {
    const size_t comma = std::min(both_dims.find(','), both_dims.size() - 1);
    const CaseFields dims{{"heads", both_dims.substr(1, comma - 1)},
                          {"batch", both_dims.substr(comma + 1, both_dims.find(']') - comma - 1)}};
    repeat = number_of(dims, "heads", 0);
    batch = number_of(dims, "batch", 0);
  }
  const double heads = number_of(f, "nh", 0);
  std::string text = fmt::format("{}x{}x{}x{}:q={}:kv={}:dv={}", batch, heads * repeat, value_of(f, "kv"),
                                 value_of(f, "hsk", hs), value_of(f, "nb"), heads, value_of(f, "hsv", hs));
  if (value_of(f, "mask") == "1") text += bias == kAlibi ? ":mask=alibi" : batch > 1 ? ":mask=batch" : ":mask";
  if (value_of(f, "sinks") == "1") text += ":sinks";
  if (const double softcap = number_of(f, "logit_softcap", 0); softcap > 0) text += fmt::format(":softcap={}", softcap);
  if (packed(k)) text += ":ktype=" + k;
  if (packed(v)) text += ":vtype=" + v;
  if (value_of(f, "v_is_view_of_k") == "1") text += ":mla";
  return text + ":" + dtype;
}

/// "0213" of "[0,2,1,3]"; "" for the usual order.
std::string order_of(const CaseFields& f) {
  std::string digits = value_of(f, "permute");
  std::erase_if(digits, [](char c) { return c < '0' || c > '9'; });
  return digits == "0123" ? "" : digits.substr(0, 4);
}

/// The time in "  131040 runs -     8.01 us/run - …".
double time_of(std::string_view line) {
  const size_t unit = line.find(" us/run");
  if (unit == line.npos) return 0;
  const std::string_view before = line.substr(0, unit);
  const Result<double> us = parse_number(before.substr(before.find_last_of(' ') + 1), NumberRange<double>{1e-3, 1e9});
  return us ? 1e3 * *us : 0;
}

}  // namespace

Result<Preset> parse_preset(std::string_view text) {
  if (is_backend_ops(text)) return preset_of(parse_backend_ops(text));
  try {
    const toml::table table = parse_toml(text);
    const TomlReader file(table, "",
                          {"title", "purpose", "problems", "variants", "configs", "software_budget_s", "table", "row"});
    Preset preset;
    preset.title = file.text("title");
    preset.purpose = file.text("purpose");
    preset.variants = file.texts("variants");
    preset.configs = file.texts("configs");
    preset.problems = read_problems(file, preset.whose);
    if (preset.title.empty()) return bad_input("title is missing or empty");
    if (preset.problems.empty()) return bad_input("problems is missing or empty");
    preset.software_budget_s = file.number("software_budget_s").value_or(0);
    if (file.has("table") || file.has("row")) preset.table = read_table(file);
    return preset;
  } catch (const Bad& bad) {
    return bad_input("line {}: {}", bad.line, bad.what());
  }
}

Result<std::vector<std::string>> list_presets(const std::filesystem::path& dir) {
  std::vector<std::string> names;
  std::error_code error;
  for (const std::filesystem::path& file : files_in(dir, ".toml", error)) names.push_back(file.stem().string());
  if (error) return bad_input("The folder of presets '{}' cannot be read: {}.", dir.string(), error.message());
  std::ranges::sort(names);
  return names;
}

Result<Preset> load_preset(const std::filesystem::path& dir, const std::string& name) {
  const bool is_path = name.find('/') != name.npos || std::filesystem::path(name).has_extension();
  const auto names = is_path ? std::vector<std::string>() : TRY(list_presets(dir));
  if (!is_path && !contains(names, name))
    return bad_input("preset '{}' is not known; the presets in '{}' are {}.", name, dir.string(),
                     names.empty() ? "none" : joined(names));
  const auto path = is_path ? std::filesystem::path(name) : dir / (name + ".toml");
  const auto text = TRY(read_file(path, is_path ? kMaxPresetBytes : kMaxSourceBytes));
  auto preset = parse_preset(text);
  if (!preset) return bad_input("preset '{}': {}", path.string(), preset.error().message);
  preset->name = name;
  return preset;
}

bool is_backend_ops(std::string_view text) { return text.find(kCase) != text.npos; }

BackendOps parse_backend_ops(std::string_view text) {
  BackendOps out;
  for (size_t at = text.find(kCase); at != text.npos && out.cases.size() < kMaxCases; at = text.find(kCase)) {
    text.remove_prefix(at + kCase.size());
    const std::string_view line = text.substr(0, text.find('\n'));
    const size_t end = line.find(')');
    if (end == line.npos) {
      ++out.left_out["a line that is cut off"];
      continue;
    }
    const CaseFields fields = case_fields(line.substr(0, end));
    const Result<std::string> words = problem_text(fields);
    const Result<Problem> problem = words ? parse_problem(*words) : Result<Problem>(words.error());
    if (problem)
      out.cases.push_back({*problem, order_of(fields), time_of(line.substr(end))});
    else
      ++out.left_out[problem.error().message];
  }
  return out;
}

}  // namespace attnscope
