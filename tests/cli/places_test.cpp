// Where a run leaves things, and that no test leaves any in the user's home.
#include <cstdlib>

#include "tests/cli/run_binary.hpp"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kSmallVerify{"verify",    "--device",  "cpu",  "--problem",
                                            "1x1x16x16", "--variant", "naive"};

TEST(Places, TestsAndWhatTheyStartKeepToTheBuildTree) {
  const fs::path tree = fs::path(ATTNSCOPE_EXECUTABLE).parent_path().parent_path();
  for (const char* name : {"HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"}) {
    const char* value = std::getenv(name);
    ASSERT_NE(value, nullptr) << name;
    EXPECT_EQ(std::string(value).rfind((tree / "tests" / "home").string(), 0), 0u) << name << " is " << value;
    EXPECT_TRUE(fs::is_directory(value)) << name;
  }
}

TEST(Places, ARunWritesOnlyIntoTheCacheFolder) {
  const TempDir dir;
  const std::string home = dir.path() / "home", cache = dir.path() / "cache";
  fs::create_directories(home);
  const Finished run = run_binary(kSmallVerify, "HOME=" + quoted(home) + " XDG_CACHE_HOME=" + quoted(cache) +
                                                    " XDG_CONFIG_HOME= XDG_DATA_HOME= XDG_STATE_HOME=");
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(fs::is_empty(home)) << fs::directory_iterator(home)->path();
  EXPECT_TRUE(fs::is_directory(fs::path(cache) / "attnscope"));
}

TEST(Places, AHomeThatCannotBeWrittenToIsNoFailure) {
  // Not even root can make a folder there.
  const Finished run = run_binary(kSmallVerify, "HOME=/proc XDG_CACHE_HOME=");
  EXPECT_EQ(run.code, 0) << run.err;
}

}  // namespace
}  // namespace attnscope
