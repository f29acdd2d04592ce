#include "engine/platform/files.hpp"
#include "engine/platform/win32.hpp"

namespace attnscope {

int create_like(const std::filesystem::path& name, const std::filesystem::path&) {
  return open_file(name, O_WRONLY | O_CREAT | O_EXCL | O_APPEND);
}

bool may_write(const std::filesystem::path& path) { return ::_waccess(path.c_str(), W_OK) == 0; }

bool is_unnamed_pipe(const std::filesystem::path&) { return false; }

int try_lock(int fd) {
  OVERLAPPED at{};
  at.OffsetHigh = 0x7FFFFFFF;  // beyond the end: nobody else may read what is locked
  if (::LockFileEx(handle_of(fd), LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at) != 0) return 0;
  const DWORD code = ::GetLastError();
  return code == ERROR_LOCK_VIOLATION || code == ERROR_IO_PENDING ? EWOULDBLOCK : errno_of(code);
}

bool await_input(int) { return true; }  // a read waits by itself

std::optional<std::array<int64_t, 4>> file_stamp(const std::filesystem::path& path) {
  WIN32_FILE_ATTRIBUTE_DATA is{};
  if (::GetFileAttributesExW(path.c_str(), GetFileExInfoStandard, &is) == 0) return std::nullopt;
  return std::array{int64_t(is.ftLastWriteTime.dwHighDateTime), int64_t(is.ftLastWriteTime.dwLowDateTime),
                    int64_t(is.nFileSizeLow), int64_t(is.ftCreationTime.dwLowDateTime)};
}

}  // namespace attnscope
