// What a file is to the system beyond its bytes.
#pragma once

#include "engine/platform/descriptor.hpp"

namespace attnscope {

/// Makes `name` to be appended to, with mode and group of `like`, or as the umask says. -1 with errno: EEXIST where
/// there is such a name. What is there, a planted link too, is never opened.
int create_like(const std::filesystem::path& name, const std::filesystem::path& like);
/// Whether this process may write to the file, or make files in the folder.
bool may_write(const std::filesystem::path&);
/// A pipe of a shell's pipeline, such as /dev/stdout, which is in no folder.
bool is_unnamed_pipe(const std::filesystem::path&);
/// Locks the file for this descriptor's process: 0, EWOULDBLOCK while another has it locked, or another errno.
int try_lock(int fd);
/// Waits until there is something to read; false when a signal was caught.
bool await_input(int fd);
/// Times, size and identity of the file: a value that differs after each change of it.
std::optional<std::array<int64_t, 4>> file_stamp(const std::filesystem::path&);

}  // namespace attnscope
