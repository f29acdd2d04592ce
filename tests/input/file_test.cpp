#include "engine/input/file.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <fstream>
#include <thread>

namespace attnscope {
namespace {

namespace fs = std::filesystem;

class ReadFile : public testing::Test {
 protected:
  ReadFile() {
    std::string pattern = (fs::temp_directory_path() / "attnscope-file-XXXXXX").string();
    dir_ = ::mkdtemp(pattern.data());
  }
  ~ReadFile() override { fs::remove_all(dir_); }
  fs::path write(const char* name, const std::string& text) {
    std::ofstream(dir_ / name, std::ios::binary) << text;
    return dir_ / name;
  }
  static std::string refusal(const fs::path& path, uint64_t most, FileKind kind = FileKind::regular) {
    const auto text = read_file(path, most, kind);
    EXPECT_FALSE(text);
    return text ? "" : text.error().message;
  }
  fs::path dir_;
};

TEST_F(ReadFile, ReadsAllOfItUpToTheLimit) {
  const std::string text = std::string("a\0b\n", 4) + std::string(200000, 'x');
  const fs::path path = write("some", text);
  EXPECT_EQ(*read_file(path, text.size()), text);
  EXPECT_EQ(*read_file(write("empty", ""), 0), "");
  const std::string why = refusal(path, text.size() - 1);
  for (const char* part : {"200,004", "200,003", "some"}) EXPECT_NE(why.find(part), std::string::npos) << why;
  // What claims no size has some all the same.
  EXPECT_GT(read_file("/proc/self/status", 1 << 20)->size(), 100u);
  EXPECT_NE(refusal("/proc/self/status", 10).find("within 10 bytes"), std::string::npos);
}

TEST_F(ReadFile, WhatIsNoFileIsRefusedAtOnce) {
  ASSERT_EQ(::mkfifo((dir_ / "fifo").c_str(), 0600), 0);
  EXPECT_NE(refusal(dir_ / "fifo", 100).find("a pipe, not a file"), std::string::npos);
  EXPECT_NE(refusal("/dev/zero", 100).find("a device, not a file"), std::string::npos);
  EXPECT_NE(refusal(dir_, 100).find("directory"), std::string::npos);
  EXPECT_NE(refusal(dir_ / "none", 100).find("No such file"), std::string::npos);
}

TEST_F(ReadFile, AnEndlessInputEndsAtTheLimit) {
  EXPECT_NE(refusal("/dev/zero", 1 << 20, FileKind::any_input).find("1,048,576"), std::string::npos);
}

TEST_F(ReadFile, APipeThatAPersonNamesIsReadToItsEnd) {
  ASSERT_EQ(::mkfifo((dir_ / "fifo").c_str(), 0600), 0);
  // Nobody has it open for writing: nothing to wait for.
  EXPECT_EQ(*read_file(dir_ / "fifo", 100, FileKind::any_input), "");
  std::array<int, 2> fds{};
  ASSERT_EQ(::pipe2(fds.data(), O_CLOEXEC), 0);
  std::thread writer([&] {
    for (const char* word : {"one ", "two ", "three"}) {
      EXPECT_GT(::write(fds[1], word, std::strlen(word)), 0);
      std::this_thread::yield();
    }
    ::close(fds[1]);
  });
  const auto text = read_file("/dev/fd/" + std::to_string(fds[0]), 100, FileKind::any_input);
  writer.join();
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_EQ(*text, "one two three");
  ::close(fds[0]);
}

}  // namespace
}  // namespace attnscope
