// main() of every test executable. The tests and whatever they start keep to places inside the build tree: what a user
// has in their home (a warm cache, window settings, Vulkan layers) decides no test, and no test leaves anything there.
#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace fs = std::filesystem;

namespace {

/// In the build tree; of an executable taken to another machine, in the folder for temporary files.
fs::path test_home() {
  const fs::path home = ATTNSCOPE_TEST_HOME;
  if (fs::is_directory(home.parent_path())) return home;
  return fs::temp_directory_path() / ("attnscope-test-home-" + std::to_string(::getuid()));
}

}  // namespace

int main(int argc, char** argv) {
  // The cache is shared by the tests of a build tree and stays warm; both kinds of cache that get to lie there, ours
  // and Mesa's, take several processes at once. No test may rely on what another left.
  const fs::path home = test_home();
  const struct {
    const char* name;
    fs::path path;
  } places[] = {{"HOME", home},
                {"XDG_CACHE_HOME", home / "cache"},
                {"XDG_CONFIG_HOME", home / "config"},
                {"XDG_DATA_HOME", home / "data"},
                {"XDG_STATE_HOME", home / "state"}};
  // Rust's toolchain is found by HOME, and tests that compile an export want it.
  if (const char* own = std::getenv("HOME"); own && fs::is_directory(fs::path(own) / ".rustup"))
    ::setenv("RUSTUP_HOME", (fs::path(own) / ".rustup").c_str(), 0);
  for (const auto& place : places) {
    std::error_code error;
    fs::create_directories(place.path, error);
    ::setenv(place.name, place.path.c_str(), 1);
  }
  // Nor is it any run of the user's: a test that is about the history has one of its own.
  ::setenv("ATTNSCOPE_HISTORY", "off", 1);
  for (const char* name : {"MESA_SHADER_CACHE_DIR", "MESA_GLSL_CACHE_DIR"}) ::unsetenv(name);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
