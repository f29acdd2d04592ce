// The result of a check of a driver.
#pragma once

#include "engine/standard.hpp"

namespace attnscope {

enum class CheckOutcome { pass, fail, unsupported };
constexpr std::string_view to_text(CheckOutcome outcome) {
  return outcome == CheckOutcome::pass ? "pass" : outcome == CheckOutcome::fail ? "FAIL" : "not supported";
}

struct CheckResult {
  std::string check;
  CheckOutcome outcome = CheckOutcome::pass;
  std::string text;  ///< what was wrong or is missing, else what was looked at
  /// Variants that need one of these features (none: all) and take this dtype (none: any) rely on what was checked.
  std::vector<std::string> needs;
  std::string dtype;
  bool operator==(const CheckResult&) const = default;
};

}  // namespace attnscope
