#include "engine/record/columns.hpp"

#include <gtest/gtest.h>

namespace attnscope::labels_test {

using Labels = std::vector<std::string>;

TEST(Labels, SayWhatDiffersFromTheDefaultsAndNoMore) {
  const Config d{{"BLOCK_M", 64}, {"BLOCK_N", 64}, {"STAGES", 1}};
  const std::vector<ConfigName> blocks{{"tiled", d, "default", d},
                                       {"tiled", {{"BLOCK_M", 16}, {"BLOCK_N", 32}, {"STAGES", 1}}, "", d},
                                       {"tiled", {{"BLOCK_M", 64}, {"BLOCK_N", 64}, {"STAGES", 2}}, "", d}};
  EXPECT_EQ(short_labels(blocks), (Labels{"tiled default", "tiled BLOCK_M=16,BLOCK_N=32", "tiled STAGES=2"}));
  EXPECT_EQ(short_config_labels(blocks).front(), "default");
  const Config a{{"A", 1}};
  const std::vector<ConfigName> named{
      {"v", {{"A", 2}}, "fast", a}, {"v", a, "", a}, {"peer", {}, "graph", {}}, {"peer", {}, "", {}}};
  EXPECT_EQ(short_labels(named), (Labels{"v fast", "v default", "peer graph", "peer"}));
}

TEST(Labels, WithoutDefaultsTheyTellTheConfigsApart) {
  const std::vector<ConfigName> two{{"v", {{"A", 1}, {"B", 1}, {"C", 3}}}, {"v", {{"A", 1}, {"B", 2}, {"C", 3}}}};
  EXPECT_EQ(short_config_labels(two), (Labels{"B=1", "B=2"}));
  EXPECT_EQ(short_config_labels(std::span(two).first(1)), Labels{"A=1,B=1,C=3"});
  // Two result files of different versions: what "default" was has changed.
  const std::vector<ConfigName> ties{{"v", {{"A", 1}, {"B", 1}}, "default"}, {"v", {{"A", 2}, {"B", 1}}, "default"}};
  EXPECT_EQ(short_config_labels(ties), (Labels{"A=1,B=1", "A=2,B=1"}));
}

}  // namespace attnscope::labels_test
