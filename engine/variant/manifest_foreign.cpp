// The parts of a manifest that describe a kernel written for another engine.
#include <algorithm>
#include <charconv>
#include <limits>

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

std::optional<uint32_t> read_place(const ManifestReader& r, const toml::node& node, const std::string& what,
                                   std::string& when) {
  int64_t set = 0, binding = 0;
  if (const toml::table* table = node.as_table()) {
    for (const auto& [key, value] : *table) {
      if (key == "set")
        set = r.integer(value, what + ".set");
      else if (key == "binding")
        binding = r.integer(value, what + ".binding");
      else if (key == "when")
        when = r.expression(value, what + ".when");
      else
        r.fail(value, fmt::format("'{}': unknown key '{}'; known here: binding, set, when", what, key.str()));
    }
    if (!table->contains("binding")) r.fail(node, fmt::format("'{}' needs the key 'binding'", what));
  } else if (const auto value = node.value_exact<int64_t>()) {
    binding = *value;
  } else {
    r.fail(node, fmt::format("'{}' must be a binding, {{ set = 0, binding = 1 }} or a list of those", what));
    return std::nullopt;
  }
  if (set < 0 || set >= kMostSets || binding < 0 || binding > kMostBinding) {
    r.fail(node, fmt::format("'{}': set {} and binding {}; sets are 0 to {}, bindings 0 to {}", what, set, binding,
                             kMostSets - 1, kMostBinding));
    return std::nullopt;
  }
  return place_of(static_cast<uint32_t>(set), static_cast<uint32_t>(binding));
}

std::optional<PushType> push_type(std::string_view text) {
  if (text == "uint") return PushType::uint32;
  if (text == "int") return PushType::int32;
  if (text == "float") return PushType::float32;
  if (text == "uint64") return PushType::uint64;
  if (text == "address") return PushType::address;
  return std::nullopt;
}

PushValue read_push_value(const ManifestReader& r, const toml::node& node, const std::string& what) {
  PushValue out;
  const toml::table* table = node.as_table();
  if (!table) {
    out.value = r.expression(node, what);
    return out;
  }
  for (const auto& [key, value] : *table) {
    if (key == "value") {
      out.value = r.expression(value, what);
    } else if (key == "type") {
      const auto type = push_type(value.value_or(std::string_view{}));
      if (!type) r.fail(value, fmt::format("'{}': 'type' is one of uint, int, float, uint64, address", what));
      out.type = type.value_or(PushType::as_declared);
    } else {
      r.fail(value, fmt::format("'{}': unknown key '{}'; known here: type, value", what, key.str()));
    }
  }
  if (!table->contains("value")) r.fail(node, fmt::format("'{}' needs the key 'value'", what));
  return out;
}

std::optional<std::string> read_text(const ManifestReader& r, const toml::node& node, const std::string& what) {
  if (node.value_exact<bool>() == false) return std::nullopt;
  auto text = node.value_exact<std::string>();
  if (!text)
    r.fail(node, fmt::format("'{}' must be text, or false where it is not to be defined", what));
  else if (!is_define_text(*text))
    r.fail(node, fmt::format("'{}' must be one line of at most {} characters", what, kMostTextChars));
  return text;
}

}  // namespace

Bindings read_bindings(ManifestReader& r, const std::string& key) {
  Bindings out;
  const toml::table* table = r.sub_table(key);
  if (!table) return out;
  if (table->empty()) r.fail(fmt::format("'{}' names no tensor", key));
  for (const auto& [name, node] : *table) {
    const std::string tensor(name.str());
    const auto add = [&, &line = node](const toml::node& at) {
      std::string when;
      const auto place = read_place(r, at, tensor, when);
      if (!place) return;
      std::vector<Bound>& known = out[*place];
      for (const Bound& other : known)
        if (when.empty() || other.when.empty())
          r.fail(line, fmt::format("'{}': {} and {} are both on {}; each needs a 'when'", key, other.name, tensor,
                                   place_text(*place)));
      known.push_back({tensor, when});
    };
    if (const toml::array* array = node.as_array())
      for (const toml::node& one : *array) add(one);
    else
      add(node);
  }
  return out;
}

std::map<std::string, TensorDecl> read_tensors(ManifestReader& r) {
  std::map<std::string, TensorDecl> out;
  const toml::table* table = r.sub_table("tensors");
  if (!table) return out;
  for (const auto& [key, node] : *table) {
    const std::string name(key.str());
    const Role* role = find_role(name);
    if (!role || !role->formed) {
      std::string known;
      for (const Role& one : kRoles)
        if (one.formed) known += (known.empty() ? "" : ", ") + std::string(one.name);
      r.fail(node, fmt::format("'tensors': '{}' is no tensor that has a type and a layout; those are {}", name, known));
      continue;
    }
    const toml::table* decl = node.as_table();
    if (!decl) {
      r.fail(node, fmt::format("'tensors': '{}' must be a table, {{ type = \"f32\", layout = \"bshd\" }}", name));
      continue;
    }
    TensorDecl& tensor = out[name];
    for (const auto& [item, value] : *decl) {
      if (item == "type") {
        tensor.type = r.expression(value, "type");
      } else if (item == "layout") {
        tensor.layout = value.value_or(std::string{});
        if (!std::ranges::is_permutation(tensor.layout, kDims))
          r.fail(value, fmt::format("'tensors': layout of '{}' is \"{}\"; it is the letters of bhsd (batch, heads, "
                                    "sequence, dim) in some order, the outermost first",
                                    name, tensor.layout));
      } else if (item == "strides" && value.is_table()) {
        for (const auto& [dim, stride] : *value.as_table()) {
          constexpr std::array<std::string_view, 4> kKnown{"batch", "head", "row", "col"};
          const auto at = std::ranges::find(kKnown, dim.str());
          if (at == kKnown.end())
            r.fail(stride,
                   fmt::format("'tensors': strides of '{}' are batch, head, row, col; '{}' is none", name, dim.str()));
          else
            tensor.strides[at - kKnown.begin()] = r.expression(stride, "strides");
        }
      } else if (item == "offset") {
        tensor.offset = r.expression(value, "offset");
      } else if (item == "in") {
        tensor.in = value.value_or(std::string{});
        const Role* home = find_role(tensor.in);
        if (!home || !home->formed || home == role || home->binding == binding_o || role->binding == binding_o)
          r.fail(value,
                 fmt::format("'tensors': '{}' cannot lie in '{}': an input lies in another's buffer", name, tensor.in));
      } else if (item == "padding") {
        tensor.padding = value.value<double>();
        if (!tensor.padding || (*tensor.padding != 0 && *tensor.padding != -std::numeric_limits<double>::infinity()))
          r.fail(value, fmt::format("'tensors': padding of '{}' is 0 or -inf; without it NaN", name));
      } else {
        r.fail(value, fmt::format("'tensors': {}: unknown key '{}'; known here: in, layout, offset, padding, strides, "
                                  "type",
                                  name, item.str()));
      }
    }
  }
  return out;
}

PushDecl read_push(ManifestReader& r, const toml::table* table) {
  PushDecl out;
  if (!table) return out;
  for (const auto& [key, node] : *table) {
    const std::string name(key.str());
    PushValue value = read_push_value(r, node, "push." + name);
    if (!is_number(name)) {
      if (value.type != PushType::as_declared && value.type != PushType::uint64 && value.type != PushType::address)
        r.fail(node, fmt::format("'push.{}': a member's type is the shader's; 'type' goes with an offset", name));
      out.named[name] = std::move(value);
      continue;
    }
    uint32_t offset = 0;
    const auto parsed = std::from_chars(name.data(), name.data() + name.size(), offset);
    if (parsed.ec != std::errc() || offset % 4 != 0 || offset > 65532)
      r.fail(node, fmt::format("'push.{}': an offset is in bytes and a multiple of 4", name));
    else if (!out.placed.emplace(offset, std::move(value)).second)
      r.fail(node, fmt::format("'push': two values are at offset {}", offset));
  }
  return out;
}

std::map<uint32_t, PushDecl> read_uniforms(ManifestReader& r) {
  std::map<uint32_t, PushDecl> out;
  const toml::table* table = r.sub_table("uniforms");
  if (!table) return out;
  for (const auto& [key, node] : *table) {
    // "7", or "1.7" of set 1
    const std::string_view text = key.str();
    const size_t dot = text.find('.');
    const std::string_view set = dot == std::string_view::npos ? "0" : text.substr(0, dot), at = text.substr(dot + 1);
    uint32_t numbers[2] = {kMostSets, 0};
    for (const auto& [part, number] : {std::pair{set, &numbers[0]}, {at, &numbers[1]}})
      if (!is_number(part) || std::from_chars(part.data(), part.data() + part.size(), *number).ec != std::errc())
        numbers[0] = kMostSets;
    if (numbers[0] >= kMostSets || numbers[1] > kMostBinding || !node.is_table())
      r.fail(node, fmt::format("'uniforms.{}': a table for each block, named by its binding, \"1.7\" of set 1", text));
    else
      out[place_of(numbers[0], numbers[1])] = read_push(r, node.as_table());
  }
  return out;
}

std::map<std::string, TextDefine> read_texts(ManifestReader& r) {
  std::map<std::string, TextDefine> out;
  const toml::table* table = r.sub_table("texts");
  if (!table) return out;
  for (const auto& [key, node] : *table) {
    const std::string name(key.str()), what = "texts." + name;
    if (!is_identifier(name)) r.fail(node, fmt::format("'{}' is no name of a define", what));
    TextDefine define;
    const toml::table* choice = node.as_table();
    if (!choice) {
      define.of.push_back(read_text(r, node, what));
    } else {
      for (const auto& [item, value] : *choice) {
        if (item == "pick") {
          define.pick = r.expression(value, what);
        } else if (item == "of" && value.is_array()) {
          for (const toml::node& one : *value.as_array()) define.of.push_back(read_text(r, one, what));
        } else {
          r.fail(value, fmt::format("'{}': known here: pick, an expression, and of, a list of texts", what));
        }
      }
      if (define.pick.empty() || define.of.empty() || define.of.size() > kMostTexts)
        r.fail(node, fmt::format("'{}' needs 'pick', an expression, and 'of', one to {} texts", what, kMostTexts));
    }
    out[name] = std::move(define);
  }
  return out;
}

std::string read_preamble(ManifestReader& r) {
  constexpr size_t kMost = 16384;
  std::string text = r.text("preamble");
  if (text.size() > kMost) r.fail(fmt::format("'preamble' has {} characters; at most {} are read", text.size(), kMost));
  if (!text.empty() && text.back() != '\n') text += '\n';
  return text;
}

void share(ManifestReader& root, std::vector<PassDecl>& passes) {
  const auto constants = root.expressions("constants");
  const auto texts = read_texts(root);
  const std::string preamble = read_preamble(root);
  PushDecl push = read_push(root, root.sub_table("push"));
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

void check_bindings_known(const ManifestReader& root, const Manifest& m) {
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
        root.fail(fmt::format("{}'bindings': '{}' is no tensor; known are {}{}", where, name, known, kDummy));
      }
  };
  check(m.bindings, "");
  for (const PassDecl& pass : m.passes) check(pass.bindings, fmt::format("pass '{}': ", pass.name));
  for (const ScratchDecl& s : m.scratch) {
    if (foreign && (find_role(s.name) || s.name == kDummy))
      root.fail(fmt::format("scratch '{}' has the name of a tensor", s.name));
    const auto names = [&](const Bindings& b) {
      return std::ranges::any_of(b, [&](const auto& place) {
        return std::ranges::any_of(place.second, [&](const Bound& one) { return one.name == s.name; });
      });
    };
    if (!s.binding && !names(m.bindings) &&
        std::ranges::none_of(m.passes, [&](const PassDecl& p) { return names(p.bindings); }))
      root.fail(fmt::format("scratch '{}': needs the key 'binding', or a place in 'bindings'", s.name));
  }
}

}  // namespace attnscope
