#include "app/gui/edit/disk.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/input/file.hpp"
#include "engine/record/results.hpp"
#include "engine/variant/outside_sources.hpp"

namespace attnscope::gui {

namespace fs = std::filesystem;

SaveOutcome save_file(SaveRequest request) {
  SaveOutcome out{std::move(request), "", {}};
  const SaveRequest& r = out.request;
  std::error_code error;
  const fs::path real = fs::weakly_canonical(r.path, error);
  if (error) {
    out.error = fmt::format("'{}' cannot be written: {}.", r.path.string(), error.message());
    return out;
  }
  if (r.text.size() > kMaxSourceBytes) {
    out.error = fmt::format("'{}' is not written: {} bytes are more than the {} that a source may have.",
                            r.path.string(), r.text.size(), kMaxSourceBytes);
    return out;
  }
  if (r.expected && fs::exists(real, error)) {
    const Result<std::string> now = read_file(real, kMaxSourceBytes);
    if (!now) {
      out.error = now.error().message;
      return out;
    }
    if (*now != *r.expected && *now != r.text) {
      out.theirs = *now;
      return out;
    }
  }
  if (const Result<void> written = write_text(real, r.text); !written) out.error = written.error().message;
  return out;
}

std::string why_no_name(const std::string& name) {
  if (name.empty()) return "Give it a name.";
  if (name.size() > 64) return "64 characters at most.";
  const auto fine = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  if (!std::all_of(name.begin(), name.end(), fine)) return "Letters, digits, _ and - alone: it is a folder's name.";
  if (name == "common" || name == "auto" || name == "all") return fmt::format("'{}' means something else.", name);
  return "";
}

Result<fs::path> copy_variant(const fs::path& folder, const fs::path& into, const std::string& name) {
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
  }
  if (!error) fs::rename(made, target, error);
  if (error) {
    const std::string why = error.message();
    fs::remove_all(made, ignored);
    return bad_input(fmt::format("'{}' cannot be copied to '{}': {}.", folder.string(), target.string(), why));
  }
  return target;
}

}  // namespace attnscope::gui
