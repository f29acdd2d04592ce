// What the correctness panel keeps of an answer, and of which run it shows it.
#include "app/gui/model/correctness.hpp"

#include "tests/gui/state/records.hpp"

namespace attnscope::gui::correctness_test {

Record asked() { return made({.problem = "1x2x20x8", .config = {{"A", 1}}, .samples = 0}); }

std::shared_ptr<ErrorMapAnswer> answer() {
  auto a = std::make_shared<ErrorMapAnswer>();
  a->record = asked();
  a->record.verdict.emplace();
  ErrorMap& map = a->map.emplace(ErrorMap{.queries = 20, .dims = 8, .rows = 20, .columns = 8, .failing = 2});
  map.cells.assign(160, 0.01);
  map.cells[3 * 8 + 5] = 40;
  map.cells[19 * 8 + 7] = kNotANumber;
  map.first = {{0, 0, 3, 5, 1, 2, 0.1, ""}, {0, 0, 19, 7, 0, 2, 0.1, "NaN"}};
  map.worst = map.first[1];
  return a;
}

TEST(CorrectnessTest, AnAnswerIsShownOfItsRunAlone) {
  Correctness c;
  c.asked({"x", ""});
  c.take(answer(), "");
  EXPECT_TRUE(c.of(asked()));
  const auto other = [&](auto change) {
    Record r = asked();
    change(r);
    return c.of(r) != nullptr;
  };
  EXPECT_FALSE(other([](Record& r) { r.environment.shader_hash = "edited"; }));
  EXPECT_FALSE(other([](Record& r) { r.environment.device.name = "another"; }));
  EXPECT_FALSE(other([](Record& r) { r.config["A"] = 2; }));
  EXPECT_FALSE(other([](Record& r) { r.problem.seq_q = 21; }));
  EXPECT_FALSE(other([](Record& r) { r.seed = 2; }));
  EXPECT_TRUE(other([](Record& r) { r.protocol.cache = CacheMode::cold; })) << "modes change no result";
}

TEST(CorrectnessTest, SteppingGoesRoundThroughTheFailingElements) {
  Correctness c;
  EXPECT_EQ(c.element(), nullptr);
  c.step(1);
  c.take(answer(), "");
  for (const auto& [by, query] : {std::pair{0, 3u}, {1, 19u}, {1, 3u}, {-1, 19u}}) {
    if (by != 0) c.step(by);
    EXPECT_EQ(c.element()->query, query);
  }
}

TEST(CorrectnessTest, AGridOfFewerCellsHasTheWorstOfEachAndColoursTellHowNearTheToleranceItComes) {
  const auto a = answer();
  const ErrorGrid all = decimated(*a->map, 100, 100);
  EXPECT_EQ(std::tuple(all.columns, all.rows, all.cells), std::tuple(8u, 20u, a->map->cells));
  const ErrorGrid few = decimated(*a->map, 3, 7);
  EXPECT_EQ(std::tuple(few.columns, few.rows, few.dims, few.queries), std::tuple(3u, 7u, 3u, 3u));
  EXPECT_EQ(few.cells[1 * 3 + 1], 40) << "query 3, dim 5";
  EXPECT_EQ(few.cells.back(), kNotANumber);
  EXPECT_EQ(heat_of_error(0), 0);
  EXPECT_EQ(heat_of_error(1e-9), 0);
  EXPECT_EQ(heat_of_error(1), 1);
  EXPECT_LT(heat_of_error(0.01), heat_of_error(0.1));
  EXPECT_EQ(class_of(kUnchecked), ErrorClass::unchecked);
  EXPECT_EQ(class_of(1), ErrorClass::right);
  EXPECT_EQ(class_of(1.1), ErrorClass::failing);
  EXPECT_EQ(class_of(kNotANumber), ErrorClass::not_a_number);
}

TEST(CorrectnessTest, WhatCameToNothingSaysWhyAndAWorkersNonsenseIsRefused) {
  Correctness c;
  c.take(nullptr, "the worker was killed");
  EXPECT_EQ(c.failure, "the worker was killed");
  auto none = answer();
  none->map.reset();
  none->record.message = "Needs more shared memory.";
  c.take(none, "");
  EXPECT_EQ(c.failure, "Needs more shared memory.");
  EXPECT_FALSE(c.of(asked()));
  auto nonsense = answer();
  nonsense->map->cells.pop_back();
  c.take(nonsense, "");
  EXPECT_NE(c.failure, "");
  EXPECT_FALSE(c.of(asked()));
}

}  // namespace attnscope::gui::correctness_test
