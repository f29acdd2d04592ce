// JUnit XML, which CI servers show: a test case for each record.
#pragma once

#include "engine/record/record.hpp"

namespace attnscope {

struct JUnitCase {
  const Record* record = nullptr;
  std::string config_text;  ///< as it was asked for: "default", "BLOCK_M=32"
  bool skipped = false;     ///< could not run, and nobody insisted: no fault
  double seconds = 0;       ///< of wall time
};
/// A test suite for each device, a class for each variant. A failed verdict is a failure with its reason; what could
/// not run though it was asked for, or broke off, an error.
std::string to_junit(std::span<const JUnitCase>);

/// Text for an XML attribute. What no XML 1.0 document may hold, and what is not UTF-8, is shown as C has it ("\x1b").
std::string xml_escaped(std::string_view text);

}  // namespace attnscope
