// The one way in for files: read whole, never more than a limit, never waiting for what is no file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "engine/result.hpp"

namespace attnscope {

/// Most bytes of each kind of file. What is larger is none of ours, and would only fill memory.
inline constexpr uint64_t kMaxSourceBytes = uint64_t{1} << 20;    ///< a manifest, a shader, a preset, an action script
inline constexpr uint64_t kMaxResultBytes = uint64_t{256} << 20;  ///< a session, a baseline from a pipe
inline constexpr uint64_t kMaxRecordsBytes = uint64_t{2} << 30;   ///< a file of records, read one by one
inline constexpr uint64_t kMaxCachedBytes = uint64_t{256} << 20;  ///< SPIR-V, a driver's pipeline cache

enum class FileKind {
  regular,   ///< for what is found in a folder: a FIFO or device there is refused without being waited for
  any_input  ///< for what a person names: /dev/stdin and <(command) too, within the same limit
};

/// The whole file. The error is bad_input, names the path and says why: the system's reason, more than `max_bytes`, or
/// that it is no file. Of a pipe all that its writers write is awaited; one that nobody has open for writing is empty.
Result<std::string> read_file(const std::filesystem::path&, uint64_t max_bytes, FileKind = FileKind::regular);

}  // namespace attnscope
