#include "engine/variant/manifest.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "engine/input/toml.hpp"

namespace attnscope {
namespace {

// Reads the keys of one TOML table, and remembers which were asked for, so that the rest can be refused. The first
// error wins; reading goes on with empty values so that callers need no checks in between.
class Reader {
 public:
  Reader(const toml::table& table, std::string file, std::string where, std::optional<Error>& error)
      : table_(table), file_(std::move(file)), where_(std::move(where)), error_(error) {}

  void fail(const toml::node& node, const std::string& message) const { fail_at(node.source().begin.line, message); }
  void fail(const std::string& message) const { fail_at(table_.source().begin.line, message); }

  const toml::node* get(const std::string& key) {
    known_.insert(key);
    return table_.get(key);
  }
  std::string text(const std::string& key, bool required = false) {
    const toml::node* node = get(key);
    if (!node) {
      if (required) miss(key);
      return {};
    }
    if (const auto value = node->value_exact<std::string>()) {
      if (required && value->empty()) fail(*node, fmt::format("{}'{}' is empty", where_, key));
      return *value;
    }
    fail(*node, fmt::format("{}'{}' must be a string", where_, key));
    return {};
  }
  // An expression may be written as a bare number or truth value.
  std::string expression(const toml::node& node, const std::string& what) const {
    if (const auto value = node.value_exact<std::string>()) return *value;
    if (const auto value = node.value_exact<int64_t>()) return fmt::format("{}", *value);
    if (const auto value = node.value_exact<double>()) return fmt::format("{}", *value);
    if (const auto value = node.value_exact<bool>()) return *value ? "1" : "0";
    fail(node, fmt::format("{}'{}' must be an expression (a string or a number)", where_, what));
    return {};
  }
  std::string expression(const std::string& key, bool required = false) {
    const toml::node* node = get(key);
    if (node) return expression(*node, key);
    if (required) miss(key);
    return {};
  }
  std::vector<std::string> texts(const std::string& key) {
    std::vector<std::string> out;
    for_each(key, [&](const toml::node& node) {
      if (const auto value = node.value_exact<std::string>())
        out.push_back(*value);
      else
        fail(node, fmt::format("{}'{}' must be a list of strings", where_, key));
    });
    return out;
  }
  template <class F>
  void for_each(const std::string& key, F f) {
    const toml::node* node = get(key);
    if (!node) return;
    if (const toml::array* array = node->as_array()) {
      for (const toml::node& item : *array) f(item);
    } else {
      fail(*node, fmt::format("{}'{}' must be a list", where_, key));
    }
  }
  // Every [[key]] table, each with a reader of its own.
  template <class F>
  void tables(const std::string& key, F f) {
    for_each(key, [&](const toml::node& node) {
      const toml::table* table = node.as_table();
      if (!table) {
        fail(node, fmt::format("{}'{}' must be tables, written [[{}]]", where_, key, key));
        return;
      }
      const auto name = (*table)["name"].value<std::string>();
      Reader reader(*table, file_, name ? fmt::format("{} '{}': ", key, *name) : key + ": ", error_);
      f(reader);
      reader.finish();
    });
  }
  std::map<std::string, std::string> expressions(const std::string& key) {
    std::map<std::string, std::string> out;
    if (const toml::table* table = sub_table(key))
      for (const auto& [name, node] : *table) out[std::string(name.str())] = expression(node, std::string(name.str()));
    return out;
  }
  const toml::table* sub_table(const std::string& key) {
    const toml::node* node = get(key);
    if (!node) return nullptr;
    if (!node->is_table())
      fail(*node, fmt::format("{}'{}' must be a table, written {{ NAME = value }} or [{}]", where_, key, key));
    return node->as_table();
  }
  int64_t integer(const toml::node& node, const std::string& what) const {
    if (const auto value = node.value_exact<int64_t>()) return *value;
    fail(node, fmt::format("{}'{}' must be an integer", where_, what));
    return 0;
  }
  // A key that is missing is reported after unknown ones, since the cause is often a typo there.
  void miss(const std::string& key) {
    if (missing_.empty()) missing_ = key;
  }
  void finish() const {
    for (const auto& [key, node] : table_)
      if (!known_.contains(std::string(key.str())))
        fail_at(key.source().begin.line,
                fmt::format("{}unknown key '{}'; known here: {}", where_, key.str(), fmt::join(known_, ", ")));
    if (!missing_.empty()) fail(fmt::format("{}needs the key '{}'", where_, missing_));
  }

 private:
  void fail_at(uint32_t line, const std::string& message) const {
    if (!error_) error_ = bad_input(fmt::format("{}:{}: {}", file_, line, message));
  }

  const toml::table& table_;
  std::string file_, where_;
  std::optional<Error>& error_;
  std::set<std::string> known_;
  std::string missing_;
};

std::vector<ConstraintDecl> read_constraints(Reader& root, const std::string& key) {
  std::vector<ConstraintDecl> out;
  root.tables(key, [&](Reader& r) {
    ConstraintDecl c;
    c.require = r.expression("require", true);
    c.because = r.text("because", true);
    out.push_back(std::move(c));
  });
  return out;
}

ParameterDecl read_parameter(Reader& r) {
  ParameterDecl p;
  p.name = r.text("name", true);
  p.meaning = r.text("meaning", true);
  r.for_each("values", [&](const toml::node& node) { p.values.push_back(r.integer(node, "values")); });
  if (p.values.empty()) r.fail(fmt::format("parameter '{}': needs 'values', the candidates", p.name));
  if (!std::is_sorted(p.values.begin(), p.values.end(), std::less_equal<>()))
    r.fail(fmt::format("parameter '{}': 'values' must ascend, each once", p.name));
  return p;
}

ScratchDecl read_scratch(Reader& r) {
  ScratchDecl s;
  s.name = r.text("name", true);
  s.bytes = r.expression("bytes", true);
  const toml::node* node = r.get("binding");
  if (!node) {
    r.miss("binding");
    return s;
  }
  const int64_t binding = r.integer(*node, "binding");
  if (binding < 8 || binding > 31)
    r.fail(*node, fmt::format("scratch '{}': binding {} is not in 8..31 (0 to 7 are the problem's)", s.name, binding));
  s.binding = static_cast<uint32_t>(binding);
  return s;
}

PassDecl read_pass(Reader& r) {
  PassDecl p;
  p.name = r.text("name", true);
  p.shader = r.text("shader", true);
  p.grid.fill(std::string(1, '1'));
  size_t axis = 0;
  r.for_each("grid", [&](const toml::node& node) {
    if (axis < 3) p.grid[axis] = r.expression(node, "grid");
    ++axis;
  });
  if (axis == 0 || axis > 3)
    r.fail(fmt::format("pass '{}': 'grid' needs one to three expressions, workgroups along x, y, z", p.name));
  p.constants = r.expressions("constants");
  p.defines = r.expressions("defines");
  p.when = r.expression("when");
  p.subgroup_size = r.expression("subgroup_size");
  return p;
}

NamedConfig read_config(Reader& r) {
  NamedConfig c;
  c.name = r.text("name", true);
  c.purpose = r.text("purpose", true);
  if (const toml::table* values = r.sub_table("values"))
    for (const auto& [name, node] : *values)
      c.values[std::string(name.str())] = r.integer(node, std::string(name.str()));
  if (r.get("suits")) c.suits = r.expression("suits");
  return c;
}

template <class T>
void refuse_duplicates(const Reader& root, const std::vector<T>& items, const std::string& what) {
  std::set<std::string> seen;
  for (const auto& item : items)
    if (!seen.insert(item.name).second) root.fail(fmt::format("two {} are named '{}'", what, item.name));
}

}  // namespace

Result<Manifest> parse_manifest(const VariantSource& source) {
  const std::string file = source.name + "/manifest.toml";
  const auto text = source.files.find("manifest.toml");
  if (text == source.files.end())
    return bad_input(file + " is missing: a variant is a folder with a manifest.toml and its shaders");
  const auto parsed = parse_toml(text->second);
  if (const auto* fault = std::get_if<TomlFault>(&parsed))
    return bad_input(fmt::format("{}:{}: {}", file, fault->line, fault->what));
  const toml::table& table = std::get<toml::table>(parsed);

  std::optional<Error> error;
  Reader root(table, file, "", error);
  Manifest m;
  m.title = root.text("title", true);
  m.summary = root.text("summary", true);
  m.system = root.text("system");
  m.features = root.texts("features");
  m.dtypes = root.texts("dtypes");
  m.supports = read_constraints(root, "supports");
  m.constraints = read_constraints(root, "constraint");
  root.tables("parameter", [&](Reader& r) { m.parameters.push_back(read_parameter(r)); });
  root.tables("scratch", [&](Reader& r) { m.scratch.push_back(read_scratch(r)); });
  root.tables("pass", [&](Reader& r) { m.passes.push_back(read_pass(r)); });
  root.tables("config", [&](Reader& r) { m.configs.push_back(read_config(r)); });
  m.let = root.expressions("let");
  m.extra_bytes = root.expression("extra_bytes");
  m.rank = root.expression("rank");
  m.nondeterministic = root.text("nondeterministic");
  if (const toml::table* precision = root.sub_table("precision")) {
    Reader r(*precision, file, "precision: ", error);
    if (r.get("accumulate")) m.accumulate = r.expression("accumulate");
    if (r.get("probabilities")) m.probabilities = r.expression("probabilities");
    if (r.get("f16_pairs")) m.f16_pairs = r.expression("f16_pairs");
    r.finish();
  }
  if (const toml::table* tiles = root.sub_table("tiles")) {
    Reader r(*tiles, file, "tiles: ", error);
    for (const auto& [key, place] : {std::pair{"query", &m.tiles.query},
                                     {"key", &m.tiles.key},
                                     {"value", &m.tiles.value},
                                     {"lane_stride", &m.tiles.lane_stride},
                                     {"lane_bytes", &m.tiles.lane_bytes}})
      if (r.get(key)) *place = r.expression(key);
    r.finish();
  }
  root.finish();

  const auto at_most = [&](size_t count, size_t most, const char* what) {
    if (count > most) root.fail(fmt::format("has {} {}; at most {} are read", count, what, most));
  };
  at_most(m.let.size(), kMaxLets, "entries of let");
  at_most(m.parameters.size(), kMaxParameters, "parameters");
  at_most(m.constraints.size() + m.supports.size(), kMaxConstraints, "constraints and supports");
  at_most(m.passes.size(), kMaxPasses, "passes");
  at_most(m.configs.size(), kMaxNamedConfigs, "named configs");
  for (const ParameterDecl& p : m.parameters) at_most(p.values.size(), kMaxValues, "values of one parameter");
  if (m.dtypes.empty()) root.fail("needs 'dtypes', a list of f32, f16, bf16");
  for (const auto& dtype : m.dtypes)
    if (!parse_dtype(dtype)) root.fail(fmt::format("'dtypes' names '{}'; known are f32, f16, bf16", dtype));
  if (m.passes.empty()) root.fail("needs at least one [[pass]]");
  for (const auto& pass : m.passes)
    if (!error && !source.files.contains(pass.shader))
      root.fail(fmt::format("pass '{}': there is no file '{}' in the folder", pass.name, pass.shader));
  refuse_duplicates(root, m.parameters, "parameters");
  refuse_duplicates(root, m.passes, "passes");
  refuse_duplicates(root, m.scratch, "scratch buffers");
  refuse_duplicates(root, m.configs, "configs");
  for (const auto& config : m.configs)
    if (config.name == "default" || config.name == "tuned" || config.name == "all")
      root.fail(fmt::format("config '{}': the names default, tuned and all are taken", config.name));
  if (error) return *error;
  return m;
}

}  // namespace attnscope
