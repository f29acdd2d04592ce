// A share of a sweep: which configs are whose, decided by each config alone, so that no two processes need to talk.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/result.hpp"
#include "engine/variant/config_space.hpp"

namespace attnscope::tune {

struct Shard {
  uint32_t index = 1, count = 1;  ///< 1 of 1: everything
  bool operator==(const Shard&) const = default;
};

/// "2/8". The error says what is allowed.
Result<Shard> parse_shard(std::string_view text);
/// Every config is of exactly one of `count` shards, by a hash of its variant and values: the same on every machine,
/// whatever order or part of the space is looked at.
bool belongs(const Shard&, std::string_view variant, const Config&);

}  // namespace attnscope::tune
