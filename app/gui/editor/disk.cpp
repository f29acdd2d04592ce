#include "app/gui/editor/disk.hpp"

#include <fstream>

#include "engine/input/file.hpp"
#include "engine/platform/files.hpp"
#include "engine/record/results.hpp"
#include "engine/variant/manifest.hpp"
#include "engine/variant/source_files.hpp"

namespace attnscope::gui {

namespace fs = std::filesystem;

SaveOutcome save_file(SaveRequest request) {
  SaveOutcome out{std::move(request), "", {}};
  const SaveRequest& r = out.request;
  const auto failed = [&](std::string why) {
    out.error = std::move(why);
    return out;
  };
  std::error_code error;
  const fs::path real = fs::weakly_canonical(r.path, error);
  if (error) return failed(fmt::format("'{}' cannot be written: {}.", r.path.string(), error.message()));
  if (r.text.size() > kMaxSourceBytes)
    return failed(fmt::format("'{}' is not written: {} bytes are more than the {} that a source may have.",
                              r.path.string(), r.text.size(), kMaxSourceBytes));
  if (r.expected && fs::exists(real, error)) {
    const Result<std::string> now = read_file(real, kMaxSourceBytes);
    if (!now) return failed(now.error().message);
    if (*now != *r.expected && *now != r.text) {
      out.theirs = *now;
      return out;
    }
  }
  if (const Result<void> written = write_text(real, r.text); !written) out.error = written.error().message;
  return out;
}

std::string why_no_name(const std::string& name) {
  std::string why = not_a_variant_name(name);
  if (why.empty()) return why;
  return name.empty() ? "Give it a name." : fmt::format("This is no name of a variant: {}.", why);
}

Result<fs::path> copy_variant(const fs::path& folder, const fs::path& into, const std::string& name,
                              const std::map<std::string, std::string>& texts) {
  if (const std::string why = why_no_name(name); !why.empty()) return bad_input(fmt::format("'{}': {}", name, why));
  const fs::path target = into / name;
  std::error_code error;
  if (fs::exists(fs::symlink_status(target, error)))
    return bad_input(fmt::format("'{}' is there already: choose another name.", target.string()));
  fs::create_directories(into, error);
  if (error) return bad_input(fmt::format("'{}' cannot be made: {}.", into.string(), error.message()));
  // Found as a whole or not at all by whoever looks at the folder meanwhile.
  const fs::path made = into / fmt::format(".{}.new", name);
  fs::remove_all(made, error);
  error.clear();
  fs::create_directory(made, error);
  uint64_t bytes = 0;
  std::error_code ignored;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->path().filename().string().starts_with('.') || !it->is_regular_file(ignored)) continue;
    bytes += it->file_size(ignored);
    if (bytes > kMaxFolderBytes) {
      fs::remove_all(made, ignored);
      return bad_input(
          fmt::format("'{}' holds more than the {} bytes that a variant may have.", folder.string(), kMaxFolderBytes));
    }
    const fs::path to = made / it->path().filename();
    fs::copy_file(it->path(), to, error);
    // What ships may be read-only; a copy is for editing.
    if (!error) fs::permissions(to, fs::perms::owner_read | fs::perms::owner_write, fs::perm_options::add, error);
    if (error) break;
    const auto edited = texts.find(to.filename().string());
    if (edited != texts.end() && !(std::ofstream(to, std::ios::binary) << edited->second).flush())
      error = std::make_error_code(std::errc::io_error);
    if (error) break;
  }
  if (!error) fs::rename(made, target, error);
  if (error) {
    const std::string why = error.message();
    fs::remove_all(made, ignored);
    return bad_input(fmt::format("'{}' cannot be copied to '{}': {}.", folder.string(), target.string(), why));
  }
  return target;
}

Watch::Watch(std::vector<fs::path> dirs, std::vector<fs::path> outside)
    : dirs_(std::move(dirs)), outside_(std::move(outside)) {
  // Twice: the folders are known when they are read.
  read();
  read();
}

/// What changes from now on is seen.
void Watch::read() {
  of_known_ = stamps();
  auto sources = read_variant_sources(dirs_, outside_);
  if (!sources) return;
  folders_ = source_folders(*sources, dirs_, outside_);
  known_.clear();
  for (VariantSource& s : *sources) {
    std::string name = s.name;
    known_.emplace(std::move(name), std::move(s));
  }
}

Watch::Stamps Watch::stamps() const {
  Stamps out;
  for (const fs::path& folder : folders_) {
    std::error_code error;
    for (fs::directory_iterator it(folder, error), last; !error && it != last; it.increment(error))
      if (const auto is = file_stamp(it->path())) out[it->path().string()] = *is;
  }
  return out;
}

std::vector<std::string> Watch::take(double now) {
  if (looked_for_.empty()) {
    if (now - looked_at_ < (began_ < 0 ? kPoll : kRest)) return {};
    looked_at_ = now;
    const Stamps before = std::exchange(last_, stamps());
    if (last_ == of_known_) began_ = -1;
    if (last_ == of_known_) return {};
    // It may be in the middle of being written: its stamps come to rest.
    if (began_ < 0) began_ = now;
    if (last_ != before && now - began_ < kLongest) return {};
  }
  began_ = -1;
  std::set<std::string> found = std::exchange(looked_for_, {});
  const std::map<std::string, VariantSource> before = known_;
  read();
  for (const auto& [name, source] : known_)
    if (const auto old = before.find(name); old == before.end() || !(old->second == source)) found.insert(name);
  for (const auto& [name, source] : before)
    if (!known_.contains(name)) found.insert(name);
  return {found.begin(), found.end()};
}

}  // namespace attnscope::gui
