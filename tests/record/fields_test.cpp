// The tables of fields: that each is complete, and that each of its rows travels.
#include "engine/record/fields.hpp"
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

TEST(Fields, Travel) {
  expect_all_travel<MatrixShape, MatrixLayout, CompileOnly, DeviceLimits, DeviceInfo, VariantSource, Parameter,
                    ConstraintDecl, NamedConfig, ParameterChoices, Precision, Verdict::Worst, Verdict, Statistics,
                    Comparison, Protocol, RawResource, Resources, Ceiling, Peaks, Floor, LaunchFit, Advice, Environment,
                    Record, ComparedSide, RowComparison>();
}

// What declare() asks at compile time would have refused the table of device limits that lacked its last one.
template <class T>
inline constexpr bool kAllOfThem =
    HasMembers<T, kRows<T>> && !HasMembers<T, kRows<T> - 1> && !HasMembers<T, kRows<T> + 1>;
static_assert(kAllOfThem<DeviceLimits> && kAllOfThem<DeviceInfo> && kAllOfThem<Statistics> && kAllOfThem<Record>);

TEST(Fields, RefuseAMemberOrANameTwice) {
  EXPECT_NO_THROW(declare(field("a", &Pair::a), field("b", &Pair::b)));
  EXPECT_THROW(declare(field("a", &Pair::a), field("b", &Pair::a)), const char*);
  EXPECT_THROW(declare(field("a", &Pair::a), field("a", &Pair::b)), const char*);
}

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
}  // namespace attnscope
