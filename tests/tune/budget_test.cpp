// Budgets as text.
#include <gtest/gtest.h>

#include "engine/tune/budget.hpp"

namespace attnscope::tune {
namespace {

TEST(Budget, IsATimeOrANumberOfConfigs) {
  EXPECT_EQ(*parse_budget("60s"), (Budget{60, 0}));
  EXPECT_EQ(*parse_budget("5m"), (Budget{300, 0}));
  EXPECT_EQ(*parse_budget("1h"), (Budget{3600, 0}));
  EXPECT_EQ(*parse_budget("200"), (Budget{0, 200}));
  for (const char* wrong : {"", "s", "0", "-3", "1d", "5 m", "nan", "1e99s"}) {
    const auto budget = parse_budget(wrong);
    ASSERT_FALSE(budget) << wrong;
    EXPECT_NE(budget.error().message.find("60s"), std::string::npos) << budget.error().message;
  }
}

}  // namespace
}  // namespace attnscope::tune
