// The commands. Each adds its subcommand to the parser, which sets `chosen` to run it if a person typed it.
#pragma once

#include <CLI/CLI.hpp>
#include "engine/result.hpp"

namespace attnscope::cli {

using Action = std::function<int()>;

using AddCommand = void(CLI::App&, Action& chosen);
AddCommand add_devices, add_doctor, add_variants, add_verify, add_bench, add_peaks, add_calibrate, add_regret,
    add_compile, add_isa, add_sweep, add_tune, add_tuned, add_export, add_history, add_report, add_compare, add_worker,
    add_screenshot, add_completions;
/// The app itself: options of the program when no command is typed.
AddCommand add_window;

/// Parses the command line and runs it: all of main but its name.
int run(int argc, char** argv);
/// The whole of it, for a shell.
std::string& typed_command();
/// "attnscope tune", "attnscope" of the window: what messages begin with.
std::string& program_name();

// The documented exit codes and how an Error becomes one.

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
  constexpr ExitCode codes[] = {exit_bad_input, exit_no_device, exit_lost, exit_lost, exit_interrupted, exit_lost};
  return codes[size_t(kind)];
}

/// Prints what ended a command, as text on stderr and with `json` as a document on stdout too where there is none yet.
ExitCode print_error(const Error&, bool json);

/// Of several codes the one to end with: the more it stopped the work, the more it matters.
inline ExitCode worse(ExitCode a, ExitCode b) {
  constexpr std::array order{exit_ok, exit_bad_input, exit_no_device, exit_failed, exit_lost, exit_interrupted};
  return *std::max(std::ranges::find(order, a), std::ranges::find(order, b));
}

}  // namespace attnscope::cli
