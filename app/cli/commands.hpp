// The commands. Each adds its subcommand to the parser; `chosen` is set to what runs it when it is the one typed.
#pragma once

#include <functional>

#include <CLI/CLI.hpp>

namespace attnscope::cli {

/// Runs a command and gives the exit code.
using Action = std::function<int()>;

void add_devices(CLI::App&, Action& chosen);
void add_variants(CLI::App&, Action& chosen);
void add_verify(CLI::App&, Action& chosen);
void add_bench(CLI::App&, Action& chosen);
void add_peaks(CLI::App&, Action& chosen);
void add_calibrate(CLI::App&, Action& chosen);
void add_regret(CLI::App&, Action& chosen);
void add_compile(CLI::App&, Action& chosen);
void add_isa(CLI::App&, Action& chosen);
void add_sweep(CLI::App&, Action& chosen);
void add_tune(CLI::App&, Action& chosen);
void add_tuned(CLI::App&, Action& chosen);
void add_export(CLI::App&, Action& chosen);
void add_merge(CLI::App&, Action& chosen);
void add_history(CLI::App&, Action& chosen);
void add_report(CLI::App&, Action& chosen);
void add_compare(CLI::App&, Action& chosen);
void add_worker(CLI::App&, Action& chosen);
void add_screenshot(CLI::App&, Action& chosen);
void add_completions(CLI::App&, Action& chosen);
/// The app itself: options of the program when no command is typed.
void add_window(CLI::App&, Action& chosen);

/// Parses the command line and runs it: all of main but its name.
int run(int argc, char** argv);

}  // namespace attnscope::cli
