#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>

#include "engine/input/file.hpp"
#include "engine/input/toml.hpp"
#include "tests/has.hpp"

namespace attnscope::file_test {

struct ReadFile : testing::Test {
  fs::path write(const char* name, const std::string& text) {
    write_file(dir_ / name, text);
    return dir_ / name;
  }
  static std::string refusal(const fs::path& path, uint64_t most, FileKind kind = FileKind::regular) {
    return attnscope::refusal(read_file(path, most, kind));
  }
  const TempDir temporary_;
  const fs::path dir_ = temporary_.path();
};

TEST_F(ReadFile, ReadsAllOfItUpToTheLimit) {
  const std::string text = std::string("a\0b\n", 4) + std::string(200000, 'x');
  const fs::path path = write("some", text);
  EXPECT_EQ(*read_file(path, text.size()), text);
  EXPECT_EQ(*read_file(write("empty", ""), 0), "");
  EXPECT_TRUE(has(refusal(path, text.size() - 1), "200,004", "200,003", "some"));
  // What claims no size has some all the same.
  EXPECT_GT(read_file("/proc/self/status", 1 << 20)->size(), 100u);
  EXPECT_TRUE(has(refusal("/proc/self/status", 10), "within 10 bytes"));
  // An endless input ends at the limit.
  EXPECT_TRUE(has(refusal("/dev/zero", 1 << 20, FileKind::any_input), "1,048,576"));
}

TEST_F(ReadFile, WhatIsNoFileIsRefusedAtOnceAndWhatIsKeptIsAFileOrAFreeName) {
  ASSERT_EQ(::mkfifo((dir_ / "fifo").c_str(), 0600), 0);
  EXPECT_TRUE(has(refusal(dir_ / "fifo", 100), "a pipe, not a file"));
  EXPECT_TRUE(has(refusal("/dev/zero", 100), "a device, not a file"));
  EXPECT_TRUE(has(refusal(dir_, 100), "directory"));
  EXPECT_TRUE(has(refusal(dir_ / "none", 100), "No such file"));
  fs::create_symlink("/dev/null", dir_ / "link");
  EXPECT_TRUE(check_own_file(write("some", "text")));
  EXPECT_TRUE(check_own_file(dir_ / "none"));
  for (const fs::path& path : {dir_ / "fifo", dir_ / "link", dir_, fs::path("/dev/null")}) {
    EXPECT_TRUE(fails(check_own_file(path), ErrorKind::bad_input)) << path;
  }
  std::array<int, 2> fds{};
  ASSERT_EQ(::pipe2(fds.data(), O_CLOEXEC), 0);
  EXPECT_TRUE(is_stream("/dev/fd/" + std::to_string(fds[1])));
  EXPECT_TRUE(is_stream("/dev/null"));
  EXPECT_FALSE(is_stream(dir_ / "fifo"));
  EXPECT_FALSE(is_stream(dir_ / "some"));
  for (const int fd : fds) ::close(fd);
}

TEST_F(ReadFile, ALockIsHadByOneAtATime) {
  const FileLock mine(dir_ / "lock");
  EXPECT_EQ(mine.error(), 0);
  EXPECT_EQ(FileLock(dir_ / "lock", {}, std::chrono::milliseconds(50)).error(), EWOULDBLOCK);
  // What no interrupt ends waits for longer than a test may last.
  std::atomic<bool> cancel{true};
  EXPECT_EQ(FileLock(dir_ / "lock", {{}, &cancel}, std::chrono::hours(1)).error(), EWOULDBLOCK);
}

TEST_F(ReadFile, APipeThatAPersonNamesIsReadToItsEnd) {
  ASSERT_EQ(::mkfifo((dir_ / "fifo").c_str(), 0600), 0);
  // Nobody has it open for writing: nothing to wait for.
  EXPECT_EQ(*read_file(dir_ / "fifo", 100, FileKind::any_input), "");
  std::array<int, 2> fds{};
  ASSERT_EQ(::pipe2(fds.data(), O_CLOEXEC), 0);
  const std::jthread writer([&] {
    for (const char* word : {"one ", "two ", "three"}) {
      EXPECT_GT(::write(fds[1], word, std::strlen(word)), 0);
      std::this_thread::yield();
    }
    ::close(fds[1]);
  });
  EXPECT_EQ(*must(read_file("/dev/fd/" + std::to_string(fds[0]), 100, FileKind::any_input)), "one two three");
  ::close(fds[0]);
}

std::string dotted(size_t parts) {
  std::string key = "a";
  for (size_t i = 1; i < parts; ++i) key += ".a";
  return key;
}

TEST(Toml, ANulDoesNotCutAnError) {
  const toml::table table = parse_toml("\"a\\u0000b\" = 1\n");
  try {
    TomlReader(table, "", {"title"});
    FAIL();
  } catch (const TomlError& e) {
    EXPECT_STREQ(e.what(), "unknown key 'a\\x00b'; known here: title");
    EXPECT_EQ(e.line, 1u);
  }
}

std::optional<TomlError> fault(std::string_view text) {
  try {
    (void)parse_toml(text);
    return std::nullopt;
  } catch (const TomlError& e) {
    return e;
  }
}

TEST(Toml, KeysOfTooManyPartsAreRefusedWithTheirLine) {
  for (const std::string& text :
       {"x = 1\n" + dotted(50000) + " = 1\n", "x = 1\n[" + dotted(50000) + "]\n", "x = 1\n[[" + dotted(50000) + "]]\n",
        "x = 1\ny = { " + dotted(50000) + " = 1 }\n", "x = '''\n'''" + dotted(50000) + " = 1\n"}) {
    const auto found = fault(text);
    ASSERT_TRUE(found) << text.substr(0, 30);
    EXPECT_EQ(found->line, 2u) << text.substr(0, 30);
    EXPECT_TRUE(has(found->what(), "more than 32 parts"));
  }
  EXPECT_FALSE(fault(dotted(32) + " = 1\n"));
}

TEST(Toml, DeepValuesAndLongTextsAreFaultsTooAndDotsOfTextsNumbersAndCommentsAreNoKeys) {
  EXPECT_TRUE(fault("a = " + std::string(60000, '[')));
  std::string tables = "a = ";
  for (int i = 0; i < 60000; ++i) tables += "{a = ";
  EXPECT_TRUE(fault(tables));
  EXPECT_TRUE(fault("a = \"" + std::string(2 << 20, 'x') + "\""));
  const auto open = must(fault("b = 1\na = \"not closed"));
  EXPECT_EQ(open->line, 2u);
  std::string dots(100, '.'), numbers;
  for (int i = 0; i < 100; ++i) numbers += "1.5, ";
  const std::string text = "# " + dots + "\na = \"" + dots + "\\\"" + dots + "\"\nb = '" + dots + "'\nc = \"\"\"\n\"" +
                           dots + "\n" + dots + "\"\"\"\"\nd = '''" + dots + "''" + dots + "'''\ne = [" + numbers +
                           "]\n\"" + dots + "\" = 1\n";
  EXPECT_EQ(parse_toml(text)["e"].as_array()->size(), 100u);
}

}  // namespace attnscope::file_test
