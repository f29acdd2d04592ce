#include <system_error>

#include "engine/clock.hpp"
#include "engine/platform/descriptor.hpp"
#include "engine/platform/win32.hpp"

namespace attnscope {

struct Incoming::Native {
  struct Source {
    HANDLE from = nullptr;
    OwnHandle arrived{::CreateEventW(nullptr, TRUE, FALSE, nullptr)};
    OVERLAPPED state{};
    std::array<char, 65536> bytes{};
    bool open = true, reading = false;
  };
  std::vector<std::unique_ptr<Source>> sources;
  OwnHandle wake{::CreateEventW(nullptr, TRUE, FALSE, nullptr)};
};

Incoming::Incoming(const std::vector<int>& descriptors) : native_(std::make_unique<Native>()) {
  for (const int fd : descriptors) {
    auto source = std::make_unique<Native::Source>();
    source->from = handle_of(fd);
    source->state.hEvent = source->arrived.it;
    native_->sources.push_back(std::move(source));
  }
}

Incoming::~Incoming() {
  for (const auto& source : native_->sources) {
    DWORD n = 0;
    if (!source->reading) continue;
    ::CancelIoEx(source->from, &source->state);
    ::GetOverlappedResult(source->from, &source->state, &n, TRUE);
  }
}

/// A handle that was made to wait by itself, as another program's pipe is, is not left by wake() while it waits.
std::optional<Incoming::Piece> Incoming::next() {
  std::vector<HANDLE> handles{native_->wake.it};
  std::vector<size_t> which;
  for (size_t i = 0; i < native_->sources.size(); ++i) {
    Native::Source& source = *native_->sources[i];
    if (!source.open) continue;
    if (!source.reading &&
        ::ReadFile(source.from, source.bytes.data(), DWORD(source.bytes.size()), nullptr, &source.state) == 0 &&
        ::GetLastError() != ERROR_IO_PENDING) {
      source.open = false;
      return Piece{i, {}};
    }
    source.reading = true;
    handles.push_back(source.arrived.it);
    which.push_back(i);
  }
  const DWORD told = ::WaitForMultipleObjects(DWORD(handles.size()), handles.data(), FALSE, INFINITE) - WAIT_OBJECT_0;
  if (which.empty() || told == 0 || told > which.size()) return std::nullopt;
  Native::Source& source = *native_->sources[which[told - 1]];
  DWORD n = 0;
  source.reading = false;
  source.open = ::GetOverlappedResult(source.from, &source.state, &n, TRUE) != 0 && n > 0;
  source.state.Offset += n;  // of a file; pipes have none
  return Piece{which[told - 1], {source.bytes.data(), source.open ? n : 0}};
}

void Incoming::leave_out(size_t descriptor) { native_->sources[descriptor]->open = false; }

void Incoming::wake() { ::SetEvent(native_->wake.it); }

bool Incoming::await_unread(int) {
  ::WaitForSingleObject(native_->wake.it, INFINITE);
  return false;
}

int open_file(const std::filesystem::path& path, int flags, int mode) {
  return ::_wopen(path.c_str(), flags | O_CLOEXEC | _O_BINARY, (mode & 0200) != 0 ? _S_IREAD | _S_IWRITE : _S_IREAD);
}

/// A pipe that Process made is written to without waiting; any other handle waits by itself.
int write_within(int fd, std::string_view text, double timeout_s, size_t& done) {
  const HANDLE to = handle_of(fd);
  const OwnHandle written(::CreateEventW(nullptr, TRUE, FALSE, nullptr));
  const auto start = Clock::now();
  for (done = 0; done < text.size();) {
    OVERLAPPED state{};
    state.hEvent = written.it;
    state.Offset = state.OffsetHigh = 0xFFFFFFFF;  // of a file: at its end
    DWORD n = 0;
    const DWORD want = DWORD(std::min<size_t>(text.size() - done, 1 << 16));
    bool late = false;
    if (::WriteFile(to, text.data() + done, want, nullptr, &state) == 0) {
      if (::GetLastError() != ERROR_IO_PENDING) return errno_of(::GetLastError());
      const double left_s = std::max(0.0, timeout_s - seconds_since(start));
      late = ::WaitForSingleObject(written.it, timeout_s > 0 ? DWORD(left_s * 1000) : INFINITE) == WAIT_TIMEOUT;
      if (late) ::CancelIoEx(to, &state);
    }
    const bool good = ::GetOverlappedResult(to, &state, &n, TRUE) != 0;
    done += n;
    if (late) return ETIMEDOUT;
    if (!good) return errno_of(::GetLastError());
  }
  return 0;
}

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
