// Where wrong kernels are wrong, on the software device.
#include "engine/session/session.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/session/cpu_session.hpp"

namespace attnscope {
namespace {

constexpr const char* kNames[] = {"ONE_ROW_OF_500", "LAST_HEAD", "LAST_BATCH"};

class WrongMap : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const std::string shader = read_file(shipped("tests/wrong/wrong.comp"));
    const auto common = shipped_sources({"row"}).front().common;
    std::vector<VariantSource> sources;
    for (const char* name : kNames) {
      VariantSource source;
      source.name = name;
      source.common = common;
      source.files["wrong.comp"] = shader;
      source.files["manifest.toml"] = fmt::format(
          "title = \"{}\"\nsummary = \"Wrong.\"\ndtypes = [\"f32\"]\n[[pass]]\nname = \"work\"\nshader = "
          "\"wrong.comp\"\ngrid = [\"seq_q\", \"batch * heads_q\"]\ndefines = {{ {} = 1 }}\n",
          name, name);
      sources.push_back(std::move(source));
    }
    session_ = cpu_session(sources);
  }
  static void TearDownTestSuite() { session_.reset(); }

  ErrorMapAnswer map(const char* variant, const char* problem) {
    ErrorMapRequest request;
    request.problem = *parse_problem(problem);
    request.variant = variant;
    request.worst_head = true;
    auto answer = session_->error_map(request, {}, kGoOn);
    EXPECT_TRUE(answer) << variant << ": " << (answer ? "" : answer.error().message);
    if (!answer || !answer->map) {
      ADD_FAILURE() << variant << ": there is no map. " << (answer ? answer->record.message : "");
      ErrorMapAnswer none;
      none.record.verdict.emplace();
      none.map.emplace();
      none.map->first.resize(1);
      return none;
    }
    return std::move(*answer);
  }
  static inline std::unique_ptr<Session> session_;
};

TEST_F(WrongMap, OneWrongRowOf500IsTheOnlyOneThatFails) {
  const ErrorMapAnswer a = map("ONE_ROW_OF_500", "1x2x500x32");
  EXPECT_EQ(a.record.outcome, Outcome::failed_verdict);
  ASSERT_FALSE(a.map->first.empty());
  for (const ErrorElement& e : a.map->first) EXPECT_EQ(e.query, 137u);
  ASSERT_TRUE(a.map->first_of_all);
  EXPECT_EQ(a.map->first_of_all->query, 137u);
  EXPECT_EQ(a.map->first_of_all->dim, a.map->first.front().dim);
}

TEST_F(WrongMap, TheWorstHeadIsTakenAndTheOthersAreRight) {
  const ErrorMapAnswer head = map("LAST_HEAD", "1x3x40x32");
  EXPECT_EQ(head.map->head, 2u);
  EXPECT_GT(head.map->failing, 0u);
  ASSERT_EQ(head.map->heads.size(), 3u);
  EXPECT_LE(head.map->heads[0], 1);
  EXPECT_LE(head.map->heads[1], 1);
  EXPECT_GT(head.map->heads[2], 1);
  const ErrorMapAnswer batch = map("LAST_BATCH", "3x2x40x32");
  EXPECT_GE(batch.map->batch, 1u) << "head 0 of all batches but the first";
  EXPECT_EQ(batch.map->head, 0u);
}

}  // namespace
}  // namespace attnscope
