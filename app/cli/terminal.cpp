#include "app/cli/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace attnscope::cli {
namespace {

constexpr size_t kLeastColumns = 40, kMostColumns = 10'000;  // rows are padded to it
constexpr size_t kColumnsOfAPipe = 100;

std::optional<size_t> asked_for() {
  const char* text = std::getenv("COLUMNS");
  if (text == nullptr) return std::nullopt;
  const std::string_view digits(text);
  size_t columns = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), columns);
  if (error != std::errc() || end != digits.data() + digits.size() || columns == 0) return std::nullopt;
  return columns;
}

}  // namespace

size_t terminal_width(int descriptor, size_t otherwise) {
  size_t columns = otherwise;
  if (const auto asked = asked_for())
    columns = *asked;
  else if (winsize size{}; ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    columns = size.ws_col;
  return std::clamp(columns, kLeastColumns, kMostColumns);
}

bool draws_progress() {
  const char* term = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) == 1 && term != nullptr && std::string_view(term) != "dumb";
}

size_t output_width() { return terminal_width(STDOUT_FILENO, kColumnsOfAPipe); }

}  // namespace attnscope::cli
