// A history in a folder of the test's own.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include "engine/history/history.hpp"
#include "tests/record/sample_record.hpp"

namespace attnscope {

struct HistoryTest : testing::Test {
  fs::path path() const { return dir_.path() / "deep" / "history.sqlite"; }
  History open() { return *must(History::open(path())); }
  /// Done to the file by somebody else.
  void change(const std::string& sql) const { SQLite::Database(path().string(), SQLite::OPEN_READWRITE).exec(sql); }
  /// A measured run; `minute` sets it apart and in order.
  static Record run(int minute, double ns = 1000, const char* problem = "1x2x64x64:f16") {
    Record r = sample_record();
    r.problem = *parse_problem(problem);
    r.verdict->pass = true;
    r.outcome = Outcome::measured;
    r.environment.time_utc =
        fmt::format("2026-11-{:02}T{:02}:{:02}:00Z", 1 + minute / 1440, minute / 60 % 24, minute % 60);
    r.samples_ns.clear();
    for (int i = 0; i < 200; ++i) r.samples_ns.push_back(ns * (1 + 0.001 * (i * 37 % 11)));
    r.dispatches_per_sample = 1;
    r.statistics = summarize(r.samples_ns);
    return r;
  }
  static size_t added(const Result<size_t>& result) { return *must(result); }
  std::vector<Record> all(History& history, const HistoryFilter& filter = {}) {
    std::vector<Record> records;
    added(history.for_each(filter, [&](const Record& r) {
      records.push_back(r);
      return true;
    }));
    return records;
  }
  size_t count(History& history, std::initializer_list<const char*> words) {
    HistoryFilter filter;
    for (const char* word : words) filter.conditions.push_back(*must(parse_condition(word), word));
    return all(history, filter).size();
  }
  const TempDir dir_;
};

}  // namespace attnscope
