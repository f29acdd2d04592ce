// attnscope history: what was ever measured here.
#include <cstdio>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/commands.hpp"
#include "app/cli/exit_code.hpp"
#include "app/cli/history_options.hpp"
#include "app/cli/options.hpp"
#include "app/cli/places.hpp"
#include "app/cli/print.hpp"
#include "app/cli/terminal.hpp"
#include "engine/history/tables.hpp"
#include "engine/history/transfer.hpp"
#include "engine/record/json_fields.hpp"
#include "engine/record/results.hpp"
#include "engine/record/terminal.hpp"

namespace attnscope::cli {
namespace {

struct HistoryOptions {
  CommonOptions common;
  HistoryFilterOptions filter;
  uint32_t limit = 25, page = 1;
  std::string since_last = "any";
  std::vector<std::string> files;
};

Result<History> open_history(bool to_write) {
  const std::filesystem::path file = history_file();
  if (file.empty())
    return bad_input("There is no history: ATTNSCOPE_HISTORY is 'off', or neither XDG_DATA_HOME nor HOME is set.");
  return to_write ? History::open(file) : History::open_to_read(file);
}

int list(const HistoryOptions& o) {
  const auto filter = history_filter(o.filter);
  if (!filter) return fail(o.common, filter.error());
  auto history = open_history(false);
  if (!history) return fail(o.common, history.error());
  auto page = history->list(*filter, o.limit, size_t{o.page - 1} * o.limit);
  if (!page) return fail(o.common, page.error());
  if (o.common.json) {
    Results results;
    for (const HistoryEntry& e : page->entries) {
      auto whole = history->read(e.id);
      if (!whole) return fail(o.common, whole.error());
      results.records.push_back(*std::move(whole));
    }
    print_out("{}", results_to_json(results));
    return exit_ok;
  }
  TextTable table = history_table(page->entries);
  if (table.rows.empty()) {
    print_out("No run {}in {}.\n", filter->conditions.empty() && o.page == 1 ? "" : "like that ",
              history_file().string());
    return exit_ok;
  }
  if (page->more) table.notes.push_back(fmt::format("There are older ones: --page {}, or --limit.", o.page + 1));
  print_out("{}", render_terminal(table, output_width()));
  return exit_ok;
}

int diff(const HistoryOptions& o) {
  const auto filter = history_filter(o.filter);
  if (!filter) return fail(o.common, filter.error());
  auto history = open_history(false);
  if (!history) return fail(o.common, history.error());
  const bool any = o.since_last == "any";
  const HistoryChange change{any || o.since_last == "driver", any || o.since_last == "shader",
                             any || o.since_last == "version"};
  const auto pairs = history->changes(*filter, change, o.limit);
  if (!pairs) return fail(o.common, pairs.error());
  std::vector<Changed> changes;
  for (const HistoryPair& pair : *pairs) {
    auto was = history->read(pair.was), now = history->read(pair.now);
    for (const auto* record : {&was, &now})
      if (!*record) return fail(o.common, record->error());
    if (was->statistics && now->statistics) changes.push_back(compare_change(pair, *std::move(was), *std::move(now)));
  }
  if (o.common.json) {
    Json json{{"changes", Json::array()}};
    for (const Changed& c : changes)
      json["changes"].push_back({{"problem", encode(c.now.problem)},
                                 {"variant", c.now.variant},
                                 {"config", encode(c.now.config)},
                                 {"changed", c.what},
                                 {"comparison", encode(c.comparison)},
                                 {"was", {{"run", c.ids.was}, {"median_ns", c.was.statistics->median}}},
                                 {"now", {{"run", c.ids.now}, {"median_ns", c.now.statistics->median}}}});
    print_out("{}", dump_pretty(json));
    return exit_ok;
  }
  if (changes.empty()) {
    print_out("Nothing was measured both before and after another {}.\n",
              any ? "driver, shader or version" : o.since_last);
    return exit_ok;
  }
  TextTable table = changes_table(std::move(changes));
  if (pairs->size() == o.limit) table.notes.push_back(fmt::format("The newest {}: --limit for more.", o.limit));
  print_out("{}", render_terminal(table, output_width()));
  return exit_ok;
}

int export_runs(const HistoryOptions& o) {
  const auto filter = history_filter(o.filter);
  if (!filter) return fail(o.common, filter.error());
  auto history = open_history(false);
  if (!history) return fail(o.common, history.error());
  const auto count = export_history(*history, *filter, o.files.front());
  if (!count) return fail(o.common, count.error());
  print_err("{} runs are in {}\n", *count, o.files.front());
  return exit_ok;
}

int import_runs(const HistoryOptions& o) {
  std::vector<std::vector<Record>> read;
  for (const std::string& file : o.files) {
    auto records = read_records(file);
    if (!records) return fail(o.common, records.error());
    read.push_back(*std::move(records));
  }
  auto history = open_history(true);
  if (!history) return fail(o.common, history.error());
  if (!history->note().empty()) print_err("attnscope history: note: {}\n", history->note());
  for (size_t i = 0; i < read.size(); ++i) {
    const auto added = history->add(read[i]);
    if (!added) return fail(o.common, added.error());
    print_err("{}: {} records, {} of them new\n", o.files[i], read[i].size(), *added);
  }
  return exit_ok;
}

}  // namespace

void add_history(CLI::App& app, Action& chosen) {
  auto o = std::make_shared<HistoryOptions>();
  o->common.command = "history";
  CLI::App* command = app.add_subcommand("history", "List, filter, compare, export and import every run made here");
  command->require_subcommand(0, 1);
  command->footer("The file is $ATTNSCOPE_HISTORY, else $XDG_DATA_HOME/attnscope/history.sqlite; off = none is kept.");
  const auto add_limit = [&](CLI::App& to, const char* help) {
    to.add_option("--limit", o->limit, help)->check(CLI::Range(1, 1'000'000))->capture_default_str();
  };
  const auto add_json = [&](CLI::App& to) {
    to.add_flag("--json", o->common.json, "One JSON document on stdout and nothing else");
  };
  add_history_filter(*command, o->filter, true);
  add_limit(*command, "Runs a page");
  command->add_option("--page", o->page, "Which page, the newest first")
      ->check(CLI::Range(1, 1'000'000'000))
      ->capture_default_str();
  add_json(*command);

  CLI::App* changes = command->add_subcommand(
      "diff", "The newest run of each device, problem, variant, config and mode against the newest before a change");
  add_history_filter(*changes, o->filter, true);
  changes->add_option("--since-last", o->since_last, "What must have changed between: driver, shader, version, or any")
      ->check(CLI::IsMember({"any", "driver", "shader", "version"}))
      ->capture_default_str();
  add_limit(*changes, "Pairs at most");
  add_json(*changes);

  CLI::App* out = command->add_subcommand("export", "Write runs to FILE.json, without loss, or FILE.csv");
  out->add_option("FILE", o->files, "FILE.json or FILE.csv")->required()->expected(1)->type_name("FILE");
  add_history_filter(*out, o->filter, false);

  CLI::App* in = command->add_subcommand("import", "Add the records of result files; what is there already stays once");
  in->add_option("FILES", o->files, "FILE.json or FILE.csv")->required()->type_name("FILE");

  command->callback([=, &chosen] {
    chosen = [=] {
      if (changes->parsed()) return diff(*o);
      if (out->parsed()) return export_runs(*o);
      if (in->parsed()) return import_runs(*o);
      return list(*o);
    };
  });
}

}  // namespace attnscope::cli
