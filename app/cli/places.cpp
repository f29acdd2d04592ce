#include "app/cli/places.hpp"

#include <cstdlib>

#include "engine/input/file.hpp"
#include "engine/platform/system.hpp"

namespace attnscope::cli {
namespace fs = std::filesystem;
namespace {

fs::path in_user_data(const char* name) {
  const fs::path dir = user_folder(UserFolder::data);
  return dir.empty() ? fs::path() : dir / name;
}

/// "" where nothing can be written. Who writes there makes it.
fs::path writable(const fs::path& dir) { return !dir.empty() && why_not_written(dir).empty() ? dir : fs::path(); }

}  // namespace

Result<fs::path> data_dir() {
  std::vector<fs::path> candidates;
  std::error_code error;
  if (const char* given = std::getenv("ATTNSCOPE_DATA"); given != nullptr && *given != 0) {
    if (!fs::is_directory(fs::path(given) / "shaders", error))
      return bad_input(std::string("ATTNSCOPE_DATA is '") + given + "', which has no folder shaders/ in it.");
    return fs::path(given);
  }
  if (const fs::path self = executable(); !self.empty()) {
    candidates.push_back(self.parent_path());
    candidates.push_back(self.parent_path().parent_path());
    candidates.push_back(self.parent_path().parent_path() / "share" / "attnscope");
    candidates.push_back(self.parent_path().parent_path().parent_path().parent_path());
  }
  candidates.emplace_back(ATTNSCOPE_SOURCE_DIR);
  std::string looked;
  for (const fs::path& c : candidates) {
    // A folder "shaders" alone could be anyone's; ours has the common part.
    if (fs::is_directory(c / "shaders" / "common", error)) return c;
    looked += "\n  " + (c / "shaders").string();
  }
  return bad_input(
      "Cannot find the kernels. Set ATTNSCOPE_DATA to the folder that has shaders/ and assets/. Looked for:" + looked);
}

std::string cache_dir() { return writable(user_folder(UserFolder::cache)).string(); }

fs::path history_file() {
  if (const char* given = std::getenv("ATTNSCOPE_HISTORY"); given != nullptr && *given != 0)
    return std::string_view(given) == "off" ? fs::path() : fs::path(given);
  return in_user_data("history.sqlite");
}

fs::path tuned_file() { return in_user_data("tuned.json"); }
fs::path trials_dir() { return writable(in_user_data("trials")); }
fs::path sessions_dir() { return writable(in_user_data("sessions")); }

fs::path user_shaders_dir(bool make) {
  // Looking for it makes no folder.
  const fs::path own = user_folder(UserFolder::data);
  if (own.empty()) return {};
  const fs::path dir = own / "shaders";
  std::error_code error;
  if (make) fs::create_directories(dir, error);
  return fs::is_directory(dir, error) ? dir : fs::path();
}

std::filesystem::path shipped_tuned_dir() {
  const Result<std::filesystem::path> data = data_dir();
  return data ? *data / "assets" / "tuned" : std::filesystem::path();
}

}  // namespace attnscope::cli
