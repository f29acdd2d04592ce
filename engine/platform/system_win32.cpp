#include <cstdio>
#include <cstdlib>
#include <cwchar>

#include "engine/platform/system.hpp"
#include "engine/platform/win32.hpp"

#include <commdlg.h>
#include <psapi.h>
#include <shellapi.h>

namespace attnscope {

namespace fs = std::filesystem;

const char* const kNvmlLibrary = "nvml.dll";

std::wstring wide(std::string_view utf8) {
  const int size = int(utf8.size());
  std::wstring text(size_t(::MultiByteToWideChar(CP_UTF8, 0, utf8.data(), size, nullptr, 0)), L'\0');
  ::MultiByteToWideChar(CP_UTF8, 0, utf8.data(), size, text.data(), int(text.size()));
  return text;
}

std::string narrow(std::wstring_view text) {
  const int size = int(text.size());
  std::string utf8(size_t(::WideCharToMultiByte(CP_UTF8, 0, text.data(), size, nullptr, 0, nullptr, nullptr)), '\0');
  ::WideCharToMultiByte(CP_UTF8, 0, text.data(), size, utf8.data(), int(utf8.size()), nullptr, nullptr);
  return utf8;
}

int errno_of(DWORD error) {
  switch (error) {
    case ERROR_BROKEN_PIPE:
    case ERROR_NO_DATA:
    case ERROR_PIPE_NOT_CONNECTED: return EPIPE;
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION: return EACCES;
    case ERROR_INVALID_HANDLE: return EBADF;
    case ERROR_DISK_FULL: return ENOSPC;
    default: return EIO;
  }
}

fs::path executable() {
  std::wstring name(32768, L'\0');
  name.resize(::GetModuleFileNameW(nullptr, name.data(), DWORD(name.size())));
  return name;
}

std::string own_command() { return executable().string(); }

fs::path user_folder(UserFolder kind) {
  const wchar_t* place = ::_wgetenv(kind == UserFolder::cache ? L"LOCALAPPDATA" : L"APPDATA");
  return place != nullptr && *place != 0 ? fs::path(place) / "attnscope" : fs::path();
}

std::string system_name() {
  OSVERSIONINFOW is{};  // told in full to whom the manifest says to know the system
  is.dwOSVersionInfoSize = sizeof is;
  ::GetVersionExW(&is);
  return fmt::format("Windows {}.{}.{} x86_64", is.dwMajorVersion, is.dwMinorVersion, is.dwBuildNumber);
}

std::string drivers_machine() { return {}; }

namespace {

/// In 100 ns.
uint64_t number(const FILETIME& t) { return (uint64_t{t.dwHighDateTime} << 32) | t.dwLowDateTime; }

void (*interrupt_handler)(int) = nullptr;

BOOL WINAPI interrupted_by(DWORD how) {
  if (interrupt_handler == nullptr) return FALSE;
  interrupt_handler(int(how));
  // After the return of these the process ends: until then it has a moment to write what is done.
  if (how != CTRL_C_EVENT && how != CTRL_BREAK_EVENT) ::Sleep(4000);
  return TRUE;
}

}  // namespace

/// Workers of other machines answer through ssh, and these are not Windows: the computer and its start to the minute.
std::string boot_id() {
  FILETIME now{};
  ::GetSystemTimeAsFileTime(&now);
  return fmt::format("windows-{}", (number(now) / 10'000 - ::GetTickCount64() + 30'000) / 60'000);
}

uint64_t resident_bytes() {
  PROCESS_MEMORY_COUNTERS memory{};
  ::GetProcessMemoryInfo(::GetCurrentProcess(), &memory, sizeof memory);
  return memory.WorkingSetSize;
}

CpuUse cpu_use() { return {}; }

double cpu_seconds(pid_t) { return 0; }

std::function<double()> cpu_clock() {
  HANDLE thread = nullptr;
  ::DuplicateHandle(::GetCurrentProcess(), ::GetCurrentThread(), ::GetCurrentProcess(), &thread, 0, FALSE,
                    DUPLICATE_SAME_ACCESS);
  return [own = std::make_shared<OwnHandle>(thread)] {
    FILETIME made{}, ended{}, kernel{}, user{};
    ::GetThreadTimes(own->it, &made, &ended, &kernel, &user);
    return double(number(kernel) + number(user)) * 1e-7;
  };
}

void lower_thread_priority() { ::SetThreadPriority(::GetCurrentThread(), THREAD_PRIORITY_BELOW_NORMAL); }

Library::Library(const std::string& file, bool loaded_only)
    // The system's folder alone: a library of this name elsewhere is not the driver's.
    : handle_(loaded_only ? ::GetModuleHandleW(wide(file).c_str())
                          : ::LoadLibraryExW(wide(file).c_str(), nullptr, LOAD_LIBRARY_SEARCH_SYSTEM32)) {}
Library::~Library() = default;  // the few there are stay
void* Library::symbol(const char* name) const {
  return handle_ == nullptr ? nullptr : reinterpret_cast<void*>(::GetProcAddress(static_cast<HMODULE>(handle_), name));
}

std::vector<char*> begin_program(int, char**) {
  // A driver that crashes ends its worker, without a box to click away. Workers inherit it.
  ::SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX);
  ::SetConsoleOutputCP(CP_UTF8);
  ::SetConsoleCP(CP_UTF8);
  for (const DWORD stream : {STD_OUTPUT_HANDLE, STD_ERROR_HANDLE}) {
    const HANDLE handle = ::GetStdHandle(stream);
    if (DWORD mode = 0; ::GetConsoleMode(handle, &mode) != 0)
      ::SetConsoleMode(handle, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
  }
  for (const int stream : {0, 1, 2}) ::_setmode(stream, _O_BINARY);
  static std::vector<std::string> kept;
  int count = 0;
  wchar_t** words = ::CommandLineToArgvW(::GetCommandLineW(), &count);
  for (int i = 0; i < count; ++i) kept.push_back(narrow(words[i]));
  ::LocalFree(words);
  return mapped(kept, [](std::string& word) { return word.data(); });
}

std::array<bool, 3> hold_standard_streams() {
  std::array<bool, 3> closed{};
  for (int stream = 0; stream < 3; ++stream) closed[size_t(stream)] = ::_get_osfhandle(stream) < 0;
  return closed;
}

int take_stdout() {
  const int out = ::_dup(1);
  if (out < 0 || ::_dup2(2, 1) != 0) return -1;
  ::SetStdHandle(STD_OUTPUT_HANDLE, handle_of(1));
  return out;
}

bool is_terminal(int fd) {
  DWORD mode = 0;
  return ::GetConsoleMode(handle_of(fd), &mode) != 0;
}

std::optional<size_t> terminal_columns(int fd) {
  CONSOLE_SCREEN_BUFFER_INFO is{};
  if (::GetConsoleScreenBufferInfo(handle_of(fd), &is) == 0) return std::nullopt;
  return size_t(is.srWindow.Right - is.srWindow.Left + 1);
}

void leave_own_console() {
  DWORD one = 0;
  if (::GetConsoleProcessList(&one, 1) == 1) ::FreeConsole();
}

void on_interrupts(void (*handler)(int), bool) {
  interrupt_handler = handler;
  ::SetConsoleCtrlHandler(interrupted_by, FALSE);
  if (handler != nullptr) ::SetConsoleCtrlHandler(interrupted_by, TRUE);
}

bool has_file_chooser() { return true; }

std::string choose_file(const std::string& title) {
  std::wstring name(32768, L'\0');
  const std::wstring caption = wide(title);
  OPENFILENAMEW request{};
  request.lStructSize = sizeof request;
  request.lpstrFile = name.data();
  request.nMaxFile = DWORD(name.size());
  request.lpstrTitle = caption.c_str();
  request.Flags = OFN_FILEMUSTEXIST | OFN_NOCHANGEDIR | OFN_EXPLORER;
  return ::GetOpenFileNameW(&request) != 0 ? narrow(name.c_str()) : "";
}

}  // namespace attnscope

// The C++ library makes a path of a narrow string by this C function, which knows code pages alone: here UTF-8.
extern "C" size_t mbrtowc(wchar_t* to, const char* from, size_t most, mbstate_t* state) {
  static thread_local mbstate_t own;
  if (state == nullptr) state = &own;
  wchar_t units[2]{};
  if (from == nullptr || most == 0) {
    if (from == nullptr) *state = 0;
    return from == nullptr ? 0 : size_t(-2);
  }
  if (*state != 0) {  // the second half of a character of four bytes, whose last byte is here
    units[0] = wchar_t(std::exchange(*state, 0));
    if (to != nullptr) *to = units[0];
    return 1;
  }
  const unsigned first = static_cast<unsigned char>(*from);
  size_t length = first < 0xC0 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (most < length) return size_t(-2);
  const int count = ::MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, from, int(length), units, 2);
  if (count == 0) units[0] = wchar_t(first), length = 1;  // what is no UTF-8 stands for itself
  if (count == 2) *state = units[1], length = 3;
  if (to != nullptr) *to = units[0];
  return units[0] != 0 ? length : 0;
}
extern "C" size_t mbrlen(const char* from, size_t most, mbstate_t* state) {
  return mbrtowc(nullptr, from, most, state);
}
