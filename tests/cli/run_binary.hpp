// Runs the real executable as a person would and hands back what it printed.
#pragma once

#include "engine/record/json_fields.hpp"
#include "engine/record/results.hpp"
#include "tests/child.hpp"

namespace attnscope {

using nlohmann::json;

struct Finished {
  int code = -1;
  std::string out, err;
};

inline std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + "'";
}

/// The words of a command line without quotes; each {} in it stands for one of the arguments, a text or path.
template <class... Argument>
std::vector<std::string> typed(const std::string& line, const Argument&... argument) {
  std::vector<std::string> out;
  [[maybe_unused]] const std::vector<fs::path> given{fs::path(argument)...};
  size_t next = 0;
  std::istringstream in(line);
  for (std::string word; in >> word;) out.push_back(word == "{}" ? given.at(next++).string() : word);
  return out;
}

inline Finished shell(const std::string& command) {
  const TempDir dir;
  const std::string all = "{ " + command + "; } >" + quoted(dir / "out") + " 2>" + quoted(dir / "err") + " </dev/null";
  return {.code = exit_code(std::system(all.c_str())), .out = read_file(dir / "out"), .err = read_file(dir / "err")};
}

/// `environment`: assignments put before the command.
inline Finished run_binary(const std::vector<std::string>& arguments, const std::string& environment = {}) {
  std::string command = environment + " timeout 580 " + quoted(ATTNSCOPE_EXECUTABLE);
  for (const std::string& a : arguments) command += " " + quoted(a);
  return shell(command);
}

/// Whether it ended with this code, and said each part on stderr.
template <class... Part>
testing::AssertionResult ends(const Finished& f, int code, const Part&... part) {
  if (f.code != code)
    return testing::AssertionFailure() << "exit code " << f.code << ", not " << code << ": " << f.out << f.err;
  return has(f.err, part...);
}
/// What ends with code 0.
inline Finished run_ok(const std::vector<std::string>& arguments, const std::string& environment = {}) {
  Finished f = run_binary(arguments, environment);
  EXPECT_TRUE(ends(f, 0));
  return f;
}
/// The JSON on its stdout, and the records in it.
inline json run_json(const std::vector<std::string>& arguments, const std::string& environment = {}) {
  return json::parse(run_ok(arguments, environment).out, nullptr, false);
}
inline json run_records(const std::vector<std::string>& arguments, const std::string& environment = {}) {
  return run_json(arguments, environment).at("records");
}
inline std::vector<std::string> with(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// The environment in which data is kept in this folder.
inline std::string data_in(const TempDir& dir) { return "XDG_DATA_HOME=" + quoted(dir.path()); }

/// The binary in the background; `dir` is where its data goes, and stdout and stderr: stream1, 2.
struct Background : Child {
  Background(const std::vector<std::string>& arguments, const TempDir& dir, bool ignore_hangup = false)
      : Child(with({ATTNSCOPE_EXECUTABLE}, arguments), {{"XDG_DATA_HOME", dir.path()}}, {},
              {dir / "stream1", dir / "stream2", -1, ignore_hangup}) {}
};

/// `text` with `from`, which has to be in it, replaced by `to`.
inline std::string replaced(const std::string& text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << "the shader no longer says: " << from;
  return at == std::string::npos ? text : text.substr(0, at) + to + text.substr(at + from.size());
}

/// A variant in `folder` like the shipped `row`, with `to` for `from` in its shader.
inline void write_row(const fs::path& folder, const std::string& from = "", const std::string& to = "") {
  const std::string shader = read_file(shipped("shaders/row/row.comp"));
  write_file(folder / "row.comp", from.empty() ? shader : replaced(shader, from, to));
  write_file(folder / "manifest.toml", read_file(shipped("shaders/row/manifest.toml")));
}

}  // namespace attnscope
