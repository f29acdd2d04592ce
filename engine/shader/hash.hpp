// Hashing for cache keys. Internal to this module; content_hash in compiler.hpp is its public form.
#pragma once

#include "engine/standard.hpp"

namespace attnscope::shader {

/// FNV-1a over bytes, then a finalizer that spreads every bit (the 64-bit one of MurmurHash3): stable everywhere.
/// Different seeds give independent hashes of the same bytes.
constexpr uint64_t hash_bytes(std::string_view bytes, uint64_t seed = 0) {
  uint64_t h = 0xcbf29ce484222325ull ^ (seed * 0x9e3779b97f4a7c15ull);
  for (char c : bytes) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  h = (h ^ (h >> 33)) * 0xff51afd7ed558ccdull;
  h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53ull;
  return h ^ (h >> 33);
}

}  // namespace attnscope::shader
