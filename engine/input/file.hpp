// Reads files whole, up to a limit, without waiting for what is not a file; replaces them whole. And says what a name
// stands for, which is asked before anything is read, written, renamed or locked under it.
#pragma once

#include <filesystem>
#include <system_error>

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

/// "" for a regular file, and where nothing is there; else "a folder", "a pipe", "a socket" or "a device".
std::string not_a_file(const std::filesystem::path&);
/// For a file that the program keeps: reads, appends to, renames or locks. The error is bad_input, names the path and
/// says what it is instead of a file.
Result<void> check_own_file(const std::filesystem::path&);
/// "" where this process may write the file or folder, or make it; else why not: "the folder '/home/me' cannot be
/// written to", of the nearest one that is there. Nothing is made.
std::string why_not_written(const std::filesystem::path&);
/// A device such as /dev/null, or a pipe without a name in a folder, such as /dev/stdout in a shell's pipeline or
/// >(command): nobody has to be awaited at its other end.
bool is_stream(const std::filesystem::path&);

/// The whole file. The error is bad_input, names the path and says why: the system's reason, more than `max_bytes`, or
/// that it is not a file. Of a pipe all that its writers write is awaited, until a signal is caught (`cancelled`); one
/// that nobody has open for writing is empty.
Result<std::string> read_file(const std::filesystem::path&, uint64_t max_bytes, FileKind = FileKind::regular);

/// Writes a file through a temporary one beside it, which is then renamed into place: 0 or an errno. Without `keep` it
/// only tries whether that can be done.
int replace_file(const std::filesystem::path&, std::string_view text, bool keep = true);

/// The files of a folder with this extension (".json"), sorted; `error`: why the folder cannot be read.
std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder, std::string_view extension,
                                            std::error_code& error);

}  // namespace attnscope
