// attnscope worker: serves one device over stdin and stdout, JSON-RPC 2.0 a line (docs/worker.md).

#include "app/cli/options.hpp"
#include "engine/platform/system.hpp"
#include "engine/record/json_fields.hpp"
#include "engine/session/rpc.hpp"

namespace attnscope::cli {
namespace {

int serve_stdio(SessionOptions& options) {
  leave_interrupts();
  // Drivers and layers print to stdout, too: that goes to stderr, and only the protocol has the real one.
  const int out = take_stdout();
  if (was_closed(STDIN_FILENO) || was_closed(STDOUT_FILENO) || out < 0) {
    print_err("attnscope worker: stdin and stdout have to be open\n");
    return exit_bad_input;
  }
  // Nor can a front end that never ends; whoever started us then starts another worker, and leaves that variant out.
  options.on_endless_compile = [](const std::string&, const std::string& why) {
    print_err("attnscope worker: {}\n", why);
    ::_exit(exit_lost);
  };
  std::unique_ptr<Session> session = make_local_session(options);
  // A dispatch that hangs cannot be left by returning: its thread never comes back from the driver.
  if (const Result<void> served = serve(*session, STDIN_FILENO, out, [] { ::_exit(exit_lost); }); !served) {
    print_err("attnscope worker: {}\n", served.error().message);
    return exit_code(served.error().kind);
  }
  return exit_ok;
}

}  // namespace

void add_worker(CLI::App& app, Action& chosen) {
  auto [command, options] = add_command(
      app, chosen, "worker",
      "Serve one device over stdin and stdout: JSON-RPC 2.0, one message a line (docs/worker.md)", serve_stdio);
  add_text(command, "--cache-dir", options.cache_dir, "DIR", "Folder of the SPIR-V and pipeline caches; default: none");
  command.add_flag("--validation", options.validation, "Vulkan validation layers with synchronization validation");
  command
      .add_option_function<std::string>(
          "--compile-only",
          [&compile_only = options.compile_only](const std::string& text) {
            const Result<Json> json = parse_json(text, "--compile-only");
            const Result<CompileOnly> known = json ? decode<CompileOnly>(*json, "--compile-only") : json.error();
            if (!known) throw CLI::ValidationError("--compile-only", known.error().message);
            compile_only = *known;
          },
          "The driver has no hardware: execute nothing. What it compiles for, as JSON (docs/gpus.md)")
      ->type_name("JSON");
}

}  // namespace attnscope::cli
