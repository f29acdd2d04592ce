// Why a config takes the time it takes, in plain words, and what could be done: one small rule each (docs/insight.md).
#pragma once

#include "engine/insight/fit.hpp"
#include "engine/insight/peaks.hpp"

namespace attnscope {

struct NeighbourPlans;

struct Advice {
  std::string rule;              ///< its name: "spills"
  std::string text;              ///< the numbers that led to it, and what to do
  std::string parameter;         ///< to move; "" where it is not one of a parameter
  std::optional<int64_t> value;  ///< its next legal value that way
  double gain = 0;               ///< share of the time that could be won, estimated: 0.3 = 30 %
  bool operator==(const Advice&) const = default;
};

struct Situation {
  Problem problem;
  std::map<std::string, int64_t> config;
  double median_us = 0;
  double bytes = 0, extra_bytes = 0;
  LaunchMode launch = LaunchMode::isolated;
  std::optional<uint64_t> registers, spills, spill_bytes;
  std::string may_spill;  ///< why, as the manifest says
  DeviceInfo device;
  std::optional<Peaks> peaks;
  std::optional<Floor> floor;
  LaunchFit fit;
  const NeighbourPlans* around = nullptr;  ///< never null in a rule
};
/// The advice of all rules, largest gain first.
std::vector<Advice> advise(const Situation&);
/// Names of all rules, for the documentation's test.
std::vector<std::string_view> advice_rules();

}  // namespace attnscope
