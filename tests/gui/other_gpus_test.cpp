// GPUs that are not here beside the device: RADV's null winsys, which Debian 12 has, stands for all of them.

#include "app/gui/model/extra_devices.hpp"
#include "app/gui/worker/worker_thread.hpp"
#include "tests/has.hpp"

namespace attnscope::gui::other_gpus_test {

const fs::path kData = ATTNSCOPE_SOURCE_DIR;

TEST(OtherGpus, EachConfigIsCompiledForTheGpuAndTheNewestCounts) {
  const std::string gpu = "RX 7900 XTX";
  const std::vector<OfferedGpu> offered = offered_gpus(kData);
  const OfferedGpu* found = find_by(offered, gpu, &OfferedGpu::name);
  ASSERT_TRUE(found);
  if (!found->missing.empty()) GTEST_SKIP() << found->missing;
  GpuCompiler compiler({kData, {kData / "shaders"}, {}, {}, {}, {ATTNSCOPE_EXECUTABLE, "worker"}}, {});
  compiler.choose({gpu, "no such GPU"});
  /// `spills`: the answer that has the nearest config without, too.
  const auto answer_of = [&](const GpuRequest& request, const std::string& name, bool spills = false) {
    std::optional<GpuAnswer> answer;
    compiler.want(request);
    soon([&] {
      for (GpuAnswer& a : compiler.take())
        if (a.gpu == name && a.of == request && (!spills || a.without_spills)) answer = std::move(a);
      return answer.has_value();
    });
    return answer;
  };
  const auto session = make_worker_session({.command = {ATTNSCOPE_EXECUTABLE, "worker"}});
  ASSERT_TRUE(session->open("cpu"));
  const auto variants = must(session->load_variants(*read_variant_sources({kData / "shaders"}, {})));
  const VariantInfo* tiled = must(find_by(*variants, "tiled", &VariantInfo::name));
  GpuRequest request{{*parse_problem("1x16x4096x128:f16"), "tiled", default_config(*tiled)}, tiled->hash};
  EXPECT_NE(answer_of(request, "no such GPU").value_or(GpuAnswer{}).why, "");
  request.selection.config["THREAD_M"] = 4;
  request.selection.config["THREAD_N"] = 4;
  const auto large = answer_of(request, gpu);
  ASSERT_TRUE(large && large->resources && large->resources->registers) << (large ? large->why : "no answer");
  request.selection.config["THREAD_M"] = request.selection.config["THREAD_N"] = 2;
  const auto small = answer_of(request, gpu);
  ASSERT_TRUE(small && small->resources && small->resources->registers) << (small ? small->why : "no answer");
  EXPECT_LT(*small->resources->registers, *large->resources->registers);
  // One that spills is told again with the nearest config that does not.
  GpuRequest spilling = request;
  spilling.selection.problem = *parse_problem("1x1x32x256:f16");
  spilling.selection.config["THREAD_M"] = spilling.selection.config["THREAD_N"] = 4;
  spilling.selection.config = *must(answer_of(spilling, gpu, true))->without_spills;
  const auto better = answer_of(spilling, gpu);
  ASSERT_TRUE(better && better->resources);
  EXPECT_EQ(better->resources->spills, 0u);
  request.hash = "of an edit that is on no disk";
  EXPECT_NE(answer_of(request, gpu).value_or(GpuAnswer{}).why, "");
}

}  // namespace attnscope::gui::other_gpus_test
