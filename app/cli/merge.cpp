// attnscope merge: joins result files and journals of trials, such as a sweep's shards, without duplicates.

#include <memory>

#include "app/cli/options.hpp"
#include "engine/tune/journal.hpp"

namespace attnscope::cli {
namespace {

struct MergeOptions {
  CommonOptions common;
  std::vector<std::string> files;
  std::string output;
};

bool is_trials(const std::string& path) { return std::filesystem::path(path).extension() == ".jsonl"; }

int merge(MergeOptions& o) {
  const bool trials = is_trials(o.output);
  if (!trials) need(result_format(o.output), "--output", o.output);
  need(check_free(o.output), "--output", o.output);
  Results results;
  std::vector<tune::JournalSection> sections;
  tune::JoinCounts sum;
  for (const std::string& file : o.files) {
    if (is_trials(file) != trials)
      return fail(o.common, bad_input(fmt::format("{}: journals of trials (.jsonl) are joined with each other into a "
                                                  ".jsonl, result files into a .json, .csv or .md",
                                                  file)));
    tune::JoinCounts joined;
    if (trials) {
      const tune::JournalFile journal = need(tune::read_journal(file));
      if (journal.damaged > 0)
        print_err("note: {} lines of {} make no sense and were passed over\n", journal.damaged, file);
      joined = tune::join(sections, journal.sections);
    } else {
      joined = tune::join(results, need(read_results(file)));
    }
    sum.taken += joined.taken;
    sum.duplicates += joined.duplicates;
  }
  need(trials ? write_text(o.output, tune::journal_text(sections)) : write_results(o.output, results), "--output",
       o.output);
  print_err("{} {} of {} files in {}, {} were there twice\n", sum.taken - sum.duplicates, trials ? "trials" : "records",
            o.files.size(), o.output, sum.duplicates);
  return exit_ok;
}

}  // namespace

void add_merge(CLI::App& app, Action& chosen) {
  auto [command, o] =
      add_command(app, chosen, "merge", "Join result files, such as a sweep's shards, without duplicates", merge);
  command.add_option("FILES", o.files, "Result files (.json), or journals of trials (.jsonl)")
      ->required()
      ->type_name("FILE...");
  command.add_option("--output", o.output, "FILE.json, FILE.csv or FILE.md; FILE.jsonl for journals")
      ->required()
      ->type_name("FILE")
      ->check(not_empty());
}

}  // namespace attnscope::cli
