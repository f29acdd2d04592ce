// The tables of fields: that each is complete, and that each of its rows travels.
#include "engine/record/results.hpp"
#include "tests/record/sample_record.hpp"

namespace attnscope {
namespace fields_test {

struct Pair {
  int a = 0, b = 0;
};
/// Members into which braces could be elided, or which could be made of anything.
struct Odd {
  std::array<uint32_t, 3> array{};
  std::array<Pair, 2> pairs{};
  Pair pair;
  std::optional<double> number;
  std::optional<Pair> no_pair;
  std::optional<std::string> text;
  std::vector<std::array<int, 3>> arrays;
  std::map<std::string, Pair> map;
  std::string_view view;
  bool flag = false;
};
static_assert(HasMembers<Odd, 10> && !HasMembers<Odd, 9> && !HasMembers<Odd, 11> && !HasMembers<Odd, 14>);
struct OddAndArray {
  Odd odd;
  int last[3] = {};
};
static_assert(!HasMembers<OddAndArray, 1>, "a member is noticed even where it cannot have a row");

enum class Sparse { first, second, fifth = 4 };
static_assert(kEnumerators<Outcome> == 7 && kEnumerators<DeviceType> == 5 && kEnumerators<DType> == 3);
static_assert(kEnumerators<Sparse> == 0);

}  // namespace fields_test

namespace {

using fields_test::Pair;

TEST(Fields, TravelAndRefuseAMemberOrANameTwice) {
  expect_all_travel<MatrixShape, MatrixLayout, CompileOnly, DeviceLimits, DeviceInfo, VariantSource, Parameter,
                    ConstraintDecl, NamedConfig, ParameterChoices, Precision, Verdict::Worst, Verdict, Statistics,
                    Comparison, Protocol, RawResource, Resources, Ceiling, Peaks, Floor, LaunchFit, Advice, Environment,
                    Record, ComparedSide, RowComparison>();
  EXPECT_NO_THROW(declare(field("a", &Pair::a), field("b", &Pair::b)));
  EXPECT_THROW(declare(field("a", &Pair::a), field("b", &Pair::a)), const char*);
  EXPECT_THROW(declare(field("a", &Pair::a), field("a", &Pair::b)), const char*);
}

// What declare() asks at compile time would have refused the table of device limits that lacked its last one.
template <class T>
inline constexpr bool kAllOfThem =
    HasMembers<T, kRows<T>> && !HasMembers<T, kRows<T> - 1> && !HasMembers<T, kRows<T> + 1>;
static_assert(kAllOfThem<DeviceLimits> && kAllOfThem<DeviceInfo> && kAllOfThem<Statistics> && kAllOfThem<Record>);

TEST(Fields, AsColumnsStayTheSameWhenAStructIsNotThere) {
  const auto columns = [](const Record* record) {
    std::vector<std::string> names;
    size_t values = 0;
    for_each_column(record, [&](const auto* value, const Hint& hint) {
      names.push_back(hint.column);
      values += value != nullptr;
    });
    return std::pair(names, values);
  };
  const Record full = sample_record(), empty;
  EXPECT_EQ(columns(&full).second, columns(&full).first.size());
  EXPECT_EQ(columns(&empty).first, columns(&full).first);
  EXPECT_EQ(columns(&empty).second,
            columns(&full).second - kRows<Statistics> - (kRows<Verdict> - 4 + kRows<Verdict::Worst>)-5)
      << "worst has columns of its own, not_finite and the worst row none; the last five are the floor's and of what "
         "was predicted";
  EXPECT_EQ(columns(nullptr).first, columns(&full).first);
  EXPECT_EQ(columns(nullptr).second, 0u);
}

/// `now` has what `kept` had: the same values under the same keys in the same order, and perhaps more keys.
void expect_extends(const Json& now, const Json& kept, const std::string& place) {
  // Of a file from before `compile`, the time is not taken (mend_older): a cache may have answered.
  if (place.ends_with(".resources.compile_ms") && now.is_null()) return;
  if (kept.is_object()) {
    ASSERT_TRUE(now.is_object()) << place;
    auto next = now.begin();
    for (const auto& [key, value] : kept.items()) {
      while (next != now.end() && next.key() != key) ++next;
      ASSERT_TRUE(next != now.end()) << place << "." << key << " is gone, or not where it was";
      expect_extends(next.value(), value, place + "." + key);
    }
  } else if (kept.is_array()) {
    ASSERT_TRUE(now.is_array() && now.size() == kept.size()) << place;
    for (size_t i = 0; i < kept.size(); ++i) expect_extends(now[i], kept[i], place + "[" + std::to_string(i) + "]");
  } else {
    ASSERT_EQ(now, kept) << place;
  }
}
TEST(Fields, OfKeptResultsAreWrittenAsTheyWere) {
  size_t files = 0;
  for (const auto& entry : fs::directory_iterator(ATTNSCOPE_SOURCE_DIR "/docs/results")) {
    if (entry.path().extension() != ".json") continue;
    SCOPED_TRACE(entry.path().filename().string());
    const auto results = must(read_results(entry.path()));
    if (!results->program.starts_with("attnscope"))
      continue;  // another program may write fields in an order of its own
    const auto kept = parse_json(*read_text(entry.path()), "it");
    expect_extends(*parse_json(results_to_json(*results), "it"), *kept, "");
    ++files;
  }
  EXPECT_GT(files, 0u);
}

}  // namespace
template <class T>
T round_trip(const T& value) {
  return *must(decode<T>(*must(parse_json(dump_line(encode(value)), "text")), "value"));
}
template <class T>
std::string refused(const char* text) {
  return refusal(decode<T>(Json::parse(text), "value"));
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

TEST(Json, ADriversIntegersKeepAllDigitsAndACompileTimeOfAnOlderFileIsNotTaken) {
  Resources r;
  for (const long double value : {18446744073709551615.0L, 1152921504606846977.0L, -9223372036854775807.0L, 0.5L})
    r.raw.push_back({"main", "a statistic", "", value});
  EXPECT_TRUE(has(dump_line(encode(r)), "18446744073709551615"));
  EXPECT_EQ(round_trip(r), r);
  const auto old = must(decode<Resources>(Json{{"compile_ms", 0.024}}, "resources"));
  EXPECT_EQ(old->compile_ms, std::nullopt) << "nothing says that it is one";
  const auto now = must(decode<Resources>(Json{{"compile_ms", 24.0}, {"compile", "measured"}}, "resources"));
  EXPECT_EQ(now->compile_ms, 24.0);
  EXPECT_TRUE(encode(Resources{}).at("compile_ms").is_null());
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

}  // namespace attnscope
