#include "engine/variant/binding.hpp"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/format.h>

namespace attnscope {
namespace {

// The 32-bit pattern of `value` as a SPIR-V scalar; nullopt when the type cannot hold it exactly enough.
std::optional<uint32_t> to_bits(double value, ScalarType type) {
  const bool integral = value == std::floor(value);
  switch (type) {
    case ScalarType::boolean: return value != 0 ? 1u : 0u;
    case ScalarType::uint32:
      if (!integral || value < 0 || value > std::numeric_limits<uint32_t>::max()) return std::nullopt;
      return static_cast<uint32_t>(value);
    case ScalarType::int32:
      if (!integral || value < std::numeric_limits<int32_t>::min() || value > std::numeric_limits<int32_t>::max())
        return std::nullopt;
      return std::bit_cast<uint32_t>(static_cast<int32_t>(value));
    case ScalarType::float32: return std::bit_cast<uint32_t>(static_cast<float>(value));
    case ScalarType::other: break;
  }
  return std::nullopt;
}

const char* type_text(ScalarType type) {
  switch (type) {
    case ScalarType::boolean: return "bool";
    case ScalarType::int32: return "int";
    case ScalarType::uint32: return "uint";
    case ScalarType::float32: return "float";
    case ScalarType::other: break;
  }
  return "of an unsupported type (use uint, int, float or bool)";
}

}  // namespace

std::optional<std::string> bound_name(const std::string& constant, const Names& names) {
  if (names.contains(constant)) return constant;
  std::string lower = constant;
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  const bool upper = std::none_of(constant.begin(), constant.end(), [](unsigned char c) { return std::islower(c); });
  if (upper && names.contains(lower)) return lower;
  return std::nullopt;
}

Result<void> check_bindings(const Reflection& reflection, const Names& names, const std::string& where) {
  for (const auto& constant : reflection.constants)
    if (constant.name.empty() || !bound_name(constant.name, names))
      return bad_input(
          fmt::format("{}: nothing binds spec constant {} (constant_id {}): declare it as a parameter "
                      "or under the pass's 'constants' in manifest.toml",
                      where, constant.name.empty() ? "without a name" : "'" + constant.name + "'", constant.id));
  for (const auto& member : reflection.push)
    if (!names.contains(member.name))
      return bad_input(
          fmt::format("{}: nothing binds push constant '{}': its name must be one of the problem's, "
                      "a parameter or a 'let' of manifest.toml",
                      where, member.name));
  return {};
}

Result<SpecValues> bind_constants(const Reflection& reflection, const Names& names, const std::string& where) {
  if (const auto bound = check_bindings(reflection, names, where); !bound) return bound.error();
  SpecValues values;
  for (const auto& constant : reflection.constants) {
    const std::string name = *bound_name(constant.name, names);
    const double value = names.find(name)->second;
    const auto bits = to_bits(value, constant.type);
    if (!bits)
      return bad_input(fmt::format("{}: spec constant '{}' is {}, which cannot hold {}", where, constant.name,
                                   type_text(constant.type), grouped(value)));
    values[constant.id] = *bits;
  }
  return values;
}

Result<std::vector<std::byte>> bind_push(const Reflection& reflection, const Names& names, const std::string& where) {
  if (const auto bound = check_bindings(reflection, names, where); !bound) return bound.error();
  std::vector<std::byte> push(reflection.push_bytes);
  for (const auto& member : reflection.push) {
    const double value = names.find(member.name)->second;
    const auto bits = to_bits(value, member.type);
    if (!bits)
      return bad_input(fmt::format("{}: push constant '{}' is {}, which cannot hold {}", where, member.name,
                                   type_text(member.type), grouped(value)));
    if (member.offset + sizeof *bits > push.size())
      return internal_error(fmt::format("{}: push constant '{}' lies outside its block", where, member.name));
    std::memcpy(push.data() + member.offset, &*bits, sizeof *bits);
  }
  return push;
}

Result<void> add_pass_names(const PassDecl& pass, Names& names, const std::string& where) {
  if (!pass.subgroup_size.empty()) {
    const auto size = evaluate(pass.subgroup_size, names);
    if (!size) return bad_input(fmt::format("{}: subgroup_size: {}", where, size.error().message));
    if (*size != 0) names["subgroup_size"] = *size;
  }
  if (const auto done = resolve(pass.constants, names, "constant"); !done)
    return bad_input(fmt::format("{}: {}", where, done.error().message));
  return {};
}

}  // namespace attnscope
