// A child process with pipes at its stdin, stdout and stderr.
#pragma once

#include <mutex>

#include "engine/platform/descriptor.hpp"
#include "engine/result.hpp"
#include "engine/words.hpp"

namespace attnscope {

/// Runs in a process group (Windows: a job) of its own, so that ending it also ends what a shell in between started.
/// Reaped: the destructor kills what still runs. When this process ends before, even by SIGKILL, a guard beside the
/// child ends the group two seconds later; Windows does so at once. It gets no descriptor of ours but the three pipes.
class Process {
 public:
  /// argv[0] is looked up in PATH. bad_input names the command. `environment`: "NAME=VALUE" over ours; none on Windows.
  static Result<std::unique_ptr<Process>> start(const std::vector<std::string>& argv,
                                                const std::vector<std::string>& environment = {});
  ~Process();

  pid_t pid() const { return pid_; }
  int input() const { return input_.get(); }    ///< write end of its stdin, for write_within()
  int output() const { return output_.get(); }  ///< read end of its stdout
  int errors() const { return errors_.get(); }  ///< read end of its stderr

  /// Waits up to `patience_s` for it to end by itself, then SIGTERM, then after `grace_s` SIGKILL; on Windows the job
  /// is ended. Returns how it ended: "was killed by signal 9 (Killed)", "exited with code 3", "was ended".
  std::string stop(double patience_s, double grace_s = 0.5);

 private:
  struct Native;
  Process();
  std::unique_ptr<Native> native_;
  pid_t pid_ = -1;
  Fd input_, output_, errors_;
  std::mutex mutex_;
};

/// "attnscope worker --device 'a b'": argv as a person would type it, for messages.
inline std::string command_text(const std::vector<std::string>& argv) { return joined(argv, " ", shell_quoted); }

}  // namespace attnscope
