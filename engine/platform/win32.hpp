// For the *_win32.cpp of this module alone: Windows' own header changes what other headers mean.
#pragma once

#define WIN32_LEAN_AND_MEAN
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>

#include <io.h>
#include <sys/stat.h>

#include <cerrno>

#include "engine/platform/descriptor.hpp"

namespace attnscope {

std::wstring wide(std::string_view utf8);
std::string narrow(std::wstring_view);
/// What errno has for a code of GetLastError().
int errno_of(DWORD error);
inline HANDLE handle_of(int fd) { return reinterpret_cast<HANDLE>(::_get_osfhandle(fd)); }

struct OwnHandle {
  HANDLE it = nullptr;
  explicit OwnHandle(HANDLE handle = nullptr) : it(handle) {}
  ~OwnHandle() { reset(); }
  OwnHandle& operator=(OwnHandle&&) = delete;
  void reset() {
    if (it != nullptr && it != INVALID_HANDLE_VALUE) ::CloseHandle(it);
    it = nullptr;
  }
};

}  // namespace attnscope
