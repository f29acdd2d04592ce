#include <exception>
#include <sstream>

#include <fmt/format.h>

#include "app/cli/commands.hpp"
#include "app/cli/exit_code.hpp"
#include "app/cli/interrupt.hpp"
#include "app/cli/print.hpp"

namespace attnscope::cli {

namespace {

int run_command(int argc, char** argv) {
  CLI::App app{
      "attnscope: a profiler for attention kernels in Vulkan.\n"
      "Without a command it opens the desktop app; every command works without a display."};
  app.set_version_flag("--version", ATTNSCOPE_VERSION);
  app.require_subcommand(0, 1);
  app.footer(
      "Exit codes: 0 fine; 1 a verdict failed, or compare --fail-slower; 2 bad input, or an output that cannot be "
      "written; 3 no device or "
      "display,\n"
      "or none with the needed features; 4 the device was lost, memory ran out, or a run broke off; 130 interrupted "
      "by\n"
      "Ctrl-C, SIGTERM or SIGHUP (what was done is written); 141 nobody read stdout to its end.");
  Action chosen;
  add_window(app, chosen);
  add_devices(app, chosen);
  add_variants(app, chosen);
  add_verify(app, chosen);
  add_bench(app, chosen);
  add_peaks(app, chosen);
  add_sweep(app, chosen);
  add_tune(app, chosen);
  add_tuned(app, chosen);
  add_export(app, chosen);
  add_merge(app, chosen);
  add_history(app, chosen);
  add_report(app, chosen);
  add_compare(app, chosen);
  add_worker(app, chosen);
  add_screenshot(app, chosen);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {
    std::ostringstream text;  // of --help, --version
    const int code = app.exit(e, text, text);
    write_out(text.str());
    return code;
  } catch (const CLI::ParseError& e) {
    const CLI::App* sub = app.get_subcommands().empty() ? &app : app.get_subcommands().front();
    const std::string name = sub == &app ? "attnscope" : "attnscope " + sub->get_name();
    print_err("{}: {}\nTry '{} --help'.\n", name, e.what(), name);
    return exit_bad_input;
  }
  try {
    return chosen();
  } catch (const std::exception& e) {
    // Only from below us: out of host memory, a broken terminal.
    print_err("attnscope: {}\n", e.what());
    return exit_lost;
  }
}

}  // namespace

int run(int argc, char** argv) {
  hold_standard_streams();
  end_on_interrupts();
  return after_output(run_command(argc, argv));
}

}  // namespace attnscope::cli
