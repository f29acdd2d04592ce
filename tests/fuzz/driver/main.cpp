// Runs a fuzz target over files and folders of them, where there is no libFuzzer.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/fuzz/fuzz.hpp"

namespace {

namespace fs = std::filesystem;

void run(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(in), {});
  // A finding ends the process: the last line is its input's.
  std::printf("%s\n", path.c_str());
  std::fflush(stdout);
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
}

}  // namespace

int main(int argc, char** argv) {
  size_t count = 0;
  for (int i = 1; i < argc; ++i) {
    std::vector<fs::path> paths{argv[i]};
    if (fs::is_directory(argv[i])) paths.assign(fs::directory_iterator(argv[i]), {});
    for (const fs::path& path : paths) run(path), ++count;
  }
  if (count == 0) std::fprintf(stderr, "there are no inputs\n");
  return count == 0 ? 1 : 0;
}
