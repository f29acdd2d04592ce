// A directory of small binary files keyed by hash, safe against torn writes, damage and other processes.
#pragma once

#include <filesystem>

#include "engine/standard.hpp"

namespace attnscope {

/// Each file holds a magic number, a check value given by the caller, the payload's length and hash, then the payload.
/// Files appear by rename, so a reader sees a whole file or none.
class FileCache {
 public:
  /// Empty: a cache that holds nothing.
  explicit FileCache(std::filesystem::path dir) : dir_(std::move(dir)) {}
  /// nullopt when the entry is missing, damaged, or was stored with another `check`.
  std::optional<std::vector<std::byte>> load(const std::string& name, uint64_t check) const;
  /// False when it could not be written; nothing is left behind then.
  bool store(const std::string& name, uint64_t check, std::string_view payload) const;
  /// Beyond this number the oldest files are removed, and a quarter of the others.
  void prune(size_t most) const;
  bool enabled() const { return !dir_.empty(); }

 private:
  std::filesystem::path dir_;
};

}  // namespace attnscope
