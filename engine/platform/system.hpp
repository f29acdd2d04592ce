// The machine, this process and its places.
#pragma once

#include <sys/types.h>

#include <filesystem>

#include "engine/standard.hpp"

namespace attnscope {

/// Of this program; "" where the system does not tell.
std::filesystem::path executable();
/// Starts this very program once more, even when its file was replaced meanwhile.
std::string own_command();

enum class UserFolder {
  cache,    ///< $XDG_CACHE_HOME or ~/.cache; %LOCALAPPDATA%
  data,     ///< $XDG_DATA_HOME or ~/.local/share; %APPDATA%
  settings  ///< $XDG_CONFIG_HOME or ~/.config; %APPDATA%
};
/// The folder "attnscope" there, which may not be made yet; "" = the environment tells none.
std::filesystem::path user_folder(UserFolder);

std::string system_name();  ///< "Linux 6.1.0-18-amd64 x86_64"; no name of the computer
/// "x86_64", as Linux names drivers' files; "" where the environment cannot choose a driver (docs/gpus.md).
std::string drivers_machine();
/// Identifies this boot of the machine; "" = not known.
std::string boot_id();

uint64_t resident_bytes();  ///< of this process
/// Of the CPU, spent by all threads of a process; 0 where the system does not tell.
double cpu_seconds(pid_t process);
/// By the threads that this process has now: on a CPU, and ready for one; 0 where the system does not tell.
struct CpuUse {
  double ran_ns = 0, waited_ns = 0;
};
CpuUse cpu_use();
/// Tells any thread how many seconds of a CPU the calling one has spent; empty where the system does not tell.
std::function<double()> cpu_clock();
/// Lets the threads that measure and draw go first. On Linux the workers that this thread starts inherit it.
void lower_thread_priority();

/// A library that is found at run time.
class Library {
 public:
  /// `loaded_only`: one that is in the process already.
  explicit Library(const std::string& file, bool loaded_only = false);
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  explicit operator bool() const { return handle_ != nullptr; }
  /// Sets `function` to the one of this name; nullptr when there is none.
  template <class Function>
  void find(Function*& function, const char* name) const {
    function = reinterpret_cast<Function*>(symbol(name));
  }

 private:
  void* symbol(const char* name) const;
  void* handle_ = nullptr;
};
/// The library by which NVIDIA's driver tells of power and clocks.
extern const char* const kNvmlLibrary;

/// Once, first of all: text is UTF-8 and goes out as it is. Argv in UTF-8, which lives as long as the program.
std::vector<char*> begin_program(int argc, char** argv);
/// Failing writes are errors, not signals; a closed standard stream stays closed. Which ones were closed.
std::array<bool, 3> hold_standard_streams();
/// Moves stdout to a new descriptor, and what others print to stderr; -1 = they are not open.
int take_stdout();
bool is_terminal(int fd);  ///< one that obeys control sequences
std::optional<size_t> terminal_columns(int fd);
/// A window has no use for a console that was made for the program alone.
void leave_own_console();

/// Ctrl-C, SIGTERM and SIGHUP. nullptr: as the system has it. Those that whoever started us turned off stay off unless
/// `even_ignored`; what nohup turned off stays off in any case.
void on_interrupts(void (*handler)(int), bool even_ignored = false);

/// Of the desktop: waits for the person's choice; "" = none was made.
bool has_file_chooser();
std::string choose_file(const std::string& title);

}  // namespace attnscope
