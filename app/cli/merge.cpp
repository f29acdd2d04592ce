// attnscope merge: joins result files, such as those of a sweep's shards, without duplicates.

#include "app/cli/options.hpp"

namespace attnscope::cli {
namespace {

struct MergeOptions {
  CommonOptions common;
  std::vector<std::string> files;
  std::string output;
};

int merge(MergeOptions& o) {
  need(result_format(o.output), "--output", o.output);
  need(check_free(o.output), "--output", o.output);
  Results results;
  size_t twice = 0;
  for (const std::string& file : o.files) twice += join(results, need(read_results(file)));
  need(write_results(o.output, results), "--output", o.output);
  print_err("{} records of {} files in {}, {} were there twice\n", results.records.size(), o.files.size(), o.output,
            twice);
  return exit_ok;
}

}  // namespace

void add_merge(CLI::App& app, Action& chosen) {
  auto [command, o] =
      add_command(app, chosen, "merge", "Join result files, such as a sweep's shards, without duplicates", merge);
  command.add_option("FILES", o.files, "Result files (.json)")->required()->type_name("FILE...");
  command.add_option("--output", o.output, "FILE.json, FILE.csv or FILE.md")
      ->required()
      ->type_name("FILE")
      ->check(not_empty());
}

}  // namespace attnscope::cli
