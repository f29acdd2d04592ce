#include "engine/variant/binding.hpp"

namespace attnscope {
namespace {

// The 32-bit pattern of `value` as a SPIR-V scalar; nullopt when the type cannot hold it exactly enough.
std::optional<uint32_t> to_bits(double value, ScalarType type) {
  const bool integral = value == std::floor(value);
  switch (type) {
    case ScalarType::boolean: return value != 0 ? 1u : 0u;
    case ScalarType::uint32:
      if (!integral || value < 0 || value > std::numeric_limits<uint32_t>::max()) return std::nullopt;
      return uint32_t(value);
    case ScalarType::int32:
      if (!integral || value < std::numeric_limits<int32_t>::min() || value > std::numeric_limits<int32_t>::max())
        return std::nullopt;
      return std::bit_cast<uint32_t>(int32_t(value));
    case ScalarType::float32: return std::bit_cast<uint32_t>(float(value));
    case ScalarType::other: break;
  }
  return std::nullopt;
}

const char* type_text(ScalarType type) {
  return word_of(type, {"bool", "int", "uint", "float", "of an unsupported type (use uint, int, float or bool)"});
}

ScalarType scalar_of(PushType type) {
  return type == PushType::uint32    ? ScalarType::uint32
         : type == PushType::int32   ? ScalarType::int32
         : type == PushType::float32 ? ScalarType::float32
                                     : ScalarType::other;
}

std::string text_of(const PushPart& part) {
  return part.name.empty() ? fmt::format("push constant at offset {}", part.offset)
                           : fmt::format("push constant '{}'", part.name);
}

/// What is written over a member that has no 32-bit type: a vector, an array, a 64-bit number.
Result<void> add_parts(const PushMember& member, const PushDecl& push, const std::string& where,
                       std::vector<PushPart>& out) {
  const size_t before = out.size();
  const uint32_t member_end = member.offset + member.bytes;
  uint32_t end = member.offset;
  if (const auto named = push.named.find(member.name); named != push.named.end() && member.bytes == 8) {
    out.push_back(
        {member.offset, ScalarType::other, member.name, named->second.value, named->second.type == PushType::address});
    return {};
  }
  for (auto it = push.placed.lower_bound(member.offset); it != push.placed.end() && it->first < member_end; ++it) {
    const auto& [offset, value] = *it;
    const std::string what = fmt::format("push constant at offset {}", offset);
    if (value.type == PushType::as_declared)
      return bad_input("{}: {}: the member there is no 32-bit number; say 'type'", where, what);
    if (offset < end) return bad_input("{}: {} lies within the one before it", where, what);
    end = offset + (scalar_of(value.type) == ScalarType::other ? 8 : 4);
    if (end > member_end)
      return bad_input("{}: {} does not end within its member, which has {} bytes", where, what, member.bytes);
    out.push_back({offset, scalar_of(value.type), {}, value.value, value.type == PushType::address});
  }
  if (out.size() > before) return {};
  return bad_input(
      "{}: push constant '{}' at offset {} is no 32-bit number: give its parts by offset and 'type' under "
      "the pass's 'push' (or 'uniforms')",
      where, member.name, member.offset);
}

}  // namespace

Result<std::vector<PushPart>> push_parts(const Block& reflection, const Names& names, const PushDecl& push,
                                         const std::string& where) {
  std::vector<PushPart> out;
  for (const auto& member : reflection.push) {
    if (member.type == ScalarType::other) {
      TRY(add_parts(member, push, where, out));
      continue;
    }
    PushPart part{member.offset, member.type, member.name, member.name, false};
    const auto placed = push.placed.find(member.offset);
    const auto named = push.named.find(member.name);
    const bool own_name = named != push.named.end() && !named->second.shared;
    if (placed != push.placed.end() && !(placed->second.shared && own_name)) {
      if (placed->second.type != PushType::as_declared && scalar_of(placed->second.type) != member.type)
        return bad_input("{}: the push constant at offset {} is {}, and the manifest says another type", where,
                         member.offset, type_text(member.type));
      part.expression = placed->second.value;
    } else if (named != push.named.end()) {
      part.expression = named->second.value;
    } else if (!names.contains(member.name)) {
      return bad_input(
          "{}: nothing binds push constant '{}': its name must be one of the problem's, "
          "a parameter or a 'let' of manifest.toml, or it, or its offset {}, stand under the pass's 'push'",
          where, member.name, member.offset);
    }
    out.push_back(std::move(part));
  }
  const auto has = [&](auto&& test) { return std::ranges::any_of(reflection.push, test); };
  for (const auto& [name, value] : push.named)
    if (!value.shared && !has([&, &name = name](const PushMember& m) { return m.name == name; }))
      return bad_input("{}: 'push' has '{}', and its push-constant block has no such member", where, name);
  for (const auto& [offset, value] : push.placed)
    if (!value.shared &&
        !has([&, at = offset](const PushMember& m) { return at >= m.offset && at < m.offset + m.bytes; }))
      return bad_input("{}: 'push' has offset {}, and its push-constant block of {} bytes has no member there", where,
                       offset, reflection.push_bytes);
  return out;
}

std::string constant_key(uint32_t id) { return fmt::format("{}", id); }

std::optional<std::string> bound_name(const SpecConstant& constant, const Names& names) {
  const std::string& name = constant.name;
  if (std::string key = constant_key(constant.id); names.contains(key)) return key;
  if (names.contains(name)) return name;
  const std::string lower = lower_case(name);
  const bool upper = std::ranges::none_of(name, [](unsigned char c) { return std::islower(c); });
  if (upper && names.contains(lower)) return lower;
  return std::nullopt;
}

Result<void> check_bindings(const Reflection& reflection, const Names& names, const PushDecl& push,
                            const std::string& where) {
  for (const auto& constant : reflection.constants)
    if (!bound_name(constant, names))
      return bad_input(
          "{}: nothing binds spec constant {} (constant_id {}): declare it as a parameter "
          "or under the pass's 'constants' in manifest.toml",
          where, constant.name.empty() ? "without a name" : "'" + constant.name + "'", constant.id);
  TRY(push_parts(reflection, names, push, where));
  return {};
}

Result<SpecValues> bind_constants(const Reflection& reflection, const Names& names, const std::string& where) {
  SpecValues values;
  for (const auto& constant : reflection.constants) {
    const auto name = bound_name(constant, names);
    if (!name) return check_bindings(reflection, names, {}, where).error();
    const double value = names.find(*name)->second;
    const auto bits = to_bits(value, constant.type);
    if (!bits)
      return bad_input("{}: spec constant '{}' is {}, which cannot hold {}", where, constant.name,
                       type_text(constant.type), grouped(value));
    values[constant.id] = *bits;
  }
  return values;
}

Result<std::vector<std::byte>> bind_push(const Block& reflection, const Names& names, const PushDecl& decl,
                                         const std::string& where) {
  const auto parts = TRY(push_parts(reflection, names, decl, where));
  std::vector<std::byte> push(reflection.push_bytes);
  for (const PushPart& source : parts) {
    if (source.address) continue;
    // Not by a look-up: `names` has constants by id as well, and an expression may be a number.
    const double value = TRY(within(where, within(text_of(source), evaluate(source.expression, names))));
    const bool wide = source.type == ScalarType::other;
    const auto bits = wide ? std::optional<uint32_t>(0) : to_bits(value, source.type);
    if (!bits || (wide && (value != std::floor(value) || value < 0 || value >= 0x1p53)))
      return bad_input("{}: {} is {}, which cannot hold {}", where, text_of(source),
                       wide ? "uint64" : type_text(source.type), grouped(value));
    const uint64_t whole = wide ? uint64_t(value) : *bits;
    const size_t bytes = wide ? 8 : 4;
    if (source.offset + bytes > push.size())
      return internal_error("{}: {} lies outside its block", where, text_of(source));
    std::memcpy(push.data() + source.offset, &whole, bytes);
  }
  return push;
}

Result<void> add_pass_names(const PassDecl& pass, Names& names, const std::string& where) {
  if (!pass.subgroup_size.empty()) {
    const double size = TRY(within(where + ": subgroup_size", evaluate(pass.subgroup_size, names)));
    if (size != 0) names["subgroup_size"] = size;
  }
  return within(where, resolve(pass.constants, names, "constant"));
}

}  // namespace attnscope
