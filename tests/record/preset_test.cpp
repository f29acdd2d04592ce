#include "engine/record/preset.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include <unistd.h>

#include <gtest/gtest.h>

#include "engine/record/results.hpp"

namespace attnscope {
namespace {

namespace fs = std::filesystem;
const fs::path kPresets = fs::path(ATTNSCOPE_SOURCE_DIR) / "assets/presets";

TEST(Presets, AllLoad) {
  const auto names = list_presets(kPresets);
  ASSERT_TRUE(names) << names.error().message;
  for (const char* expected : {"battery", "decode", "long", "odd", "quick", "speed", "system-A", "system-B", "system-C",
                               "system-D", "system-E"})
    EXPECT_TRUE(std::find(names->begin(), names->end(), expected) != names->end()) << expected;
  for (const auto& name : *names) {
    const auto preset = load_preset(kPresets, name);
    ASSERT_TRUE(preset) << preset.error().message;
    EXPECT_EQ(preset->name, name);
    EXPECT_FALSE(preset->title.empty());
    EXPECT_FALSE(preset->purpose.empty());
    std::set<std::string> texts;
    for (const Problem& p : preset->problems)
      EXPECT_TRUE(texts.insert(to_text(p)).second) << name << " repeats " << to_text(p);
  }
}

TEST(Presets, BatteryIsBroadAndSmall) {
  const auto preset = load_preset(kPresets, "battery");
  ASSERT_TRUE(preset);
  std::set<InputKind> kinds;
  std::set<DType> dtypes;
  std::set<uint32_t> groups;
  bool varlen = false, paged = false, blind_rows = false;
  for (const Problem& p : preset->problems) {
    kinds.insert(p.inputs);
    dtypes.insert(p.dtype);
    groups.insert(p.group());
    varlen |= !p.varlen.empty();
    paged |= p.page_size > 0;
    blind_rows |= p.causal && p.seq_q > p.seq_kv;
    EXPECT_LT(problem_flops(p), 2e8) << to_text(p);
  }
  EXPECT_EQ(kinds.size(), 4u);
  EXPECT_EQ(dtypes.size(), 3u);
  EXPECT_TRUE(groups.contains(1) && groups.contains(3) && groups.contains(7));
  EXPECT_TRUE(varlen && paged && blind_rows);
}

class PresetErrors : public testing::Test {
 protected:
  void SetUp() override {
    dir_ = fs::temp_directory_path() / ("attnscope_presets_" + std::to_string(::getpid()));
    fs::create_directories(dir_);
  }
  void TearDown() override { fs::remove_all(dir_); }
  std::string refusal(const char* text) {
    EXPECT_TRUE(write_text(dir_ / "bad.toml", text));
    const auto preset = load_preset(dir_, "bad");
    EXPECT_FALSE(preset) << text;
    return preset ? "" : preset.error().message;
  }
  fs::path dir_;
};

TEST_F(PresetErrors, UnknownNamesListThoseThereAre) {
  const auto preset = load_preset(kPresets, "nosuch");
  ASSERT_FALSE(preset);
  EXPECT_EQ(preset.error().kind, ErrorKind::bad_input);
  EXPECT_NE(preset.error().message.find("preset 'nosuch' is not known"), std::string::npos);
  EXPECT_NE(preset.error().message.find("quick"), std::string::npos);
  EXPECT_NE(load_preset(dir_, "x").error().message.find("none"), std::string::npos);
  EXPECT_FALSE(load_preset(dir_ / "gone", "x"));
}

TEST_F(PresetErrors, BadFilesSayWhatIsWrong) {
  EXPECT_NE(refusal("title = \"x\"\nproblems = [\"1x2x0x4\"]").find("seq (third field) is 0"), std::string::npos);
  EXPECT_NE(refusal("title = \"x\"\n\nproblems = [").find("line 3"), std::string::npos);
  EXPECT_NE(refusal("title = \"x\"\nproblem = []").find("line 2: key 'problem' is not known"), std::string::npos);
  EXPECT_NE(refusal("title = \"x\"\nproblems = \"1x1x1x1\"").find("must be an array of strings"), std::string::npos);
  EXPECT_NE(refusal("title = \"x\"\nproblems = [3]").find("strings alone"), std::string::npos);
  EXPECT_NE(refusal("title = \"x\"").find("problems is missing"), std::string::npos);
  EXPECT_NE(refusal("problems = [\"1x1x1x1\"]").find("title is missing"), std::string::npos);
}

TEST_F(PresetErrors, VariantsAndConfigsAreRead) {
  ASSERT_TRUE(
      write_text(dir_ / "p.toml",
                 "title = \"x\"\nproblems = [\"1x1x1x1\"]\nvariants = [\"a\"]\nconfigs = [\"default\", \"A=1\"]"));
  const auto preset = load_preset(dir_, "p");
  ASSERT_TRUE(preset) << preset.error().message;
  EXPECT_EQ(preset->variants, std::vector<std::string>{"a"});
  EXPECT_EQ(preset->configs, (std::vector<std::string>{"default", "A=1"}));
}

}  // namespace
}  // namespace attnscope
