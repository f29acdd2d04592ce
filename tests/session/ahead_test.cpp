// Pipelines made ahead: which, in which order, and for whom.
#include "engine/session/ahead.hpp"

#include "tests/has.hpp"

namespace attnscope::ahead_test {

constexpr double kLongMs = 60'000;

std::vector<Wanted> configs(std::initializer_list<int64_t> numbers) {
  return mapped(numbers, [](int64_t n) { return Wanted{nullptr, {}, {{"N", n}}}; });
}

/// Each config takes until it is let go.
struct Gate {
  std::mutex mutex;
  std::condition_variable changed;
  std::set<int64_t> open;
  std::vector<int64_t> made;

  std::function<Ahead::Make()> maker() {
    return [this] {
      return [this](const Wanted& wanted) {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return open.contains(wanted.config.at("N")); });
        made.push_back(wanted.config.at("N"));
        return Candidate{};
      };
    };
  }
  void let(std::initializer_list<int64_t> numbers) {
    const std::lock_guard lock(mutex);
    open.insert(numbers);
    changed.notify_all();
  }
};

TEST(Ahead, ComesInTheOrderInWhichPipelinesGetReadyAndLaterOnesWait) {
  Gate gate;
  Ahead ahead(3, gate.maker());
  ahead.begin(configs({1, 2}), configs({3}));
  EXPECT_FALSE(ahead.next(1));
  gate.let({3});
  EXPECT_TRUE(soon([&] { return ahead.later_ready(); }));
  EXPECT_FALSE(ahead.ready()) << "it is not of this request";
  gate.let({2});
  EXPECT_EQ(ahead.next(kLongMs)->index, 1u);
  EXPECT_FALSE(ahead.all_made());
  gate.let({1});
  EXPECT_EQ(ahead.next(kLongMs)->index, 0u);
  EXPECT_TRUE(ahead.all_made());
  ahead.begin(configs({9, 3}), {});
  EXPECT_EQ(ahead.next(kLongMs)->index, 1u);
  EXPECT_EQ(gate.made, (std::vector<int64_t>{3, 2, 1})) << "each once";
  gate.let({9});
  EXPECT_EQ(ahead.next(kLongMs)->index, 0u);
  ahead.begin(configs({3, 3}), {});
  EXPECT_EQ(ahead.next(kLongMs)->index + ahead.next(kLongMs)->index, 0u + 1u) << "what is asked for twice comes twice";
}

TEST(Ahead, WhatWasBegunOrMadeServesWhoAsksForItLater) {
  Gate gate;
  Ahead ahead(1, gate.maker());
  ahead.begin(configs({1}), {});
  ahead.begin(configs({2}), configs({1}));  // its thread may be at 1
  gate.let({1, 2});
  EXPECT_EQ(ahead.next(kLongMs)->index, 0u);
  EXPECT_TRUE(soon([&] { return ahead.later_ready(); }));
  ahead.begin(configs({1}), {});
  EXPECT_TRUE(soon([&] { return ahead.ready(); }));
  ahead.begin(configs({5}), configs({1}));  // nobody took it
  EXPECT_TRUE(ahead.later_ready());
  ahead.begin({}, {});
  EXPECT_FALSE(ahead.later_ready());
  EXPECT_TRUE(ahead.all_made());
  gate.let({5});
}

}  // namespace attnscope::ahead_test
