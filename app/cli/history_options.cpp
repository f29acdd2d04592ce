#include "app/cli/history_options.hpp"

#include "app/cli/options.hpp"

namespace attnscope::cli {

void add_history_filter(CLI::App& app, HistoryFilterOptions& o, bool words) {
  const char* help =
      "A condition, such as variant=coopmat, head_dim>=128, device~H200 (contains), BLOCK_M=64; all must hold";
  if (words) app.add_option("CONDITION", o.words, help)->type_name("FIELD=VALUE");
  app.add_option("--where", o.words, help)->type_name("FIELD=VALUE")->allow_extra_args(false);
  app.add_option("--since", o.since, "No older runs: a date in UTC such as 2026-11-21 or 2026-11-21T05:46")
      ->type_name("DATE");
  app.add_option("--until", o.until, "No newer runs; the day given is within")->type_name("DATE");
}

Result<HistoryFilter> history_filter(const HistoryFilterOptions& o) {
  HistoryFilter filter;
  for (const std::string& word : o.words) {
    auto condition = parse_condition(word);
    if (!condition) return condition.error();
    filter.conditions.push_back(*std::move(condition));
  }
  for (const auto& [option, text, into] :
       {std::tuple{"--since", &o.since, &filter.since}, std::tuple{"--until", &o.until, &filter.until}}) {
    if (text->empty()) continue;
    auto date = parse_date(*text);
    if (!date) return about(option, *text, date.error());
    *into = *std::move(date);
  }
  return filter;
}

}  // namespace attnscope::cli
