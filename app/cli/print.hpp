// All output of the command line. Text is made visible (engine/visible.hpp), since names and messages in it come from
// folders, drivers and other machines; a stream that cannot be written is remembered, and never thrown about.
#pragma once

#include "engine/input/file.hpp"

namespace attnscope::cli {

void write_out(std::string_view text);
void write_err(std::string_view text);
/// JSON is written as it is: it escapes by its own rules.
void write_document(std::string_view json);
/// To stderr as it is: our own orders to a terminal.
void write_order(std::string_view text);

template <class... T>
void print_out(fmt::format_string<T...> format, T&&... values) {
  write_out(fmt::format(format, std::forward<T>(values)...));
}
template <class... T>
void print_err(fmt::format_string<T...> format, T&&... values) {
  write_err(fmt::format(format, std::forward<T>(values)...));
}

/// The results go into a file too, so the work goes on when nobody reads stdout; else it ends, as by Ctrl-C.
void keep_working_unread();

/// Before anything is opened: a stream that was closed when the program began must not become some file of ours.
void hold_streams();
/// Whether this one (0, 1 or 2) was closed when the program began.
bool was_closed(int stream);

/// The exit code, given what became of stdout: `code` where it was all written; 141, as a shell has it for SIGPIPE,
/// where nobody read it to its end and there was nothing else to work for; else 2, with the reason on stderr.
int after_output(int code);

/// The line on stderr anew: `bar` as it is, and as much of the text as fits.
void redraw(std::string_view text, std::string_view bar = "");
/// Whether stderr is one that obeys orders, so that a line on it can be drawn again.
bool draws_progress();
/// The width of stdout; 100 in a pipe or a file.
size_t output_width();

// Progress of long work on stderr: a bar with an estimate on a terminal, plain lines elsewhere, nothing when quiet.

/// `bar`: no lines where there is no terminal, for work whose rows tell already how far it is.
enum class ProgressKind { none, bar, bar_or_lines };

class ProgressLine {
 public:
  ProgressLine(size_t total, ProgressKind kind);
  ~ProgressLine() { clear(); }
  ProgressLine& operator=(ProgressLine&&) = delete;
  void expect(ptrdiff_t more) { total_ += size_t(more); }
  /// The current item, number `done` + 1 of the total.
  void begin(const std::string& what);
  void stage(const std::string& stage);
  void finished();
  /// Takes the bar off the terminal, so that something else can be printed.
  void clear();

 private:
  void draw(bool force);
  std::string left() const;
  size_t total_, done_ = 0;
  ProgressKind kind_;
  bool terminal_;
  bool drawn_ = false;
  std::string what_, stage_;
  Clock::time_point start_, last_draw_{};
};

// The first Ctrl-C, SIGTERM or SIGHUP cancels; a second one ends the process at once, with the same exit code.

/// Set by the first SIGINT, SIGTERM or SIGHUP after catch_interrupts(). Runs watch it; what is done by then is written.
std::atomic<bool>& interrupted();
void catch_interrupts();
/// A command that has nothing to write yet, or writes all at its end, ends at the first one, with exit_interrupted.
void end_on_interrupts();
/// For a file that another process has locked: a note on stderr, and no wait after an interrupt.
Waiting waiting();
/// Restores the system's handling: for a worker, whose parent reads the signal that ended it.
void leave_interrupts();

}  // namespace attnscope::cli
