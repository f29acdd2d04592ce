// Ctrl-C, SIGTERM and SIGHUP ask politely once; a second one ends the process at once, with the same exit code.
#pragma once

#include <atomic>
#include <string>

#include "engine/input/file_lock.hpp"

namespace attnscope::cli {

/// Set by the first SIGINT, SIGTERM or SIGHUP after catch_interrupts(). Runs watch it; what is done by then is written.
std::atomic<bool>& interrupted();
void catch_interrupts();
/// What has nothing to write yet, or writes all at its end, is ended by the first one, with exit_interrupted.
void end_on_interrupts();
/// For a file that another process has locked: a note on stderr, and no wait after an interrupt.
Waiting waiting(const std::string& command);
/// As the system has it: of a worker, whose end whoever started it tells by its signal.
void leave_interrupts();

}  // namespace attnscope::cli
