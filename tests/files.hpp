// Files of tests: folders of their own, and those of the repository.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace attnscope {

namespace fs = std::filesystem;

/// A folder of the test's own, removed with it.
class TempDir {
 public:
  TempDir() {
    std::string pattern = (fs::temp_directory_path() / "attnscope-test-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~TempDir() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  const fs::path& path() const { return path_; }
  fs::path operator/(const std::string& name) const { return path_ / name; }

 private:
  fs::path path_;
};

inline std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
/// With its folders.
inline void write_file(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

/// A file or folder of the repository.
inline fs::path shipped(const char* relative) { return fs::path(ATTNSCOPE_SOURCE_DIR) / relative; }

/// The block of docs/variants.md that is this file of the variant which it explains.
inline std::string documented(const std::string& file) {
  const std::string page = read_file(shipped("docs/variants.md"));
  const size_t fence = page.find("```", page.find("`mine/" + file + "`")), first = page.find('\n', fence) + 1;
  return page.substr(first, page.find("```", first) - first);
}

}  // namespace attnscope
