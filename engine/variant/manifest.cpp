#include "engine/variant/manifest.hpp"

#include "engine/feature_names.hpp"
#include "engine/variant/manifest_reader.hpp"
#include "engine/variant/modules.hpp"
#include "engine/visible.hpp"

namespace attnscope {
namespace {

using Reader = TomlReader;

/// `spaces`: of what is a label alone.
std::string read_name(const Reader& r, bool spaces = false) {
  std::string name = r.needed("name"), checked = name;
  if (spaces) std::ranges::replace(checked, ' ', '_');
  if (const std::string why = not_a_name(checked); !why.empty()) r.fail("'{}' is no name: {}", name, why);
  return name;
}

/// A table of expressions whose keys are names.
std::map<std::string, std::string> read_named(const Reader& r, const std::string& key) {
  std::map<std::string, std::string> all = r.expressions(key);
  for (const auto& [name, text] : all)
    if (const std::string why = not_a_name(name); !why.empty()) r.fail("{}: '{}' is no name: {}", key, name, why);
  return all;
}

std::vector<ConstraintDecl> read_constraints(const Reader& root, const std::string& key) {
  std::vector<ConstraintDecl> out;
  root.tables(key, {"require", "because"}, [&](const Reader& r) {
    out.push_back({.require = r.needed_expression("require"), .because = r.needed("because")});
  });
  return out;
}

ParameterDecl read_parameter(const Reader& r) {
  ParameterDecl p{.name = read_name(r), .meaning = r.needed("meaning")};
  for (const toml::node& node : r.list("values")) p.values.push_back(r.integer(node, "values"));
  if (p.values.empty()) r.fail("parameter '{}': needs 'values', the candidates", p.name);
  if (!std::ranges::is_sorted(p.values, std::less_equal<>()))
    r.fail("parameter '{}': 'values' must ascend, each once", p.name);
  if (const toml::node* start = r.find("start")) p.start = r.integer(*start, "start");
  p.applies = r.expression("applies");
  return p;
}

ScratchDecl read_scratch(const Reader& r) {
  ScratchDecl s{read_name(r, true), r.needed_expression("bytes"), {}, r.flag("zeroed")};
  const toml::node* node = r.find("binding");
  if (!node) return s;
  const int64_t binding = r.integer(*node, "binding");
  if (binding < 8 || binding > 31)
    r.fail(*node, "scratch '{}': binding {} is not in 8..31 (0 to 7 are the problem's)", s.name, binding);
  s.binding = uint32_t(binding);
  return s;
}

PassDecl read_pass(const Reader& r) {
  PassDecl p;
  p.name = read_name(r);
  p.shader = r.needed("shader");
  p.grid.fill(std::string(1, '1'));
  const toml::array& grid = r.list("grid");
  if (grid.empty() || grid.size() > 3)
    r.fail("pass '{}': 'grid' needs one to three expressions, workgroups along x, y, z", p.name);
  for (size_t axis = 0; axis < grid.size(); ++axis) p.grid[axis] = r.expression(grid[axis], "grid");
  p.constants = r.expressions("constants");
  p.defines = read_named(r, "defines");
  p.when = r.expression("when");
  p.subgroup_size = r.expression("subgroup_size");
  p.texts = read_texts(r);
  p.preamble = read_preamble(r);
  p.push = read_push(r, r.table("push"));
  p.uniforms = read_uniforms(r);
  p.bindings = read_bindings(r, "bindings");
  return p;
}

NamedConfig read_config(const Reader& r) {
  NamedConfig c{read_name(r), r.needed("purpose"), {}, r.expression("suits")};
  for (const auto& [name, node] : r.table("values")) c.values.emplace(name.str(), r.integer(node, name.str()));
  return c;
}

template <class T>
void refuse_duplicates(const Reader& root, const std::vector<T>& items, const std::string& what) {
  std::set<std::string> seen;
  for (const auto& item : items)
    if (!seen.insert(item.name).second) root.fail("two {} are named '{}'", what, item.name);
}

constexpr std::array<std::string_view, 6> kOfNoConsequence{"title", "summary", "system", "rank", "no_spills", "config"};

// Not toml++'s own output, whose form is another in another version of it. As deep as the parser lets text be.
void spell(const toml::node& node, std::string& out) {
  if (const toml::table* table = node.as_table()) {
    out += '{';
    for (const auto& [key, value] : *table) {
      out += fmt::format("{}:{}=", key.str().size(), key.str());
      spell(value, out);
    }
    out += '}';
  } else if (const toml::array* array = node.as_array()) {
    out += '[';
    for (const toml::node& value : *array) spell(value, out);
    out += ']';
  } else if (const auto* text = node.as_string()) {
    out += fmt::format("s{}:{}", text->get().size(), text->get());
  } else if (const auto* integer = node.as_integer()) {
    out += fmt::format("i{};", integer->get());
  } else if (const auto* number = node.as_floating_point()) {
    out += fmt::format("f{};", number->get());
  } else if (const auto* yes = node.as_boolean()) {
    out += yes->get() ? "t" : "n";
  } else {
    out += "d";  // dates: no manifest has one
  }
}

/// The manifest in one spelling, without comments, and without what only names a config or chooses among variants
/// (title, summary, system, rank, the named configs): a new rank makes no new kernel, and what was tuned stays true.
std::string identity_text(const toml::table& manifest) {
  toml::table rest = manifest;
  for (const std::string_view key : kOfNoConsequence) rest.erase(key);
  std::string out;
  spell(rest, out);
  return out;
}

Manifest read_manifest(const toml::table& table, const VariantSource& source) {
  const Reader root(table, "", {"bindings",    "config",    "constants", "constraint", "dtypes",
                                "extra_bytes", "features",  "let",       "no_spills",  "nondeterministic",
                                "options",     "parameter", "pass",      "preamble",   "precision",
                                "push",        "rank",      "scratch",   "sources",    "summary",
                                "supports",    "system",    "tensors",   "texts",      "tiles",
                                "title",       "uniforms"});
  Manifest m;
  m.identity = identity_text(table);
  m.title = visible_line(root.needed("title"));
  m.summary = root.needed("summary");
  m.system = root.text("system");
  m.features = root.texts("features");
  m.dtypes = root.texts("dtypes");
  m.options = root.texts("options");
  m.supports = read_constraints(root, "supports");
  m.no_spills = read_constraints(root, "no_spills");
  m.constraints = read_constraints(root, "constraint");
  root.tables("parameter", {"name", "meaning", "values", "start", "applies"},
              [&](const Reader& r) { m.parameters.push_back(read_parameter(r)); });
  root.tables("scratch", {"name", "bytes", "zeroed", "binding"},
              [&](const Reader& r) { m.scratch.push_back(read_scratch(r)); });
  root.tables("pass",
              {"name", "shader", "grid", "constants", "defines", "when", "subgroup_size", "texts", "preamble", "push",
               "uniforms", "bindings"},
              [&](const Reader& r) { m.passes.push_back(read_pass(r)); });
  root.tables("config", {"name", "purpose", "values", "suits"},
              [&](const Reader& r) { m.configs.push_back(read_config(r)); });
  m.let = read_named(root, "let");
  m.extra_bytes = root.expression("extra_bytes");
  m.rank = root.expression("rank");
  m.nondeterministic = root.text("nondeterministic");
  m.sources = root.text("sources");
  m.bindings = read_bindings(root, "bindings");
  m.tensors = read_tensors(root);
  share(root, m.passes);
  const auto read_all = [&](const char* key, std::initializer_list<std::string_view> known,
                            std::initializer_list<std::string*> places) {
    if (!root.has(key)) return;
    const Reader r(*root.find(key), key, known, &root);
    auto place = places.begin();
    for (const std::string_view name : known) {
      if (r.has(name)) **place = r.expression(name);
      ++place;
    }
  };
  read_all("precision", {"accumulate", "probabilities", "scores", "kv", "f16_pairs"},
           {&m.accumulate, &m.probabilities, &m.scores, &m.kv, &m.f16_pairs});
  read_all("tiles", {"query", "key", "value", "splits", "whole", "heads", "all_keys", "lane_stride", "lane_bytes"},
           {&m.tiles.query, &m.tiles.key, &m.tiles.value, &m.tiles.splits, &m.tiles.whole, &m.tiles.heads,
            &m.tiles.all_keys, &m.tiles.lane_stride, &m.tiles.lane_bytes});

  const auto at_most = [&](size_t count, size_t most, const char* what) {
    if (count > most) root.fail("has {} {}; at most {} are read", count, what, most);
  };
  at_most(m.let.size(), kMaxLets, "entries of let");
  at_most(m.parameters.size(), kMaxParameters, "parameters");
  at_most(m.constraints.size() + m.supports.size() + m.no_spills.size(), kMaxConstraints,
          "constraints, supports and no_spills");
  at_most(m.passes.size(), kMaxPasses, "passes");
  at_most(m.configs.size(), kMaxNamedConfigs, "named configs");
  for (const ParameterDecl& p : m.parameters) at_most(p.values.size(), kMaxValues, "values of one parameter");
  if (m.dtypes.empty()) root.fail("needs 'dtypes', a list of f32, f16, bf16");
  for (const auto& dtype : m.dtypes)
    if (!parse_dtype(dtype)) root.fail("'dtypes' names '{}'; known are f32, f16, bf16", dtype);
  for (const auto& feature : m.features)
    if (!contains(kFeatureNames, feature))
      root.fail("'features' names '{}'; known are {}", feature, fmt::join(kFeatureNames, ", "));
  for (const auto& option : m.options)
    if (find_by(kProblemOptions, option, &ProblemOption::name) == nullptr)
      root.fail("'options' names '{}'; known are {}", option, joined(kProblemOptions, ", ", &ProblemOption::name));
  if (m.passes.empty()) root.fail("needs at least one [[pass]]");
  for (const auto& pass : m.passes)
    if (!find_source_file(source, pass.shader)) {
      const std::string what = fmt::format("pass '{}': there is no file '{}' in the folder", pass.name, pass.shader);
      root.fail("{}", m.sources.empty()
                          ? what
                          : fmt::format("{}, nor in one of --sources; give --sources DIR, {}", what, m.sources));
    }
  refuse_duplicates(root, m.parameters, "parameters");
  refuse_duplicates(root, m.passes, "passes");
  refuse_duplicates(root, m.scratch, "scratch buffers");
  refuse_duplicates(root, m.configs, "configs");
  check_bindings_known(root, m);
  for (const auto& config : m.configs)
    if (config.name == "default" || config.name == "tuned" || config.name == "all")
      root.fail("config '{}': the names default, tuned and all are taken", config.name);
  return m;
}

}  // namespace

std::string not_a_name(std::string_view name) {
  constexpr size_t kMost = 64;
  const auto part = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  if (name.empty()) return "it is empty";
  if (name.size() > kMost) return fmt::format("it has {} characters; at most {} are allowed", name.size(), kMost);
  if (name.front() == '-' || !std::ranges::all_of(name, part))
    return "only letters, digits, _ and - are allowed, and no - at the front";
  return {};
}

std::string not_a_variant_name(std::string_view name) {
  if (name == "all" || name == "auto" || name == "common") return "it means something else where a variant is named";
  return not_a_name(name);
}

Result<Manifest> parse_manifest(const VariantSource& source) {
  const std::string file = source.name + "/manifest.toml";
  const auto text = source.files.find("manifest.toml");
  if (text == source.files.end())
    return bad_input(file + " is missing: a variant is a folder with a manifest.toml and its shaders");
  try {
    return read_manifest(parse_toml(text->second), source);
  } catch (const TomlError& e) {
    return bad_input("{}:{}: {}", file, e.line, e.what());
  }
}

}  // namespace attnscope
