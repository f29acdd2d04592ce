// A list of runs as a person wants to see it: filtered by words, sorted by a column. Made anew when the runs, the words
// or the column change, so that a frame costs the rows in view, however many there are.
#pragma once

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "app/gui/model/memo.hpp"
#include "app/gui/model/session_log.hpp"
#include "app/gui/worker/ready.hpp"
#include "engine/history/history.hpp"
#include "engine/record/table.hpp"

namespace attnscope::gui {

enum class RunColumn {
  number,
  name,
  problem,
  verdict,
  max_abs,
  median,
  tflops,
  gbps,
  mean,
  min,
  max,
  device,
  when,
  note
};
const char* to_text(RunColumn);

/// A number of a record: a column of the window's tables, and of runs in a file.
struct RunNumber {
  const char *title, *explanation, *widest;  ///< a text as wide as any
  double (*value)(const Record&);            ///< INFINITY: it has none
  std::string (*text)(double);               ///< of a value
};
/// By its title: "median", "FLOP/s"; one that there is.
const RunNumber& number_of(std::string_view title);

struct RunRow {
  uint64_t number = 0;  ///< in the session's log, or the history's own
  std::shared_ptr<const Record> record;
  std::string key;   ///< identity_of()
  std::string name;  ///< a person's own, or what sets it apart from the others
  Remark remark;
  bool best = false;
};

/// In one or two words: "correct", "wrong", "refused", "lost", "not verified".
const char* verdict_of(const Record&);

class RunList {
 public:
  std::string filter;  ///< words, all of which a row has somewhere; "!word" = has not
  RunColumn sort = RunColumn::number;
  bool descending = true;
  /// A click on a heading: by this column, or the other way round.
  void sort_by(RunColumn column) {
    // Times are looked for from the least, runs from the newest.
    descending = column == sort ? !descending : column == RunColumn::number || column == RunColumn::when;
    sort = column;
  }

  /// Takes the rows in if their version is another than last time; else looks whether what a person chose changed.
  void step(uint64_t version, const std::function<std::vector<RunRow>()>& rows) {
    if (version != version_) {
      rows_ = rows();
      words_.clear();
      version_ = version;
    }
    shown_({version, filter, sort, descending}, [&] { return arranged(); });
  }
  uint64_t version() const { return version_; }
  const std::vector<RunRow>& rows() const { return rows_; }
  /// Indices into rows(), as they are to be shown.
  const std::vector<uint32_t>& shown() const { return shown_.value(); }

 private:
  std::vector<uint32_t> arranged();
  std::vector<RunRow> rows_;
  std::vector<std::string> words_;  ///< of each row, for the filter; made when it is first needed
  uint64_t version_ = ~0ull;
  Memo<std::tuple<uint64_t, std::string, RunColumn, bool>, std::vector<uint32_t>> shown_;
};

/// The rows shown as a table of text, with their notes.
TextTable run_table(const RunList&, const std::string& title);
TextTable run_table(const std::vector<RunRow>&, const std::string& title = "");

// Runs of earlier sessions, from the user's history: read on a thread of its own.

/// Which of them.
struct PastQuery {
  std::optional<Problem> problem;  ///< none: of any
  std::string words;  ///< as a person wrote them: those that are conditions (variant=tiled, median_ns<1e6) are taken
  bool operator==(const PastQuery&) const = default;
};
/// Of a filter's words those that are no conditions of the history: what is looked for in the rows' own text.
std::string plain_words(const std::string& words);

class PastRuns {
 public:
  static constexpr size_t kMost = 10'000;  ///< the newest

  std::filesystem::path file;  ///< "" = there is no history

  /// Begins to read where the query is another than the last one, or `again`; never waits.
  void selection(const PastQuery&, bool again = false);
  /// A run's own samples, for a pin: it comes back by take_whole().
  void read(int64_t id) {
    reading_.push_back(std::async(std::launch::async, [file = file, id]() -> Result<Record> {
      auto history = TRY(attnscope::History::open_to_read(file));
      return history.read(id);
    }));
  }
  /// Folds in what was read; call once a frame.
  void step();
  bool loading() const { return listing_.valid(); }
  const std::string& error() const { return error_; }  ///< why nothing could be read; ""
  bool more() const { return more_; }                  ///< there are older ones than those listed
  struct Entry {
    int64_t id = 0;
    std::shared_ptr<const Record> record;  ///< without samples
  };
  const std::vector<Entry>& entries() const { return entries_; }
  uint64_t version() const { return version_; }
  /// Whole records that were asked for; errors among them.
  std::vector<Result<Record>> take_whole() {
    std::vector<Result<Record>> out;
    std::erase_if(reading_, [&](auto& f) {
      if (!ready(f)) return false;
      out.push_back(f.get());
      return true;
    });
    return out;
  }

 private:
  struct Listed {
    std::vector<Entry> entries;
    bool more = false;
    std::string error;
  };
  static Listed list(const std::filesystem::path&, const PastQuery&);
  std::optional<PastQuery> asked_, next_;
  std::future<Listed> listing_;
  std::vector<std::future<Result<Record>>> reading_;
  std::vector<Entry> entries_;
  std::string error_;
  bool more_ = false;
  uint64_t version_ = 0;
};

// The command that measures a run again without the window.

/// Where this window found its variants and its devices, as its own command line said.
struct Places {
  std::vector<std::filesystem::path> shaders, sources;  ///< beyond those that ship
  std::vector<std::string> workers;                     ///< each a command; "" = this machine
  std::filesystem::path shipped = {};                   ///< the folder of those that ship
};

/// `attnscope bench ...` (or verify, for what has no time), quoted for a shell: its record is of the same run. "" for
/// what another program measured.
std::string command_line_of(const Record&, const Places&, size_t worker = 0);

}  // namespace attnscope::gui
