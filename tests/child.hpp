// A process of the test's own.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/has.hpp"

namespace attnscope {

inline bool in_path(const std::string& program) {
  return std::system(("command -v " + program + " >/dev/null").c_str()) == 0;
}

/// As a shell counts: of what a signal ended, 128 + the signal.
inline int exit_code(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

/// A child in a process group of its own, which is ended with it.
class Child {
 public:
  struct Streams {
    fs::path output, errors = {};  ///< without the latter both go to the former
    int kept_fd = -1;
    bool ignore_hangup = false;
  };
  Child(const std::vector<std::string>& argv, const std::vector<std::pair<std::string, std::string>>& environment,
        const fs::path& directory, const Streams& streams) {
    pid_ = ::fork();
    if (pid_ != 0) {
      ::setpgid(pid_, pid_);
      return;
    }
    ::setpgid(0, 0);
    if (streams.ignore_hangup) ::signal(SIGHUP, SIG_IGN);
    for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
    const auto opened = [](const fs::path& path) { return ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644); };
    ::dup2(opened(streams.output), 1);
    ::dup2(streams.errors.empty() ? 1 : opened(streams.errors), 2);
    ::dup2(::open("/dev/null", O_RDONLY), 0);
    if (streams.kept_fd >= 0) ::fcntl(streams.kept_fd, F_SETFD, 0);
    if (!directory.empty() && ::chdir(directory.c_str()) != 0) ::_exit(126);
    std::vector<char*> words;
    for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    ::execvp(words[0], words.data());
    ::_exit(127);
  }
  ~Child() {
    if (reaped_) return;
    ::kill(-pid_, SIGTERM);
    if (wait(5) != -1) return;
    ::kill(-pid_, SIGKILL);
    wait(5);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  pid_t pid() const { return pid_; }
  /// The exit code; -1 when it still runs after `seconds`.
  int wait(double seconds) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    for (int status = 0; !reaped_;) {
      if (::waitpid(pid_, &status, WNOHANG) == pid_) {
        reaped_ = true;
        code_ = exit_code(status);
      } else if (std::chrono::steady_clock::now() >= limit) {
        return -1;
      } else {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      }
    }
    return code_;
  }
  /// Sends a signal, or 0 for none, and gives the exit code.
  int end(int signal) {
    if (signal != 0 && !reaped_) ::kill(pid_, signal);
    return wait(600);
  }
  /// Until `ready`, or it ended, or ten minutes passed.
  template <class Ready>
  bool wait_for(Ready&& ready) {
    for (int i = 0; i < 120'000 && !ready() && wait(0) == -1; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return ready();
  }

 private:
  pid_t pid_ = -1;
  bool reaped_ = false;
  int code_ = -1;
};

}  // namespace attnscope
