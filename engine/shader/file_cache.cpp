#include "engine/shader/file_cache.hpp"

#include "engine/input/file.hpp"

namespace attnscope {
namespace {

struct Header {
  char magic[8];
  uint64_t check, payload_bytes, payload_hash;
};
constexpr char kMagic[8] = {'a', 't', 't', 'n', 'c', 'c', 'h', '1'};

}  // namespace

std::optional<std::string> FileCache::load(const std::string& name, uint64_t check) const {
  if (!enabled()) return std::nullopt;
  const Result<std::string> file = read_file(dir_ / name, kMaxCachedBytes);
  Header header{};
  if (!file || file->size() < sizeof header) return std::nullopt;
  std::memcpy(&header, file->data(), sizeof header);
  if (std::memcmp(header.magic, kMagic, sizeof kMagic) != 0 || header.check != check) return std::nullopt;
  const std::string_view payload = std::string_view(*file).substr(sizeof header);
  if (payload.size() != header.payload_bytes || hash_bytes(payload) != header.payload_hash) return std::nullopt;
  return std::string(payload);
}

bool FileCache::store(const std::string& name, uint64_t check, std::string_view payload) const {
  if (!enabled()) return false;
  std::error_code ignored;
  std::filesystem::create_directories(dir_, ignored);
  Header header{};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.check = check;
  header.payload_bytes = payload.size();
  header.payload_hash = hash_bytes(payload);
  std::string file(reinterpret_cast<const char*>(&header), sizeof header);
  file += payload;
  return replace_file(dir_ / name, file) == 0;
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
