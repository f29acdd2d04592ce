#include "engine/tune/journal.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "engine/record/json_fields.hpp"
#include "engine/record/results.hpp"
#include "engine/tune/fields_tune.hpp"
#include "engine/tune/random.hpp"

namespace attnscope::tune {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMark = "attnscope_journal";
constexpr int kVersion = 1;

std::string key_line(const JournalKey& key) { return dump_line(Json{{kMark, kVersion}, {"key", encode(key)}}) + "\n"; }
std::string text_of(const JournalLine& line) { return dump_line(encode(line)) + "\n"; }

/// One line of a file: a key, a trial, or neither.
bool read_line(std::string_view text, JournalFile& file) {
  const Result<Json> json = parse_json(text, "line");
  if (!json || !json->is_object()) return false;
  if (json->contains(kMark)) {
    if (!json->contains("key") || json->at(kMark) != kVersion) return false;
    Result<JournalKey> key = decode<JournalKey>(json->at("key"), "key");
    if (!key) return false;
    if (file.sections.empty() || !(file.sections.back().key == *key)) file.sections.push_back({*key, {}});
    return true;
  }
  Result<JournalLine> line = decode<JournalLine>(*json, "trial");
  if (!line || file.sections.empty()) return false;
  file.sections.back().lines.push_back(std::move(*line));
  return true;
}

}  // namespace

JournalKey journal_key(const DeviceInfo& device, const Problem& problem, const Protocol& protocol, uint64_t seed) {
  return {device.name, device.device_uuid, device.driver, problem, protocol.cache, protocol.launch, seed};
}

std::string journal_name(const JournalKey& key) {
  return fmt::format("trials-{:016x}", hash_text(dump_line(encode(key))));
}

JournalLine journal_line(const std::string& variant, const std::string& shader_hash, const Trial& trial,
                         const std::string& time_utc) {
  JournalLine line;
  line.variant = variant;
  line.shader_hash = shader_hash;
  line.config = trial.config;
  line.outcome = trial.outcome;
  line.message = trial.message;
  line.dropped = trial.dropped;
  line.median_ns = trial.median_ns;
  line.samples_ns = trial.samples_ns;
  line.dispatches_per_sample = trial.dispatches_per_sample;
  line.settled = trial.settled;
  line.compile_ms = trial.compile_ms;
  line.time_utc = time_utc;
  return line;
}

Trial trial_of(const JournalLine& line) {
  Trial trial;
  trial.config = line.config;
  trial.outcome = line.outcome;
  trial.message = line.message;
  trial.dropped = line.dropped;
  trial.median_ns = line.median_ns;
  trial.samples_ns = line.samples_ns;
  trial.dispatches_per_sample = line.dispatches_per_sample;
  trial.settled = line.settled;
  trial.compile_ms = line.compile_ms;
  return trial;
}

Result<JournalFile> read_journal(const fs::path& path) {
  const Result<std::string> text = read_text(path);
  if (!text) return text.error();
  JournalFile file;
  std::string_view rest = *text;
  while (!rest.empty()) {
    const size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    // A line without its end is one that was being written when its process was ended.
    if (end == std::string_view::npos) {
      ++file.damaged;
      break;
    }
    rest.remove_prefix(end + 1);
    if (line.empty()) continue;
    if (!read_line(line, file)) ++file.damaged;
  }
  if (file.sections.empty() && !text->empty())
    return bad_input(fmt::format("{} is no journal of trials: it has no line that begins one", path.string()));
  return file;
}

std::string journal_text(std::span<const JournalSection> sections) {
  std::string out;
  for (const JournalSection& section : sections) {
    out += key_line(section.key);
    for (const JournalLine& line : section.lines) out += text_of(line);
  }
  return out;
}

std::string set_aside(const fs::path& path) {
  for (int i = 1; i < 1000; ++i) {
    const fs::path aside = fmt::format("{}.aside-{}", path.string(), i);
    std::error_code error;
    if (fs::exists(aside, error)) continue;
    fs::rename(path, aside, error);
    return error ? std::string() : aside.string();
  }
  return {};
}

Journal::Journal(Journal&& other) noexcept { *this = std::move(other); }
Journal& Journal::operator=(Journal&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(fd_, other.fd_);
  std::swap(earlier_, other.earlier_);
  std::swap(note_, other.note_);
  return *this;
}
Journal::~Journal() {
  if (fd_ >= 0) ::close(fd_);
}

Result<Journal> Journal::open(const fs::path& path, const JournalKey& key, bool fresh) {
  Journal journal;
  journal.path_ = path;
  std::error_code error;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), error);
  bool begins = true, torn = false;
  if (fs::exists(path, error)) {
    Result<JournalFile> file = read_journal(path);
    if (!file || fresh) {
      const std::string aside = set_aside(path);
      if (aside.empty()) return bad_input(fmt::format("{} cannot be set aside", path.string()));
      if (!file) journal.note_ = fmt::format("{}. It was set aside as {}.", file.error().message, aside);
    } else {
      std::map<std::pair<std::string, Config>, JournalLine> latest;
      for (JournalSection& section : file->sections)
        if (section.key == key)
          for (JournalLine& line : section.lines)
            latest[{line.variant + ' ' + line.shader_hash, line.config}] = std::move(line);
      for (auto& [which, line] : latest) journal.earlier_.push_back(std::move(line));
      // Sections of other keys may follow each other in a file that was joined.
      begins = file->sections.empty() || !(file->sections.back().key == key);
      const Result<std::string> text = read_text(path);
      torn = text && !text->empty() && text->back() != '\n';
      if (file->damaged > (torn ? 1 : 0))
        journal.note_ = fmt::format("{} lines of {} make no sense and were passed over.", file->damaged, path.string());
    }
  }
  journal.fd_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (journal.fd_ < 0)
    return bad_input(fmt::format("'{}' cannot be written: {}.", path.string(), std::generic_category().message(errno)));
  if (torn || begins)
    if (Result<void> ok = journal.write((torn ? "\n" : "") + (begins ? key_line(key) : std::string())); !ok)
      return ok.error();
  return journal;
}

Result<void> Journal::append(const JournalLine& line) { return write(text_of(line)); }

Result<void> Journal::write(std::string line) {
  // One write a line: the system puts each whole line behind those of other processes.
  const ssize_t n = ::write(fd_, line.data(), line.size());
  if (n == static_cast<ssize_t>(line.size())) return {};
  return bad_input(fmt::format("'{}' cannot be written: {}.", path_.string(),
                               n < 0 ? std::generic_category().message(errno) : "the disk is full"));
}

}  // namespace attnscope::tune
