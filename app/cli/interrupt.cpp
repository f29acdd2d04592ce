#include "app/cli/interrupt.hpp"

#include <signal.h>

#include <initializer_list>

namespace attnscope::cli {
namespace {

std::atomic<bool> flag{false};
static_assert(std::atomic<bool>::is_always_lock_free, "the handler may only touch a lock-free flag");

void on_signal(int number) {
  if (flag.exchange(true)) {
    signal(number, SIG_DFL);
    raise(number);
  }
}

}  // namespace

std::atomic<bool>& interrupted() { return flag; }

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    // What nohup has turned off stays off. A script's shell turns SIGINT off for its background jobs, too, but whoever
    // sends one of those that signal means it.
    struct sigaction before {};
    if (number == SIGHUP && sigaction(number, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) continue;
    sigaction(number, &action, nullptr);
  }
}

}  // namespace attnscope::cli
