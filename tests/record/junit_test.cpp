// JUnit XML of records: what counts as what, and text that would break the document.
#include "engine/record/junit.hpp"

#include <gtest/gtest.h>

#include "tests/record/sample_record.hpp"

namespace attnscope {
namespace {

Record with(Outcome outcome, const std::string& message) {
  Record r = sample_record();
  r.outcome = outcome;
  r.message = message;
  r.verdict.reset();
  return r;
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(JUnit, EachRecordIsACaseAndTheCountsAgree) {
  Record failed = with(Outcome::failed_verdict, "");
  failed.verdict = Verdict{};
  failed.verdict->reason = "3 NaN <in> \"row\" 5 & more";
  const Record ok = with(Outcome::verified, ""), refused = with(Outcome::refused, "head_dim 520"),
               broken = with(Outcome::error, "the worker died"), cancelled = with(Outcome::cancelled, "");
  Record elsewhere = ok;
  elsewhere.environment.device.name = "Another GPU";
  const std::string xml = to_junit(std::vector<JUnitCase>{{&ok, "default", false, 0.25},
                                                          {&failed, "A", false, 0.5},
                                                          {&refused, "B", true, 0},
                                                          {&refused, "C", false, 0},
                                                          {&broken, "D", false, 1},
                                                          {&cancelled, "E", false, 0},
                                                          {&elsewhere, "default", false, 2}});
  EXPECT_TRUE(
      has(xml, R"(<testsuites name="attnscope verify" tests="7" failures="1" errors="2" skipped="2" time="3.750">)"))
      << xml;
  EXPECT_TRUE(has(xml, R"(<testsuite name="Some GPU" tests="6" failures="1" errors="2" skipped="2" time="1.750")"))
      << xml;
  EXPECT_TRUE(has(xml, R"(<testsuite name="Another GPU" tests="1" failures="0")")) << xml;
  EXPECT_TRUE(has(xml, R"(timestamp="2026-11-21T00:00:00")")) << xml;
  EXPECT_TRUE(has(xml, R"(<failure message="3 NaN &lt;in&gt; &quot;row&quot; 5 &amp; more" type="failed">)")) << xml;
  EXPECT_TRUE(has(xml, R"(<skipped message="head_dim 520"/>)")) << xml;
  EXPECT_TRUE(has(xml, R"(<error message="head_dim 520" type="refused">)")) << xml;
  EXPECT_TRUE(has(xml, R"(<error message="the worker died" type="error">)")) << xml;
  EXPECT_TRUE(has(xml, R"(<skipped message="cancelled"/>)")) << xml;
  EXPECT_TRUE(has(xml, R"(<testcase classname="tiled" name="default 1x8x64x64)")) << xml;
}

TEST(JUnit, WhatXmlMayNotHoldIsShown) {
  EXPECT_EQ(xml_escaped("a<b>&\"'c"), "a&lt;b&gt;&amp;&quot;&apos;c");
  EXPECT_EQ(xml_escaped(std::string("\x1b[31m\0x", 7)), "\\x1b[31m\\x00x");
  EXPECT_EQ(xml_escaped("two\nlines\tand\r"), "two&#10;lines&#9;and&#13;");
  EXPECT_EQ(xml_escaped("µ and \xff and \xef\xbf\xbe and \xef\xbf\xbf"), "µ and \\xff and \\ufffe and \\uffff");
  EXPECT_EQ(xml_escaped("\xe2\x80\xae"), "\\u202e");
}

}  // namespace
}  // namespace attnscope
