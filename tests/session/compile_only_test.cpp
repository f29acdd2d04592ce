// A device whose driver has no hardware: RADV's null winsys, which Debian 12 has.
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/session/open_gpu.hpp"

namespace attnscope {
namespace {

class CompileOnlyDevice : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    catalogue_ = new GpuCatalogue(*load_gpus(ATTNSCOPE_SOURCE_DIR));
    Result<OpenGpu> open =
        open_gpu(*catalogue_, *find_gpus(*catalogue_, "RX 7900 XTX")->front(), driver_places({}), worker());
    if (!open) {
      why_ = new std::string(open.error().message);
      return;
    }
    gpu_ = new OpenGpu(std::move(*open));
    const auto sources = read_variant_sources({std::string(ATTNSCOPE_SOURCE_DIR) + "/shaders"}, {});
    variants_ = new Result<std::vector<VariantInfo>>(gpu_->session->load_variants(*sources));
  }
  static void TearDownTestSuite() {
    delete gpu_;
    gpu_ = nullptr;
  }
  void SetUp() override {
    if (!gpu_) GTEST_SKIP() << *why_;
    ASSERT_TRUE(*variants_);
  }
  static WorkerOptions worker() {
    WorkerOptions options;
    options.session.cache_dir = testing::TempDir() + "compile-only-cache";
    options.command = {ATTNSCOPE_EXECUTABLE, "worker"};
    return options;
  }
  static Result<Record> run(const Config& config, bool measure = false) {
    RunRequest request;
    request.problem = *parse_problem("1x16x4096x128:f16");
    request.variant = "tiled";
    request.config = config;
    request.verify = request.measure = measure;
    const std::atomic<bool> cancel{false};
    return gpu_->session->run(request, {}, cancel);
  }
  static GpuCatalogue* catalogue_;
  static OpenGpu* gpu_;
  static Result<std::vector<VariantInfo>>* variants_;
  static std::string* why_;
};
GpuCatalogue* CompileOnlyDevice::catalogue_ = nullptr;
OpenGpu* CompileOnlyDevice::gpu_ = nullptr;
Result<std::vector<VariantInfo>>* CompileOnlyDevice::variants_ = nullptr;
std::string* CompileOnlyDevice::why_ = nullptr;

TEST_F(CompileOnlyDevice, CompilesAndReports) {
  EXPECT_EQ(gpu_->device.use, DeviceUse::compile);
  EXPECT_EQ(gpu_->device.name, "RX 7900 XTX");
  for (int again = 0; again < 2; ++again) {  // the second is from the cache
    const auto record = run({{"BLOCK_M", 32}, {"BLOCK_N", 32}, {"THREAD_M", 4}, {"THREAD_N", 4}});
    ASSERT_TRUE(record) << record.error().message;
    EXPECT_EQ(record->outcome, Outcome::compiled) << record->message;
    EXPECT_GT(record->resources.registers.value_or(0), 32u);
    EXPECT_TRUE(record->resources.spills);
    EXPECT_TRUE(record->resources.subgroups);
    EXPECT_GT(record->resources.mix.at("all"), 100u);
    EXPECT_FALSE(record->resources.raw.empty());
    EXPECT_FALSE(record->verdict || record->statistics || record->resources.compile_ms);
    EXPECT_TRUE(record->samples_ns.empty());
  }
}

TEST_F(CompileOnlyDevice, ExecutesNothing) {
  const auto record = run({}, true);
  ASSERT_FALSE(record);
  EXPECT_EQ(record.error().kind, ErrorKind::unsupported);
  const std::atomic<bool> cancel{false};
  EXPECT_FALSE(gpu_->session->peaks({}, {}, cancel));
  TrialsRequest trials;
  trials.problem = *parse_problem("1x1x32x32");
  trials.variant = "tiled";
  trials.configs = {{}};
  EXPECT_FALSE(gpu_->session->trials(trials, {}, cancel));
}

TEST_F(CompileOnlyDevice, ShowsAssemblyAndSpirv) {
  const auto texts = gpu_->session->shader_texts({*parse_problem("1x1x32x32"), "tiled", {}});
  ASSERT_TRUE(texts) << texts.error().message;
  const auto has = [&](const char* name, const char* word) {
    return std::any_of(texts->begin(), texts->end(), [&](const ShaderText& t) {
      return t.name.find(name) != std::string::npos && t.text.find(word) != std::string::npos;
    });
  };
  EXPECT_TRUE(has("Assembly", "v_"));
  EXPECT_TRUE(has("SPIR-V", "EntryPoint"));
}

}  // namespace
}  // namespace attnscope
