// What the window and a link say to each other of searches. Values only.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "app/gui/ask.hpp"
#include "engine/search/search.hpp"

namespace attnscope::gui {

/// A search of the device and the variants as they are loaded.
struct Search {
  uint64_t id = 0;
  Problem problem = {};
  Modes modes = {};
  std::string machine = {};                ///< Session::machine() of the worker; "" = not known
  std::vector<std::string> variants = {};  ///< none: all that can serve
  tune::StrategyKind strategy = tune::StrategyKind::surrogate;
  tune::Budget budget = {};
  bool narrow = false;     ///< each variant's default, then the fastest one's space
  bool look_only = false;  ///< what the journal holds, and which configs are legal: nothing is measured
  bool fresh = false;      ///< the journal is set aside
};

/// A trial, slim: a window keeps 100,000.
struct SlimTrial {
  uint32_t arm = 0;    ///< into SearchStarted::arms
  uint64_t point = 0;  ///< ConfigProduct's index
  double median_ns = 0;
  Outcome outcome = Outcome::error;
  bool dropped = false, recalled = false;
  uint32_t samples = 0;
  std::string message;  ///< empty where it was measured
  bool settled = true;  ///< as of Trial
};
/// What is known of an arm's configs: points that can run, and of those that cannot some with the reason.
struct Legality {
  uint32_t arm = 0;
  std::vector<uint64_t> legal;
  std::vector<std::pair<uint64_t, std::string>> refused;
  uint64_t next = 0;  ///< all before it were decided on, when the stretches before this one were
  uint64_t first = 0;
};

struct SearchStarted {
  DeviceInfo device;
  std::vector<search::Arm> arms;
};
struct SearchTrials {
  std::vector<SlimTrial> trials;
};
struct SearchTick {
  std::string stage;
  tune::TuneProgress progress;
};
struct SearchEnded {
  std::string error;  ///< why it could not go on; "" = it came to its end
  std::shared_ptr<const search::SearchOutcome> outcome;
};
/// The search's entries are in the tuning cache, or why not.
struct SearchKept {
  std::string error;
  std::vector<tune::TunedEntry> entries;
};
struct SearchNote {
  std::string text;
};

struct SearchNews {
  uint64_t id = 0;
  std::variant<SearchStarted, SearchTrials, Legality, SearchTick, SearchEnded, SearchKept, SearchNote> what;
};

/// What the tuning cache has for just this problem and variant in these modes, or nothing.
struct TunedKnown {
  Problem problem;
  std::string variant;
  Modes modes;
  std::optional<tune::TunedMatch> match;
};

}  // namespace attnscope::gui
