// attnscope history: lists, compares, exports and imports all runs.

#include "app/cli/options.hpp"
#include "engine/record/json_fields.hpp"

namespace attnscope::cli {
namespace {

struct HistoryOptions {
  CommonOptions common;
  HistoryFilterOptions filter;
  uint32_t limit = 25, page = 1;
  std::vector<std::string> files;
  const CLI::App *to_export = nullptr, *to_import = nullptr;  ///< the commands below it
};

int list(const HistoryOptions& o) {
  const auto filter = need(history_filter(o.filter));
  auto history = need(open_history());
  auto page = need(history.list(filter, o.limit, size_t{o.page - 1} * o.limit));
  if (o.common.json) {
    Results results;
    for (const HistoryEntry& e : page.entries) results.records.push_back(need(history.read(e.id)));
    print_out("{}", results_to_json(results));
    return exit_ok;
  }
  TextTable table = history_table(page.entries);
  if (table.rows.empty()) {
    print_out("No run {}in {}.\n", filter.conditions.empty() && o.page == 1 ? "" : "like that ",
              history_file().string());
    return exit_ok;
  }
  if (page.more) add_line(table.notes, "There are older ones: --page {}, or --limit.", o.page + 1);
  print_out("{}", render_terminal(table, output_width()));
  return exit_ok;
}

int export_runs(const HistoryOptions& o) {
  const auto filter = need(history_filter(o.filter));
  need(check_free(o.files.front()));
  auto history = need(open_history());
  const auto count = need(export_history(history, filter, o.files.front()));
  print_err("{} runs are in {}\n", count, o.files.front());
  return exit_ok;
}

int import_runs(const HistoryOptions& o) {
  auto read = mapped(o.files, [](const std::string& file) { return need(read_results(file)).records; });
  auto history = need(open_history(true));
  if (!history.note().empty()) print_err("attnscope history: note: {}\n", history.note());
  for (size_t i = 0; i < read.size(); ++i) {
    const auto added = need(history.add(read[i]));
    print_err("{}: {} records, {} of them new\n", o.files[i], read[i].size(), added);
  }
  return exit_ok;
}

int history(HistoryOptions& o) {
  return o.to_export->parsed() ? export_runs(o) : o.to_import->parsed() ? import_runs(o) : list(o);
}

}  // namespace

void add_history(CLI::App& app, Action& chosen) {
  auto [command, o] =
      add_command(app, chosen, "history", "List, filter, export and import every run made here", history);
  command.require_subcommand(0, 1);
  command.footer("The file is $ATTNSCOPE_HISTORY, else $XDG_DATA_HOME/attnscope/history.sqlite; off = none is kept.");
  add_history_filter(command, o.filter, true);
  command.add_option("--limit", o.limit, "Runs a page")->check(CLI::Range(1, 1'000'000))->capture_default_str();
  command.add_option("--page", o.page, "Which page, the newest first")
      ->check(CLI::Range(1, 1'000'000'000))
      ->capture_default_str();
  add_json_option(command, o.common);

  CLI::App* out = command.add_subcommand("export", "Write runs to FILE.json, without loss, or FILE.csv");
  out->add_option("FILE", o.files, "FILE.json or FILE.csv")->required()->expected(1)->type_name("FILE");
  add_history_filter(*out, o.filter, false);

  CLI::App* in = command.add_subcommand("import", "Add the records of result files; duplicates are skipped");
  in->add_option("FILES", o.files, "FILE.json")->required()->type_name("FILE");
  o.to_export = out;
  o.to_import = in;
}

}  // namespace attnscope::cli
