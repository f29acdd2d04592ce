// The documented exit codes and how an Error becomes one.
#pragma once

#include "engine/result.hpp"

namespace attnscope::cli {

enum ExitCode : int {
  exit_ok = 0,
  exit_failed = 1,         ///< a verdict failed
  exit_bad_input = 2,      ///< the message names the option, the value and what is allowed; or stdout cannot be written
  exit_no_device = 3,      ///< no device or display, or none with the needed features
  exit_lost = 4,           ///< the device was lost, memory ran out, or a run broke off
  exit_interrupted = 130,  ///< Ctrl-C, SIGTERM or SIGHUP; what was done until then was written
  exit_unread = 141        ///< nobody reads stdout any more, as a shell has it for SIGPIPE
};

inline ExitCode exit_code(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::bad_input: return exit_bad_input;
    case ErrorKind::unsupported: return exit_no_device;
    case ErrorKind::cancelled: return exit_interrupted;
    case ErrorKind::device_lost:
    case ErrorKind::out_of_memory:
    case ErrorKind::internal: break;
  }
  return exit_lost;
}

/// Of several codes the one to end with: the more it stopped the work, the more it matters; a wrong result matters more
/// than a row that could not be tried.
inline ExitCode worse(ExitCode a, ExitCode b) {
  constexpr ExitCode order[] = {exit_ok, exit_bad_input, exit_no_device, exit_failed, exit_lost, exit_interrupted};
  for (int i = 5; i >= 0; --i)
    if (a == order[i] || b == order[i]) return order[i];
  return a;
}

}  // namespace attnscope::cli
