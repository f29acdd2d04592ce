// Number formats of tables: units by size, one per column, a fixed number of digits, nothing if absent.
#pragma once

#include "engine/number.hpp"

namespace attnscope {

struct TimeUnit {
  const char* name;  ///< "ns", "µs", "ms", "s"
  double ns;         ///< its length
};
/// One unit for a whole table, by its median times: the unit that keeps their middle between 1 and 1000.
TimeUnit choose_time_unit(std::span<const double> times_ns);
/// The length of "ns", "µs", "us", "ms" or "s" in nanoseconds; nullopt for another.
std::optional<double> time_unit_ns(std::string_view unit);

/// A rate's unit: a power of 1000 of what is counted in a second.
struct RateUnit {
  std::string name;  ///< "GFLOP/s", "MB/s"
  double size = 1;   ///< in "FLOP/s" or "B/s": 1e9
};
/// One unit for a column of rates, each per second, in `what` ("FLOP/s", "B/s"): the largest with their middle at 1 or
/// more and the least at 0.01 or more; without a positive number G.
RateUnit choose_rate_unit(std::span<const double> per_second, std::string_view what);

/// One value with its unit, four significant digits: "2.270 ms", "231.0 MFLOP/s"; "" for what is not positive.
std::string time_text(double ns, int digits = 4);
std::string flops_text(double flop_per_second);
std::string bytes_rate_text(double bytes_per_second);

/// Significant digits without an exponent in the usual range: "12.34", "1234", "0.01234".
std::string significant(double, int digits);
inline std::string four_digits(double x) { return significant(x, 4); }
/// A difference from the reference: "3.20e-05"; "" for what is not finite.
std::string error_text(double);
/// Columns that a terminal gives `text`: code points, so that µ counts once.
size_t display_width(std::string_view text);
/// `text` if it is no wider than `width`, else its beginning and "…".
std::string cut_to(std::string_view text, size_t width);

}  // namespace attnscope
