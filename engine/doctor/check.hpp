// The result of a check of a driver.
#pragma once

#include "engine/standard.hpp"

namespace attnscope {

enum class CheckOutcome { pass, fail, unsupported };
constexpr std::string_view to_text(CheckOutcome outcome) {
  switch (outcome) {
    case CheckOutcome::pass: return "pass";
    case CheckOutcome::fail: return "FAIL";
    case CheckOutcome::unsupported: break;
  }
  return "not supported";
}

struct CheckResult {
  std::string check;
  CheckOutcome outcome = CheckOutcome::pass;
  std::string text;  ///< what was wrong or is missing, else what was looked at
  /// A variant that needs one of these features, and takes this dtype, relies on what was checked. Without features:
  /// every variant does. Without a dtype: whatever it takes.
  std::vector<std::string> needs;
  std::string dtype;
  bool operator==(const CheckResult&) const = default;
};

}  // namespace attnscope
