// Resolves an #include among files that are known by path.
#pragma once

#include "engine/standard.hpp"

namespace attnscope {

/// "" for "a.glsl", "sub" for "sub/a.glsl".
std::string folder_of(std::string_view path);
/// Without "." and ".." parts; "" for a path that is absolute or leads out of where paths begin.
std::string plain_path(std::string_view path);
/// What `written` in a file of `folder` may name, the first that is there: beside that file, then from where paths
/// begin. The common files name each other from there alone.
std::vector<std::string> include_candidates(const std::string& folder, const std::string& written);

/// The paths that a text includes, as they are written, in order.
std::vector<std::string> included_paths(std::string_view text);

}  // namespace attnscope
