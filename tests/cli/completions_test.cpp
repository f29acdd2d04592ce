// What the program tells shells and man of its commands.
#include "tests/cli/run_binary.hpp"

namespace attnscope {
namespace {

TEST(Completions, EachShellTakesThem) {
  const TempDir dir;
  for (const char* shell : {"bash", "zsh", "fish", "man"}) {
    const std::string text = run_ok({"completions", shell}).out;
    EXPECT_TRUE(has(text, "bench", "sweep", "baseline")) << shell;
    write_file(dir.path() / shell, text);
    const std::string check = std::string(shell) == "man"
                                  ? "LC_ALL=C.UTF-8 man --warnings -l man 2>&1 >/dev/null | diff - /dev/null"
                                  : std::string(shell) + " -n " + shell;
    const bool there = std::system(("command -v " + std::string(shell) + " >/dev/null").c_str()) == 0;
    if (there) {
      EXPECT_EQ(std::system(("cd " + quoted(dir.path()) + " && " + check).c_str()), 0) << shell;
    }
  }
  EXPECT_EQ(std::system(("cd " + quoted(dir.path()) +
                         " && bash -c '. ./bash; COMP_WORDS=(attnscope bench --ab-sh); COMP_CWORD=2; _attnscope; "
                         "test \"${COMPREPLY[*]}\" = --ab-shaders'")
                            .c_str()),
            0);
  EXPECT_TRUE(ends(run_binary({"completions", "tcsh"}), 2, "tcsh"));
}

}  // namespace
}  // namespace attnscope
