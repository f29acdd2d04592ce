// How long ago a run was, how a search orders what it finds: plain numbers, no window.
#include <gtest/gtest.h>

#include "app/gui/model/device_state.hpp"
#include "app/gui/model/labels.hpp"
#include "app/gui/model/search_state.hpp"
#include "app/gui/model/session_log.hpp"
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

TEST(Search, ANameComesBeforeWhatOnlyHasTheWordInItsDescription) {
  DeviceState k;
  std::vector<VariantInfo> all;
  const auto add = [&](const char* name, const char* title, const char* error = "") {
    VariantInfo v;
    v.name = name;
    v.title = title;
    v.error = error;
    all.push_back(v);
  };
  add("decode", "For one query row");
  add("naive", "Three passes, row by row");
  add("myrow", "Another");
  add("row", "Row by row");
  add("rowwise", "Wider");
  add("torn", "row of errors", "torn/a.comp:3: error");
  k.list_variants(all);
  Catalogue c;
  const auto names = [&] {
    Names out;
    for (const auto& r : c.open()) out.push_back(k.variants[r.variant].name);
    return out;
  };
  const Problem problem = *parse_problem("1x4x32x32");
  c.step(k, problem, "decode", "ROW");
  EXPECT_EQ(names(), (Names{"row", "rowwise", "myrow", "torn", "decode", "naive"}));
  c.step(k, problem, "decode", "");
  EXPECT_EQ(names(), (Names{"torn", "decode", "naive", "myrow", "row", "rowwise"})) << "as they were";
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
