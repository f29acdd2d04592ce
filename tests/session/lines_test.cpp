#include "engine/session/lines.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <string>
#include <vector>

namespace attnscope {
namespace {

std::pair<Fd, Fd> make_pipe() {
  std::array<int, 2> fds{};
  EXPECT_EQ(::pipe2(fds.data(), O_CLOEXEC), 0);
  return {Fd(fds[0]), Fd(fds[1])};
}

TEST(LineSplitter, CutsWhateverTheChunks) {
  const std::string text = "one\ntwo\r\n\nthree";
  for (size_t chunk = 1; chunk <= text.size(); ++chunk) {
    LineSplitter lines;
    std::vector<std::string> got;
    std::string line;
    for (size_t i = 0; i < text.size(); i += chunk) {
      lines.add(std::string_view(text).substr(i, chunk));
      while (lines.next(line)) got.push_back(line);
    }
    EXPECT_EQ(got, (std::vector<std::string>{"one", "two", ""})) << "chunks of " << chunk;
    EXPECT_EQ(lines.take_rest(), "three");
  }
}

TEST(LineWriter, AClosedReaderIsAnErrorAndNoSignal) {
  auto [read, write] = make_pipe();
  read.reset();
  struct sigaction before {};
  sigaction(SIGPIPE, nullptr, &before);
  ASSERT_EQ(before.sa_handler, SIG_DFL) << "the test is worth something only while SIGPIPE would kill";
  LineWriter writer(write.get());
  const Result<void> result = writer.write("hello");
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("Broken pipe"), std::string::npos) << result.error().message;
}

TEST(LineWriter, AReaderThatDoesNotReadTimesOut) {
  auto [read, write] = make_pipe();
  ::fcntl(write.get(), F_SETFL, ::fcntl(write.get(), F_GETFL) | O_NONBLOCK);
  LineWriter writer(write.get());
  const Result<void> result = writer.write(std::string(1 << 20, 'x'), 0.1);
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("of 1048577 bytes"), std::string::npos) << result.error().message;
}

TEST(LineSplitter, ManyShortLinesMoveTheRestOnce) {
  LineSplitter lines;
  std::string line;
  size_t n = 0;
  const std::string text(4 << 20, '\n');  // moved by each, it would be 8 TB
  lines.add(text);
  while (lines.next(line)) ++n;
  EXPECT_EQ(n, text.size());
  EXPECT_FALSE(lines.overflow());
  lines.add("rest");
  EXPECT_EQ(lines.take_rest(), "rest");
}

}  // namespace
}  // namespace attnscope
