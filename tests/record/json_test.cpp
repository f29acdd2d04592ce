#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "engine/record/json_fields.hpp"
#include "tests/record/sample_record.hpp"

namespace attnscope {
namespace {

template <class T>
T round_trip(const T& value) {
  const auto json = parse_json(dump_line(encode(value)), "text");
  EXPECT_TRUE(json);
  const auto back = decode<T>(*json, "value");
  EXPECT_TRUE(back) << (back ? "" : back.error().message);
  return back ? *back : T{};
}
template <class T>
std::string refusal(const char* text) {
  const auto back = decode<T>(Json::parse(text), "value");
  EXPECT_FALSE(back) << text;
  return back ? "" : back.error().message;
}

TEST(Json, RecordRoundTrips) {
  const Record r = sample_record();
  EXPECT_EQ(round_trip(r), r);
  EXPECT_EQ(round_trip(std::vector<Record>{r, r}), (std::vector<Record>{r, r}));
  const auto pretty = parse_json(dump_pretty(encode(r)), "text");
  ASSERT_TRUE(pretty);
  EXPECT_EQ(*decode<Record>(*pretty, "record"), r);
  Record least;
  least.problem = *parse_problem("1x1x1x1");
  least.variant = "x";
  EXPECT_EQ(round_trip(least), least);
}

TEST(Json, ACompileTimeOfAnOlderFileIsNotTaken) {
  const auto old = decode<Resources>(Json{{"compile_ms", 0.024}}, "resources");
  ASSERT_TRUE(old);
  EXPECT_EQ(old->compile_ms, std::nullopt) << "nothing says that it is one";
  const auto now = decode<Resources>(Json{{"compile_ms", 24.0}, {"compile", "measured"}}, "resources");
  ASSERT_TRUE(now);
  EXPECT_EQ(now->compile_ms, 24.0);
  EXPECT_TRUE(encode(Resources{}).at("compile_ms").is_null());
}

TEST(Json, ErrorsRoundTrip) {
  for (const auto kind : {ErrorKind::bad_input, ErrorKind::unsupported, ErrorKind::device_lost,
                          ErrorKind::out_of_memory, ErrorKind::cancelled, ErrorKind::internal}) {
    Error error;
    read_json(encode(Error{kind, "why"}), error);
    EXPECT_EQ(error.kind, kind);
    EXPECT_EQ(error.message, "why");
  }
}

TEST(Json, ProblemIsItsText) {
  EXPECT_EQ(encode(*parse_problem("2x8x64x64:f16")), Json("2x8x64x64:f16"));
  EXPECT_NE(refusal<Problem>("\"2x8x0x64\"").find("seq (third field) is 0"), std::string::npos);
}

template <class E>
void expect_enumerators_round_trip() {
  for (size_t i = 0; i < kEnumerators<E>; ++i) {
    const E value = static_cast<E>(i);
    EXPECT_EQ(encode(value), Json(to_text(value)));
    EXPECT_EQ(round_trip(value), value);
  }
}
TEST(Json, EnumsRoundTrip) {
  expect_enumerators_round_trip<Outcome>();
  expect_enumerators_round_trip<Compile>();
  expect_enumerators_round_trip<DeviceType>();
  expect_enumerators_round_trip<DType>();
  expect_enumerators_round_trip<Relation>();
  expect_enumerators_round_trip<CacheMode>();
  expect_enumerators_round_trip<LaunchMode>();
}

TEST(Json, NumbersThatAreNotFiniteBecomeNullAndStayAbsent) {
  Record r = sample_record();
  r.verdict->nmse = std::numeric_limits<double>::quiet_NaN();
  r.verdict->max_abs = std::numeric_limits<double>::infinity();
  r.statistics->noise = -std::numeric_limits<double>::infinity();
  r.tflops = std::numeric_limits<double>::quiet_NaN();
  const std::string text = dump_line(encode(r));
  EXPECT_EQ(text.find(":nan"), std::string::npos);
  EXPECT_EQ(text.find(":inf"), std::string::npos);
  EXPECT_NE(text.find("\"nmse\":null"), std::string::npos);
  const Record back = round_trip(r);
  EXPECT_EQ(back.verdict->nmse, 0);
  EXPECT_EQ(back.tflops, 0);
}

TEST(Json, AbsentResourcesAreNullNotZero) {
  const Json json = encode(Resources{});
  EXPECT_TRUE(json.at("registers").is_null());
  EXPECT_TRUE(json.at("spill_bytes").is_null());
  EXPECT_FALSE(round_trip(Resources{}).registers.has_value());
}

TEST(Json, ErrorsNameThePlace) {
  EXPECT_EQ(refusal<Record>(R"({"variant": "x"})"), "value: the field \"problem\" is missing");
  EXPECT_EQ(refusal<Record>(R"({"problem": "1x1x1x1", "variant": 3})"), "value.variant: expected a string, found 3");
  EXPECT_EQ(refusal<Record>(R"({"problem": "1x1x1x1", "variant": "x", "verdict": {"pass": true, "nmse": "big"}})"),
            "value.verdict.nmse: expected a number, found \"big\"");
  EXPECT_EQ(refusal<Verdict>(R"({"pass": true, "worst": {"batch": -1}})"),
            "value.worst.batch: expected an integer of at least 0, found -1");
  EXPECT_EQ(refusal<Record>(R"({"problem": "1x1x1x1", "variant": "x", "samples_ns": [1, null]})"),
            "value.samples_ns[1]: expected a number, found null");
  EXPECT_EQ(refusal<Record>(R"({"problem": "1x1x1x1", "variant": "x", "config": {"A": 1.5}})"),
            "value.config.A: expected an integer, found 1.5");
  EXPECT_EQ(refusal<Record>(R"({"problem": "1x1x1x1", "variant": "x", "outcome": "odd"})"),
            "value.outcome: 'odd' is not one of measured, verified, failed, refused, cancelled, error");
  EXPECT_EQ(refusal<Record>(R"({"problem": "1x1x1x1", "variant": "x", "outcome": 3})"),
            "value.outcome: expected a string, found 3");
  EXPECT_EQ(refusal<Record>("[]"), "value: expected an object, found []");
}

TEST(Json, IntegersAreRangeChecked) {
  EXPECT_NE(refusal<Protocol>(R"({"min_samples": -1})").find("at least 0"), std::string::npos);
  EXPECT_NE(refusal<Protocol>(R"({"min_samples": 4294967296})").find("a smaller integer"), std::string::npos);
  EXPECT_NE(refusal<DeviceLimits>(R"({"max_workgroup_size": [1, 2]})").find("an array of 3"), std::string::npos);
}

TEST(Json, TextThatIsNotJsonSaysWhere) {
  const auto bad = parse_json("{\"a\": 1,\n \"b\": }", "'x.json'");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().kind, ErrorKind::bad_input);
  EXPECT_NE(bad.error().message.find("'x.json' is not JSON"), std::string::npos) << bad.error().message;
  EXPECT_NE(bad.error().message.find("line 2"), std::string::npos) << bad.error().message;
}

TEST(Json, InvalidUtf8IsReplaced) {
  Record r = sample_record();
  r.message = "\xff\xfe broken";
  EXPECT_TRUE(parse_json(dump_line(encode(r)), "text"));
}

TEST(Json, UnknownFieldsAreIgnored) {
  const auto r = decode<Record>(Json::parse(R"({"problem": "1x1x1x1", "variant": "x", "later": [1]})"), "record");
  EXPECT_TRUE(r);
}

TEST(Json, DepthAndCountHaveLimits) {
  for (const char bracket : {'[', '{'}) {
    std::string deep;
    for (int i = 0; i < 60000; ++i) deep += bracket == '[' ? "[" : "{\"a\":";
    const auto json = parse_json(deep, "it");
    ASSERT_FALSE(json);
    EXPECT_EQ(json.error().kind, ErrorKind::bad_input);
    EXPECT_NE(json.error().message.find("it is nested more than 64 deep at byte "), std::string::npos)
        << json.error().message;
  }
  EXPECT_TRUE(parse_json(std::string(64, '[') + std::string(64, ']'), "it"));
  EXPECT_TRUE(parse_json("\"" + std::string(100, '[') + "\\\"" + std::string(100, '{') + "\"", "it"))
      << "a string is not deep";
  std::string wide = "[0";
  wide.reserve(2 * kMaxJsonValues + 10);
  for (size_t i = 0; i <= kMaxJsonValues; ++i) wide += ",0";
  const auto many = parse_json(wide + "]", "it");
  ASSERT_FALSE(many);
  EXPECT_NE(many.error().message.find("it has more than 67108864 values"), std::string::npos) << many.error().message;
}

TEST(Json, ANumberThatIsTooLargeIsSaidInOurWords) {
  const auto large = parse_json(R"({"x": 1e999})", "it");
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().message, "it cannot be read: number overflow parsing '1e999'.");
}

TEST(Json, ItemsGoOneByOneAndOnlyOneCounts) {
  const std::string text =
      R"({"a": {"records": [{"no": 0}]}, "records": [{"x": [1, 2, 3]}, 5, {"x": ["]}", {"y": 4}]}, [6, 7]], "z": "records"})";
  std::vector<std::string> taken;
  const auto rest = parse_json_items(text, "it", "records", [&](Json&& item) { taken.push_back(dump_line(item)); });
  ASSERT_TRUE(rest) << rest.error().message;
  EXPECT_EQ(taken, (std::vector<std::string>{R"({"x":[1,2,3]})", R"({"x":["]}",{"y":4}]})"}));
  EXPECT_EQ(dump_line(*rest), R"({"a":{"records":[{"no":0}]},"records":[5,[6,7]],"z":"records"})");

  const auto some = [](const char* key, size_t items, const char* item) {
    std::string json = std::string("{\"") + key + "\":[";
    for (size_t i = 0; i < items; ++i) json += std::string(i == 0 ? "" : ",") + item;
    size_t count = 0;
    const auto parsed = parse_json_items(
        json + "]}", "it", "records", [&](Json&&) { ++count; }, 50);
    return parsed ? std::to_string(count) : parsed.error().message;
  };
  EXPECT_EQ(some("records", 1000, R"({"x":[1,2,3,4,5]})"), "1000");
  EXPECT_NE(some("tables", 1000, R"({"x":[1,2,3,4,5]})").find("more than 50 values"), std::string::npos);
  EXPECT_NE(some("records", 1000, "[1]").find("more than 50 values"), std::string::npos);
  EXPECT_NE(some("records", 1000, "1").find("more than 50 values"), std::string::npos);
  std::string one = R"({"x":[0)";
  for (int i = 0; i < 60; ++i) one += ",0";
  EXPECT_NE(some("records", 1, (one + "]}").c_str()).find("more than 50 values"), std::string::npos);
}

}  // namespace
}  // namespace attnscope
