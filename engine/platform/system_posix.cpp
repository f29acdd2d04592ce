#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "engine/platform/descriptor.hpp"
#include "engine/platform/system.hpp"

namespace attnscope {

namespace fs = std::filesystem;

const char* const kNvmlLibrary = "libnvidia-ml.so.1";

fs::path executable() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error);
}

std::string own_command() { return "/proc/self/exe"; }

fs::path user_folder(UserFolder kind) {
  const auto [variable, otherwise] = kind == UserFolder::cache  ? std::pair{"XDG_CACHE_HOME", ".cache"}
                                     : kind == UserFolder::data ? std::pair{"XDG_DATA_HOME", ".local/share"}
                                                                : std::pair{"XDG_CONFIG_HOME", ".config"};
  if (const char* xdg = std::getenv(variable); xdg != nullptr && *xdg == '/') return fs::path(xdg) / "attnscope";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/')
    return fs::path(home) / otherwise / "attnscope";
  return {};
}

std::string system_name() {
  utsname os{};
  return ::uname(&os) == 0 ? fmt::format("{} {} {}", os.sysname, os.release, os.machine) : "";
}

std::string drivers_machine() {
  utsname os{};
  return ::uname(&os) == 0 ? os.machine : "";
}

std::string boot_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(file, id);
  return id;
}

uint64_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  uint64_t size = 0, resident = 0;
  statm >> size >> resident;
  return resident * uint64_t(::sysconf(_SC_PAGESIZE));
}

CpuUse cpu_use() {
  CpuUse all;
  std::error_code error;
  for (fs::directory_iterator task("/proc/self/task", error), end; !error && task != end; task.increment(error)) {
    std::ifstream file(task->path() / "schedstat");
    double ran_ns = 0, waited_ns = 0;
    if (!(file >> ran_ns >> waited_ns)) continue;
    all.ran_ns += ran_ns;
    all.waited_ns += waited_ns;
  }
  return all;
}

double cpu_seconds(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  std::string line, skipped;
  std::getline(file, line);
  std::istringstream rest(line.substr(line.rfind(')') + 1));  // the name may hold anything
  for (int i = 0; i < 11; ++i) rest >> skipped;
  double user = 0, system = 0;
  rest >> user >> system;
  return (user + system) / double(::sysconf(_SC_CLK_TCK));
}

std::function<double()> cpu_clock() {
  clockid_t clock{};
  if (::pthread_getcpuclockid(::pthread_self(), &clock) != 0) return {};
  return [clock] {
    timespec now{};
    ::clock_gettime(clock, &now);
    return double(now.tv_sec) + double(now.tv_nsec) * 1e-9;
  };
}

void lower_thread_priority() {
  constexpr int kNice = 10;
  ::setpriority(PRIO_PROCESS, 0, kNice);  // on Linux a thread has a priority of its own
}

Library::Library(const std::string& file, bool loaded_only)
    : handle_(::dlopen(file.c_str(), loaded_only ? RTLD_LAZY | RTLD_NOLOAD : RTLD_NOW | RTLD_LOCAL)) {}
Library::~Library() {
  if (handle_ != nullptr) ::dlclose(handle_);
}
void* Library::symbol(const char* name) const { return handle_ != nullptr ? ::dlsym(handle_, name) : nullptr; }

std::vector<char*> begin_program(int argc, char** argv) { return {argv, argv + argc}; }

std::array<bool, 3> hold_standard_streams() {
  // Both become errors of the write; a worker gets its own disposition of the first back.
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);
  std::array<bool, 3> closed{};
  for (int stream = 0; stream < 3; ++stream) {
    if (::fcntl(stream, F_GETFD) != -1 || errno != EBADF) continue;
    closed[size_t(stream)] = true;
    // The lowest free number is this one. Opened the wrong way around, so that its use still fails.
    [[maybe_unused]] const int held = ::open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY);
  }
  return closed;
}

int take_stdout() {
  const int out = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  return out < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0 ? -1 : out;
}

bool is_terminal(int fd) {
  const char* term = std::getenv("TERM");
  return ::isatty(fd) == 1 && term != nullptr && std::string_view(term) != "dumb";
}

std::optional<size_t> terminal_columns(int fd) {
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return std::nullopt;
  return size.ws_col;
}

void leave_own_console() {}

void on_interrupts(void (*handler)(int), bool even_ignored) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction now {
    }, action{};
    const bool ignored = ::sigaction(number, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
    if (ignored && (!even_ignored || number == SIGHUP)) continue;
    action.sa_handler = handler != nullptr ? handler : SIG_DFL;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART;
    ::sigaction(number, &action, nullptr);
  }
}

bool has_file_chooser() {
  static const bool has = [] {
    std::stringstream path(std::getenv("PATH") ? std::getenv("PATH") : "");
    for (std::string folder; std::getline(path, folder, ':');)
      if (::access((folder + "/zenity").c_str(), X_OK) == 0) return true;
    return false;
  }();
  return has;
}

std::string choose_file(const std::string& title) {
  std::string path;
  if (FILE* pipe = ::popen(fmt::format("zenity --file-selection --title='{}' 2>/dev/null", title).c_str(), "r")) {
    char text[4096];
    if (std::fgets(text, sizeof text, pipe)) path = text;
    ::pclose(pipe);
    while (path.ends_with('\n')) path.pop_back();
  }
  return path;
}

}  // namespace attnscope
