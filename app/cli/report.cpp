// attnscope report: records as one HTML page.

#include "app/cli/options.hpp"
#include "engine/page/page.hpp"

namespace attnscope::cli {
namespace {

struct PageCommand {
  CommonOptions common;
  std::vector<std::string> files;
  std::string output, title;
  bool history = false;
  uint32_t limit = 10'000;
  HistoryFilterOptions filter;
};

Result<std::vector<Record>> wanted_records(const PageCommand& o) {
  std::vector<Record> records;
  for (const std::string& file : o.files) {
    Results read = TRY(read_results(file));
    std::ranges::move(read.records, std::back_inserter(records));
  }
  const bool filtered = !o.filter.words.empty() || !o.filter.since.empty() || !o.filter.until.empty();
  if (filtered && !o.history)
    return bad_input("--where, --since and --until choose runs of the history: give --history.");
  if (o.history) {
    const auto filter = TRY(history_filter(o.filter));
    auto history = TRY(open_history());
    const auto page = TRY(history.list(filter, o.limit));
    for (const HistoryEntry& e : page.entries) records.push_back(TRY(history.read(e.id)));
    if (page.more)
      print_err("attnscope report: note: the newest {} runs of the history are in it; --limit for more\n", o.limit);
  }
  if (o.files.empty() && !o.history)
    return bad_input("There is nothing to report: give result files (bench --output FILE.json), or --history.");
  return records;
}

int report(PageCommand& o) {
  const std::filesystem::path extension = std::filesystem::path(o.output).extension();
  if (extension != ".html" && extension != ".htm")
    fail(about("--output", o.output, bad_input("a page ends in .html.")));
  need(check_free(o.output), "--output", o.output);
  const auto records = need(wanted_records(o));
  const auto assets = need(read_page_assets(need(data_dir()) / "assets" / "report"));
  need(write_text(o.output, make_page(records, assets, o.title)), "--output", o.output);
  print_err("{} {} in {}\n", records.size(), records.size() == 1 ? "record is" : "records are", o.output);
  return exit_ok;
}

}  // namespace

void add_report(CLI::App& app, Action& chosen) {
  auto [command, o] =
      add_command(app, chosen, "report", "One self-contained HTML page of result files or of the history", report);
  add_text(command, "FILES", o.files, "FILE", "Result files");
  command.add_option("--output", o.output, "The page to write")->required()->type_name("FILE.html");
  add_text(command, "--title", o.title, "TEXT", "What stands above it");
  command.add_flag("--history", o.history, "The runs of the history, too (attnscope history)");
  command.add_option("--limit", o.limit, "Runs of the history at most, the newest")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  add_history_filter(command, o.filter, false);
}

}  // namespace attnscope::cli
