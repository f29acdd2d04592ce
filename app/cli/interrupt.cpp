#include "app/cli/interrupt.hpp"

#include "app/cli/exit_code.hpp"
#include "app/cli/print.hpp"
#include "engine/platform/system.hpp"

namespace attnscope::cli {
namespace {

std::atomic<bool> flag{false};
static_assert(std::atomic<bool>::is_always_lock_free, "the handler may only touch a lock-free flag");

void end_now(int) { ::_exit(exit_interrupted); }

void on_signal(int number) {
  if (flag.exchange(true)) end_now(number);
}

}  // namespace

std::atomic<bool>& interrupted() { return flag; }

void catch_interrupts() {
  // What nohup has turned off stays off. A script's shell turns SIGINT off for its background jobs, too, but whoever
  // sends one of those that signal means it.
  on_interrupts(on_signal, true);
}

void end_on_interrupts() { on_interrupts(end_now); }

Waiting waiting(const std::string& command) {
  return {[command](const std::string& sentence) {
            print_err("attnscope{}{}: note: {}\n", command.empty() ? "" : " ", command, sentence);
          },
          &flag};
}

void leave_interrupts() { on_interrupts(nullptr); }

}  // namespace attnscope::cli
