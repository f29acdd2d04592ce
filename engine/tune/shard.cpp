#include "engine/tune/shard.hpp"

#include <charconv>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "engine/tune/random.hpp"

namespace attnscope::tune {
namespace {

constexpr uint32_t kMostShards = 100000;

std::optional<uint32_t> number(std::string_view text) {
  uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

Result<Shard> parse_shard(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash != std::string_view::npos) {
    const auto index = number(text.substr(0, slash)), count = number(text.substr(slash + 1));
    if (index && count && *index >= 1 && *index <= *count && *count <= kMostShards) return Shard{*index, *count};
  }
  return bad_input(
      fmt::format("'{}' is no share; it is I/N with I from 1 to N, N up to {}, such as 1/8", text, kMostShards));
}

bool belongs(const Shard& shard, std::string_view variant, const Config& config) {
  if (shard.count <= 1) return true;
  return hash_text(std::string(variant) + ' ' + to_text(config)) % shard.count == shard.index - 1;
}

}  // namespace attnscope::tune
