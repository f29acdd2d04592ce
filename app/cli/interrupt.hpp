// The first Ctrl-C, SIGTERM or SIGHUP cancels; a second one ends the process at once, with the same exit code.
#pragma once

#include <atomic>

#include "engine/input/file_lock.hpp"

namespace attnscope::cli {

/// Set by the first SIGINT, SIGTERM or SIGHUP after catch_interrupts(). Runs watch it; what is done by then is written.
std::atomic<bool>& interrupted();
void catch_interrupts();
/// A command that has nothing to write yet, or writes all at its end, ends at the first one, with exit_interrupted.
void end_on_interrupts();
/// For a file that another process has locked: a note on stderr, and no wait after an interrupt.
Waiting waiting(const std::string& command);
/// Restores the system's handling: for a worker, whose parent reads the signal that ended it.
void leave_interrupts();

}  // namespace attnscope::cli
