// What the window and a measuring thread say to each other. Values only: neither ever waits for the other.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/gui/ask.hpp"
#include "app/gui/edit/loaded.hpp"
#include "app/gui/search_news.hpp"
#include "engine/search/pair.hpp"
#include "engine/session/auto_choice.hpp"
#include "engine/session/error_map.hpp"

namespace attnscope::gui {

/// What the window wants of one worker, as a whole: the newest wish replaces the one before.
struct Wish {
  std::string device;      ///< as Session::open takes it
  uint64_t sources = 0;    ///< raised to read the shader folders again
  std::optional<Ask> ask;  ///< none: nothing is inspected or dispatched
  bool choose = false;     ///< the config is the engine's to choose: it says which, and inspects nothing else
  bool automatic = false;  ///< with `choose`: so is the variant
  bool run = true;         ///< verify and sample (otherwise only inspect)
  bool quiet = false;      ///< paced batches
  Modes modes;
  uint64_t attempt = 0;  ///< raised to try again what failed
  bool closer = false;   ///< the config's neighbours are planned too, before it runs
  uint64_t peaks = 0;    ///< raised to have the device's ceilings measured where they are not known
  bool operator==(const Wish&) const = default;
};

/// Everything to be measured once, by the usual protocol, before live sampling goes on.
struct Job {
  struct Item {
    Ask ask;
    Modes modes;
    uint64_t seed = 1;
  };
  /// Two versions of a variant instead, taken in turn: with their texts, since at most one of them is loaded.
  struct Versions {
    Ask ask;
    Modes modes;
    VariantSource before, after;
  };
  /// Two configs instead, of variants as they are loaded, taken in turn.
  struct Rivals {
    Ask shown, best;
    Modes modes;
    double slower_ns = 0;  ///< the median of the slower one, as far as it is known
  };
  uint64_t id = 0;
  std::vector<Item> items;
  bool quiet = false;                          ///< paced batches
  std::optional<ErrorMapRequest> errors = {};  ///< instead of items: where a result is wrong
  std::optional<Versions> versions = {};       ///< likewise
  std::optional<Rivals> rivals = {};           ///< likewise
};

struct DevicesKnown {
  std::vector<DeviceInfo> devices;
};
struct DeviceOpened {
  DeviceInfo device;
  std::string machine = {};  ///< Session::machine()
};
struct VariantsKnown {
  std::vector<VariantInfo> variants;
  uint64_t sources = 0;  ///< Wish::sources that they were read for
  std::shared_ptr<const std::vector<LoadedVariant>> texts = {};
};
/// Whether a variant can serve a problem at all: `why_not` empty when it can.
struct VariantChecked {
  Problem problem;
  std::string variant, why_not;
  bool broken = false;  ///< it does not compile, or its manifest is wrong
};
/// What "default" stands for, of just this variant and problem.
struct ConfigChosen {
  Ask ask;
  ConfigChoice choice;
  bool tuned = false;  ///< it is what the tuning cache has for the very problem
};
/// Which variant, and which config of it, "auto" stands for on a problem.
struct AutoChosen {
  Problem problem;
  AutoChoice choice;
  std::string remark = {};  ///< what a person should know beside AutoChoice::because; "" = nothing
};
struct Inspected {
  Ask ask;
  Inspection inspection;
};
/// The plan of a legal config as numbers, and of those one step away.
struct LookedAround {
  Ask ask;
  Surroundings around;
};
/// What is known of the device's ceilings; `stage`: of the one being measured, "" when none is.
struct PeaksKnown {
  std::optional<Peaks> peaks;
  std::string stage, note;
};
struct RunStarted {
  Ask ask;
  Modes modes;
};
struct RunEvent {
  Ask ask;
  Event event;
};
/// The run ended: by itself, or because something newer was asked (Outcome::cancelled).
struct RunEnded {
  Ask ask;
  Record record;
};
struct JobStep {
  uint64_t id = 0;
  size_t done = 0, total = 0;
  std::optional<Ask> current;
  std::optional<Record> record;
};
/// Of a job of two versions: its stage, and at the end what came of it, or why nothing could.
struct VersionsRaced {
  uint64_t job = 0;
  std::string stage;  ///< "" = it ended
  std::optional<search::PairOutcome> outcome = {};
  std::string error = {};
};
/// The same of a job of two rivals: the first record is of what is shown.
struct RivalsRaced {
  uint64_t job = 0;
  std::string stage;  ///< "" = it ended
  std::optional<RaceResult> race = {};
  std::string error = {};
};
/// Of Job::errors; without an answer the error.
struct ErrorsKnown {
  uint64_t id = 0;
  std::shared_ptr<const ErrorMapAnswer> answer;
  std::string error;
};
/// Something could not be done; `ask` set when it belongs to one config.
struct Failed {
  std::string what;
  Error error;
  std::optional<Ask> ask;
};

using News = std::variant<DevicesKnown, DeviceOpened, VariantsKnown, VariantChecked, ConfigChosen, AutoChosen,
                          Inspected, LookedAround, PeaksKnown, RunStarted, RunEvent, RunEnded, JobStep, ErrorsKnown,
                          Failed, SearchNews, TunedKnown, VersionsRaced, RivalsRaced>;

}  // namespace attnscope::gui
