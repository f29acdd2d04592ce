#include "tests/record/sample_record.hpp"

namespace attnscope::json_test {

template <class T>
T round_trip(const T& value) {
  return *must(decode<T>(*must(parse_json(dump_line(encode(value)), "text")), "value"));
}
template <class T>
std::string refused(const char* text) {
  return refusal(decode<T>(Json::parse(text), "value"));
}

TEST(Json, ACompileTimeOfAnOlderFileIsNotTaken) {
  const auto old = must(decode<Resources>(Json{{"compile_ms", 0.024}}, "resources"));
  EXPECT_EQ(old->compile_ms, std::nullopt) << "nothing says that it is one";
  const auto now = must(decode<Resources>(Json{{"compile_ms", 24.0}, {"compile", "measured"}}, "resources"));
  EXPECT_EQ(now->compile_ms, 24.0);
  EXPECT_TRUE(encode(Resources{}).at("compile_ms").is_null());
}

TEST(Json, NumbersThatAreNotFiniteBecomeNullAndStayAbsent) {
  Record r = sample_record();
  r.verdict->nmse = std::numeric_limits<double>::quiet_NaN();
  r.verdict->max_abs = std::numeric_limits<double>::infinity();
  r.statistics->noise = -std::numeric_limits<double>::infinity();
  r.tflops = std::numeric_limits<double>::quiet_NaN();
  r.message = "\xff\xfe broken";  // what is no UTF-8 is replaced
  const std::string text = dump_line(encode(r));
  EXPECT_FALSE(has(text, ":nan"));
  EXPECT_FALSE(has(text, ":inf"));
  EXPECT_TRUE(has(text, "\"nmse\":null"));
  const Record back = round_trip(r);
  EXPECT_EQ(back.verdict->nmse, 0);
  EXPECT_EQ(back.tflops, 0);
}

TEST(Json, ADriversIntegersKeepAllDigits) {
  Resources r;
  for (const long double value : {18446744073709551615.0L, 1152921504606846977.0L, -9223372036854775807.0L, 0.5L})
    r.raw.push_back({"main", "a statistic", "", value});
  EXPECT_TRUE(has(dump_line(encode(r)), "18446744073709551615"));
  EXPECT_EQ(round_trip(r), r);
}

TEST(Json, ErrorsNameThePlace) {
  const std::string head = R"({"problem": "1x1x1x1", "variant": "x", )";
  const std::vector<std::pair<std::string, const char*>> cases{
      {R"({"variant": "x"})", ": the field \"problem\" is missing"},
      {R"({"problem": "1x1x1x1", "variant": 3})", ".variant: expected a string, found 3"},
      {head + R"("verdict": {"pass": true, "nmse": "big"}})", ".verdict.nmse: expected a number, found \"big\""},
      {head + R"("verdict": {"pass": true, "worst": {"batch": -1}}})",
       ".verdict.worst.batch: expected an integer of at least 0, found -1"},
      {head + R"("samples_ns": [1, null]})", ".samples_ns[1]: expected a number, found null"},
      {head + R"("config": {"A": 1.5}})", ".config.A: expected an integer, found 1.5"},
      {head + R"("outcome": "odd"})",
       ".outcome: 'odd' is not one of measured, verified, compiled, failed, refused, cancelled, error"},
      {head + R"("outcome": 3})", ".outcome: expected a string, found 3"},
      {"[]", ": expected an object, found []"}};
  for (const auto& [text, says] : cases) EXPECT_EQ(refused<Record>(text.c_str()), std::string("value") + says);
  EXPECT_TRUE(has(refused<Protocol>(R"({"min_samples": -1})"), "at least 0"));
  EXPECT_TRUE(has(refused<Protocol>(R"({"min_samples": 4294967296})"), "a smaller integer"));
  EXPECT_TRUE(has(refused<DeviceLimits>(R"({"max_workgroup_size": [1, 2]})"), "an array of 3"));
  EXPECT_TRUE(decode<Record>(Json::parse(head + R"("later": [1]})"), "record")) << "what is unknown is ignored";
  EXPECT_TRUE(
      fails(parse_json("{\"a\": 1,\n \"b\": }", "'x.json'"), ErrorKind::bad_input, "'x.json' is not JSON", "line 2"));
}

TEST(Json, DepthAndCountHaveLimits) {
  for (const char bracket : {'[', '{'}) {
    std::string deep;
    for (int i = 0; i < 60000; ++i) deep += bracket == '[' ? "[" : "{\"a\":";
    EXPECT_TRUE(fails(parse_json(deep, "it"), ErrorKind::bad_input, "it is nested more than 64 deep at byte "));
  }
  EXPECT_TRUE(parse_json(std::string(64, '[') + std::string(64, ']'), "it"));
  EXPECT_TRUE(parse_json("\"" + std::string(100, '[') + "\\\"" + std::string(100, '{') + "\"", "it"))
      << "a string is not deep";
  std::string wide = "[0";
  wide.reserve(2 * kMaxJsonValues + 10);
  for (size_t i = 0; i <= kMaxJsonValues; ++i) wide += ",0";
  EXPECT_TRUE(fails(parse_json(wide + "]", "it"), "it has more than 67108864 values"));
}

TEST(Json, ItemsGoOneByOneAndOnlyOneCounts) {
  const std::string text =
      R"({"a": {"records": [{"no": 0}]},
          "records": [{"x": [1, 2, 3]}, 5, {"x": ["]}", {"y": 4}]}, [6, 7]], "z": "records"})";
  std::vector<std::string> taken;
  const auto rest =
      must(parse_json_items(text, "it", "records", [&](Json&& item) { taken.push_back(dump_line(item)); }));
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
  EXPECT_TRUE(has(some("tables", 1000, R"({"x":[1,2,3,4,5]})"), "more than 50 values"));
  EXPECT_TRUE(has(some("records", 1000, "[1]"), "more than 50 values"));
  EXPECT_TRUE(has(some("records", 1000, "1"), "more than 50 values"));
  std::string one = R"({"x":[0)";
  for (int i = 0; i < 60; ++i) one += ",0";
  EXPECT_TRUE(has(some("records", 1, (one + "]}").c_str()), "more than 50 values"));
}

}  // namespace attnscope::json_test
