// Runs of earlier sessions, from the user's history: read on a thread of its own.
#pragma once

#include <filesystem>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/attention/problem.hpp"
#include "engine/record/record.hpp"
#include "engine/result.hpp"

namespace attnscope::gui {

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
  void ask(const PastQuery&, bool again = false);
  /// A run's own samples, for a pin: it comes back by take_whole().
  void read(int64_t id);
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
  std::vector<Result<Record>> take_whole();

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

}  // namespace attnscope::gui
