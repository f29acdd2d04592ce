// Ctrl-C, SIGTERM and SIGHUP ask politely once; a second one ends the process at once.
#pragma once

#include <atomic>

namespace attnscope::cli {

/// Set by the first SIGINT, SIGTERM or SIGHUP after catch_interrupts(). Runs watch it; what is done by then is written.
std::atomic<bool>& interrupted();
void catch_interrupts();

}  // namespace attnscope::cli
