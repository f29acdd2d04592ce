#include "engine/shader/file_cache.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <fstream>

#include "engine/shader/hash.hpp"

namespace attnscope {
namespace {

struct Header {
  char magic[8];
  uint64_t check, payload_bytes, payload_hash;
};
constexpr char kMagic[8] = {'a', 't', 't', 'n', 'c', 'c', 'h', '1'};

}  // namespace

std::optional<std::vector<std::byte>> FileCache::load(const std::string& name, uint64_t check) const {
  if (!enabled()) return std::nullopt;
  std::ifstream in(dir_ / name, std::ios::binary);
  Header header{};
  if (!in.read(reinterpret_cast<char*>(&header), sizeof header)) return std::nullopt;
  if (std::memcmp(header.magic, kMagic, sizeof kMagic) != 0 || header.check != check) return std::nullopt;
  std::error_code error;
  // Asked of the file system, so that a damaged length cannot ask for memory.
  if (std::filesystem::file_size(dir_ / name, error) != sizeof header + header.payload_bytes || error)
    return std::nullopt;
  std::vector<std::byte> payload(header.payload_bytes);
  if (!in.read(reinterpret_cast<char*>(payload.data()), static_cast<std::streamsize>(payload.size())))
    return std::nullopt;
  const std::string_view view(reinterpret_cast<const char*>(payload.data()), payload.size());
  if (shader::hash_bytes(view) != header.payload_hash) return std::nullopt;
  return payload;
}

bool FileCache::store(const std::string& name, uint64_t check, std::string_view payload) const {
  if (!enabled()) return false;
  static std::atomic<uint64_t> counter{0};
  std::error_code error;
  std::filesystem::create_directories(dir_, error);
  // Unique among processes and threads: the rename is what publishes.
  const auto temporary = dir_ / fmt::format("{}.{}.{}.tmp", name, getpid(), counter++);
  Header header{};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.check = check;
  header.payload_bytes = payload.size();
  header.payload_hash = shader::hash_bytes(payload);
  {
    std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
    out.write(reinterpret_cast<const char*>(&header), sizeof header);
    out.write(payload.data(), static_cast<std::streamsize>(payload.size()));
    out.close();
    if (!out) {
      std::filesystem::remove(temporary, error);
      return false;
    }
  }
  std::filesystem::rename(temporary, dir_ / name, error);
  if (!error) return true;
  std::error_code ignored;
  std::filesystem::remove(temporary, ignored);
  return false;
}

}  // namespace attnscope
