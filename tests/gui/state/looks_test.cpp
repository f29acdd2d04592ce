// How long ago a run was, how a search orders what it finds: plain numbers, no window.
#include <gtest/gtest.h>

#include "app/gui/model/labels.hpp"
#include "app/gui/model/search_state.hpp"
#include "engine/record/same_device.hpp"
#include "tests/gui/state/records.hpp"

namespace attnscope::gui {
namespace {

using Names = std::vector<std::string>;

TEST(When, IsShortAndOfTheDayWhereItIsLongAgo) {
  const std::string run = "2026-11-21T10:00:00Z";
  constexpr std::time_t at = 1795255200;  // that second
  EXPECT_EQ(short_when(run, at + 20), "now");
  EXPECT_EQ(short_when(run, at + 12 * 60 + 3), "12 min ago");
  EXPECT_EQ(short_when(run, at + 5 * 3600), "5 h ago");
  EXPECT_EQ(short_when(run, at + 3 * 86400 + 60), "3 d ago");
  EXPECT_EQ(short_when(run, at + 8 * 86400), "2026-11-21");
  EXPECT_EQ(short_when(run, at - 3600), "2026-11-21") << "a clock set back";
  EXPECT_EQ(short_when("", at), "");
  EXPECT_EQ(short_when("yesterday", at), "yesterday");
  tune::TunedMatch match;
  match.entry.time_utc = run;
  EXPECT_EQ(provenance(match, at + 12 * 60), "tuned here, 12 min ago");
  match.shipped = true;
  EXPECT_EQ(provenance(match, at), "shipped table");
}

Record checked(const char* variant, int64_t block, bool pass, const char* at, const char* problem = "1x4x32x32") {
  return made({.problem = problem,
               .variant = variant,
               .config = {{"BLOCK_M", block}},
               .time = at,
               .outcome = pass ? Outcome::measured : Outcome::failed_verdict});
}

TEST(LastVerdicts, TheNewestOnWhatIsAskedCounts) {
  SessionLog tried;
  tried.note(checked("mended", 16, false, "2026-11-21T10:00:00Z"));
  tried.note(checked("mended", 32, true, "2026-11-21T10:00:01Z"));
  tried.note(checked("torn", 16, true, "2026-11-21T10:00:00Z"));
  tried.note(checked("torn", 32, true, "2026-11-21T10:00:01Z"));
  tried.note(checked("torn", 16, false, "2026-11-21T10:00:09Z"));
  tried.note(checked("elsewhere", 16, false, "2026-11-21T10:00:00Z", "1x4x64x32"));
  const std::string asked = to_text(*parse_problem("1x4x32x32"));
  EXPECT_EQ(last_wrong(tried, asked, device_key(tried.entries().front().record->environment.device)),
            std::set<std::string>{"torn"});
  EXPECT_TRUE(last_wrong(tried, asked, "another device").empty());
}

}  // namespace
}  // namespace attnscope::gui
