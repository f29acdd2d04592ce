// A struct of another room: what it takes to join, and to read what older versions wrote.
#include <gtest/gtest.h>

#include "engine/record/json_of.hpp"
#include "tests/record/field_round_trip.hpp"

namespace attnscope {
namespace fields_test {

/// Once written in microseconds, as "time".
struct Renamed {
  double time_ns = 0;
};
void mend_older(const Json& json, Renamed& x) {
  if (double us = 0; json.contains("time")) {
    read_json(json.at("time"), us);
    x.time_ns = us * 1e3;
  }
}

}  // namespace fields_test

template <>
inline constexpr auto fields_of<fields_test::Renamed> = declare(field("time_ns", &fields_test::Renamed::time_ns));
template struct JsonOf<fields_test::Renamed>;

namespace {

TEST(OlderFields, AreMended) {
  using fields_test::Renamed;
  expect_every_field_travels<Renamed>();
  const auto older = decode<Renamed>(Json{{"time", 3}}, "value");
  ASSERT_TRUE(older) << older.error().message;
  EXPECT_EQ(older->time_ns, 3000);
}

}  // namespace
}  // namespace attnscope
