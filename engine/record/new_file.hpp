// Creates files. It never opens or widens an existing one, or a link.
#pragma once

#include <filesystem>
#include <string_view>

#include "engine/result.hpp"

namespace attnscope {

/// Makes the file `name` to be appended to, with the mode (and group) of the file `like` that it is to replace or
/// stands beside, and as the umask says where there is none. -1 with errno otherwise: EEXIST where there is such a
/// name.
int create_like(const std::filesystem::path& name, const std::filesystem::path& like);
/// 0 or errno.
int write_all(int fd, std::string_view text);
/// A device or pipe, such as /dev/stdout, must not be replaced by a file; write_text() writes to it as it is where
/// is_stream() (engine/input/file.hpp), and refuses it elsewhere.
bool is_special(const std::filesystem::path&);
/// "'FILE' cannot be read: No such file or directory."; `code` is an errno.
Error file_error(const char* action, const std::filesystem::path&, int code);

}  // namespace attnscope
