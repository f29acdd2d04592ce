// Scripts as text: what is accepted, and how a mistake is named.
#include <gtest/gtest.h>

#include "app/gui/testing/script.hpp"

namespace attnscope::gui {
namespace {

std::string error_of(const std::string& text) {
  const auto script = parse_script(text);
  return script ? "" : script.error().message;
}

TEST(Script, ReadsActionsAndSkipsComments) {
  const auto script =
      parse_script("# a comment\n\nproblem 1x4x32x32\n  wait samples 20 timeout=5\ndump s.json every=0.2\nquit\n");
  ASSERT_TRUE(script) << script.error().message;
  ASSERT_EQ(script->size(), 4u);
  EXPECT_EQ((*script)[0].line, 3);
  EXPECT_EQ((*script)[0].words, std::vector<std::string>{"1x4x32x32"});
  EXPECT_EQ((*script)[1].timeout_s, 5);
  EXPECT_EQ((*script)[2].every_s, 0.2);
}

TEST(Script, ATextIsTakenAsItStands) {
  const auto script =
      parse_script("beside  sh -c 'echo  two   spaces; X timeout=3'  \ntype a  b\ncommand layout.explain\n");
  ASSERT_TRUE(script) << script.error().message;
  EXPECT_EQ((*script)[0].rest, "sh -c 'echo  two   spaces; X timeout=3'");
  EXPECT_EQ((*script)[1].rest, "a  b");
  EXPECT_EQ((*script)[2].rest, "layout.explain");
}

TEST(Script, MistakesNameTheLineAndWhatIsAllowed) {
  EXPECT_NE(error_of("pin\nfly away\n").find("line 2: there is no action 'fly'"), std::string::npos)
      << error_of("pin\nfly away\n");
  EXPECT_NE(error_of("set BLOCK_M\n").find("PARAMETER VALUE"), std::string::npos);
  EXPECT_NE(error_of("wait forever\n").find("samples"), std::string::npos);
  EXPECT_NE(error_of("wait samples\n").find("one number"), std::string::npos);
  EXPECT_NE(error_of("wait samples lots\n").find("one number"), std::string::npos);
  EXPECT_NE(error_of("metric speed\n").find("time|tflops|gbps"), std::string::npos);
  EXPECT_NE(error_of("wait ready timeout=soon\n").find("takes seconds"), std::string::npos);
  EXPECT_NE(error_of("scroll timing.plot\n").find("WIDGET STEPS"), std::string::npos);
  for (const char* steps : {"up", "0", "1.5", "-", "99999"})
    EXPECT_NE(error_of(std::string("scroll timing.plot ") + steps + "\n").find("whole steps"), std::string::npos)
        << steps;
  EXPECT_EQ(error_of("scroll timing.plot -3\nhover timing.plot 4 -5\ndouble-click timing.plot\n"), "");
  EXPECT_NE(error_of("hover timing.plot 4\n").find("both"), std::string::npos);
  for (const char* number : {"nan", "inf", "1e300", "-1", "0x10", "3,5"}) {
    EXPECT_NE(error_of(std::string("wait seconds ") + number + "\n").find("one number"), std::string::npos) << number;
    EXPECT_NE(error_of(std::string("wait ready timeout=") + number + "\n").find("takes seconds"), std::string::npos);
  }
  EXPECT_NE(error_of("drag timing.plot nan 4\n").find("pixels"), std::string::npos);
  EXPECT_NE(error_of("quit now\n").find("takes nothing"), std::string::npos);
  EXPECT_NE(error_of("quit timeout=3\n").find("timeout="), std::string::npos);
}

TEST(Script, AMissingFileIsNamed) {
  const auto script = read_script("/nonexistent/script.txt");
  ASSERT_FALSE(script);
  EXPECT_EQ(script.error().kind, ErrorKind::bad_input);
  EXPECT_NE(script.error().message.find("/nonexistent/script.txt"), std::string::npos);
}

}  // namespace
}  // namespace attnscope::gui
