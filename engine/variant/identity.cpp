#include "engine/variant/identity.hpp"

#include <array>
#include <string_view>

#include <fmt/format.h>

namespace attnscope {
namespace {

constexpr std::array<std::string_view, 5> kOfNoConsequence{"title", "summary", "system", "rank", "config"};

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

}  // namespace

std::string identity_text(const toml::table& manifest) {
  toml::table rest = manifest;
  for (const std::string_view key : kOfNoConsequence) rest.erase(key);
  std::string out;
  spell(rest, out);
  return out;
}

}  // namespace attnscope
