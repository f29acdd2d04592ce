#include "engine/record/junit.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "engine/visible.hpp"

namespace attnscope {
namespace {

struct Counts {
  size_t tests = 0, failures = 0, errors = 0, skipped = 0;
  double seconds = 0;
};

enum class Kind { passed, failure, error, skipped };
Kind kind_of(const JUnitCase& c) {
  switch (c.record->outcome) {
    case Outcome::measured:
    case Outcome::verified: return Kind::passed;
    case Outcome::failed_verdict: return Kind::failure;
    case Outcome::cancelled: return Kind::skipped;
    case Outcome::refused: return c.skipped ? Kind::skipped : Kind::error;
    case Outcome::error: break;
  }
  return Kind::error;
}

std::string why(const Record& r) {
  const bool failed = r.verdict && !r.verdict->pass;
  const std::string text = failed ? r.verdict->reason : r.message;
  return text.empty() ? std::string(to_text(r.outcome)) : text;
}

Counts count(std::span<const JUnitCase* const> cases) {
  Counts n;
  for (const JUnitCase* c : cases) {
    const Kind kind = kind_of(*c);
    ++n.tests;
    n.failures += kind == Kind::failure;
    n.errors += kind == Kind::error;
    n.skipped += kind == Kind::skipped;
    n.seconds += c->seconds;
  }
  return n;
}
std::string attributes(const Counts& n) {
  return fmt::format(R"(tests="{}" failures="{}" errors="{}" skipped="{}" time="{:.3f}")", n.tests, n.failures,
                     n.errors, n.skipped, n.seconds);
}

std::string test_case(const JUnitCase& c) {
  const Record& r = *c.record;
  std::string name = c.config_text.empty() ? to_text(r.config) : c.config_text;
  name += fmt::format(" {} seed={}", to_text(r.problem), r.seed);
  std::string text = fmt::format(R"(    <testcase classname="{}" name="{}" time="{:.3f}")", xml_escaped(r.variant),
                                 xml_escaped(name), c.seconds);
  const char* tag = nullptr;
  switch (kind_of(c)) {
    case Kind::passed: return text + "/>\n";
    case Kind::failure: tag = "failure"; break;
    case Kind::error: tag = "error"; break;
    case Kind::skipped: tag = "skipped"; break;
  }
  const std::string reason = xml_escaped(why(r));
  const std::string detail =
      xml_escaped(fmt::format("{} {} on {}: {}", r.variant, to_text(r.config), to_text(r.problem), why(r)));
  if (kind_of(c) == Kind::skipped)
    return text + fmt::format(">\n      <skipped message=\"{}\"/>\n    </testcase>\n", reason);
  return text + fmt::format(">\n      <{0} message=\"{1}\" type=\"{2}\">{3}</{0}>\n    </testcase>\n", tag, reason,
                            to_text(r.outcome), detail);
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
        for (const char c : plain) {
          switch (c) {
            case '&': shown += "&amp;"; break;
            case '<': shown += "&lt;"; break;
            case '>': shown += "&gt;"; break;
            case '"': shown += "&quot;"; break;
            case '\'': shown += "&apos;"; break;
            default: shown += c;
          }
        }
      });
  // Two code points that are UTF-8 and no XML character.
  for (const auto& [bytes, sign] : {std::pair("\xef\xbf\xbe", "\\ufffe"), std::pair("\xef\xbf\xbf", "\\uffff")})
    for (size_t at = 0; (at = shown.find(bytes, at)) != std::string::npos;) shown.replace(at, 3, sign);
  return shown;
}

std::string to_junit(std::span<const JUnitCase> cases) {
  std::vector<std::vector<const JUnitCase*>> suites;  // one a device, in order of appearance
  std::vector<const JUnitCase*> all;
  for (const JUnitCase& c : cases) {
    all.push_back(&c);
    const auto own = [&](const auto& suite) {
      return suite.front()->record->environment.device.name == c.record->environment.device.name;
    };
    const auto at = std::find_if(suites.begin(), suites.end(), own);
    (at == suites.end() ? suites.emplace_back() : *at).push_back(&c);
  }
  std::string text =
      fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"attnscope verify\" {}>\n",
                  attributes(count(all)));
  for (const auto& suite : suites) {
    const Environment& e = suite.front()->record->environment;
    // Without the Z, as JUnit's schema has it.
    std::string time = e.time_utc;
    if (time.ends_with('Z')) time.pop_back();
    text += fmt::format("  <testsuite name=\"{}\" {} timestamp=\"{}\">\n    <properties>\n",
                        xml_escaped(e.device.name.empty() ? "unknown device" : e.device.name), attributes(count(suite)),
                        xml_escaped(time));
    for (const auto& [name, value] : {std::pair("driver", e.device.driver), std::pair("attnscope", e.program_version)})
      text += fmt::format("      <property name=\"{}\" value=\"{}\"/>\n", name, xml_escaped(value));
    text += "    </properties>\n";
    for (const JUnitCase* c : suite) text += test_case(*c);
    text += "  </testsuite>\n";
  }
  return text + "</testsuites>\n";
}

}  // namespace attnscope
