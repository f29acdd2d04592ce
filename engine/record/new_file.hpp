// What a name that is to be written stands for, and why it cannot be.
#pragma once

#include <filesystem>

#include "engine/result.hpp"

namespace attnscope {

/// A device or pipe, such as /dev/stdout, must not be replaced by a file; write_text() writes to it as it is where
/// is_stream() (engine/input/file.hpp), and refuses it elsewhere.
bool is_special(const std::filesystem::path&);
/// "'FILE' cannot be read: No such file or directory."; `code` is an errno.
Error file_error(const char* action, const std::filesystem::path&, int code);

}  // namespace attnscope
