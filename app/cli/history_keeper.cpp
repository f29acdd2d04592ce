#include "app/cli/history_keeper.hpp"
#include "app/cli/print.hpp"

#include <cstdio>

#include <fmt/format.h>

#include "app/cli/interrupt.hpp"
#include "app/cli/places.hpp"

namespace attnscope::cli {

HistoryKeeper::HistoryKeeper(std::string command, bool wanted)
    : command_(std::move(command)), wanted_(wanted && !history_file().empty()) {}

void HistoryKeeper::say(const std::string& sentence) const {
  print_err("attnscope{}{}: note: {}\n", command_.empty() ? "" : " ", command_, sentence);
}

void HistoryKeeper::keep(const Record& record, bool live) {
  const std::lock_guard lock(mutex_);
  if (worth_keeping(record, live)) add(std::span(&record, 1));
}

void HistoryKeeper::keep(std::span<const Record> records) {
  const std::lock_guard lock(mutex_);
  std::vector<Record> worth;
  for (const Record& record : records)
    if (worth_keeping(record, false)) worth.push_back(record);
  add(worth);
}

void HistoryKeeper::add(std::span<const Record> records) {
  if (!wanted_ || records.empty()) return;
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
  const auto added = history_->add(records);
  if (history_->note() != told_) say(told_ = history_->note());
  if (!added) give_up(added.error());
}

}  // namespace attnscope::cli
