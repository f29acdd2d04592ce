// The commands. Each adds its subcommand to the parser, which sets `chosen` to run it if a person typed it.
#pragma once

#include <functional>

#include <CLI/CLI.hpp>

namespace attnscope::cli {

/// Runs a command and gives the exit code.
using Action = std::function<int()>;

using AddCommand = void(CLI::App&, Action& chosen);
AddCommand add_devices, add_doctor, add_variants, add_verify, add_bench, add_peaks, add_calibrate, add_regret,
    add_compile, add_isa, add_sweep, add_tune, add_tuned, add_export, add_history, add_report, add_compare, add_worker,
    add_screenshot, add_completions;
/// The app itself: options of the program when no command is typed.
AddCommand add_window;

/// Parses the command line and runs it: all of main but its name.
int run(int argc, char** argv);

}  // namespace attnscope::cli
