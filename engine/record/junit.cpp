#include "engine/record/report.hpp"

#include "engine/visible.hpp"

namespace attnscope {
namespace {

enum Kind { passed, failure, error, skipped };
constexpr std::array kTags{"", "failure", "error", "skipped"};
Kind kind_of(const JUnitCase& c) {
  const Outcome outcome = c.record->outcome;
  if (outcome == Outcome::failed_verdict) return failure;
  if (outcome == Outcome::cancelled || (outcome == Outcome::refused && c.skipped)) return skipped;
  return outcome == Outcome::error || outcome == Outcome::refused ? error : passed;
}

std::string attributes(std::span<const JUnitCase* const> cases) {
  std::array<size_t, kTags.size()> n{};
  double seconds = 0;
  for (const JUnitCase* c : cases) {
    ++n[kind_of(*c)];
    seconds += c->seconds;
  }
  return fmt::format(R"(tests="{}" failures="{}" errors="{}" skipped="{}" time="{:.3f}")", cases.size(), n[failure],
                     n[error], n[skipped], seconds);
}

std::string test_case(const JUnitCase& c) {
  const Record& r = *c.record;
  const Kind kind = kind_of(c);
  const std::string config = to_text(r.config), problem = to_text(r.problem);
  const std::string name =
      fmt::format("{} {} seed={}", c.config_text.empty() ? config : c.config_text, problem, r.seed);
  const std::string text = fmt::format(R"(    <testcase classname="{}" name="{}" time="{:.3f}")",
                                       xml_escaped(r.variant), xml_escaped(name), c.seconds);
  if (kind == passed) return text + "/>\n";
  std::string why = r.why();
  if (why.empty()) why = to_text(r.outcome);
  const std::string open = fmt::format("{}>\n      <{} message=\"{}\"", text, kTags[kind], xml_escaped(why));
  if (kind == skipped) return open + "/>\n    </testcase>\n";
  return open + fmt::format(" type=\"{}\">{}</{}>\n    </testcase>\n", to_text(r.outcome),
                            xml_escaped(fmt::format("{} {} on {}: {}", r.variant, config, problem, why)), kTags[kind]);
}

}  // namespace

std::string xml_escaped(std::string_view text) {
  std::string shown;
  split_controls(
      text,
      [&](uint32_t c, size_t, size_t) {
        if (c == '\n' || c == '\t' || c == '\r')
          shown += fmt::format("&#{};", c);
        else
          shown += shown_control(c);
      },
      [&](std::string_view plain) {
        constexpr std::string_view kSigns = "&<>\"'";
        constexpr const char* kNames[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"};
        for (const char c : plain) {
          const size_t sign = kSigns.find(c);
          shown += sign == kSigns.npos ? std::string(1, c) : kNames[sign];
        }
      });
  // Two code points that are UTF-8 and no XML character.
  for (const auto& [bytes, sign] : {std::pair("\xef\xbf\xbe", "\\ufffe"), std::pair("\xef\xbf\xbf", "\\uffff")})
    for (size_t at = 0; (at = shown.find(bytes, at)) != std::string::npos;) shown.replace(at, 3, sign);
  return shown;
}

std::string to_junit(std::span<const JUnitCase> cases) {
  Ordered<std::string, std::vector<const JUnitCase*>> suites;  // by device
  std::vector<const JUnitCase*> all;
  for (const JUnitCase& c : cases) {
    all.push_back(&c);
    suites[c.record->environment.device.name].push_back(&c);
  }
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"attnscope verify\" {}>\n", attributes(all));
  for (const auto& [device, suite] : suites) {
    const Environment& e = suite.front()->record->environment;
    // Without the Z, as JUnit's schema has it.
    std::string time = e.time_utc;
    if (time.ends_with('Z')) time.pop_back();
    text += fmt::format("  <testsuite name=\"{}\" {} timestamp=\"{}\">\n    <properties>\n",
                        xml_escaped(device.empty() ? "unknown device" : device), attributes(suite), xml_escaped(time));
    for (const auto& [name, value] : {std::pair("driver", e.device.driver), std::pair("attnscope", e.program_version)})
      text += fmt::format("      <property name=\"{}\" value=\"{}\"/>\n", name, xml_escaped(value));
    text += "    </properties>\n";
    for (const JUnitCase* c : suite) text += test_case(*c);
    text += "  </testsuite>\n";
  }
  return text + "</testsuites>\n";
}

}  // namespace attnscope
