
#include "engine/platform/process.hpp"
#include "engine/platform/win32.hpp"

namespace attnscope {
namespace {

/// The end of ours is not inherited, and is read or written beside other work; the child's is inherited.
bool make_pipe(Fd& ours, OwnHandle& childs, bool to_child) {
  static std::atomic<int> counter{0};
  const std::wstring name = wide(fmt::format("\\\\.\\pipe\\attnscope-{}-{}", ::GetCurrentProcessId(), counter++));
  constexpr DWORD kBuffer = 1 << 16, kOurs = FILE_FLAG_FIRST_PIPE_INSTANCE | FILE_FLAG_OVERLAPPED;
  SECURITY_ATTRIBUTES inherited{sizeof inherited, nullptr, TRUE};
  const HANDLE made = ::CreateNamedPipeW(name.c_str(), kOurs | (to_child ? PIPE_ACCESS_OUTBOUND : PIPE_ACCESS_INBOUND),
                                         PIPE_TYPE_BYTE | PIPE_REJECT_REMOTE_CLIENTS, 1, kBuffer, kBuffer, 0, nullptr);
  if (made == INVALID_HANDLE_VALUE) return false;
  ours = Fd(::_open_osfhandle(reinterpret_cast<intptr_t>(made), _O_BINARY | _O_NOINHERIT));
  childs.it = ::CreateFileW(name.c_str(), to_child ? GENERIC_READ : GENERIC_WRITE, 0, &inherited, OPEN_EXISTING,
                            to_child ? FILE_FLAG_OVERLAPPED : 0, nullptr);
  return childs.it != INVALID_HANDLE_VALUE;
}

/// As CommandLineToArgvW takes it apart.
std::string quoted(const std::string& argument) {
  if (!argument.empty() && argument.find_first_of(" \t\n\v\"") == std::string::npos) return argument;
  std::string out = "\"";
  size_t slashes = 0;
  for (const char c : argument) {
    if (c == '"') out.append(slashes + 1, '\\');
    slashes = c == '\\' ? slashes + 1 : 0;
    out += c;
  }
  return out.append(slashes, '\\') + "\"";
}

}  // namespace

struct Process::Native {
  OwnHandle process, job;
  bool ended_by_us = false;

  bool ended(double wait_s) const {
    return process.it == nullptr || ::WaitForSingleObject(process.it, DWORD(wait_s * 1000)) == WAIT_OBJECT_0;
  }
};

Process::Process() : native_(std::make_unique<Native>()) {}

Result<std::unique_ptr<Process>> Process::start(const std::vector<std::string>& argv, const std::vector<std::string>&) {
  if (argv.empty() || argv[0].empty()) return bad_input("the worker's command is empty");
  const auto reason = [] { return std::system_category().message(int(::GetLastError())); };
  std::unique_ptr<Process> process(new Process);
  // One at a time: a child inherits all that can be inherited at its start, but never the pipes of another one.
  static std::mutex starting;
  const std::lock_guard lock(starting);
  OwnHandle in, out, err;
  if (!make_pipe(process->input_, in, true) || !make_pipe(process->output_, out, false) ||
      !make_pipe(process->errors_, err, false))
    return internal_error("cannot make a pipe: {}", reason());

  STARTUPINFOW start{};
  start.cb = sizeof start;
  start.dwFlags = STARTF_USESTDHANDLES;
  start.hStdInput = in.it;
  start.hStdOutput = out.it;
  start.hStdError = err.it;
  std::string line;
  for (const std::string& a : argv) line += (line.empty() ? "" : " ") + quoted(a);
  PROCESS_INFORMATION made{};
  // With our console it would get our Ctrl-C; without any it would open a window with one.
  if (::CreateProcessW(nullptr, wide(line).data(), nullptr, nullptr, TRUE, CREATE_NO_WINDOW | CREATE_SUSPENDED, nullptr,
                       nullptr, &start, &made) == 0)
    return bad_input("cannot start '{}': {}", command_text(argv), reason());
  process->native_->process.it = made.hProcess;
  process->pid_ = pid_t(made.dwProcessId);
  // With the last handle to it, which is ours, all that runs in it ends.
  const HANDLE job = process->native_->job.it = ::CreateJobObjectW(nullptr, nullptr);
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits{};
  limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
  ::SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits);
  ::AssignProcessToJobObject(job, made.hProcess);
  ::ResumeThread(made.hThread);
  ::CloseHandle(made.hThread);
  return process;
}

Process::~Process() { stop(0, 0.2); }

std::string Process::stop(double patience_s, double grace_s) {
  const std::lock_guard lock(mutex_);
  if (!native_->ended(patience_s)) {
    native_->ended_by_us = true;
    ::TerminateJobObject(native_->job.it, 1);
    if (!native_->ended(grace_s)) ::TerminateProcess(native_->process.it, 1);
    if (!native_->ended(5)) return "could not be killed";
  }
  // What it left behind goes too.
  native_->job.reset();
  if (native_->ended_by_us) return "was ended";
  DWORD code = 0;
  ::GetExitCodeProcess(native_->process.it, &code);
  if (code >= 0xC0000000) return fmt::format("was ended by exception {:#010x}", code);
  return fmt::format("exited with code {}", code);
}

}  // namespace attnscope
