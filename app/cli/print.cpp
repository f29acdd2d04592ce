#include "app/cli/print.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "app/cli/exit_code.hpp"
#include "app/cli/interrupt.hpp"
#include "engine/number.hpp"
#include "engine/platform/system.hpp"
#include "engine/visible.hpp"

namespace attnscope::cli {
namespace {

int out_error = 0;  ///< the first
bool goes_on = false;
bool written = false;  ///< a document
std::array<bool, 3> closed{};

constexpr size_t kLeastColumns = 40, kMostColumns = 10'000;  // rows are padded to it
constexpr size_t kColumnsOfAPipe = 100;

}  // namespace

void write_document(std::string_view json) {
  written = true;
  if (out_error != 0) return;
  out_error = write_all(STDOUT_FILENO, json);
  if (out_error == EPIPE && !goes_on) interrupted() = true;
}

void write_out(std::string_view text) {
  const bool before = written;
  write_document(visible(text));
  written = before;
}

bool document_written() { return written; }

// There is nowhere left to say that stderr cannot be written.
void write_order(std::string_view text) { (void)write_all(STDERR_FILENO, text); }
void write_err(std::string_view text) { write_order(visible(text)); }

void keep_working_unread() { goes_on = true; }

void hold_streams() { closed = hold_standard_streams(); }

bool was_closed(int stream) { return closed[size_t(stream)]; }

int after_output(int code) {
  // The messages of the options' parser.
  errno = 0;
  std::cout.flush();
  if (!std::cout && out_error == 0) out_error = errno != 0 ? errno : EIO;
  if (out_error == 0) return code;
  if (out_error == EPIPE) return goes_on ? code : int(exit_unread);
  write_err(fmt::format("attnscope: stdout cannot be written: {}\n", std::strerror(out_error)));
  return code == exit_ok ? int(exit_bad_input) : code;
}

size_t terminal_width(int descriptor, size_t otherwise) {
  const char* text = std::getenv("COLUMNS");
  const Result<size_t> asked = parse_number<size_t>(text == nullptr ? "" : text, {1, SIZE_MAX});
  return std::clamp(asked ? *asked : terminal_columns(descriptor).value_or(otherwise), kLeastColumns, kMostColumns);
}

bool draws_progress() { return is_terminal(STDERR_FILENO); }

size_t output_width() { return terminal_width(STDOUT_FILENO, kColumnsOfAPipe); }

}  // namespace attnscope::cli
