#include <exception>
#include <sstream>

#include "app/cli/options.hpp"
#include "engine/platform/process.hpp"
#include "engine/platform/system.hpp"

namespace attnscope::cli {
namespace {

/// An option before the command, that the command would never hear of; those of `history` share theirs.
void refuse_before_command(const CLI::App& app, const std::string& name) {
  for (const CLI::App* command : app.get_subcommands()) {
    const std::string whole = name + " " + command->get_name();
    for (const CLI::Option* option : app.get_options()) {
      const std::string same = option->nonpositional() ? option->get_name() : "--where";  // conditions are both
      const bool shared = app.get_parent() != nullptr && command->get_option_no_throw(same) != nullptr;
      if (option->count() > 0 && !shared)
        throw CLI::ExtrasError(
            fmt::format("{0} before '{1}' says nothing to it. Options come after the command: {2} {0} …",
                        option->get_name(), command->get_name(), whole),
            CLI::ExitCodes::ExtrasError);
    }
    refuse_before_command(*command, whole);
  }
}

/// The command that was typed, else the app; messages begin with its name from now on.
const CLI::App& name_program(const CLI::App& app) {
  if (app.get_subcommands().empty()) return app;
  program_name() = "attnscope " + app.get_subcommands().front()->get_name();
  return *app.get_subcommands().front();
}

int run_command(int argc, char** argv) {
  CLI::App app{
      "attnscope: a profiler for attention kernels in Vulkan.\n"
      "Without a command it opens the desktop app; every command works without a display."};
  app.set_version_flag("--version", ATTNSCOPE_VERSION);
  app.require_subcommand(0, 1);
  app.footer(
      "Exit codes: 0 fine; 1 a verdict, a check of doctor, or a gate of compare or compile failed; 2 bad input, or an "
      "output\nthat cannot be written; 3 no device or display, or none with the needed features; 4 the device was "
      "lost, memory ran\nout, or a run broke off; 130 interrupted by Ctrl-C, SIGTERM or SIGHUP (what was done is "
      "written); 141 nobody read stdout to its end.");
  Action chosen;
  for (AddCommand* add :
       {add_window,    add_devices, add_doctor,  add_variants, add_verify, add_bench,      add_peaks,
        add_calibrate, add_regret,  add_compile, add_isa,      add_sweep,  add_tune,       add_tuned,
        add_export,    add_history, add_report,  add_compare,  add_worker, add_screenshot, add_completions})
    add(app, chosen);
  try {
    app.parse(argc, argv);
    refuse_before_command(app, "attnscope");
  } catch (const CLI::Success& e) {
    std::ostringstream text;  // of --help, --version
    const int code = app.exit(e, text, text);
    write_out(text.str());
    return code;
  } catch (const CLI::ParseError& e) {
    name_program(app);
    const bool json = std::find(argv, argv + argc, std::string_view("--json")) != argv + argc;
    const int code = print_error(bad_input(e.what()), json);
    print_err("Try '{} --help'.\n", program_name());
    return code;
  }
  const CLI::App& typed = name_program(app);
  try {
    return chosen();
  } catch (const CommandError& failed) {
    const CLI::Option* json = typed.get_option_no_throw("--json");
    return print_error(failed.error, json != nullptr && json->count() > 0 && json->as<bool>());
  } catch (const std::exception& e) {
    // Only from below us: out of host memory, a broken terminal.
    print_err("attnscope: {}\n", e.what());
    return exit_lost;
  }
}

}  // namespace

int run(int argc, char** argv) {
  std::vector<char*> words = begin_program(argc, argv);
  std::vector<std::string> typed(words.begin(), words.end());
  if (!typed.empty()) typed[0] = "attnscope";
  typed_command() = command_text(typed);
  hold_streams();
  end_on_interrupts();
  return after_output(run_command(int(words.size()), words.data()));
}

}  // namespace attnscope::cli
