// The journal of trials: a line of JSON each, on disk as soon as it is reported.
#pragma once

#include "engine/platform/descriptor.hpp"
#include "engine/record/results.hpp"
#include "engine/session/trials.hpp"

namespace attnscope::tune {

/// Common to all trials of one file: those of another device, driver, problem or mode are of no use here.
struct JournalKey {
  std::string device, device_uuid, driver;
  Problem problem;
  CacheMode cache = CacheMode::hot;
  LaunchMode launch = LaunchMode::isolated;
  uint64_t seed = 1;  ///< of the inputs
  bool operator==(const JournalKey&) const = default;
};
JournalKey journal_key(const DeviceInfo&, const Problem&, const Protocol&, uint64_t seed);
/// A file name for a key, without an extension.
std::string journal_name(const JournalKey&);

/// One trial; in the file its fields stand beside the others, less its index.
struct JournalLine {
  std::string variant, shader_hash;
  Trial trial;  ///< with its time
  bool operator==(const JournalLine&) const = default;
};

/// An open journal, appended to. Several processes may append to one file: each line is one write.
class Journal {
 public:
  /// To be gone on with; `fresh` sets aside what is there. The error: somebody else's file, or not writable.
  static Result<Journal> open(const std::filesystem::path&, const JournalKey&, bool fresh = false);
  /// Only what it held: nothing on disk changes. What is not a journal holds nothing, and note() says so.
  static Journal look(const std::filesystem::path&, const JournalKey&);

  /// What it held under this key, in the order it was appended; of a config reported twice, the later line.
  const std::vector<JournalLine>& earlier() const { return earlier_; }
  const std::string& note() const { return note_; }
  Result<void> append(const JournalLine&);

 private:
  Journal() = default;
  Result<void> read(const JournalKey&);
  std::filesystem::path path_;
  Fd fd_;               ///< none: nothing was appended yet to a file that is not there
  std::string of_;      ///< the key, hashed, as every line has it
  std::string before_;  ///< what goes before the first line that is appended: the end of a torn one, the key
  std::vector<JournalLine> earlier_;
  std::string note_;
};

}  // namespace attnscope::tune
