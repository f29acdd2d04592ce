#include "engine/shader/file_cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "engine/input/file.hpp"
#include "engine/platform/files.hpp"
#include "engine/shader/hash.hpp"

namespace attnscope {
namespace {

struct Header {
  char magic[8];
  uint64_t check, payload_bytes, payload_hash;
};
constexpr char kMagic[8] = {'a', 't', 't', 'n', 'c', 'c', 'h', '1'};

/// A file that nothing else was: neither a link to elsewhere nor a FIFO that nobody reads. Its name is unique among
/// processes and threads: the rename is what publishes.
int open_new(const std::filesystem::path& path, std::filesystem::path& temporary) {
  static std::atomic<uint64_t> counter{0};
  for (int attempt = 0; attempt < 16; ++attempt) {
    temporary = fmt::format("{}.{}.{}.tmp", path.string(), getpid(), counter++);
    const int fd = open_file(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
  return -1;
}

}  // namespace

std::optional<std::vector<std::byte>> FileCache::load(const std::string& name, uint64_t check) const {
  if (!enabled()) return std::nullopt;
  const Result<std::string> file = read_file(dir_ / name, kMaxCachedBytes);
  Header header{};
  if (!file || file->size() < sizeof header) return std::nullopt;
  std::memcpy(&header, file->data(), sizeof header);
  if (std::memcmp(header.magic, kMagic, sizeof kMagic) != 0 || header.check != check) return std::nullopt;
  const std::string_view payload = std::string_view(*file).substr(sizeof header);
  if (payload.size() != header.payload_bytes || shader::hash_bytes(payload) != header.payload_hash) return std::nullopt;
  const auto* bytes = reinterpret_cast<const std::byte*>(payload.data());
  return std::vector<std::byte>(bytes, bytes + payload.size());
}

bool FileCache::store(const std::string& name, uint64_t check, std::string_view payload) const {
  if (!enabled()) return false;
  std::error_code ignored;
  std::filesystem::create_directories(dir_, ignored);
  Header header{};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.check = check;
  header.payload_bytes = payload.size();
  header.payload_hash = shader::hash_bytes(payload);
  std::filesystem::path temporary;
  const int fd = open_new(dir_ / name, temporary);
  if (fd < 0) return false;
  const bool written =
      write_all(fd, {reinterpret_cast<const char*>(&header), sizeof header}) == 0 && write_all(fd, payload) == 0;
  const bool closed = ::close(fd) == 0;
  std::error_code error;
  if (written && closed) std::filesystem::rename(temporary, dir_ / name, error);
  if (written && closed && !error) return true;
  std::filesystem::remove(temporary, ignored);
  return false;
}

void FileCache::prune(size_t most) const {
  namespace fs = std::filesystem;
  std::error_code none;
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  for (fs::directory_iterator at(dir_, none), end; !none && at != end; at.increment(none)) {
    std::error_code gone;  // another process prunes, too
    const fs::file_time_type time = at->last_write_time(gone);
    if (!gone) files.emplace_back(time, at->path());
  }
  if (files.size() <= most) return;
  std::ranges::sort(files);
  files.resize(files.size() - (most - most / 4));
  for (const auto& [time, path] : files) fs::remove(path, none);
}

}  // namespace attnscope
