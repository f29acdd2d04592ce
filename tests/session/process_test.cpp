#include <signal.h>
#include <sys/wait.h>

#include "engine/platform/process.hpp"
#include "engine/session/rpc.hpp"
#include "tests/has.hpp"

namespace attnscope::process_test {

size_t open_descriptors() {
  size_t n = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator("/proc/self/fd")) ++n;
  return n;
}

std::string read_all(int fd) {
  std::string text;
  char buffer[256];
  for (ssize_t n = 0; (n = ::read(fd, buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<size_t>(n));
  return text;
}

/// A zombie counts as ended: its new parent may need a moment to reap it.
bool running(pid_t pid) {
  const std::string text = read_file("/proc/" + std::to_string(pid) + "/stat");
  return !text.empty() && text.find(") Z") == std::string::npos;
}
void expect_ends(pid_t pid) {
  EXPECT_TRUE(soon([&] { return !running(pid); }));
}

std::unique_ptr<Process> start(const std::vector<std::string>& argv) { return std::move(*must(Process::start(argv))); }
std::pair<Fd, Fd> make_pipe() {
  std::array<int, 2> fds{};
  EXPECT_EQ(::pipe2(fds.data(), O_CLOEXEC), 0);
  return {Fd(fds[0]), Fd(fds[1])};
}

TEST(Process, SaysHowItEnded) {
  EXPECT_EQ(start({"sh", "-c", "exit 3"})->stop(5), "exited with code 3");
  EXPECT_EQ(start({"sh", "-c", "kill -9 $$"})->stop(5), "was killed by signal 9 (Killed)");
  EXPECT_EQ(start({"sleep", "100"})->stop(0), "was ended");
  EXPECT_EQ(command_text({"ssh", "box", "attnscope worker"}), "ssh box 'attnscope worker'");
  // One that ignores a request to end is killed.
  auto process = start({"sh", "-c", "trap '' TERM; echo ready; while :; do sleep 1; done"});
  char ready[6];
  ASSERT_EQ(::read(process->output(), ready, sizeof ready), 6);
  EXPECT_EQ(process->stop(0, 0.2), "was ended");
  EXPECT_EQ(::kill(process->pid(), 0), -1) << "it still runs, or was not reaped";
}

TEST(Process, WhatAShellStartedEndsToo) {
  auto process = start({"sh", "-c", "sleep 1000 & echo $!; wait"});
  std::string text;
  for (char c = 0; ::read(process->output(), &c, 1) == 1 && c != '\n';) text += c;
  const pid_t grandchild = std::stoi(text);
  ASSERT_EQ(::kill(grandchild, 0), 0);
  process->stop(0);
  expect_ends(grandchild);
}

TEST(Process, ChildrenGetNoDescriptorsOfOursAndLeaveNoneAndNoZombies) {
  const int leaky = ::dup(0);  // not close-on-exec
  // 0, 1, 2 and the one that ls opens the folder with.
  EXPECT_EQ(std::stoi(read_all(start({"sh", "-c", "ls /proc/self/fd | wc -l"})->output())), 4);
  ::close(leaky);
  const size_t before = open_descriptors();
  for (int i = 0; i < 20; ++i) start({"true"});
  for (int i = 0; i < 5; ++i) (void)Process::start({"/nowhere"});
  EXPECT_EQ(open_descriptors(), before);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "there is a child left to wait for";
}

TEST(Process, ChildrenEndWhenTheirOwnerIsKilled) {
  auto [from_owner, to_test] = make_pipe();
  const pid_t owner = ::fork();
  if (owner == 0) {
    // It heeds nothing that can be not heeded.
    auto process = Process::start({"sh", "-c", "trap '' TERM HUP INT; echo ready; while :; do sleep 1; done"});
    char ready[6];
    if (!process || ::read((*process)->output(), ready, sizeof ready) != 6) ::_exit(1);
    const pid_t child = (*process)->pid();
    if (::write(to_test.get(), &child, sizeof child) != sizeof child) ::_exit(1);
    for (;;) ::pause();
  }
  pid_t child = 0;
  ASSERT_EQ(::read(from_owner.get(), &child, sizeof child), static_cast<ssize_t>(sizeof child));
  ::kill(owner, SIGKILL);
  ASSERT_EQ(::waitpid(owner, nullptr, 0), owner);
  expect_ends(child);
}

TEST(LineSplitter, CutsWhateverTheChunksAndMovesTheRestOfManyShortLinesOnce) {
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
  LineSplitter lines;
  std::string line;
  size_t n = 0;
  const std::string short_lines(4 << 20, '\n');  // moved by each, it would be 8 TB
  lines.add(short_lines);
  while (lines.next(line)) ++n;
  EXPECT_EQ(n, short_lines.size());
  EXPECT_FALSE(lines.overflow());
  lines.add("rest");
  EXPECT_EQ(lines.take_rest(), "rest");
}

TEST(LineWriter, AClosedReaderIsAnErrorAndNoSignalAndOneThatDoesNotReadTimesOut) {
  auto [read, write] = make_pipe();
  read.reset();
  struct sigaction before {};
  sigaction(SIGPIPE, nullptr, &before);
  ASSERT_EQ(before.sa_handler, SIG_DFL) << "the test is worth something only while SIGPIPE would kill";
  EXPECT_TRUE(fails(LineWriter(write.get()).write("hello"), "Broken pipe"));
  auto [unread, full] = make_pipe();
  ::fcntl(full.get(), F_SETFL, ::fcntl(full.get(), F_GETFL) | O_NONBLOCK);
  EXPECT_TRUE(fails(LineWriter(full.get()).write(std::string(1 << 20, 'x'), 0.1), "of 1048577 bytes"));
}

}  // namespace attnscope::process_test
