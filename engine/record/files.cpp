// Reads and writes files whole, or not at all.
#include <cerrno>
#include <cstdio>
#include <system_error>

#include "engine/input/file.hpp"
#include "engine/platform/files.hpp"
#include "engine/record/results.hpp"

namespace attnscope {

namespace {

/// A pipe with a name would be waited for until somebody reads it, at the end of all the work.
Error not_writable(const std::filesystem::path& path) {
  return bad_input(
      fmt::format("'{}' cannot be written: it is {}, not a file. For a pipe: `>(command)`, or a file and a command "
                  "after it.",
                  path.string(), not_a_file(path)));
}

}  // namespace

std::filesystem::path behind_links(std::filesystem::path path) {
  constexpr int kMostLinks = 40;
  std::error_code none;
  // What links such as /dev/stdout to a pipe name is no path.
  for (int i = 0; i < kMostLinks && std::filesystem::is_symlink(path, none) && !is_special(path); ++i)
    path = path.parent_path() / std::filesystem::read_symlink(path, none);
  return path;
}

/// Of what behind_links() gave: a link that leads to itself.
static bool is_endless(const std::filesystem::path& path) {
  std::error_code none;
  return std::filesystem::is_symlink(path, none) && !is_special(path);
}

bool is_special(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
}

Error file_error(const char* action, const std::filesystem::path& path, int code) {
  return bad_input(fmt::format("'{}' cannot be {}: {}.", path.string(), action, std::generic_category().message(code)));
}

Result<std::string> read_text(const std::filesystem::path& path) {
  return read_file(path, kMaxResultBytes, FileKind::any_input);
}

Result<void> write_text(const std::filesystem::path& name, std::string_view text) {
  const std::filesystem::path path = behind_links(name);
  if (is_endless(path)) return file_error("written", name, ELOOP);
  if (is_special(path)) {
    if (!is_stream(path)) return not_writable(path);
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.string().c_str(), "wb"), &std::fclose);
    if (!file || std::fwrite(text.data(), 1, text.size(), file.get()) != text.size() || std::fflush(file.get()) != 0)
      return file_error("written", path, errno);
    return {};
  }
  const int code = replace_file(path, text, true);
  return code == 0 ? Result<void>() : file_error("written", path, code);
}

Result<void> check_writable(const std::filesystem::path& name) {
  const std::filesystem::path path = behind_links(name);
  if (is_endless(path)) return file_error("written", name, ELOOP);
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return file_error("written", path, EISDIR);
  if (is_special(path) && !is_stream(path)) return not_writable(path);
  const int code = !is_special(path) ? replace_file(path, "", false) : may_write(path) ? 0 : EACCES;
  return code == 0 ? Result<void>() : file_error("written", path, code);
}

}  // namespace attnscope
