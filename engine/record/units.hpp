// How numbers are shown to a person: one unit a column, a fixed number of digits, nothing for what is absent.
#pragma once

#include <span>
#include <string>

#include "engine/record/record.hpp"

namespace attnscope {

struct TimeUnit {
  const char* name;  ///< "ns", "µs", "ms", "s"
  double ns;         ///< its length
};
/// One unit for a whole table, by its median times: the unit that keeps their middle between 1 and 1000.
TimeUnit choose_time_unit(std::span<const double> times_ns);
TimeUnit choose_time_unit(std::span<const Record>);

/// Four significant digits without an exponent in the usual range: "12.34", "1234", "0.01234".
std::string four_digits(double);
/// "1.5 GB", "96 B"; powers of 1000.
std::string bytes_text(double);
/// Columns that a terminal gives `text`: code points, so that µ counts once.
size_t display_width(std::string_view text);

/// "pass", "FAIL" or, when nothing was verified, what happened instead ("refused").
std::string verdict_word(const Record&);

}  // namespace attnscope
