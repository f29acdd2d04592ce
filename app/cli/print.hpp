// All output of the command line. Text is made visible (engine/visible.hpp), since names and
// messages in it come from folders, drivers and other machines; a stream that cannot be written is remembered, and
// never thrown about.
#pragma once

#include "engine/standard.hpp"

namespace attnscope::cli {

void write_out(std::string_view text);
void write_err(std::string_view text);
/// JSON is written as it is: it escapes by its own rules.
void write_document(std::string_view json);
/// Whether there was one already: a second one would not be JSON.
bool document_written();
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

/// What is printed is not all that there is of the results: they go into a file as well, so the work goes on when
/// nobody reads stdout any more. Otherwise it is then asked to end, as by Ctrl-C.
void keep_working_unread();

/// Before anything is opened: a stream that was closed when the program began must not become some file of ours.
void hold_streams();
/// Whether this one (0, 1 or 2) was closed when the program began.
bool was_closed(int stream);

/// The exit code, given what became of stdout: `code` where it was all written; 141, as a shell has it for SIGPIPE,
/// where nobody read it to its end and there was nothing else to work for; else 2, with the reason on stderr.
int after_output(int code);

/// Columns of `descriptor`'s terminal: COLUMNS where it is a number, else what the terminal says; `otherwise` where
/// there is none, such as in a pipe. Never less than 40, nor more than 10,000.
size_t terminal_width(int descriptor, size_t otherwise);
/// Whether stderr is one that obeys orders, so that a line on it can be drawn again.
bool draws_progress();
/// The width of stdout; 100 in a pipe or a file.
size_t output_width();

}  // namespace attnscope::cli
