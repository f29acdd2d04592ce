// The app's interface to a device: open it, run (problem, variant, config), stream samples, get a record.
#pragma once

#include "engine/attention/error_map.hpp"
#include "engine/doctor/check.hpp"
#include "engine/record/run.hpp"
#include "engine/session/trials.hpp"
#include "engine/variant/space.hpp"

namespace attnscope {
namespace telemetry {
class Source;
}

struct VariantInfo {
  std::string name, title, summary, system, hash;
  std::vector<std::string> features, dtypes, options;
  std::vector<Parameter> parameters;
  std::vector<ConstraintDecl> constraints, supports, no_spills;
  std::vector<NamedConfig> configs;
  std::string rank;     ///< the manifest's expression; "" = it has none
  std::string why_not;  ///< on the opened device; empty when it can run
  std::string error;    ///< why it did not load (compile error, manifest mismatch); parameters are empty then
  std::string shadows;  ///< folder of the variant of the same name that it replaces; "" = none
  operator ConfigSpace() const { return {name, parameters, configs}; }
};
/// The plan of a (problem, variant, config) in numbers, without running it.
struct Inspection {
  std::string why_not;  ///< empty when legal
  bool broken = false;  ///< then the shader does not compile, or its manifest is wrong: no limit forbids the config
  std::vector<ParameterChoices> choices;
  Config nearest;          ///< a legal config, when there is one
  std::string no_nearest;  ///< why there is none, or none was found in time
  uint64_t shared_bytes = 0, private_bytes = 0, scratch_bytes = 0;
  std::vector<std::array<uint32_t, 3>> grids, local_sizes;
  double flops = 0, bytes = 0, extra_bytes = 0;
  Precision precision;
};
struct RunRequest {
  Problem problem;
  std::string variant = {};
  Config config = {};
  Protocol protocol = {};
  uint64_t seed = 1;
  bool verify = true;
  bool measure = true;  ///< with `verify` also false the config is only compiled
  bool resources = true;
  bool live = false;      ///< sample until cancelled (protocol's caps ignored); samples are streamed, not recorded
  double batch_ms = 100;  ///< samples are streamed about this often
  /// The next batch waits until the sink has returned from this one's SampleBatch (a worker: for its parent's go-ahead,
  /// which counts towards no cap), so that a window on the same CPU draws between batches.
  bool paced = false;
  std::optional<PredictedTime> predicted = {};  ///< copied to the record
};
/// A stage begins; repeated about once a second while it lasts and nothing else happens, as a sign of life.
struct Progress {
  std::string
      stage;  ///< "compile", "reference", "verify", "warm-up", "sample", "resources"; of peaks(): the ceiling's name
};
/// The config is legal and is about to run: the record of the run, without verdict, samples and the driver's resources.
struct RunBegan {
  std::shared_ptr<const Record> record;
};
/// The warm-up is over: every sample from here on is made this way.
struct SamplingBegan {
  uint32_t dispatches_per_sample = 1;
  bool settled = true;  ///< the warm-up reached its goal
};
struct SampleBatch {
  std::vector<double> samples_ns;
};
struct ResourcesReady {
  Resources resources;
};
/// Telemetry: of a live run, what the sensors said in its last two seconds.
using Event = std::variant<Progress, RunBegan, Verdict, SamplingBegan, SampleBatch, ResourcesReady, TrialBegan,
                           TrialDone, Telemetry>;
/// Called on the calling thread of run(), in order.
using EventSink = std::function<void(const Event&)>;

struct PeaksRequest {
  bool measure = true;  ///< if none are stored; false only reads stored ones
  bool again = false;   ///< even if some are stored
};
struct PeaksAnswer {
  std::optional<Peaks> peaks;  ///< absent if none are stored and `measure` was false
  bool measured = false;       ///< just now
  std::string note;            ///< a problem with the stored ones; "" = none
};

struct TextRequest {
  Problem problem;
  std::string variant;
  Config config;
};

/// One check of the driver (engine/doctor/doctor.hpp).
struct CheckRequest {
  std::string check;   ///< of checks_of()
  bool fault = false;  ///< with a shader that is wrong on purpose: the check has to find it
};

struct ErrorMapRequest {
  Problem problem;
  std::string variant;
  Config config;
  uint64_t seed = 1;
  uint32_t batch = 0, head = 0;
  bool worst_head = false;  ///< of the head with the largest error instead
  uint32_t cells = 128;     ///< along a side at most, 1 to kMostErrorCells
  uint32_t elements = 64;   ///< failing ones to list, up to kMostErrorElements
  bool operator==(const ErrorMapRequest&) const = default;
};
struct ErrorMapAnswer {
  /// The run that the map is of: with the verdict of this one execution, never with samples.
  Record record;
  std::optional<ErrorMap> map;  ///< with a verdict
};

/// The error names the field, its value and the range.
Result<void> check_request(const ErrorMapRequest&);

class Session {
 public:
  virtual ~Session() = default;
  /// Identifies the running machine until it restarts; "" = unknown. No record has it.
  virtual std::string machine() { return {}; }
  /// All devices of the machine; unsuitable ones have the reason.
  virtual Result<std::vector<DeviceInfo>> devices() { return not_offered(); }
  /// "" = the fastest real GPU else software; an index; "cpu"; or part of a name (case-insensitive).
  virtual Result<DeviceInfo> open(const std::string& /*selector*/) { return not_offered(); }
  /// Replaces the set of variants. A variant that fails to load is listed with its error, the others still work.
  virtual Result<std::vector<VariantInfo>> load_variants(const std::vector<VariantSource>&) { return not_offered(); }
  virtual Result<Inspection> inspect(const Problem&, const std::string& /*variant*/, const Config&) {
    return not_offered();
  }
  /// Whether a config is legal, as inspect() has it.
  bool can_run(const Problem& problem, const std::string& variant, const Config& config) {
    const Result<Inspection> look = inspect(problem, variant, config);
    return look && look->why_not.empty();
  }
  /// The config that a text selects on a problem (engine/variant/plan.hpp).
  virtual Result<ConfigChoice> choose_config(const Problem&, const std::string& /*variant*/,
                                             const std::string& /*text*/) {
    return not_offered();
  }
  /// The rank of each loaded variant on a problem: those that can run first, the highest rank before the others.
  virtual Result<std::vector<VariantRank>> rank_variants(const Problem&) { return not_offered(); }
  /// The next batch of a variant's configs (engine/variant/space.hpp). Cancelled, it is what was decided until then.
  virtual Result<SpaceBatch> plan_space(const Problem&, const std::string& /*variant*/, const SpaceRequest&,
                                        const Cancel& /*cancel*/) {
    return not_offered();
  }
  /// The shaders of a config as text, pass by pass: what the driver returns of each, then its SPIR-V.
  virtual Result<std::vector<ShaderText>> shader_texts(const TextRequest&) { return not_offered(); }
  /// An Error for what could not be tried at all (unknown variant, worker gone); refusals, failed verdicts, lost
  /// devices and cancellation are outcomes of the Record.
  virtual Result<Record> run(const RunRequest&, const EventSink&, const Cancel& /*cancel*/) { return not_offered(); }
  /// Verifies and times each config as it gets ready, with a TrialDone for each but those that it may postpone. An
  /// Error for what could not be tried at all; what ends its worker is Outcome::error.
  virtual Result<TrialsReport> trials(const TrialsRequest&, const EventSink&, const Cancel& /*cancel*/) {
    return not_offered();
  }
  /// Verifies each entry as run() does, samples all in turns, and verifies again. An Error for what could not be tried
  /// at all. Cancelled, the records are of what was sampled until then.
  virtual Result<RaceResult> race(const RaceRequest&, const EventSink&, const Cancel& /*cancel*/) {
    return not_offered();
  }
  /// A config's plan as numbers, and its neighbours' (engine/variant/plan.hpp).
  virtual Result<NeighbourPlans> plan_neighbours(const Problem&, const std::string& /*variant*/, const Config&) {
    return not_offered();
  }
  /// The opened device's ceilings: those kept for it and its driver, or measured. Every later record has them in its
  /// environment. The sink gets a Progress for each ceiling.
  virtual Result<PeaksAnswer> peaks(const PeaksRequest&, const EventSink&, const Cancel& /*cancel*/) {
    return not_offered();
  }
  /// Runs once, and gives the errors over (query, dim) of one batch and head. Errors as of run().
  virtual Result<ErrorMapAnswer> error_map(const ErrorMapRequest&, const EventSink&, const Cancel& /*cancel*/) {
    return not_offered();
  }
  /// The result of a check of the driver. An Error for what could not be tried at all.
  virtual Result<CheckResult> check(const CheckRequest&, const EventSink&, const Cancel& /*cancel*/) {
    return not_offered();
  }

 private:
  /// For a session of tests, which leaves methods out.
  static Error not_offered() { return internal_error("This session does not offer that."); }
};

struct SessionOptions {
  bool validation = false;  ///< Vulkan validation layers with synchronization validation; messages are errors
  std::string cache_dir;    ///< SPIR-V and pipeline caches; "" = none
  OnEndlessCompile on_endless_compile = {};  ///< has to end the process (engine/shader/compiler.hpp)
  /// What a wait for the clock comes to (ClockGate::rise()), in place of looking at the device: for tests.
  std::function<double()> clock = {};
  /// The driver has no hardware: its device plans and compiles, and executes nothing (engine/gpus/catalogue.hpp).
  std::optional<CompileOnly> compile_only = {};
  /// Sensors in place of the device's: for tests. Of a session in this process alone.
  std::shared_ptr<telemetry::Source> sensors = {};
};
// How a run says that its worker was ended because it ignored a cancel: it was busy, or hangs.

/// In the message of such a record, whose outcome is `cancelled`: a reason to be careful with it, no fault of it.
inline constexpr std::string_view kCancelTimeout = "did not stop within";

inline bool cancel_timeout(const Record& r) {
  return r.outcome == Outcome::cancelled && r.message.find(kCancelTimeout) != std::string::npos;
}

std::unique_ptr<Session> make_local_session(const SessionOptions&);

struct WorkerOptions {
  std::vector<std::string> command;      ///< argv; empty = this executable's `worker`
  std::vector<std::string> environment;  ///< "NAME=VALUE", over what this process has
  double deadline_s = 60;            ///< silence longer than this ends the worker (it sends a heartbeat every second
                                     ///< from the measuring thread between dispatches); so does a compile that is
                                     ///< longer, heartbeats or not, and a request other than a run that is not
                                     ///< answered in this time
  double software_deadline_s = 300;  ///< the same where the device is the CPU, which compiles within a dispatch
  double cancel_grace_s = 2;         ///< a cancel without effect for this long ends the worker (5 x while it compiles)
  /// When set, what has no cancel of its own ends too, within the grace time: an Error of kind `cancelled`.
  const Cancel* cancel = nullptr;
  /// `cancel` says that the caller ends: it cancels runs too, and all have half the grace time.
  bool cancel_ends_all = false;
  /// When set and true, what has no cancel of its own ends at once, with its worker; then it is false again.
  std::atomic<bool>* abandon = nullptr;
  /// For the default command, and where nothing is executed; another command carries `--cache-dir` and such itself.
  SessionOptions session;
};
/// Through a worker process, started at the first call and again when it dies, with what was opened and loaded. A
/// variant over which it dies has that as its error, a run a Record with Outcome::error. Thread-safe: inspect(),
/// choose_config(), plan_space(), plan_neighbours() and devices() answer during a run(), also to its sink; open(),
/// load_variants() and a second run() wait.
std::unique_ptr<Session> make_worker_session(const WorkerOptions&);

/// Program version, UTC time (ISO 8601, to the second) and operating system of this process.
Environment stamp(const DeviceInfo& device);

/// Whether the request's protocol can be followed; the error says what is allowed.
Result<void> check_request(const RunRequest&);

/// Parameters that the request leaves out are at their defaults; the time is now.
Record make_record(const RunRequest&, const VariantInfo&, const DeviceInfo&);

}  // namespace attnscope
