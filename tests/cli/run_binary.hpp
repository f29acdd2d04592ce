// Runs the real executable as a person would and hands back what it printed.
#pragma once

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace attnscope {

struct Finished {
  int code = -1;
  std::string out, err;
};

/// A folder of the test's own, removed with it.
class TempDir {
 public:
  TempDir() {
    std::string pattern = (std::filesystem::temp_directory_path() / "attnscope-test-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~TempDir() { std::filesystem::remove_all(path_); }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
inline void write_file(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

inline std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + "'";
}

/// `environment`: assignments put before the command. Software device by default, so that the result does not depend on
/// what GPU the machine has.
inline Finished run_binary(const std::vector<std::string>& arguments, const std::string& environment = {}) {
  const TempDir dir;
  std::string command = environment + " timeout 580 " + quoted(ATTNSCOPE_EXECUTABLE);
  for (const std::string& a : arguments) command += " " + quoted(a);
  command += " >" + quoted(dir.path() / "out") + " 2>" + quoted(dir.path() / "err") + " </dev/null";
  const int status = std::system(command.c_str());
  Finished finished;
  finished.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  finished.out = read_file(dir.path() / "out");
  finished.err = read_file(dir.path() / "err");
  return finished;
}

/// `text` with `from`, which has to be in it, replaced by `to`.
inline std::string replaced(const std::string& text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << "the shader no longer says: " << from;
  return at == std::string::npos ? text : text.substr(0, at) + to + text.substr(at + from.size());
}

inline std::filesystem::path shipped(const char* relative) {
  return std::filesystem::path(ATTNSCOPE_SOURCE_DIR) / relative;
}

}  // namespace attnscope
