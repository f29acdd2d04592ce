#include "engine/measure/protocol.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "engine/measure/stopping.hpp"

namespace attnscope {
namespace {

TEST(Numbers, AreWholeFiniteAndInRangeOrRefused) {
  const NumberRange<double> any{-1e300, 1e300};
  EXPECT_EQ(*parse_number("-2.5e3", any), -2500);
  for (const char* text : {"nan", "inf", "-inf", "infinity", "0x10", "1e999", "", " 1", "1 ", "1,5", "+1", "one"})
    EXPECT_FALSE(parse_number<double>(text, any)) << text;
  const NumberRange<uint32_t> small{1, 100};
  EXPECT_EQ(*parse_number("100", small), 100u);
  for (const char* text : {"0", "101", "-1", "4294967297", "4294967304", "99999999999999999999", "1.5", "1e1"})
    EXPECT_FALSE(parse_number<uint32_t>(text, small)) << text;
  const auto refused = parse_number("-1", NumberRange<uint64_t>{0, std::numeric_limits<uint64_t>::max()});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "'-1' is not a whole number from 0 to 18446744073709551615");
}

TEST(Protocols, SayWhichFieldCannotBe) {
  EXPECT_TRUE(check_protocol(Protocol()));
  const auto message = [](auto Protocol::*member, auto value) {
    Protocol p;
    p.*member = value;
    const auto checked = check_protocol(p);
    return checked ? std::string() : checked.error().message;
  };
  EXPECT_EQ(message(&Protocol::max_ms, 0.0),
            "max_ms of the protocol is 0; it has to be a number from 0.001 to 86400000.");
  EXPECT_NE(message(&Protocol::min_ms, -1.0).find("min_ms"), std::string::npos);
  EXPECT_NE(message(&Protocol::warmup_ms, std::nan("")).find("warmup_ms"), std::string::npos);
  EXPECT_NE(message(&Protocol::target_noise, double(INFINITY)).find("target_noise"), std::string::npos);
  EXPECT_NE(message(&Protocol::max_samples, 0u).find("max_samples"), std::string::npos);
  EXPECT_EQ(message(&Protocol::max_ms, 0.5), "");
}

TEST(Protocols, AMeasurementHasASampleWhateverItsCap) {
  Protocol p;
  p.max_ms = 0;
  p.max_samples = 0;
  const auto rule = make_sampling_rule(p);
  rule->initialize();
  EXPECT_FALSE(rule->finished());
  rule->add(1e6, 1);
  EXPECT_TRUE(rule->finished());
}

}  // namespace
}  // namespace attnscope
