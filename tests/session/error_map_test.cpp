// A request for where a result is wrong: it travels, it is limited, it can be cancelled.
#include "engine/record/json_fields.hpp"
#include "engine/session/fields_session.hpp"
#include "engine/session/rpc.hpp"
#include "tests/session/cpu_session.hpp"

namespace attnscope::error_map_test {

TEST(ErrorMapRequestTest, WhatIsOutsideItsRangeIsRefusedWithTheRange) {
  const ErrorMapRequest r{.problem = *parse_problem("2x3x8x8")};
  EXPECT_TRUE(check_request(r));
  const std::vector<std::pair<const char*, void (*)(ErrorMapRequest&)>> changes{
      {"batches 0 to 1", [](auto& o) { o.batch = 2; }},
      {"heads 0 to 2", [](auto& o) { o.head = 3; }},
      {"from 1 to 256", [](auto& o) { o.cells = 257; }},
      {"from 1 to 256", [](auto& o) { o.cells = 0; }},
      {"1024 at most", [](auto& o) { o.elements = 1025; }}};
  for (const auto& [says, change] : changes) {
    ErrorMapRequest other = r;
    change(other);
    EXPECT_TRUE(fails(check_request(other), says));
  }
}

TEST(ErrorMapAnswerTest, TheLargestIsFarBelowTheLongestLine) {
  ErrorMapAnswer answer;
  answer.map.emplace();
  answer.map->cells.assign(size_t{kMostErrorCells} * kMostErrorCells, 0.000123);
  answer.map->heads.assign(ErrorMap::kMostHeads, 0.000123);
  answer.map->first.assign(kMostErrorElements,
                           {1, 2, 30000, 100, 0.123456789012345, 0.123456789012346, 1e-5, "never written"});
  EXPECT_LT(dump_line(encode(answer)).size(), LineSplitter::kMaxLine / 32);
}

/// Through the real worker, on the software device.
TEST(ErrorMapOfWorker, IsOfItsRunAndWhatCannotRunIsARefusedRecordAndACancelEndsIt) {
  const std::unique_ptr<Session> session = worker_session(shipped_sources({"row"}));
  std::atomic<bool> cancel{false};
  ErrorMapRequest r{.problem = *parse_problem("2x3x33x32:causal"), .variant = "row", .config = {{"LANES", 8}}};
  r.batch = 1;
  r.head = 2;
  std::vector<std::string> stages;
  const auto answer = must(session->error_map(r, note_stages(stages), cancel));
  EXPECT_EQ(answer->record.outcome, Outcome::verified);
  EXPECT_EQ(answer->record.config.at("LANES"), 8);
  EXPECT_FALSE(answer->record.environment.shader_hash.empty());
  EXPECT_TRUE(answer->record.samples_ns.empty());
  const auto map = must(answer->map);
  EXPECT_EQ(std::tuple(map->batch, map->head, map->failing, map->rows_checked, map->cells.size()),
            std::tuple(1u, 2u, 0u, 33u, 33u * 32u));
  EXPECT_NE(std::ranges::find(stages, "reference"), stages.end());

  r.config = {{"LANES", 7}};
  const auto refused = must(session->error_map(r, {}, cancel));
  EXPECT_EQ(refused->record.outcome, Outcome::refused);
  EXPECT_FALSE(refused->map);
  EXPECT_FALSE(refused->record.message.empty());
  r.config.clear();
  r.head = 9;
  EXPECT_TRUE(fails(session->error_map(r, {}, cancel), ErrorKind::bad_input));
  r.head = 0;
  r.variant = "none";
  EXPECT_FALSE(session->error_map(r, {}, cancel));

  const Problem small = std::exchange(r.problem, *parse_problem("2x4x2000x64"));
  r.variant = "row";
  const auto cancelled = must(session->error_map(
      r, [&](const Event&) { cancel = true; }, cancel));
  EXPECT_EQ(cancelled->record.outcome, Outcome::cancelled) << cancelled->record.message;
  EXPECT_FALSE(cancelled->map);
  cancel = false;
  r.problem = small;
  EXPECT_TRUE(must(session->error_map(r, {}, cancel))->map);
}

}  // namespace attnscope::error_map_test
