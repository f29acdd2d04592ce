#include "app/cli/print.hpp"

#include <cerrno>
#include <cstdlib>
#include <iostream>

#include "app/cli/commands.hpp"
#include "engine/measure/units.hpp"
#include "engine/number.hpp"
#include "engine/platform/system.hpp"
#include "engine/record/json_fields.hpp"
#include "engine/visible.hpp"

namespace attnscope::cli {
namespace {

int out_error = 0;  ///< the first
bool goes_on = false;
bool written = false;  ///< a document
std::array<bool, 3> closed{};

constexpr size_t kLeastColumns = 40, kMostColumns = 10'000;  // rows are padded to it
constexpr size_t kColumnsOfAPipe = 100;

constexpr size_t kColumns = 80;  ///< of a terminal that does not say

std::string duration(double s) {
  const long whole = std::lround(s);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{}:{:02} min", whole / 60, whole % 60);
  return fmt::format("{}:{:02} h", whole / 3600, whole / 60 % 60);
}

std::atomic<bool> flag{false};
static_assert(std::atomic<bool>::is_always_lock_free, "the handler may only touch a lock-free flag");

void end_now(int) { ::_exit(exit_interrupted); }

void on_signal(int number) {
  if (flag.exchange(true)) end_now(number);
}

/// On stdout, as it is.
void put(std::string_view text) {
  if (out_error != 0) return;
  out_error = write_all(STDOUT_FILENO, text);
  if (out_error == EPIPE && !goes_on) flag = true;
}

/// Columns of the terminal: COLUMNS, else what the terminal says, else `otherwise`. From 40 to 10,000.
size_t terminal_width(int descriptor, size_t otherwise) {
  const char* text = std::getenv("COLUMNS");
  const Result<size_t> asked = parse_number<size_t>(text == nullptr ? "" : text, {1, SIZE_MAX});
  return std::clamp(asked ? *asked : terminal_columns(descriptor).value_or(otherwise), kLeastColumns, kMostColumns);
}

}  // namespace

std::string& typed_command() {
  static std::string text;
  return text;
}
std::string& program_name() {
  static std::string name = "attnscope";
  return name;
}

void write_document(std::string_view json) {
  written = true;
  put(json);
}
void write_out(std::string_view text) { put(visible(text)); }

ExitCode print_error(const Error& error, bool json) {
  print_err("{}: {}\n", program_name(), error.message);
  // A second document would not be JSON.
  if (json && !written) write_document(dump_pretty(Json{{"error", encode(error)}}));
  return exit_code(error.kind);
}

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

bool draws_progress() { return is_terminal(STDERR_FILENO); }

size_t output_width() { return terminal_width(STDOUT_FILENO, kColumnsOfAPipe); }

ProgressLine::ProgressLine(size_t total, ProgressKind kind)
    : total_(total), kind_(kind), terminal_(draws_progress()), start_(Clock::now()) {}

void ProgressLine::begin(const std::string& what) {
  what_ = what;
  stage_.clear();
  if (terminal_)
    draw(true);
  else if (kind_ == ProgressKind::bar_or_lines)
    print_err("[{}/{}] {}\n", done_ + 1, total_, what);
}

void ProgressLine::stage(const std::string& stage) {
  stage_ = stage;
  draw(false);
}

void ProgressLine::finished() {
  ++done_;
  draw(false);
}

void ProgressLine::clear() {
  if (!drawn_) return;
  write_order("\r\x1b[K");
  drawn_ = false;
}

std::string ProgressLine::left() const {
  if (done_ == 0) return "";
  return duration(seconds_since(start_) / double(done_) * double(total_ - std::min(done_, total_))) + " left";
}

void ProgressLine::draw(bool force) {
  if (kind_ == ProgressKind::none || !terminal_) return;
  if (!force && Clock::now() - last_draw_ < std::chrono::milliseconds(100)) return;
  last_draw_ = Clock::now();
  constexpr size_t kBar = 20;
  const size_t full = total_ == 0 ? 0 : std::min(kBar, kBar * done_ / total_);
  const std::string bar = fmt::format("{:█<{}}{:░<{}}", "", full, "", kBar - full);
  const std::string text =
      fmt::format(" {}/{} {} {}{}", done_, total_, left(), what_, stage_.empty() ? "" : " · " + stage_);
  redraw(text, bar);
  drawn_ = true;
}

void redraw(std::string_view text, std::string_view bar) {
  const size_t space = terminal_width(STDERR_FILENO, kColumns) - display_width(bar) - 1;
  write_order(fmt::format("\r{}{}\x1b[K", bar, cut_to(visible_line(text), space)));
}

std::atomic<bool>& interrupted() { return flag; }

void catch_interrupts() {
  // A script's shell turns SIGINT off for its background jobs, but whoever sends one of those that signal means it.
  on_interrupts(on_signal, true);
}

void end_on_interrupts() { on_interrupts(end_now); }

Waiting waiting() {
  return {[](const std::string& sentence) { print_err("{}: note: {}\n", program_name(), sentence); }, &flag};
}

void leave_interrupts() { on_interrupts(nullptr); }

}  // namespace attnscope::cli
