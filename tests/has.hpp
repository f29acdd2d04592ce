// What tests include of the standard library, what they ask of a text and of a result, and files: folders of their own,
// and those of the repository.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <random>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "engine/result.hpp"

namespace attnscope {

namespace fs = std::filesystem;

inline const std::atomic<bool> kGoOn{false};

/// What stands between the spaces.
inline std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

/// Whether every part is in the text; a failure shows the text and the first that is not, or of one part that it is.
template <class... Part>
::testing::AssertionResult has(const std::string& text, const Part&... part) {
  std::string missing;
  [[maybe_unused]] const auto look = [&](const auto& one) {
    if (text.find(one) != std::string::npos) return true;
    missing = one;
    return false;
  };
  if ((look(part) && ...)) return ::testing::AssertionSuccess() << "all of it is in: " << text;
  return ::testing::AssertionFailure() << "'" << missing << "' is not in: " << text;
}

/// A Result or optional that has a value; without one the test ends with the error's message, and what it was of.
template <class R>
R must(R result, const std::string& of = "it") {
  if (result) return result;
  if constexpr (requires { result.error(); })
    throw std::runtime_error(of + ": " + result.error().message);
  else
    throw std::runtime_error(of + " has no value");
}

/// The one element of a list; where there is none or more the test ends.
decltype(auto) only(auto&& list) {
  if (list.size() != 1) throw std::runtime_error("a list of " + std::to_string(list.size()) + " is not of one");
  return *list.begin();
}

/// The message of a Result that has to be an error.
template <class T>
std::string refusal(const Result<T>& result) {
  EXPECT_FALSE(result);
  return result ? "" : result.error().message;
}

/// Whether a Result is an error whose message has every part.
template <class T, class... Part>
::testing::AssertionResult fails(const Result<T>& result, const Part&... part) {
  if (result) return ::testing::AssertionFailure() << "it is no error";
  return has(result.error().message, part...);
}
/// Of this kind, too.
template <class T, class... Part>
::testing::AssertionResult fails(const Result<T>& result, ErrorKind kind, const Part&... part) {
  if (!result && result.error().kind != kind)
    return ::testing::AssertionFailure() << "it is of another kind: " << result.error().message;
  return fails(result, part...);
}

/// How often a part is in a text.
inline size_t count_of(std::string_view text, std::string_view part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

/// f(0) to f(count - 1), each in a thread of its own.
template <class F>
void at_once(int count, const F& f) {
  std::vector<std::jthread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back([&f, i] { f(i); });
}
/// Waits until it holds, for a minute at the most.
inline bool soon(const std::function<bool()>& what) {
  for (int i = 0; i < 60'000; ++i) {
    if (what()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

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
