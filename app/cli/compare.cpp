// attnscope compare: compares two result files row by row; a gate for CI.

#include "app/cli/options.hpp"

namespace attnscope::cli {
namespace {

struct CompareOptions {
  CommonOptions common;
  std::string a, b, output;
  GridRequest grid;
  std::vector<std::string> across;
  std::optional<double> tolerance, fail_slower;
};

/// Without --tolerance, unless a gate asks for less.
constexpr double kTolerance = 0.02;

/// The rows that fail the gate, on stderr, whatever else is printed where.
ExitCode gate(const FileComparison& files, double limit) {
  const auto slower = surely_slower(files.rows, limit);
  const std::vector<std::string> failed = no_longer_passing(files);
  for (const RowComparison* row : slower)
    print_err("attnscope compare: slower by more than {:g} %: {}\n", 100 * limit, sentence_of(*row));
  for (const std::string& row : failed) print_err("attnscope compare: no longer passes: {}\n", row);
  print_err("{} of {} rows are surely slower by more than {:g} %{}\n", slower.size(), files.rows.size(), 100 * limit,
            failed.empty() ? "" : fmt::format(", {} no longer pass", failed.size()));
  return slower.empty() && failed.empty() ? exit_ok : exit_failed;
}

int compare(CompareOptions& o) {
  const double tolerance = o.tolerance.value_or(std::min(kTolerance, o.fail_slower.value_or(kTolerance)));
  if (o.fail_slower && tolerance > *o.fail_slower)
    fail(
        bad_input("--tolerance {:g}%: what is SAME within it cannot be slower by the {:g}% "
                  "of --fail-slower; give a smaller one",
                  100 * tolerance, 100 * *o.fail_slower));
  std::optional<ResultFormat> format;
  if (!o.output.empty()) {
    need(check_output(o.output));
    format = *result_format(o.output);
    if (*format == ResultFormat::csv)
      fail(about("--output", o.output, bad_input("a comparison is written to .json or .md.")));
  }
  for (const std::string& input : {o.a, o.b}) need(spare_input(o.output, input));
  Results a = need(read_results(o.a), "A", o.a);
  Results b = need(read_results(o.b), "B", o.b);
  const MatchedRecords matched =
      match_records(a.records, b.records,
                    {contains(o.across, "config"), contains(o.across, "variant"), contains(o.across, "driver")});
  FileComparison files = compare_matched(matched, tolerance);
  files.a = o.a;
  files.b = o.b;
  const auto compiled = [](const Record& r) { return r.outcome == Outcome::compiled; };
  if (files.rows.empty() && std::ranges::any_of(b.records, compiled))
    fail(
        bad_input("{} was compiled and not executed, so it has no times to compare. "
                  "`attnscope compile --baseline {}` with the options that made it says "
                  "what takes more registers or spills more.",
                  o.b, o.a));
  if (files.rows.empty()) {
    const std::vector<std::string> differ = least_difference(matched);
    const bool across = differ.size() == 1 && (differ[0].starts_with("config ") || differ[0].starts_with("variant "));
    fail(bad_input("no row of {} is in {}: {} and {} measured ones{}{}{}", o.a, o.b, files.only_a.size(),
                   files.only_b.size(), differ.empty() ? "" : "; those most alike differ in ", joined(differ),
                   across ? "; --across config or variant pairs rows whatever theirs" : ""));
  }
  const bool grid = !o.grid.by.empty();
  const std::vector<TextTable> tables =
      grid ? need(comparison_grids(files, o.grid)) : std::vector<TextTable>{comparison_table(files)};
  if (o.common.json)
    write_document(comparison_json(files));
  else
    print_out("{}", grid ? render_markdown(tables) : render_terminal(tables.front(), output_width()));
  if (format)
    need(write_text(o.output, *format == ResultFormat::json ? comparison_json(files) : render_markdown(tables)),
         "--output", o.output);
  return o.fail_slower ? gate(files, *o.fail_slower) : exit_ok;
}

}  // namespace

void add_compare(CLI::App& app, Action& chosen) {
  auto [command, o] =
      add_command(app, chosen, "compare",
                  "Two result files row by row: FASTER, SLOWER, SAME or UNSURE, from the samples in them", compare);
  command.add_option("A", o.a, "The result file to compare with: the baseline")->required()->check(not_empty());
  command.add_option("B", o.b, "The result file that is compared")->required()->check(not_empty());
  add_percent(command, "--tolerance", o.tolerance,
              "Ratios within 1 plus or minus so much are the SAME (2%, or --fail-slower where that is less)");
  add_percent(command, "--fail-slower", o.fail_slower,
              "Exit with 1 when a row is surely slower by more than this, or passed in A and does not in B: "
              "failed, refused, an error, cancelled, without a time, or missing");
  add_text(command, "--across", o.across, "config|variant|driver",
           "Pair rows of a problem and variant whatever their config (default with tuned), or of a problem "
           "whatever their variant; several alike in order. driver: compare times in spite of another driver")
      ->allow_extra_args(false)
      ->check(CLI::IsMember({"config", "variant", "driver"}));
  CLI::Option* by = add_text(command, "--by", o.grid.by, "FIELD[,FIELD]",
                             "Print a Markdown grid instead: rows by one field, columns by another; head_dim, "
                             "seq_kv, variant, BLOCK_M…")
                        ->delimiter(',')
                        ->allow_extra_args(false);
  add_text(command, "--show", o.grid.show, "VALUE,…",
           "What its cells have: time, registers, spill, compile, code, shared, median, tflops…")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->default_str("time")
      ->needs(by);
  add_json_option(command, o.common);
  add_value(command, "--output", o.output, "FILE", "Also write the comparison to FILE.json or FILE.md");
}

}  // namespace attnscope::cli
