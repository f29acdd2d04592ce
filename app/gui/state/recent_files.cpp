#include "app/gui/state/recent_files.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

namespace attnscope::gui {

namespace fs = std::filesystem;

void RecentFiles::note(const std::string& path, bool session) {
  std::error_code error;
  // Another start may be in another folder.
  const fs::path whole = fs::absolute(path, error).lexically_normal();
  const RecentFile file{error ? path : whole.string(), session};
  if (path.empty() || file.path.size() > kMostBytes) return;
  std::erase_if(all_, [&](const RecentFile& f) { return f.path == file.path; });
  all_.insert(all_.begin(), file);
  if (all_.size() > kMost) all_.resize(kMost);
}

void RecentFiles::restore(const std::vector<RecentFile>& files) {
  all_.clear();
  for (auto it = files.rbegin(); it != files.rend(); ++it)
    if (fs::path(it->path).is_absolute()) note(it->path, it->session);
}

std::string why_not_opened(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) {
    const fs::path folder = fs::path(path).parent_path();
    if (!folder.empty() && !fs::exists(folder, error)) return fmt::format("Gone, with its folder {}", folder.string());
    return "Gone: moved, renamed or removed";
  }
  if (error) return fmt::format("It cannot be looked at: {}", error.message());
  if (!fs::is_regular_file(status)) return "It is no file";
  if (::access(path.c_str(), R_OK) != 0) return "You may not read it";
  return "";
}

}  // namespace attnscope::gui
