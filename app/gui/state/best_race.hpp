// The best of a search against what is shown, taken in turn in one process: whether it is taken. Plain values.
#pragma once

#include <optional>
#include <string>

#include "app/gui/ask.hpp"
#include "engine/measure/compare.hpp"
#include "engine/record/record.hpp"

namespace attnscope::gui {

struct BestRace {
  enum class Verdict {
    take,   ///< the best is faster
    equal,  ///< what is shown is as fast: nothing changes
    stay,   ///< what is shown is faster, or nobody can tell
  };
  uint64_t job = 0;
  bool running = false;
  bool keep = false;  ///< it was to be accepted: into the tuning cache, where it is not slower
  std::string stage;  ///< of the race; "" = it is over
  Ask shown, best;
  std::string shown_name, best_name;  ///< told apart from one another
  Modes modes;
  DeviceInfo device;    ///< that both are of
  std::string machine;  ///< Session::machine() of its worker
  // At the end.
  std::optional<Comparison> word;          ///< of the best against what was shown
  double shown_ns = 0, best_ns = 0;        ///< medians
  std::string error;                       ///< why there is no word
  std::optional<Verdict> verdict() const;  ///< none: there is no word
};

/// For a person: "tiled M=64 against tiled, which is shown: FASTER, 0.8102 (0.8050–0.8160), 1.87 → 1.52 ms".
std::string word_text(const BestRace&);
/// The best against what is shown, both of one race: from neighbouring turns, and where there are too few of them (each
/// execution takes long) from all samples.
Comparison word_of_race(const Record& shown, std::span<const uint32_t> shown_turns, const Record& best,
                        std::span<const uint32_t> best_turns);
/// How long such a race may take at most, in ms a side: by the slower one's median in ns.
double longest_race_ms(double slower_ns);

}  // namespace attnscope::gui
