#include "engine/tune/journal.hpp"

#include <cerrno>
#include <fstream>
#include <sstream>
#include <system_error>

#include "engine/input/file.hpp"
#include "engine/record/json_fields.hpp"
#include "engine/tune/fields_tune.hpp"
#include "engine/tune/random.hpp"

namespace attnscope::tune {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMark = "attnscope_journal";
constexpr int kVersion = 1;

std::string key_line(const JournalKey& key) { return dump_line(Json{{kMark, kVersion}, {"key", encode(key)}}) + "\n"; }
std::string name_of(const JournalKey& key) { return fmt::format("{:016x}", hash_text(dump_line(encode(key)))); }
std::string text_of(const JournalLine& line, const std::string& of) {
  Json json{{"of", of}, {"variant", line.variant}, {"shader_hash", line.shader_hash}};
  json.update(encode(line.trial));
  json.erase("index");
  return dump_line(json) + "\n";
}
Result<JournalLine> line_of(Json json) {
  json["index"] = 0;
  JournalLine line;
  line.trial = TRY(decode<Trial>(json, "trial"));
  const Trial& t = line.trial;
  if (t.outcome == Outcome::measured && !t.samples_ns.empty()) {
    const auto [least, most] = std::ranges::minmax(t.samples_ns);
    if (t.median_ns < least || t.median_ns > most) return bad_input("its median is not among its samples");
  }
  try {
    Fields(json).need("variant", line.variant).maybe("shader_hash", line.shader_hash);
  } catch (const std::exception& e) {
    return bad_input(e.what());
  }
  return line;
}

/// Bytes of one line; the longest that is written has some tens of thousands of samples.
constexpr size_t kMostLine = size_t{16} << 20;

/// A file of any length.
Result<std::unique_ptr<std::istream>> open_lines(const fs::path& path) {
  std::unique_ptr<std::istream> in;
  std::error_code ignored;
  if (fs::is_regular_file(path, ignored)) {
    in = std::make_unique<std::ifstream>(path, std::ios::binary);
    if (!*in) return file_error("read", path, errno);
  } else {
    // A file without a size, such as a pipe, may have no end.
    in = std::make_unique<std::istringstream>(TRY(read_text(path)));
  }
  return in;
}

}  // namespace

JournalKey journal_key(const DeviceInfo& device, const Problem& problem, const Protocol& protocol, uint64_t seed) {
  return {device.name, device.device_uuid, device.driver, problem, protocol.cache, protocol.launch, seed};
}

std::string journal_name(const JournalKey& key) { return "trials-" + name_of(key); }

/// The lines under this key, and how the file is continued.
Result<void> Journal::read(const JournalKey& key) {
  const std::unique_ptr<std::istream> in = TRY(open_lines(path_));
  // In the order they were made: who goes on from here goes on with the same story.
  of_ = name_of(key);
  std::vector<std::optional<JournalLine>> lines;
  std::map<std::pair<std::string, Config>, size_t> latest;
  // Searches of other problems may append to the same file, each under its key.
  bool any = false, begun = false, ours = false;
  const auto take = [&](std::string_view text) {
    const Result<Json> json = parse_json(text, "line");
    if (!json || !json->is_object()) return false;
    if (json->contains(kMark)) {
      if (!json->contains("key") || json->at(kMark) != kVersion) return false;
      const Result<JournalKey> found = decode<JournalKey>(json->at("key"), "key");
      if (!found) return false;
      begun = true;
      ours = *found == key;
      return true;
    }
    Result<JournalLine> line = line_of(*json);
    if (!line || !begun || line->trial.median_ns < 0 ||
        std::ranges::any_of(line->trial.samples_ns, [](double ns) { return ns < 0; }))
      return false;
    // Two that append at once write a key line each, and then lines of both: a line says whose it is.
    const auto of = json->find("of");
    if (of == json->end() ? !ours : *of != of_) return true;
    const auto [known, fresh] =
        latest.try_emplace({line->variant + ' ' + line->shader_hash, line->trial.config}, lines.size());
    if (!fresh) lines[std::exchange(known->second, lines.size())].reset();
    lines.emplace_back(std::move(*line));
    return true;
  };
  const std::unique_ptr<char[]> buffer(new char[kMostLine + 1]);
  uint64_t damaged = 0;  // lines that are neither a key nor a trial under one
  bool torn = false;     // the last line has no end, as one that was being written when its process was ended
  for (;;) {
    in->getline(buffer.get(), std::streamsize(kMostLine + 1));
    const auto got = size_t(in->gcount());
    any |= got > 1 || (got == 1 && in->eof());
    if (in->eof()) {
      torn = got > 0;
      break;
    }
    if (in->bad()) return file_error("read", path_, EIO);
    if (in->fail()) {  // the buffer is full
      in->clear();
      in->ignore(std::numeric_limits<std::streamsize>::max(), '\n');
      ++damaged;
      continue;
    }
    // The end of the line was counted.
    if (got > 1 && !take({buffer.get(), got - 1})) ++damaged;
  }
  if (!begun && any) return bad_input("{} is not a journal of trials: it has no line that begins one", path_.string());
  for (std::optional<JournalLine>& line : lines)
    if (line) earlier_.push_back(std::move(*line));
  before_ = (torn ? "\n" : "") + (ours ? std::string() : key_line(key));
  if (damaged > 0) note_ = fmt::format("{} lines of {} make no sense and were passed over.", damaged, path_.string());
  return {};
}

Result<Journal> Journal::open(const fs::path& path, const JournalKey& key, bool fresh) {
  Journal journal;
  journal.path_ = path;
  journal.of_ = name_of(key);
  journal.before_ = key_line(key);
  std::error_code error;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), error);
  TRY(check_own_file(path));
  if (fs::exists(path, error)) {
    if (const Result<void> read = journal.read(key); !read)
      return bad_input(read.error().message + (read.error().message.ends_with('.') ? "" : ".") +
                       " It stays as it is: name another file, or move it away.");
    if (fresh) {
      if (set_aside(path).empty()) return bad_input("{} cannot be set aside", path.string());
      journal.earlier_.clear();
      journal.before_ = key_line(key);
      journal.note_.clear();
    }
  }
  // Known before anything is measured.
  journal.fd_ = Fd(open_file(path, O_WRONLY | O_APPEND));
  if (journal.fd_) return journal;
  if (errno != ENOENT) return file_error("written", path, errno);
  TRY(check_writable(path));
  return journal;
}

Journal Journal::look(const fs::path& path, const JournalKey& key) {
  Journal journal;
  journal.path_ = path;
  std::error_code error;
  if (!fs::exists(path, error)) return journal;
  if (const Result<void> ok = check_own_file(path); !ok)
    journal.note_ = ok.error().message;
  else if (const Result<void> read = journal.read(key); !read)
    journal.note_ = read.error().message + ".";
  return journal;
}

Result<void> Journal::append(const JournalLine& line) {
  if (!fd_) fd_ = Fd(open_file(path_, O_WRONLY | O_CREAT | O_APPEND));
  if (!fd_) return file_error("written", path_, errno);
  // One write a line: the system puts each whole line behind those of other processes.
  const std::string text = before_ + text_of(line, of_);
  const ssize_t n = ::write(fd_.get(), text.data(), unsigned(text.size()));
  if (n == static_cast<ssize_t>(text.size())) {
    before_.clear();
    return {};
  }
  // The next trial begins a new line, under the key.
  if (n > 0) before_ = size_t(n) < before_.size() ? "\n" + before_ : "\n";
  return bad_input("'{}' cannot be written: {}.", path_.string(),
                   n < 0 ? std::generic_category().message(errno) : "the disk is full");
}

}  // namespace attnscope::tune
