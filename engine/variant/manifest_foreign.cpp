// The parts of a manifest that describe a kernel written for another engine.
#include "engine/variant/manifest_reader.hpp"

namespace attnscope {
namespace {

constexpr size_t kMostTextChars = 1024, kMostTexts = 64;

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

bool is_identifier(std::string_view text) {
  const auto word = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !text.empty() && word(text[0]) &&
         std::ranges::all_of(text, [&](char c) { return word(c) || (c >= '0' && c <= '9'); });
}

/// What a line of a preprocessor may have after the name, and nothing that ends or continues the line.
bool is_define_text(std::string_view text) {
  return text.size() <= kMostTextChars && !text.ends_with('\\') &&
         std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) < ' '; });
}

uint32_t read_place(const TomlReader& r, const toml::node& node, const std::string& what, std::string& when) {
  int64_t set = 0, binding = 0;
  if (node.is_table()) {
    const TomlReader place(node, fmt::format("'{}'", what), {"binding", "set", "when"});
    if (!place.has("binding")) r.fail(node, "'{}' needs the key 'binding'", what);
    binding = place.integer(*place.find("binding"), "binding");
    if (place.has("set")) set = place.integer(*place.find("set"), "set");
    when = place.expression("when");
  } else if (const auto value = node.value_exact<int64_t>()) {
    binding = *value;
  } else {
    r.fail(node, "'{}' must be a binding, {{ set = 0, binding = 1 }} or a list of those", what);
  }
  if (set < 0 || set >= kMostSets || binding < 0 || binding > kMostBinding)
    r.fail(node, "'{}': set {} and binding {}; sets are 0 to {}, bindings 0 to {}", what, set, binding, kMostSets - 1,
           kMostBinding);
  return place_of(uint32_t(set), uint32_t(binding));
}

PushType push_type(const TomlReader& r, const toml::node& node, const std::string& what) {
  constexpr std::array<std::string_view, 5> kTypes{"uint", "int", "float", "uint64", "address"};
  const auto at = std::ranges::find(kTypes, node.value_or(std::string_view{}));
  if (at == kTypes.end()) r.fail(node, "'{}': 'type' is one of uint, int, float, uint64, address", what);
  return static_cast<PushType>(1 + (at - kTypes.begin()));  // the first is as_declared
}

PushValue read_push_value(const TomlReader& r, const toml::node& node, const std::string& what) {
  if (!node.is_table()) return {.value = r.expression(node, what)};
  const TomlReader value(node, fmt::format("'{}'", what), {"type", "value"});
  PushValue out{.value = value.needed_expression("value")};
  if (value.has("type")) out.type = push_type(r, *value.find("type"), what);
  return out;
}

std::optional<std::string> read_text(const TomlReader& r, const toml::node& node, const std::string& what) {
  if (node.value_exact<bool>() == false) return std::nullopt;
  auto text = node.value_exact<std::string>();
  if (!text) r.fail(node, "'{}' must be text, or false where it is not to be defined", what);
  if (!is_define_text(*text)) r.fail(node, "'{}' must be one line of at most {} characters", what, kMostTextChars);
  return text;
}

}  // namespace

Bindings read_bindings(const TomlReader& r, const std::string& key) {
  Bindings out;
  if (r.has(key) && r.table(key).empty()) r.fail("'{}' names no tensor", key);
  for (const auto& [name, node] : r.table(key)) {
    const std::string tensor(name.str());
    const auto add = [&, &line = node](const toml::node& at) {
      std::string when;
      const uint32_t place = read_place(r, at, tensor, when);
      std::vector<Bound>& known = out[place];
      for (const Bound& other : known)
        if (when.empty() || other.when.empty())
          r.fail(line, "'{}': {} and {} are both on {}; each needs a 'when'", key, other.name, tensor,
                 place_text(place));
      known.push_back({tensor, when});
    };
    if (const toml::array* array = node.as_array())
      for (const toml::node& one : *array) add(one);
    else
      add(node);
  }
  return out;
}

std::map<std::string, TensorDecl> read_tensors(const TomlReader& root) {
  std::map<std::string, TensorDecl> out;
  for (const auto& [key, node] : root.table("tensors")) {
    const std::string name(key.str());
    const Role* role = find_role(name);
    if (!role || !role->formed)
      root.fail(node, "'tensors': '{}' is no tensor that has a type and a layout; those are {}", name,
                joined(filtered(kRoles, &Role::formed), ", ", &Role::name));
    const TomlReader r(node, fmt::format("'tensors': '{}'", name),
                       {"in", "layout", "offset", "padding", "strides", "type"});
    TensorDecl& tensor = out[name];
    tensor.type = r.expression("type");
    tensor.offset = r.expression("offset");
    if (r.has("layout")) tensor.layout = r.text("layout");
    if (!std::ranges::is_permutation(tensor.layout, kDims))
      r.fail(*r.find("layout"),
             "'tensors': layout of '{}' is \"{}\"; it is the letters of bhsd (batch, "
             "heads, sequence, dim) in some order, the outermost first",
             name, tensor.layout);
    if (r.has("strides")) {
      const TomlReader strides(*r.find("strides"), fmt::format("'tensors': strides of '{}'", name),
                               {"batch", "head", "row", "col"});
      tensor.strides = {strides.expression("batch"), strides.expression("head"), strides.expression("row"),
                        strides.expression("col")};
    }
    if (r.has("in")) {
      tensor.in = r.text("in");
      const Role* home = find_role(tensor.in);
      if (!home || !home->formed || home == role || home->binding == binding_o || role->binding == binding_o)
        r.fail(*r.find("in"), "'tensors': '{}' cannot lie in '{}': an input lies in another's buffer", name, tensor.in);
    }
    if (const toml::node* value = r.find("padding")) {
      tensor.padding = value->value<double>();
      if (!tensor.padding || (*tensor.padding != 0 && *tensor.padding != -std::numeric_limits<double>::infinity()))
        r.fail(*value, "'tensors': padding of '{}' is 0 or -inf; without it NaN", name);
    }
  }
  return out;
}

PushDecl read_push(const TomlReader& r, const toml::table& table) {
  PushDecl out;
  for (const auto& [key, node] : table) {
    const std::string name(key.str());
    PushValue value = read_push_value(r, node, "push." + name);
    if (!is_number(name)) {
      if (value.type != PushType::as_declared && value.type != PushType::uint64 && value.type != PushType::address)
        r.fail(node, "'push.{}': a member's type is the shader's; 'type' goes with an offset", name);
      out.named[name] = std::move(value);
      continue;
    }
    const auto offset = parse_number<uint32_t>(name, {0, 65532});
    if (!offset || *offset % 4 != 0) r.fail(node, "'push.{}': an offset is in bytes and a multiple of 4", name);
    if (!out.placed.emplace(*offset, std::move(value)).second)
      r.fail(node, "'push': two values are at offset {}", *offset);
  }
  return out;
}

std::map<uint32_t, PushDecl> read_uniforms(const TomlReader& r) {
  std::map<uint32_t, PushDecl> out;
  for (const auto& [key, node] : r.table("uniforms")) {
    // "7", or "1.7" of set 1
    const std::string_view text = key.str();
    const size_t dot = text.find('.');
    const auto set = parse_number<uint32_t>(dot == text.npos ? "0" : text.substr(0, dot), {0, kMostSets - 1});
    const auto binding = parse_number<uint32_t>(text.substr(dot + 1), {0, kMostBinding});
    if (!set || !binding || !node.is_table())
      r.fail(node, "'uniforms.{}': a table for each block, named by its binding, \"1.7\" of set 1", text);
    out[place_of(*set, *binding)] = read_push(r, *node.as_table());
  }
  return out;
}

std::map<std::string, TextDefine> read_texts(const TomlReader& r) {
  std::map<std::string, TextDefine> out;
  for (const auto& [key, node] : r.table("texts")) {
    const std::string name(key.str()), what = "texts." + name;
    if (!is_identifier(name)) r.fail(node, "'{}' is no name of a define", what);
    TextDefine& define = out[name];
    if (!node.is_table()) {
      define.of.push_back(read_text(r, node, what));
      continue;
    }
    const TomlReader choice(node, fmt::format("'{}'", what), {"of", "pick"});
    define.pick = choice.expression("pick");
    for (const toml::node& one : choice.list("of")) define.of.push_back(read_text(r, one, what));
    if (define.pick.empty() || define.of.empty() || define.of.size() > kMostTexts)
      r.fail(node, "'{}' needs 'pick', an expression, and 'of', one to {} texts", what, kMostTexts);
  }
  return out;
}

std::string read_preamble(const TomlReader& r) {
  constexpr size_t kMost = 16384;
  std::string text = r.text("preamble");
  if (text.size() > kMost) r.fail("'preamble' has {} characters; at most {} are read", text.size(), kMost);
  if (!text.empty() && text.back() != '\n') text += '\n';
  return text;
}

void share(const TomlReader& root, std::vector<PassDecl>& passes) {
  const auto constants = root.expressions("constants");
  const auto texts = read_texts(root);
  const std::string preamble = read_preamble(root);
  PushDecl push = read_push(root, root.table("push"));
  const auto uniforms = read_uniforms(root);
  for (auto& [name, value] : push.named) value.shared = true;
  for (auto& [offset, value] : push.placed) value.shared = true;
  for (PassDecl& pass : passes) {
    for (const auto& [name, value] : constants)
      if (pass.constants.emplace(name, value).second) pass.shared_constants.insert(name);
    pass.texts.insert(texts.begin(), texts.end());
    pass.push.named.insert(push.named.begin(), push.named.end());
    pass.push.placed.insert(push.placed.begin(), push.placed.end());
    pass.uniforms.insert(uniforms.begin(), uniforms.end());
    pass.preamble = preamble + pass.preamble;
  }
}

void check_bindings_known(const TomlReader& root, const Manifest& m) {
  const auto is_scratch = [&](std::string_view name) {
    return std::ranges::any_of(m.scratch, [&](const ScratchDecl& s) { return s.name == name; });
  };
  const bool foreign =
      !m.bindings.empty() || std::ranges::any_of(m.passes, [](auto& p) { return !p.bindings.empty(); });
  const auto check = [&](const Bindings& bindings, const std::string& where) {
    for (const auto& [place, bound] : bindings)
      for (const auto& [name, when] : bound) {
        if (find_role(name) || name == kDummy || is_scratch(name)) continue;
        std::string known;
        for (const Role& role : kRoles) known += std::string(role.name) + ", ";
        for (const ScratchDecl& s : m.scratch) known += s.name + ", ";
        root.fail("{}'bindings': '{}' is no tensor; known are {}{}", where, name, known, kDummy);
      }
  };
  check(m.bindings, "");
  for (const PassDecl& pass : m.passes) check(pass.bindings, fmt::format("pass '{}': ", pass.name));
  for (const ScratchDecl& s : m.scratch) {
    if (foreign && (find_role(s.name) || s.name == kDummy)) root.fail("scratch '{}' has the name of a tensor", s.name);
    const auto names = [&](const Bindings& b) {
      return std::ranges::any_of(b, [&](const auto& place) {
        return std::ranges::any_of(place.second, [&](const Bound& one) { return one.name == s.name; });
      });
    };
    if (!s.binding && !names(m.bindings) &&
        std::ranges::none_of(m.passes, [&](const PassDecl& p) { return names(p.bindings); }))
      root.fail("scratch '{}': needs the key 'binding', or a place in 'bindings'", s.name);
  }
}

}  // namespace attnscope
