// A session on the best real GPU there is; without one these tests are skipped and say so.
#pragma once

#include "engine/record/preset.hpp"
#include "engine/session/session.hpp"
#include "tests/has.hpp"

namespace attnscope::testing {

/// The folder with shaders/ and assets/: the binary may run where the sources are not where they were built.
inline std::filesystem::path data_folder() {
  const char* given = std::getenv("ATTNSCOPE_DATA");
  return given != nullptr && *given != 0 ? given : ATTNSCOPE_SOURCE_DIR;
}

class GpuTest : public ::testing::Test {
 protected:
  std::unique_ptr<Session> session;
  DeviceInfo device;
  std::vector<VariantInfo> variants;
  const std::atomic<bool> go_on{false};

  void SetUp() override {
    session = make_local_session({});
    const auto opened = session->open("");
    if (!opened) GTEST_SKIP() << "no Vulkan device: " << opened.error().message;
    if (opened->type == DeviceType::software)
      GTEST_SKIP() << "no real GPU here, only " << opened->name
                   << ": matrix units, spills and occupancy cannot be seen";
    device = *opened;
    const auto sources = must(read_variant_sources({data_folder() / "shaders"}));
    const auto loaded = must(session->load_variants(*sources));
    variants = *loaded;
    for (const VariantInfo& v : variants) EXPECT_EQ(v.error, "") << v.name;
  }

  std::vector<Problem> preset(const std::string& name) {
    const auto preset = load_preset(data_folder() / "assets" / "presets", name);
    EXPECT_TRUE(preset) << preset.error().message;
    return preset ? preset->problems : std::vector<Problem>{};
  }

  static RunRequest request_of(const VariantInfo& v, const Problem& problem, const Config& config) {
    RunRequest request;
    request.problem = problem;
    request.variant = v.name;
    request.config = config;
    return request;
  }
  /// Verified at what suits; nullopt where the variant does not take the problem.
  std::optional<Record> verify(const VariantInfo& v, const Problem& problem, const Config& config,
                               bool resources = false) {
    const auto look = session->inspect(problem, v.name, config);
    EXPECT_TRUE(look) << v.name << ": " << look.error().message;
    if (!look || (!look->why_not.empty() && look->nearest.empty())) return std::nullopt;
    RunRequest request = request_of(v, problem, look->why_not.empty() ? config : look->nearest);
    request.measure = false;
    request.resources = resources;
    const auto record = session->run(request, {}, go_on);
    EXPECT_TRUE(record) << v.name << " on " << to_text(problem) << ": " << record.error().message;
    if (!record || record->outcome == Outcome::refused) return std::nullopt;
    return *record;
  }
};

}  // namespace attnscope::testing
