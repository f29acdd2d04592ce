#include "engine/page/page.hpp"
#include "engine/record/results.hpp"
#include "tests/files.hpp"
#include "tests/record/sample_record.hpp"

namespace attnscope::page_test {

PageAssets assets() { return *must(read_page_assets(shipped("assets/report"))); }

/// What the script reads.
Json data_in(const std::string& page) {
  const std::string begin = "<script type=\"application/json\" id=\"data\">";
  const size_t from = page.find(begin) + begin.size(), to = page.find("</script>", from);
  return *must(parse_json(page.substr(from, to - from), "data"));
}
Json column(const Json& data, const std::string& name) {
  for (const Json& c : data["columns"])
    if (c["name"] == name) return c;
  ADD_FAILURE() << "no column " << name;
  return {};
}

TEST(Page, HoldsEveryColumnOfTheTables) {
  const std::vector<Record> records{sample_record(), another(sample_record())};
  const Json data = data_in(make_page(records, assets()));
  EXPECT_EQ(data["count"], 2);
  for_each_column<Record>(nullptr, [&](const auto*, const Hint& hint) { column(data, hint.column); });
  EXPECT_EQ(column(data, "problem")["all"], to_text(records[0].problem));
  EXPECT_EQ(column(data, "variant")["words"][0], "tiled");
  EXPECT_EQ(column(data, "median_ns")["values"][0], records[0].statistics->median);
  for (const auto& [name, unit] : {std::pair{"median_ns", "ns"},
                                   {"min_sample_us", "µs"},
                                   {"protocol_min_ms", "ms"},
                                   {"scratch_bytes", "B"},
                                   {"shared_bytes_driver", "B"},
                                   {"noise", "fraction"},
                                   {"flops", "FLOP"},
                                   {"tflops", "TFLOP/s"},
                                   {"variant", ""}})
    EXPECT_EQ(column(data, name)["unit"], unit) << name;
  EXPECT_EQ(column(data, "settled")["unit"], "truth");
  EXPECT_EQ(data["environments"][data["environment"][0].get<size_t>()]["device"]["limits"]["core_count"], 132);
  EXPECT_EQ(data["commands"]["words"][data["commands"]["values"][0].get<size_t>()], command_of(records[0]));
  EXPECT_EQ(data["samples"][0].size(), records[0].samples_ns.size());
  EXPECT_EQ(data["notes"][0][0], records[0].message);
}

TEST(Page, WhatIsNotMeasuredIsNoZero) {
  Record a = sample_record(), b = sample_record();
  a.statistics.reset();
  a.tflops = 0;
  a.verdict->max_abs = std::nan("");
  const Json data = data_in(make_page(std::vector{a, b}, assets()));
  for (const char* name : {"median_ns", "tflops", "max_abs"}) {
    EXPECT_TRUE(column(data, name)["values"][0].is_null()) << name;
    EXPECT_TRUE(column(data, name)["values"][1].is_number()) << name;
  }
  EXPECT_EQ(data_in(make_page({}, assets()))["count"], 0);
}

TEST(Page, NoTextBecomesMarkup) {
  const std::string evil = "</script><script>alert(1)</script><!--<img src=x onerror=alert(1)>&\"'";
  Record r = sample_record();
  r.variant = r.config_name = r.message = r.environment.device.name = r.environment.device.driver = evil;
  r.environment.host_os = r.verdict->reason = r.resources.raw[0].name = evil;
  r.config = {{evil, 1}};
  r.verdict->pass = true;
  r.outcome = Outcome::measured;
  const std::string page = make_page(std::vector{r, sample_record()}, assets(), evil);
  EXPECT_FALSE(has(page, "<script>alert"));
  EXPECT_FALSE(has(page, "<img"));
  EXPECT_FALSE(has(page, "<!--<"));
  EXPECT_EQ(count_of(page, "<script"), 2u) << "the data and the page's own";
  EXPECT_EQ(count_of(page, "</script"), 2u);
  EXPECT_EQ(column(data_in(page), "variant")["words"][0], evil) << "it is shown as it is";
}

TEST(Page, LoadsNothing) {
  const std::string page = make_page(std::vector{sample_record()}, assets());
  for (const char* from_elsewhere : {"http://", "https://", "url(", "@import", " src=", "fetch(", "XMLHttpRequest",
                                     "innerHTML", "outerHTML", "document.write", "eval("}) {
    std::string without = page;
    // The name of SVG's elements, which nothing fetches.
    for (size_t at; (at = without.find("http://www.w3.org/2000/svg")) != without.npos;) without.erase(at, 26);
    EXPECT_FALSE(has(without, from_elsewhere));
  }
  EXPECT_TRUE(has(page, "default-src 'none'"));
}

TEST(Page, GrowsNoFasterThanItsRecords) {
  Record r = sample_record();
  r.samples_ns.assign(5000, 12345.678901234567);
  for (size_t i = 0; i < r.samples_ns.size(); ++i) r.samples_ns[i] += double(i % 97);
  std::vector<Record> records(2'000, r);
  for (size_t i = 0; i < records.size(); ++i) {
    records[i].config["BLOCK_M"] = int64_t(i);
    records[i].environment.time_utc = fmt::format("2026-11-21T{:02}:{:02}:{:02}Z", i / 3600, i / 60 % 60, i % 60);
  }
  const std::string page = make_page(records, assets());
  EXPECT_LT(page.size(), size_t{3} << 20);
  EXPECT_EQ(data_in(page)["environments"].size(), 1u) << "what they share is there once";
}

TEST(Thinned, KeepsTheLeastAndTheLargest) {
  std::vector<double> samples(1000, 5);
  samples[300] = 1;
  samples[700] = 9;
  const auto few = thinned(samples, 20);
  ASSERT_EQ(few.size(), 20u);
  EXPECT_EQ(*std::ranges::min_element(few), 1);
  EXPECT_EQ(*std::ranges::max_element(few), 9);
  EXPECT_EQ(thinned(samples, 1000), samples);
  EXPECT_TRUE(thinned(samples, 0).empty());
}

TEST(CommandOf, SaysWhatSetsTheRunApart) {
  Record r{.problem = *parse_problem("1x16x4096x128:causal:f16"),
           .variant = "coopmat",
           .config = {{"BLOCK_M", 64}, {"ROWS", 2}},
           .seed = 1,
           .environment = {.device = {.name = "Some GPU (it's)"}, .program_version = "0.1.0"}};
  EXPECT_EQ(command_of(r),
            "attnscope bench --device 'Some GPU (it'\\''s)' --variant coopmat --config BLOCK_M=64,ROWS=2 --problem " +
                to_text(r.problem));
  r.protocol.cache = CacheMode::cold;
  r.protocol.launch = LaunchMode::back_to_back;
  r.protocol.min_ms = 60;
  r.protocol.target_noise = 0.25;
  r.seed = 7;
  EXPECT_TRUE(command_of(r).ends_with("--seed 7 --cold --launch back-to-back --min-ms 60 --noise 0.25"))
      << command_of(r);
  r.outcome = Outcome::verified;
  EXPECT_TRUE(command_of(r).starts_with("attnscope verify")) << command_of(r);
  r.environment.program_version = "torch 2.11";
  EXPECT_EQ(command_of(r), "");
}

}  // namespace attnscope::page_test
