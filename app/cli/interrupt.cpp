#include "app/cli/interrupt.hpp"

#include <signal.h>
#include <unistd.h>

#include "app/cli/exit_code.hpp"
#include "app/cli/print.hpp"

namespace attnscope::cli {
namespace {

std::atomic<bool> flag{false};
static_assert(std::atomic<bool>::is_always_lock_free, "the handler may only touch a lock-free flag");

void end_now(int) { ::_exit(exit_interrupted); }

void on_signal(int number) {
  if (flag.exchange(true)) end_now(number);
}

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

void handle(int number, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(number, &action, nullptr);
}

bool ignored(int number) {
  struct sigaction now {};
  return sigaction(number, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

}  // namespace

std::atomic<bool>& interrupted() { return flag; }

void catch_interrupts() {
  // What nohup has turned off stays off. A script's shell turns SIGINT off for its background jobs, too, but whoever
  // sends one of those that signal means it.
  for (const int number : kSignals)
    if (number != SIGHUP || !ignored(number)) handle(number, on_signal);
}

void end_on_interrupts() {
  for (const int number : kSignals)
    if (!ignored(number)) handle(number, end_now);
}

Waiting waiting(const std::string& command) {
  return {[command](const std::string& sentence) {
            print_err("attnscope{}{}: note: {}\n", command.empty() ? "" : " ", command, sentence);
          },
          &flag};
}

void leave_interrupts() {
  for (const int number : kSignals)
    if (!ignored(number)) handle(number, SIG_DFL);
}

}  // namespace attnscope::cli
