// A Session through a worker process: watches it, ends it when it is silent, starts it again.

#include "engine/platform/system.hpp"
#include "engine/record/json_fields.hpp"
#include "engine/session/connection.hpp"
#include "engine/visible.hpp"

namespace attnscope {
namespace {

// Whether what a worker tells is of what it was asked: a time belongs to what its label says, whoever measured it.

bool holds(const Config& asked, const Config& told) { return std::ranges::includes(told, asked); }

/// What the record is of that was not asked for, in a sentence, or "". Parameters left out may have any value.
std::string not_asked_for(const Problem& problem, const std::string& variant, const Config& config,
                          const Protocol& protocol, const Record& told) {
  if (told.problem == problem && told.variant == variant && holds(config, told.config) &&
      told.protocol.cache == protocol.cache && told.protocol.launch == protocol.launch)
    return "";
  const auto named = [](const std::string& v, const Config& c, const Problem& p, const Protocol& modes) {
    return fmt::format("{} {} on {} ({}, {})", v, to_text(c), to_text(p), to_text(modes.cache), to_text(modes.launch));
  };
  return fmt::format(
      "The worker was asked for {} and answered with {}: its numbers are not shown. Is it of another version?",
      named(variant, config, problem, protocol), named(told.variant, told.config, told.problem, told.protocol));
}
std::string not_asked_for(const RunRequest& asked, const Record& told) {
  return not_asked_for(asked.problem, asked.variant, asked.config, asked.protocol, told);
}

std::string not_asked_for(const Config& asked, const Trial& told) {
  if (holds(asked, told.config)) return "";
  return fmt::format(
      "The worker was asked for {} and answered with {}: its time is not shown. Is it of another version?",
      to_text(asked), to_text(told.config));
}

std::string not_asked_for(const RaceRequest& asked, const RaceResult& told) {
  if (told.records.size() != asked.entries.size() || told.turns.size() != asked.entries.size())
    return fmt::format(
        "The worker was asked for {} configs side by side and answered with {}. Is it of another version?",
        asked.entries.size(), told.records.size());
  for (size_t i = 0; i < told.records.size(); ++i)
    if (std::string why = not_asked_for(asked.problem, asked.entries[i].variant, asked.entries[i].config,
                                        asked.protocol, told.records[i]);
        !why.empty())
      return why;
  return "";
}

using Connection = std::shared_ptr<WorkerConnection>;

/// How often a waiting caller looks at its cancel flag and at the clock.
constexpr auto kTick = std::chrono::milliseconds(20);
/// Work of ours that ends may take this many deadlines on a busy machine, as long as the process itself is alive.
constexpr double kDeadlines = 10;

/// A worker that uses less of the CPU in a deadline does nothing.
constexpr double kIdleCpuS = 0.1;

struct Moment {
  Clock::time_point at = Clock::now();
  double cpu_s = 0;  ///< of the worker until then
};

/// A run compiles until it says otherwise, and what compiles gives signs of life however long it takes.
bool interruptible(const std::string& stage) {
  return !stage.empty() && stage != "compile" && stage != "reference" && stage != "resources";
}

struct SessionState {
  std::optional<std::string> selector;
  std::optional<std::vector<VariantSource>> sources;
};

/// Of a worker that has closed its output: how it ended is known when it has, which takes a busy machine a while.
constexpr double kExitPatienceS = 3;

/// Why a worker was ended over a request that its caller gave up (WorkerOptions::abandon).
constexpr std::string_view kAbandoned = "was ended, to be asked again";

struct Answer {
  std::optional<Result<Json>> reply;
  std::string gone;             ///< no reply: how the worker ended, as a clause ("was killed by signal 9 (Killed)")
  std::string stage;            ///< the last one it reported
  bool cancel_timeout = false;  ///< no reply: we ended it, for it did not stop in time when it was asked to
  /// Set when we ended it, for something that asking again would not change.
  std::optional<Error> given_up = {};
};

class WorkerSession final : public Session {
 public:
  explicit WorkerSession(const WorkerOptions& options) : options_(options), argv_(options.command) {
    if (argv_.empty()) argv_ = {own_command(), "worker"};
    if (options.command.empty() || options.session.compile_only) {
      if (!options.session.cache_dir.empty()) argv_.insert(argv_.end(), {"--cache-dir", options.session.cache_dir});
      if (options.session.validation) argv_.push_back("--validation");
      if (options.session.compile_only)
        argv_.insert(argv_.end(), {"--compile-only", dump_line(encode(*options.session.compile_only))});
    }
  }

  std::string machine() override {
    const std::lock_guard lock(state_mutex_);
    return machine_;
  }

  Result<std::vector<DeviceInfo>> devices() override { return ask(&Session::devices, nullptr); }

  Result<DeviceInfo> open(const std::string& selector) override {
    const std::lock_guard one(run_mutex_);
    DeviceInfo device = TRY(ask(&Session::open, nullptr, selector));
    const std::lock_guard lock(state_mutex_);
    remembered_.selector = selector;
    device_ = device;
    on_software_ = device.type == DeviceType::software;
    return device;
  }

  Result<std::vector<VariantInfo>> load_variants(const std::vector<VariantSource>& sources) override {
    const std::lock_guard one(run_mutex_);
    std::vector<VariantSource> good = sources;
    std::map<std::string, std::string> bad;  // what loading it did to the worker
    std::vector<VariantInfo> infos = TRY(load_good(good, bad));
    for (size_t i = 0; i < sources.size(); ++i)
      if (const auto fault = bad.find(sources[i].name); fault != bad.end()) {
        VariantInfo info;
        info.name = sources[i].name;
        info.shadows = sources[i].shadows;
        info.error = fault->second;
        infos.insert(infos.begin() + ptrdiff_t(std::min(i, infos.size())), std::move(info));
      }
    const std::lock_guard lock(state_mutex_);
    remembered_.sources = good;
    variants_ = infos;
    return infos;
  }

  Result<Inspection> inspect(const Problem& problem, const std::string& variant, const Config& config) override {
    return ask(&Session::inspect, nullptr, problem, variant, config);
  }
  Result<ConfigChoice> choose_config(const Problem& problem, const std::string& variant,
                                     const std::string& text) override {
    return ask(&Session::choose_config, nullptr, problem, variant, text);
  }
  Result<std::vector<VariantRank>> rank_variants(const Problem& problem) override {
    return ask(&Session::rank_variants, nullptr, problem);
  }
  Result<SpaceBatch> plan_space(const Problem& problem, const std::string& variant, const SpaceRequest& request,
                                const Cancel& cancel) override {
    return ask(&Session::plan_space, &cancel, problem, variant, request);
  }
  Result<NeighbourPlans> plan_neighbours(const Problem& problem, const std::string& variant,
                                         const Config& config) override {
    return ask(&Session::plan_neighbours, nullptr, problem, variant, config);
  }
  Result<std::vector<ShaderText>> shader_texts(const TextRequest& request) override {
    return ask(&Session::shader_texts, nullptr, request);
  }

  Result<PeaksAnswer> peaks(const PeaksRequest& request, const EventSink& sink, const Cancel& cancel) override {
    return measure(&Session::peaks, request, sink, cancel, [&](const Answer& lost) {
      return fmt::format("The worker '{}' {} while it measured the device's peaks{}.", command_text(argv_), lost.gone,
                         lost.stage.empty() ? "" : " (" + lost.stage + ")");
    });
  }

  Result<ErrorMapAnswer> error_map(const ErrorMapRequest& request, const EventSink& sink,
                                   const Cancel& cancel) override {
    return measure(&Session::error_map, request, sink, cancel, [&](const Answer& lost) {
      return fmt::format("The worker {} while {} {} {} on {}.", lost.gone, doing(lost.stage), request.variant,
                         to_text(request.config), to_text(request.problem));
    });
  }

  Result<CheckResult> check(const CheckRequest& request, const EventSink& sink, const Cancel& cancel) override {
    return measure(&Session::check, request, sink, cancel, [&](const Answer& lost) {
      return fmt::format("The worker {} over the check '{}'.", lost.gone, request.check);
    });
  }

  Result<Record> run(const RunRequest& request, const EventSink& sink, const Cancel& cancel) override {
    const std::lock_guard one(run_mutex_);
    Answer outcome;
    std::string foreign;
    const EventSink checked = [&](const Event& event) {
      if (const auto* began = std::get_if<RunBegan>(&event); began && began->record && foreign.empty())
        foreign = not_asked_for(request, *began->record);
      if (foreign.empty() && sink) sink(event);
    };
    const auto refused = [&](const std::string& why) {
      Record nothing = remembered_record(request);
      conclude(nothing, Outcome::error, why);
      return nothing;
    };
    const auto is_foreign = [&] { return !foreign.empty(); };
    for (int attempt = 0; attempt < 2; ++attempt) {
      Connection connection = TRY(connected(&cancel));
      outcome = converse(*connection, "run", Json{{"request", encode(request)}}, &checked, &cancel, request.paced,
                         is_foreign);
      // It was cancelled for that, or ended because the cancel had no effect: the device is free again.
      if (!foreign.empty()) return refused(foreign);
      if (!outcome.reply) break;
      // A process that has lost its device says so to every later run: this one then gets a fresh process.
      const bool spent = !*outcome.reply && outcome.reply->error().kind == ErrorKind::device_lost;
      if (!spent || attempt == 1) {
        Result<Record> record = value<Record>(*outcome.reply, "record");
        if (record) foreign = not_asked_for(request, *record);
        return foreign.empty() ? record : refused(foreign);
      }
      connection->end(0);
    }

    Result<Connection> again = ending() ? Result<Connection>(cancelled_error("the program ends.")) : connected(&cancel);
    const std::string why =
        fmt::format("The worker {} while {} {} {} on {}; ", outcome.gone, doing(outcome.stage), request.variant,
                    to_text(request.config), to_text(request.problem)) +
        (again ? "it was started again." : "it could not be started again: " + again.error().message);
    Record record = remembered_record(request);
    // Who wanted it to end has no failed run: it may have been busy with something long.
    conclude(record, outcome.cancel_timeout ? Outcome::cancelled : Outcome::error, why);
    return record;
  }

  Result<TrialsReport> trials(const TrialsRequest& request, const EventSink& sink, const Cancel& cancel) override {
    const std::lock_guard one(run_mutex_);
    std::vector<uint64_t> left(request.configs.size());
    for (uint64_t i = 0; i < left.size(); ++i) left[i] = i;
    TrialsRequest part = request;
    TrialsReport sum;
    const auto start = Clock::now();
    while (!left.empty() && !cancel) {
      const std::vector<uint64_t> asked = left;
      part.configs = mapped(asked, [&](uint64_t i) { return request.configs[i]; });
      std::optional<uint64_t> begun;
      const auto done = [&](Trial trial, uint64_t index) {
        if (std::erase(left, index) == 0) return;  // reported twice
        if (const std::string foreign = not_asked_for(request.configs[index], trial); !foreign.empty()) {
          trial = Trial{};
          trial.config = request.configs[index];
          trial.message = foreign;
        }
        trial.index = index;
        if (trial.median_ns > 0 && (part.best_ns == 0 || trial.median_ns < part.best_ns))
          part.best_ns = trial.median_ns;
        ++sum.done;
        if (sink) sink(TrialDone{std::move(trial)});
      };
      const EventSink renumbered = [&](const Event& event) {
        if (const auto* b = std::get_if<TrialBegan>(&event)) {
          if (b->index < asked.size()) begun = asked[b->index];
        } else if (const auto* d = std::get_if<TrialDone>(&event)) {
          begun.reset();
          if (d->trial.index < asked.size()) done(d->trial, asked[d->trial.index]);
        } else if (sink) {
          sink(event);
        }
      };
      Connection connection = TRY(connected(&cancel));
      Answer answer = converse(*connection, "trials", Json{{"request", encode(part)}}, &renumbered, &cancel, false);
      if (answer.reply) {
        Result<TrialsReport> report = value<TrialsReport>(*answer.reply, "report");
        if (!report) {
          if (report.error().kind != ErrorKind::device_lost) return report.error();
          connection->end(0);
          answer.gone = report.error().message;
        } else {
          report->done = 0;  // done() counts them
          sum += *report;
          break;
        }
      }
      // Ended because it was to stop: that is nobody's doing, and what it was at is left to be tried.
      if (cancel) break;
      // It is unknown which of several compiles ended it, so they are made one by one until it happens again.
      if (!begun && !part.ahead) begun = left.front();
      if (begun) {
        Trial ended;
        ended.config = request.configs[*begun];
        ended.message =
            fmt::format("The worker {} while {} {}.", answer.gone, doing(answer.stage), to_text(ended.config));
        done(std::move(ended), *begun);
      }
      part.ahead = begun ? request.ahead : false;
      part.next.clear();  // one of these may have ended it
    }
    sum.wall_ms = 1e3 * seconds_since(start);
    return sum;
  }

  Result<RaceResult> race(const RaceRequest& request, const EventSink& sink, const Cancel& cancel) override {
    RaceResult result = TRY(measure(&Session::race, request, sink, cancel, [&](const Answer& lost) {
      return fmt::format("The worker {} while {} {} configs side by side on {}.", lost.gone, doing(lost.stage),
                         request.entries.size(), to_text(request.problem));
    }));
    if (const std::string foreign = not_asked_for(request, result); !foreign.empty()) return internal_error(foreign);
    return result;
  }

 private:
  template <class T>
  static Result<T> value(const Result<Json>& reply, const char* key) {
    if (!reply) return reply.error();
    if (!reply->is_object() || !reply->contains(key))
      return Error{ErrorKind::internal, fmt::format("the worker's reply has no \"{}\"", key)};
    return decode<T>(reply->at(key), key);
  }

  /// One measurement, not repeated over a worker that dies of it; `why_lost` says what it was lost over.
  template <class T, class... P, class Request, class WhyLost>
  Result<T> measure(Result<T> (Session::*)(P...), const Request& request, const EventSink& sink, const Cancel& cancel,
                    const WhyLost& why_lost) {
    const auto& method = std::get<Method<Result<T> (Session::*)(P...)>>(kMethods);
    const std::lock_guard one(run_mutex_);
    Connection connection = TRY(connected(&cancel));
    bool paced = false;
    if constexpr (requires { request.paced; }) paced = request.paced;
    const Answer answer = converse(*connection, method.name, Json{{"request", encode(request)}}, &sink, &cancel, paced);
    if (answer.reply) {
      if (!*answer.reply && answer.reply->error().kind == ErrorKind::device_lost) connection->end(0);
      return value<T>(*answer.reply, method.result);
    }
    return device_lost(why_lost(answer));
  }

  static std::string doing(const std::string& stage) {
    if (stage == "compile") return "compiling";
    if (stage == "reference" || stage == "verify") return "verifying";
    return stage.empty() ? "starting on" : "measuring";
  }

  /// A request that may be repeated: once more when the worker died over it.
  template <class T, class... P, class... Values>
  Result<T> ask(Result<T> (Session::*)(P...), const Cancel* cancel, const Values&... values) {
    const auto& method = std::get<Method<Result<T> (Session::*)(P...)>>(kMethods);
    Json params = Json::object();
    size_t next = 0;
    ((params[method.parameters.at(next++)] = encode(values)), ...);
    return value<T>(reply_to(method.name, params, cancel), method.result);
  }
  Result<Json> reply_to(std::string_view method, const Json& params, const Cancel* cancel) {
    for (bool again = false;; again = true) {
      Connection connection = TRY(connected(cancel));
      const Answer outcome = converse(*connection, method, params, nullptr, cancel);
      if (again || outcome.reply || outcome.given_up) return reply_in(outcome, method, ", twice");
    }
  }
  Result<Json> reply_in(const Answer& answer, std::string_view method, const char* how_often = "") const {
    if (answer.reply) return *answer.reply;
    if (answer.given_up) return *answer.given_up;
    return device_lost("The worker '{}' {} over the request '{}'{}.", command_text(argv_), answer.gone, method,
                       how_often);
  }

  /// Loads `good`. When the worker dies over it, each is loaded alone, and those that it dies over are moved to `bad`.
  Result<std::vector<VariantInfo>> load_good(std::vector<VariantSource>& good,
                                             std::map<std::string, std::string>& bad) {
    constexpr size_t kMostBad = 8;  // past so many it is the worker that does not work
    const auto load = [&](const std::vector<VariantSource>& sources) -> Result<Answer> {
      Connection connection = TRY(connected());
      return converse(*connection, "load_variants", Json{{"sources", encode(sources)}}, nullptr, nullptr);
    };
    for (;;) {
      const Answer all = TRY(load(good));
      if (all.reply) return value<std::vector<VariantInfo>>(*all.reply, "variants");
      if (all.given_up && all.given_up->kind == ErrorKind::cancelled) return *all.given_up;
      const size_t known = bad.size();
      for (auto one = good.begin(); known == 0 && one != good.end() && bad.size() <= kMostBad;) {
        const Answer alone = TRY(load({*one}));
        if (alone.given_up && alone.given_up->kind == ErrorKind::cancelled) return *alone.given_up;
        if (!alone.reply) bad[one->name] = fmt::format("The worker that was to load it {}.", alone.gone);
        one = alone.reply ? one + 1 : good.erase(one);
      }
      if (bad.size() == known || bad.size() > kMostBad)
        return device_lost("The worker '{}' {} over the request 'load_variants'.", command_text(argv_), all.gone);
    }
  }

  /// Sends a request and waits for its reply, ending a worker that is silent, does not react to a cancel, or (no run)
  /// does not answer in time. `sink`: of runs alone. `unwanted`: whether what it told is reason to cancel.
  Answer converse(WorkerConnection& connection, std::string_view method, const Json& params, const EventSink* sink,
                  const Cancel* cancel, bool paced = false, const std::function<bool()>& unwanted = {}) {
    Answer outcome;
    // A request that reacts to a cancel does so between two steps, one of which may have to be compiled.
    const double grace_s = (cancel != nullptr ? 5 : 1) * options_.cancel_grace_s;
    if (cancel == nullptr) cancel = options_.cancel;
    const Result<int64_t> id = connection.request(method, params);
    if (!id) {
      outcome.gone = connection.end(kExitPatienceS);
      return outcome;
    }
    const Moment began{.cpu_s = cpu_seconds(connection.pid())};
    Moment stage_start = began, heard = began;
    std::optional<Clock::time_point> cancelled;
    for (;;) {
      RpcMessage message;
      const auto kind = connection.wait(*id, kTick, message);
      if (const auto at = connection.last_heard(*id); at > heard.at) heard = {at, cpu_seconds(connection.pid())};
      switch (kind) {
        case WorkerConnection::MessageKind::reply: outcome.reply = std::move(message.reply); return outcome;
        case WorkerConnection::MessageKind::closed: outcome.gone = connection.end(kExitPatienceS); return outcome;
        case WorkerConnection::MessageKind::notification:
          if (const auto event = decode_event(message.method, message.params); event && *event) {
            if (const auto* progress = std::get_if<Progress>(&**event)) outcome.stage = progress->stage;
            stage_start = heard;  // the next of several trials, too
            if (sink != nullptr && *sink) (*sink)(**event);
            if (paced && std::holds_alternative<SampleBatch>(**event))
              (void)connection.notify("proceed", Json{{"id", *id}});
          }
          break;
        case WorkerConnection::MessageKind::nothing: break;
      }
      if (!cancelled && ((cancel != nullptr && *cancel) || ending() || (unwanted && unwanted()))) {
        cancelled = Clock::now();
        (void)connection.notify("cancel", Json{{"id", *id}});
      }
      const std::string why = sink != nullptr ? why_end(connection, outcome.stage, heard, stage_start, cancelled)
                                              : why_give_up(connection, began, cancelled, grace_s);
      if (why.empty()) continue;
      outcome.gone = connection.end(0, why);
      outcome.cancel_timeout = why.starts_with(kCancelTimeout);
      const bool abandoned = why == kAbandoned;
      if (sink == nullptr)
        outcome.given_up = Error{
            cancelled || abandoned ? ErrorKind::cancelled : ErrorKind::device_lost,
            fmt::format("The worker '{}' {}; it had been asked to '{}'.", command_text(argv_), outcome.gone, method)};
      return outcome;
    }
  }

  /// The same of what is not a run: it has no stages, and nothing is lost by asking another worker.
  std::string why_give_up(const WorkerConnection& connection, const Moment& began,
                          const std::optional<Clock::time_point>& cancelled, double grace_s) const {
    if (ending()) grace_s = options_.cancel_grace_s / 2;
    if (cancelled && seconds_since(*cancelled) > grace_s)
      return fmt::format("{} {:g} s of being asked to and was ended", kCancelTimeout, grace_s);
    if (options_.abandon != nullptr && options_.abandon->exchange(false)) return std::string(kAbandoned);
    if (spent_s(connection, began) > deadline_s())
      return fmt::format("did not answer within the deadline of {:g} s and was ended", deadline_s());
    return {};
  }

  bool ending() const { return options_.cancel_ends_all && options_.cancel != nullptr && *options_.cancel; }
  double deadline_s() const { return on_software_ ? options_.software_deadline_s : options_.deadline_s; }

  /// What counts for a deadline. On a software device the worker's own CPU time does, up to kDeadlines deadlines.
  double spent_s(const WorkerConnection& connection, const Moment& since) const {
    const double wall = seconds_since(since.at);
    if (!on_software_ || wall <= deadline_s()) return wall;
    const double cpu = cpu_seconds(connection.pid()) - since.cpu_s;
    return cpu < kIdleCpuS ? wall : std::clamp(cpu, wall / kDeadlines, wall);
  }

  /// Empty as long as there is hope; else what the worker is ended for.
  std::string why_end(const WorkerConnection& connection, const std::string& stage, const Moment& heard,
                      const Moment& stage_start, const std::optional<Clock::time_point>& cancelled) const {
    const double silent = spent_s(connection, heard), in_stage = spent_s(connection, stage_start);
    if (silent > deadline_s())
      return fmt::format("gave no sign of life for {:.1f} s (the deadline is {:g} s) and was ended", silent,
                         deadline_s());
    const double patience = deadline_s() * (stage == "reference" ? kDeadlines : 1);
    if (!interruptible(stage) && in_stage > patience)
      return fmt::format("spent {:.1f} s in the stage '{}' (the deadline is {:g} s) and was ended", in_stage,
                         stage.empty() ? "compile" : stage, patience);
    if (cancelled) {
      const double grace = (ending() ? 0.5 : interruptible(stage) ? 1 : 5) * options_.cancel_grace_s;
      if (seconds_since(*cancelled) > grace)
        return fmt::format("{} {:g} s of being asked to and was ended", kCancelTimeout, grace);
    }
    return {};
  }

  /// The living worker; started when there is none, and once more where it dies while it starts.
  Result<Connection> connected(const Cancel* cancel = nullptr) {
    const std::lock_guard lock(start_mutex_);
    if (connection_ && connection_->open()) return connection_;
    connection_.reset();
    Result<Connection> fresh = started(cancel);
    if (!fresh && fresh.error().kind == ErrorKind::device_lost && remembered().selector) fresh = started(cancel);
    if (fresh) connection_ = *fresh;
    return fresh;
  }

  SessionState remembered() {
    const std::lock_guard state(state_mutex_);
    return remembered_;
  }

  /// A new worker, told what was opened and loaded.
  Result<Connection> started(const Cancel* cancel) {
    Connection fresh = TRY(WorkerConnection::start(argv_, options_.environment));
    const SessionState replay = remembered();
    const Json hello = TRY(first(*fresh, "initialize", Json{{"protocol", kWorkerProtocol}}, cancel));
    if (const std::string why = other_protocol(hello); !why.empty()) return bad_input(why);
    {
      const Json told = hello.is_object() ? hello.value("machine", Json()) : Json();
      const std::lock_guard state(state_mutex_);
      machine_ = told.is_string() ? told.get<std::string>() : "";
    }
    if (replay.selector) (void)TRY(first(*fresh, "open", Json{{"selector", *replay.selector}}, cancel));
    if (replay.sources) (void)TRY(first(*fresh, "load_variants", Json{{"sources", encode(*replay.sources)}}, cancel));
    return fresh;
  }

  /// Why what it says at first is not of our protocol; "" where it is.
  std::string other_protocol(const Json& hello) const {
    const Json spoken = hello.is_object() ? hello.value("protocol", Json()) : Json();
    if (spoken == kWorkerProtocol) return {};
    const Json version = hello.is_object() ? hello.value("version", Json()) : Json();
    return fmt::format(
        "The worker '{}' (attnscope {}) speaks protocol {}, and this attnscope {} speaks protocol {}; use "
        "the same version on both sides.",
        command_text(argv_),
        version.is_string() ? visible_line(version.get<std::string>().substr(0, 40)) : "of an unknown version",
        spoken.is_number_integer() ? spoken.dump() : "that it does not name", ATTNSCOPE_VERSION, kWorkerProtocol);
  }

  Result<Json> first(WorkerConnection& connection, const char* method, const Json& params, const Cancel* cancel) {
    return reply_in(converse(connection, method, params, nullptr, cancel), method);
  }

  /// What was asked of the worker that is gone, by what it told when it opened and loaded.
  Record remembered_record(const RunRequest& request) {
    const std::lock_guard lock(state_mutex_);
    const VariantInfo* v = find_by(variants_, request.variant, &VariantInfo::name);
    return make_record(request, v ? *v : VariantInfo{}, device_);
  }

  const WorkerOptions options_;
  std::vector<std::string> argv_;
  std::mutex run_mutex_;    ///< one open, load or run at a time; the first lock to take
  std::mutex start_mutex_;  ///< the second
  Connection connection_;
  std::mutex state_mutex_;  ///< the last
  SessionState remembered_;
  DeviceInfo device_;
  std::string machine_;
  std::vector<VariantInfo> variants_;
  std::atomic<bool> on_software_{false};
};

}  // namespace

std::unique_ptr<Session> make_worker_session(const WorkerOptions& options) {
  return std::make_unique<WorkerSession>(options);
}

}  // namespace attnscope
