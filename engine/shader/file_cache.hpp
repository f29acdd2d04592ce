// A directory of small binary files keyed by hash, safe against torn writes, damage and other processes.
#pragma once

#include <filesystem>

#include "engine/standard.hpp"

namespace attnscope {

/// FNV-1a, then MurmurHash3's 64-bit finalizer: stable everywhere; different seeds give independent hashes.
constexpr uint64_t hash_bytes(std::string_view bytes, uint64_t seed = 0) {
  uint64_t h = 0xcbf29ce484222325ull ^ (seed * 0x9e3779b97f4a7c15ull);
  for (char c : bytes) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  h = (h ^ (h >> 33)) * 0xff51afd7ed558ccdull;
  h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53ull;
  return h ^ (h >> 33);
}

/// A file: a magic number, the caller's check value, the payload's length and hash, the payload; made by rename.
class FileCache {
 public:
  /// Empty: a cache that holds nothing.
  explicit FileCache(std::filesystem::path dir) : dir_(std::move(dir)) {}
  /// nullopt when the entry is missing, damaged, or was stored with another `check`.
  std::optional<std::string> load(const std::string& name, uint64_t check) const;
  /// False when it could not be written; nothing is left behind then.
  bool store(const std::string& name, uint64_t check, std::string_view payload) const;
  /// Beyond this number the oldest files are removed, and a quarter of the others.
  void prune(size_t most) const;
  bool enabled() const { return !dir_.empty(); }

 private:
  std::filesystem::path dir_;
};

}  // namespace attnscope
