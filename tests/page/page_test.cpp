// The page: what it holds; and in a browser, where there is one: it works, says nothing on the console, sorts, filters,
// turns dark.
#include "engine/page/page.hpp"
#include "engine/record/results.hpp"
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

std::string browser() {
  for (const char* name : {"chromium", "chromium-browser", "google-chrome"})
    if (std::system(fmt::format("command -v {} >/dev/null 2>&1", name).c_str()) == 0) return name;
  return "";
}

struct PageInABrowser : testing::Test {
  void SetUp() override {
    if (browser().empty()) GTEST_SKIP() << "there is no Chromium here (apt-get install chromium)";
  }
  static std::string page_of(std::span<const Record> records) { return make_page(records, assets()); }
  /// The document once `script` has run in the page; whatever the page threw is in its attribute data-errors.
  std::string after(std::string page, const std::string& script, int width = 1280, bool dark = false) {
    const std::string head = "<meta charset=\"utf-8\">";
    page.insert(page.find(head),
                "<script>window.onerror = (m) => { document.documentElement.dataset.errors = "
                "(document.documentElement.dataset.errors || '') + m; }; "
                "console.error = console.warn = (m) => window.onerror(String(m));</script>");
    const std::string end = "</body>";
    page.insert(page.rfind(end),
                "<script>document.documentElement.dataset.said = String((() => {" + script + "})());</script>");
    write_file(dir_.path() / "page.html", page);
    const std::string out = (dir_.path() / "dom.html").string();
    const std::string command = fmt::format(
        "HOME={0} timeout 300 {1} --headless --no-sandbox --disable-gpu --disable-dev-shm-usage "
        "--user-data-dir={0}/profile "
        "--window-size={2},900 {3} --virtual-time-budget=5000 --dump-dom file://{0}/page.html >{4} 2>{0}/err",
        dir_.path().string(), browser(), width, dark ? "--blink-settings=preferredColorScheme=0" : "", out);
    EXPECT_EQ(std::system(command.c_str()), 0) << read_file(dir_.path() / "err");
    return read_file(out);
  }
  static std::string said(const std::string& dom) {
    const std::string name = "data-said=\"";
    const size_t at = dom.find(name);
    if (at == dom.npos) return "nothing";
    return dom.substr(at + name.size(), dom.find('"', at + name.size()) - at - name.size());
  }
  static bool quiet(const std::string& dom) { return dom.find("data-errors") == dom.npos; }
  const TempDir dir_;
};

std::vector<Record> shipped_records() {
  std::vector<Record> all;
  for (const char* file : {"docs/results/2026-11-21-h200-speed.json", "docs/results/2026-11-21-h200-dvtile.json"}) {
    const auto results = must(read_results(shipped(file)));
    all.insert(all.end(), results->records.begin(), results->records.end());
  }
  return all;
}

TEST_F(PageInABrowser, ShowsEverySectionAndSorts) {
  const std::string dom = after(page_of(shipped_records()), R"(
    const sections = [...document.querySelectorAll('section')].filter((s) => !s.hidden).map((s) => s.id).join(' ');
    const heads = [...document.querySelectorAll('#records th button')];
    const click = (title) => heads.find((b) => b.textContent === title).click();
    const at = (title) => heads.findIndex((b) => b.textContent === title) + 1;
    const cells = (title) =>
      [...document.querySelectorAll(`#records tbody td:nth-child(${at(title)})`)].map((c) => c.textContent);
    const units = { ns: 1, 'µs': 1e3, ms: 1e6, s: 1e9 };
    const ns = (text) => parseFloat(text.replace(/,/g, '')) * units[text.split(' ')[1]];
    const rising = (list) => list.length > 30 && list.every((x, i) => i === 0 || list[i - 1] <= x);
    click('median');
    const up = rising(cells('median').map(ns));
    click('median');
    const down = rising(cells('median').map(ns).reverse());
    click('variant');
    const names = cells('variant').every(
      (v, i, all) => i === 0 || all[i - 1].localeCompare(v, 'en', { numeric: true }) <= 0);
    const filter = document.getElementById('filter');
    filter.value = 'DVTILE block_m=64';
    filter.dispatchEvent(new Event('input'));
    const count = (selector) => document.querySelectorAll(selector).length;
    return [sections, up, down, names, cells('variant').length, count('#timings svg .mark') > 2,
      count('#scaling polyline') > 1, count('#sweeps rect'), count('#roofline .mark') > 20].join('|');)");
  EXPECT_TRUE(quiet(dom)) << dom.substr(0, 600);
  EXPECT_EQ(said(dom), "best timings scaling sweeps roofline records environments|true|true|true|2|true|true|5|true");
}

TEST_F(PageInABrowser, NoNumberIsWithoutItsRun) {
  const std::string dom = after(page_of(shipped_records()), R"(
    const of = (selector) => {
      const node = document.querySelector(selector);
      node.dispatchEvent(new PointerEvent('pointermove', { bubbles: true, clientX: 50, clientY: 50 }));
      return document.getElementById('tip').textContent;
    };
    const whole = (text) => ['NVIDIA H200', 'hot, isolated', 'NVIDIA 580', 'x'].every((w) => text.includes(w));
    const tips = ['#best tbody tr', '#timings .mark', '#scaling .mark', '#sweeps .mark', '#roofline .mark',
      '#records tbody tr'].map(of);
    document.querySelector('#best tbody tr').click();
    const dialog = document.querySelector('dialog');
    const command = dialog.querySelector('.command code').textContent;
    return [tips.every(whole), dialog.open, command.startsWith("attnscope bench --device 'NVIDIA H200' --variant"),
      dialog.querySelectorAll('circle').length > 20, dialog.textContent.includes('registers')].join(' ');)");
  EXPECT_TRUE(quiet(dom)) << dom.substr(0, 600);
  EXPECT_EQ(said(dom), "true true true true true");
}

TEST_F(PageInABrowser, IsLightOrDarkAsTheReaderHasItAndAsAsked) {
  const std::string script = R"(
    const look = () => document.documentElement.dataset.theme + ' ' + getComputedStyle(document.body).backgroundColor;
    const first = look();
    document.getElementById('theme').click();
    return first + '|' + look();)";
  const std::string page = page_of(shipped_records());
  const std::string light = "light rgb(251, 251, 250)", dark = "dark rgb(17, 20, 24)";
  EXPECT_EQ(said(after(page, script)), light + "|" + dark);
  EXPECT_EQ(said(after(page, script, 1280, true)), dark + "|" + light);
}

TEST_F(PageInABrowser, FitsAPhone) {
  const std::string dom = after(page_of(shipped_records()), R"(
    const wide = [...document.querySelectorAll('section, .card, svg, nav')].filter(
      (e) => e.getBoundingClientRect().right > innerWidth + 1);
    return [document.documentElement.scrollWidth <= innerWidth, wide.length].join(' ');)",
                                500);
  EXPECT_TRUE(quiet(dom)) << dom.substr(0, 600);
  EXPECT_EQ(said(dom), "true 0");
}

TEST_F(PageInABrowser, OpensWithNoneAndWithTenThousand) {
  EXPECT_TRUE(quiet(after(page_of({}), "return 1;")));
  std::vector<Record> records(10'000, shipped_records().front());
  for (size_t i = 0; i < records.size(); ++i)
    records[i].config["BLOCK_M"] = int64_t(i % 200), records[i].config["BLOCK_N"] = int64_t(i / 200);
  const std::string dom = after(page_of(records), R"(
    const drawn = document.querySelectorAll('#records tbody tr').length;
    const box = document.querySelector('#records .scroll');
    box.scrollTop = box.scrollHeight;
    box.dispatchEvent(new Event('scroll'));
    return [drawn < 400, document.querySelectorAll('#records tbody tr').length > drawn,
      document.querySelector('#records .controls span').textContent].join('|');)");
  EXPECT_TRUE(quiet(dom)) << dom.substr(0, 600);
  EXPECT_EQ(said(dom), "true|true|10,000 of 10,000");
}

}  // namespace attnscope::page_test
