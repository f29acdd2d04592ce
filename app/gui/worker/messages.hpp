// The texts of the variants as a link read them: what an editor begins with, and what a version consists of.
#pragma once

#include "app/gui/worker/selection.hpp"
#include "engine/search/search.hpp"
#include "engine/session/auto_choice.hpp"

namespace attnscope::gui {

struct LoadedFile {
  std::string name;            ///< as SourceFile::name
  std::filesystem::path path;  ///< absolute
  bool own = true;             ///< of the variant's folder alone
  bool writable = false;       ///< by this process
  std::shared_ptr<const std::string> text;
};
struct LoadedVariant {
  std::string name;
  std::filesystem::path folder;
  std::vector<LoadedFile> files;
};

std::vector<LoadedVariant> loaded_texts(const std::vector<VariantSource>&,
                                        const std::vector<std::filesystem::path>& dirs,
                                        const std::vector<std::filesystem::path>& outside);

/// A version's texts by file name, shared with other versions that have the same.
using Texts = std::map<std::string, std::shared_ptr<const std::string>>;
Texts texts_of(const LoadedVariant&);
/// The same texts as a session loads them.
VariantSource source_of(const std::string& name, const Texts&);

// What the window and a link say to each other of searches. Values only.

struct Search {
  uint64_t id = 0;
  Problem problem = {};
  Modes modes = {};
  std::string machine = {};                ///< Session::machine() of the worker; "" = not known
  std::vector<std::string> variants = {};  ///< none: all that can serve
  tune::StrategyKind strategy = tune::StrategyKind::surrogate;
  tune::Budget budget = {};
  bool narrow = false;                    ///< each variant's default, then the spaces, the fastest one's first
  bool look_only = false;                 ///< what the journal holds, and which configs are legal: nothing is measured
  bool quiet = false;                     ///< paced batches of the race; no frames by plan in samples of a trial
  std::optional<RaceEntry> current = {};  ///< what is asked now: it is tried first, and races
};

struct SearchStarted {
  DeviceInfo device;
  std::vector<search::Arm> arms;
  tune::PredictedConfigs predicted = {};
};
struct SearchTrial {
  std::string variant;
  Trial trial;            ///< without its samples
  bool recalled = false;  ///< made by an earlier search
  uint32_t samples = 0;
};
/// Which configs of a variant can run, and of those that cannot some with the reason.
struct SpacePlanned {
  std::string variant;
  SpaceBatch batch;
};
struct SearchTick {
  std::string stage;
  tune::TuneProgress progress;
};
/// Of the race at the end, as of Progress.
struct RaceStage {
  std::string stage;
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

struct SearchEvent {
  uint64_t id = 0;
  std::variant<SearchStarted, SearchTrial, SpacePlanned, SearchTick, RaceStage, SearchEnded, SearchKept, SearchNote>
      what;
};

/// What the tuning cache has for just this problem and variant in these modes, or nothing.
struct TunedLookup {
  Problem problem;
  std::string variant;
  Modes modes;
  std::optional<tune::TunedMatch> match;
};

// What the window and a measuring thread say to each other. Values only: neither ever waits for the other.

/// What the window wants of one worker, as a whole: the newest request replaces the one before.
struct WorkerRequest {
  std::string device;                  ///< as Session::open takes it
  uint64_t sources = 0;                ///< raised to read the shader folders again
  std::optional<Selection> selection;  ///< none: nothing is inspected or dispatched
  bool choose = false;     ///< the config is the engine's to choose: it says which, and inspects nothing else
  bool automatic = false;  ///< with `choose`: so is the variant
  bool run = true;         ///< verify and sample (otherwise only inspect)
  bool quiet = false;      ///< paced batches
  Modes modes;
  uint64_t attempt = 0;              ///< raised to try again what failed
  bool closer = false;               ///< the config's neighbours are planned too, before it runs
  std::vector<Selection> also = {};  ///< whether each of them can run is told (VariantChecked)
  uint64_t peaks = 0;                ///< raised to have the device's ceilings measured where they are not known
  bool operator==(const WorkerRequest&) const = default;
};

/// What is measured once, before live sampling goes on.
struct Job {
  /// By the usual protocol.
  struct Item {
    Selection selection;
    Modes modes;
    uint64_t seed = 1;
  };
  using Items = std::vector<Item>;
  /// Two versions of a variant, taken in turn; at most one of them is loaded.
  struct Race {
    Selection selection;
    Modes modes;
    VariantSource first, second;
  };
  uint64_t id = 0;
  bool quiet = false;  ///< paced batches
  /// ErrorMapRequest: where a result is wrong. RaceRequest: loaded configs, taken in turn.
  std::variant<Items, ErrorMapRequest, Race, RaceRequest> what = {};
  template <class T>
  const T* as() const {
    return std::get_if<T>(&what);
  }
};

struct DeviceList {
  std::vector<DeviceInfo> devices;
};
struct DeviceOpened {
  DeviceInfo device;
  std::string machine = {};  ///< Session::machine()
};
struct VariantList {
  std::vector<VariantInfo> variants;
  uint64_t sources = 0;  ///< WorkerRequest::sources that they were read for
  std::shared_ptr<const std::vector<LoadedVariant>> texts = {};
};
/// Whether a variant can serve a problem at all, or one config of it (named_config()): `why_not` empty when it can.
struct VariantChecked {
  Problem problem;
  std::string variant, why_not;
  bool broken = false;  ///< it does not compile, or its manifest is wrong
};
/// What the engine chose where it was left to it.
struct SelectionChoice {
  Selection asked;
  bool automatic = false;    ///< the variant too ("auto"), whichever was asked for
  Selection taken;           ///< of the same problem
  std::string because = {};  ///< why "auto" took it: a sentence
  std::string remark = {};   ///< what a person should know beside that; "" = nothing
};
struct InspectionResult {
  Selection selection;
  Inspection inspection;
};
/// The plan of a legal config as numbers, and of those one step away.
struct NeighboursPlanned {
  Selection selection;
  NeighbourPlans around;
};
/// What is known of the device's ceilings; `stage`: of the one being measured, "" when none is.
struct PeaksState {
  std::optional<Peaks> peaks;
  std::string stage, note;
};
struct RunStarted {
  Selection selection;
  Modes modes;
};
struct RunEvent {
  Selection selection;
  Event event;
};
/// The run ended: by itself, or because something newer was asked (Outcome::cancelled).
struct RunEnded {
  Selection selection;
  Record record;
};
struct JobEvent {
  uint64_t id = 0;
  bool over = false;
  size_t done = 0;                        ///< of its items
  std::optional<Selection> current = {};  ///< being measured
  std::optional<Record> record = {};      ///< measured now
  std::string stage = {};                 ///< of a race
  std::shared_ptr<const ErrorMapAnswer> errors = {};
  std::optional<RaceResult> result = {};  ///< of a race
  std::string error = {};                 ///< why nothing came of it
};
/// Something could not be done; `ask` set when it belongs to one config.
struct Failed {
  std::string what;
  Error error;
  std::optional<Selection> selection;
};

using WorkerEvent = std::variant<DeviceList, DeviceOpened, VariantList, VariantChecked, SelectionChoice,
                                 InspectionResult, NeighboursPlanned, PeaksState, RunStarted, RunEvent, RunEnded,
                                 JobEvent, Failed, SearchEvent, TunedLookup>;

}  // namespace attnscope::gui
