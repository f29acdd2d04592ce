// The page in a browser, where there is one: it works, says nothing on the console, sorts, filters, turns dark.

#include "engine/page/page.hpp"
#include "engine/record/results.hpp"
#include "tests/files.hpp"
#include "tests/record/sample_record.hpp"

namespace attnscope::browser_test {

std::string browser() {
  for (const char* name : {"chromium", "chromium-browser", "google-chrome"})
    if (std::system(fmt::format("command -v {} >/dev/null 2>&1", name).c_str()) == 0) return name;
  return "";
}

struct PageInABrowser : testing::Test {
  void SetUp() override {
    if (browser().empty()) GTEST_SKIP() << "there is no Chromium here (apt-get install chromium)";
  }
  static std::string page_of(std::span<const Record> records) {
    return make_page(records, *must(read_page_assets(shipped("assets/report"))));
  }
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

}  // namespace attnscope::browser_test
