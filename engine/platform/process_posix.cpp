#include "engine/platform/process.hpp"

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "engine/clock.hpp"

extern char** environ;

namespace attnscope {
namespace {

struct Pipe {
  Fd read, write;
};

Result<Pipe> make_pipe() {
  std::array<int, 2> fds{};
  if (::pipe2(fds.data(), O_CLOEXEC) != 0) return internal_error("cannot make a pipe: {}", std::strerror(errno));
  return Pipe{Fd(fds[0]), Fd(fds[1])};
}

/// posix_spawn's two argument objects, freed whatever happens.
struct SpawnArguments {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  SpawnArguments() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
  }
  ~SpawnArguments() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnArguments& operator=(SpawnArguments&&) = delete;
};

/// Waits for the end of its stdin, then gives the group $1 a second to end by itself, and another after SIGTERM.
constexpr const char* kGuard =
    "while read -r _; do :; done; sleep 1; kill -s TERM -- -$1; sleep 1; kill -s KILL -- -$1";

/// A process group and signal state of its own, and no descriptor beyond the first three.
void set_apart(SpawnArguments& spawn) {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
  // Drivers and window systems open descriptors of their own, not all of them close-on-exec.
  posix_spawn_file_actions_addclosefrom_np(&spawn.actions, STDERR_FILENO + 1);
#endif
  sigset_t none, defaults;
  sigemptyset(&none);
  sigemptyset(&defaults);
  for (const int s : {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&defaults, s);
  posix_spawnattr_setsigmask(&spawn.attributes, &none);
  posix_spawnattr_setsigdefault(&spawn.attributes, &defaults);
  posix_spawnattr_setpgroup(&spawn.attributes, 0);
  posix_spawnattr_setflags(&spawn.attributes,
                           short(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP));
}

}  // namespace

struct Process::Native {
  pid_t pid = -1, guard_pid = -1;
  Fd guard;  ///< write end of the guard's stdin, which nobody else has: it ends with this process
  bool reaped = false, ended_by_us = false;
  int status = 0;

  bool reap(double wait_s);
  void start_guard();
  void end_guard();
};

Process::Process() : native_(std::make_unique<Native>()) {}

Result<std::unique_ptr<Process>> Process::start(const std::vector<std::string>& argv,
                                                const std::vector<std::string>& environment) {
  if (argv.empty() || argv[0].empty()) return bad_input("the worker's command is empty");
  Pipe in = TRY(make_pipe());
  Pipe out = TRY(make_pipe());
  Pipe err = TRY(make_pipe());
  ::fcntl(in.write.get(), F_SETFL, ::fcntl(in.write.get(), F_GETFL) | O_NONBLOCK);

  SpawnArguments spawn;
  posix_spawn_file_actions_adddup2(&spawn.actions, in.read.get(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&spawn.actions, out.write.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&spawn.actions, err.write.get(), STDERR_FILENO);
  set_apart(spawn);
  const auto bare = [](const std::string& text) { return const_cast<char*>(text.c_str()); };
  std::vector<char*> arguments = mapped(argv, bare);
  arguments.push_back(nullptr);

  std::vector<char*> variables = mapped(environment, bare);
  for (char** own = environ; *own != nullptr; ++own) {
    const std::string_view name(*own, std::strcspn(*own, "="));
    const auto is_set = [&](const std::string& v) { return v.starts_with(std::string(name) + "="); };
    if (std::ranges::none_of(environment, is_set)) variables.push_back(*own);
  }
  variables.push_back(nullptr);

  std::unique_ptr<Process> process(new Process);
  const int failed = ::posix_spawnp(&process->pid_, arguments[0], &spawn.actions, &spawn.attributes, arguments.data(),
                                    variables.data());
  if (failed != 0) {
    process->native_->reaped = true;
    return bad_input("cannot start '{}': {}", command_text(argv), std::strerror(failed));
  }
  process->input_ = std::move(in.write);
  process->output_ = std::move(out.read);
  process->errors_ = std::move(err.read);
  process->native_->pid = process->pid_;
  process->native_->start_guard();
  return process;
}

/// Without a guard, which only a machine out of processes refuses, the end of its stdin is what tells the child.
void Process::Native::start_guard() {
  Result<Pipe> in = make_pipe();
  if (!in) return;
  SpawnArguments spawn;
  posix_spawn_file_actions_adddup2(&spawn.actions, in->read.get(), STDIN_FILENO);
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&spawn.actions, fd, "/dev/null", O_WRONLY, 0);
  set_apart(spawn);
  std::string group = std::to_string(pid);
  const std::array<const char*, 6> argv{"sh", "-c", kGuard, "guard", group.c_str(), nullptr};
  if (::posix_spawn(&guard_pid, "/bin/sh", &spawn.actions, &spawn.attributes, const_cast<char**>(argv.data()),
                    environ) != 0)
    guard_pid = -1;
  else
    guard = std::move(in->write);
}

void Process::Native::end_guard() {
  if (guard_pid < 0) return;
  ::kill(guard_pid, SIGKILL);
  while (::waitpid(guard_pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  guard_pid = -1;
  guard.reset();
}

Process::~Process() { stop(0, 0.2); }

bool Process::Native::reap(double wait_s) {
  const auto start = Clock::now();
  while (!reaped) {
    const pid_t got = ::waitpid(pid, &status, WNOHANG);
    if (got == pid || (got < 0 && errno != EINTR)) {
      reaped = true;
      // Whatever a shell in between left behind goes too; at once, before the group's number can be given to others.
      ::kill(-pid, SIGKILL);
      end_guard();
    }
    if (reaped || seconds_since(start) >= wait_s) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return reaped;
}

std::string Process::stop(double patience_s, double grace_s) {
  const std::lock_guard lock(mutex_);
  if (!native_->reap(patience_s)) {
    native_->ended_by_us = true;
    ::kill(-pid_, SIGTERM);
    if (!native_->reap(grace_s)) {
      ::kill(-pid_, SIGKILL);
      native_->reap(5);
    }
  }
  if (!native_->reaped) return "could not be killed";
  if (native_->ended_by_us) return "was ended";
  if (WIFSIGNALED(native_->status)) {
    const int signal = WTERMSIG(native_->status);
    return fmt::format("was killed by signal {} ({}){}", signal, ::strsignal(signal),
                       signal == SIGBUS ? "; a driver's shader cache on a full disk does that" : "");
  }
  return fmt::format("exited with code {}", WEXITSTATUS(native_->status));
}

}  // namespace attnscope
