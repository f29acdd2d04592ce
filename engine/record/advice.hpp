// Why a config takes the time it takes, in plain words, and what could be done: one small rule each (docs/insight.md).
#pragma once

#include "engine/standard.hpp"

namespace attnscope {

struct NeighbourPlans;
struct Record;

struct Advice {
  std::string rule = {};              ///< its name: "spills"
  std::string text;                   ///< the numbers that led to it, and what to do
  std::string parameter = {};         ///< to move; "" where it is not one of a parameter
  std::optional<int64_t> value = {};  ///< its next legal value that way
  double gain = 0;                    ///< share of the time that could be won, estimated: 0.3 = 30 %
  bool operator==(const Advice&) const = default;
};

/// The advice of all rules on a record with statistics and a fit, largest gain first.
std::vector<Advice> advise(const Record&, const NeighbourPlans&);
/// Names of all rules, for the documentation's test.
std::vector<std::string_view> advice_rules();

}  // namespace attnscope
