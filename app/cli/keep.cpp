#include "app/cli/keep.hpp"

#include "app/cli/options.hpp"

namespace attnscope::cli {

HistoryKeeper::HistoryKeeper(std::string command, bool wanted)
    : command_(std::move(command)), wanted_(wanted && !history_file().empty()) {}

void HistoryKeeper::say(const std::string& sentence) const {
  print_err("attnscope{}{}: note: {}\n", command_.empty() ? "" : " ", command_, sentence);
}

void HistoryKeeper::keep(std::span<const Record> records, bool live) {
  const std::lock_guard lock(mutex_);
  std::vector<Record> worth;
  std::ranges::copy_if(records, std::back_inserter(worth), [&](const Record& r) { return worth_keeping(r, live); });
  if (!wanted_ || worth.empty()) return;
  const auto give_up = [&](const Error& error) {
    wanted_ = false;
    history_.reset();
    say(error.message + " These runs are not remembered; --no-history says so beforehand.");
  };
  if (!history_) {
    auto opened = History::open(history_file(), waiting(command_));
    if (!opened) return give_up(opened.error());
    history_ = *std::move(opened);
  }
  const auto added = history_->add(worth);
  if (history_->note() != told_) say(told_ = history_->note());
  if (!added) give_up(added.error());
}

Result<History> open_history(const std::string& command, bool to_write) {
  const std::filesystem::path file = history_file();
  if (file.empty())
    return bad_input("There is no history: ATTNSCOPE_HISTORY is 'off', or neither XDG_DATA_HOME nor HOME is set.");
  return to_write ? History::open(file, waiting(command)) : History::open_to_read(file, waiting(command));
}

void add_history_filter(CLI::App& app, HistoryFilterOptions& o, bool words) {
  const char* help =
      "A condition, such as variant=coopmat, head_dim>=128, device~H200 (contains), BLOCK_M=64; all must hold";
  if (words) add_text(app, "CONDITION", o.words, "FIELD=VALUE", help);
  add_value(app, "--where", o.words, "FIELD=VALUE", help);
  add_text(app, "--since", o.since, "DATE", "Only runs since a date in UTC such as 2026-11-21 or 2026-11-21T05:46");
  add_text(app, "--until", o.until, "DATE", "No newer runs; the day given is within");
}

Result<HistoryFilter> history_filter(const HistoryFilterOptions& o) {
  HistoryFilter filter;
  for (const std::string& word : o.words) filter.conditions.push_back(TRY(parse_condition(word)));
  for (const auto& [option, text, into] :
       {std::tuple{"--since", &o.since, &filter.since}, std::tuple{"--until", &o.until, &filter.until}}) {
    if (text->empty()) continue;
    auto date = TRY(about(option, *text, parse_date(*text)));
    *into = std::move(date);
  }
  return filter;
}

}  // namespace attnscope::cli
