// A Session through a worker process: watches it, ends it when it is silent, starts it again.
#include <atomic>
#include <chrono>
#include <ctime>
#include <mutex>

#include <fmt/format.h>

#include "engine/record/json_fields.hpp"
#include "engine/session/codec.hpp"
#include "engine/session/connection.hpp"
#include "engine/session/request_run.hpp"
#include "engine/session/session.hpp"

namespace attnscope {
namespace {

using Clock = WorkerConnection::Clock;
using Connection = std::shared_ptr<WorkerConnection>;

/// How often a waiting caller looks at its cancel flag and at the clock.
constexpr auto kTick = std::chrono::milliseconds(20);
/// A compiler or the CPU reference may take this many deadlines, as long as the process itself is alive.
constexpr double kStagePatience = 10;

double seconds_since(Clock::time_point t) { return std::chrono::duration<double>(Clock::now() - t).count(); }

bool interruptible(const std::string& stage) {
  return stage != "compile" && stage != "reference" && stage != "resources";
}

struct Remembered {
  std::optional<std::string> selector;
  std::optional<std::vector<VariantSource>> sources;
};

/// What became of one request.
struct Answer {
  std::optional<Result<Json>> reply;
  std::string gone;   ///< no reply: how the worker ended, as a clause ("was killed by signal 9 (Killed)")
  std::string stage;  ///< the last one it told of
};

class WorkerSession final : public Session {
 public:
  explicit WorkerSession(const WorkerOptions& options) : options_(options), argv_(options.command) {
    if (argv_.empty()) {
      argv_ = {"/proc/self/exe", "worker"};
      if (!options.session.cache_dir.empty()) argv_.insert(argv_.end(), {"--cache-dir", options.session.cache_dir});
      if (options.session.validation) argv_.push_back("--validation");
    }
  }

  Result<std::vector<DeviceInfo>> devices() override {
    return value<std::vector<DeviceInfo>>(ask("devices", Json::object()), "devices");
  }

  Result<DeviceInfo> open(const std::string& selector) override {
    const std::lock_guard one(run_mutex_);
    Result<DeviceInfo> device = value<DeviceInfo>(ask("open", Json{{"selector", selector}}), "device");
    if (!device) return device.error();
    const std::lock_guard lock(state_mutex_);
    remembered_.selector = selector;
    device_ = *device;
    on_software_ = device->type == DeviceType::software;
    return device;
  }

  Result<std::vector<VariantInfo>> load_variants(const std::vector<VariantSource>& sources) override {
    const std::lock_guard one(run_mutex_);
    Result<std::vector<VariantInfo>> infos =
        value<std::vector<VariantInfo>>(ask("load_variants", Json{{"sources", encode(sources)}}), "variants");
    if (!infos) return infos.error();
    const std::lock_guard lock(state_mutex_);
    remembered_.sources = sources;
    variants_ = *infos;
    return infos;
  }

  Result<Inspection> inspect(const Problem& problem, const std::string& variant, const Config& config) override {
    Json params{{"problem", problem}, {"variant", variant}};
    params["config"] = encode(config);
    return value<Inspection>(ask("inspect", params), "inspection");
  }

  Result<ConfigChoice> choose_config(const Problem& problem, const std::string& variant,
                                     const std::string& text) override {
    const Json params{{"problem", problem}, {"variant", variant}, {"text", text}};
    return value<ConfigChoice>(ask("choose_config", params), "choice");
  }

  Result<SpaceBatch> plan_space(const Problem& problem, const std::string& variant, const SpaceRequest& request,
                                const std::atomic<bool>& cancel) override {
    const Json params{{"problem", problem}, {"variant", variant}, {"request", encode(request)}};
    return value<SpaceBatch>(ask("plan_space", params, &cancel), "batch");
  }

  Result<Surroundings> look_around(const Problem& problem, const std::string& variant, const Config& config) override {
    Json params{{"problem", problem}, {"variant", variant}};
    params["config"] = encode(config);
    return value<Surroundings>(ask("look_around", params), "surroundings");
  }

  Result<PeaksAnswer> peaks(const PeaksRequest& request, const EventSink& sink,
                            const std::atomic<bool>& cancel) override {
    const std::lock_guard one(run_mutex_);
    Result<Connection> connection = connected();
    if (!connection) return connection.error();
    // Not repeated over a worker that dies of it.
    Answer outcome = converse(**connection, "peaks", Json{{"request", encode(request)}}, &sink, &cancel);
    if (outcome.reply) return value<PeaksAnswer>(*outcome.reply, "answer");
    return Error{ErrorKind::device_lost,
                 fmt::format("The worker '{}' {} while it measured the device's peaks{}.", command_text(argv_),
                             outcome.gone, outcome.stage.empty() ? "" : " (" + outcome.stage + ")")};
  }

  Result<Record> run(const RunRequest& request, const EventSink& sink, const std::atomic<bool>& cancel) override {
    const std::lock_guard one(run_mutex_);
    Answer outcome;
    for (int attempt = 0; attempt < 2; ++attempt) {
      Result<Connection> connection = connected();
      if (!connection) return connection.error();
      outcome = converse(**connection, "run", Json{{"request", encode(request)}}, &sink, &cancel, request.paced);
      if (!outcome.reply) break;
      // A process that has lost its device says so to every later run: this one then gets a fresh process.
      const bool spent = !*outcome.reply && outcome.reply->error().kind == ErrorKind::device_lost;
      if (!spent || attempt == 1) return value<Record>(*outcome.reply, "record");
      (*connection)->end(0);
    }

    Result<Connection> again = connected();
    const std::string why =
        fmt::format("The worker {} while {} {} {} on {}; ", outcome.gone, doing(outcome.stage), request.variant,
                    to_text(request.config), to_text(request.problem)) +
        (again ? "it was started again." : "it could not be started again: " + again.error().message);
    Record record = make_record(remembered_run(request));
    conclude(record, Outcome::error, why);
    return record;
  }

 private:
  template <class T>
  static Result<T> value(const Result<Json>& reply, const char* key) {
    if (!reply) return reply.error();
    if (!reply->is_object() || !reply->contains(key))
      return Error{ErrorKind::internal, fmt::format("the worker's reply has no \"{}\"", key)};
    return decode<T>(reply->at(key), key);
  }

  static std::string doing(const std::string& stage) {
    if (stage == "compile") return "compiling";
    if (stage == "reference" || stage == "verify") return "verifying";
    if (stage.empty()) return "starting on";
    return "measuring";
  }

  /// A request that may be repeated: once more when the worker died over it.
  Result<Json> ask(std::string_view method, const Json& params, const std::atomic<bool>* cancel = nullptr) {
    std::string gone;
    for (int attempt = 0; attempt < 2; ++attempt) {
      Result<Connection> connection = connected();
      if (!connection) return connection.error();
      Answer outcome = converse(**connection, method, params, nullptr, cancel);
      if (outcome.reply) return *outcome.reply;
      gone = outcome.gone;
    }
    return Error{ErrorKind::device_lost,
                 fmt::format("The worker '{}' {} over the request '{}', twice.", command_text(argv_), gone, method)};
  }

  /// Sends a request and waits for its reply, ending the worker when it stays silent or does not heed a cancel.
  Answer converse(WorkerConnection& connection, std::string_view method, const Json& params, const EventSink* sink,
                  const std::atomic<bool>* cancel, bool paced = false) {
    Answer outcome;
    const Result<int64_t> id = connection.request(method, params);
    if (!id) {
      outcome.gone = connection.end(0.5);
      return outcome;
    }
    // What is no run has no stages, and heeds a cancel between two configs, one of which may have to be compiled.
    if (cancel != nullptr && sink == nullptr) outcome.stage = "compile";
    auto stage_start = Clock::now();
    std::optional<Clock::time_point> cancelled;
    for (;;) {
      RpcMessage message;
      switch (connection.wait(*id, kTick, message)) {
        case WorkerConnection::Heard::reply: outcome.reply = std::move(message.reply); return outcome;
        case WorkerConnection::Heard::closed: outcome.gone = connection.end(0.5); return outcome;
        case WorkerConnection::Heard::notification:
          if (const auto event = decode_event(message.method, message.params); event && *event) {
            if (const auto* progress = std::get_if<Progress>(&**event)) {
              outcome.stage = progress->stage;
              stage_start = Clock::now();
            }
            if (sink != nullptr && *sink) (*sink)(**event);
            if (paced && std::holds_alternative<SampleBatch>(**event))
              (void)connection.notify("proceed", Json{{"id", *id}});
          }
          break;
        case WorkerConnection::Heard::nothing: break;
      }
      if (cancel != nullptr && *cancel && !cancelled) {
        cancelled = Clock::now();
        (void)connection.notify("cancel", Json{{"id", *id}});
      }
      const std::string why = why_end(connection, *id, outcome.stage, stage_start, cancelled);
      if (why.empty()) continue;
      connection.end(0);
      outcome.gone = why;
      return outcome;
    }
  }

  /// Empty as long as there is hope; else what the worker is ended for.
  std::string why_end(WorkerConnection& connection, int64_t id, const std::string& stage, Clock::time_point stage_start,
                      const std::optional<Clock::time_point>& cancelled) const {
    const double silent = seconds_since(connection.last_heard(id));
    const double deadline_s = on_software_ ? options_.software_deadline_s : options_.deadline_s;
    if (silent > deadline_s)
      return fmt::format("gave no sign of life for {:.1f} s (the deadline is {:g} s) and was ended", silent,
                         deadline_s);
    if (!interruptible(stage) && seconds_since(stage_start) > kStagePatience * deadline_s)
      return fmt::format("spent {:.0f} s in the stage '{}' and was ended", seconds_since(stage_start), stage);
    if (cancelled) {
      const double grace = interruptible(stage) ? options_.cancel_grace_s : 5 * options_.cancel_grace_s;
      if (seconds_since(*cancelled) > grace)
        return fmt::format("did not stop within {:g} s of being asked to and was ended", grace);
    }
    return {};
  }

  /// The living worker; started, and told what was opened and loaded, when there is none.
  Result<Connection> connected() {
    const std::lock_guard lock(start_mutex_);
    if (connection_ && connection_->open()) return connection_;
    connection_.reset();
    Result<std::unique_ptr<WorkerConnection>> started = WorkerConnection::start(argv_);
    if (!started) return started.error();
    Connection fresh = std::move(*started);
    Remembered replay;
    {
      const std::lock_guard state(state_mutex_);
      replay = remembered_;
    }
    if (Result<Json> hello = first(*fresh, "initialize", Json{{"protocol", kWorkerProtocol}}); !hello)
      return hello.error();
    if (replay.selector)
      if (Result<Json> opened = first(*fresh, "open", Json{{"selector", *replay.selector}}); !opened)
        return opened.error();
    if (replay.sources)
      if (Result<Json> loaded = first(*fresh, "load_variants", Json{{"sources", encode(*replay.sources)}}); !loaded)
        return loaded.error();
    connection_ = fresh;
    return fresh;
  }

  Result<Json> first(WorkerConnection& connection, const char* method, const Json& params) {
    Answer outcome = converse(connection, method, params, nullptr, nullptr);
    if (outcome.reply) return *outcome.reply;
    return Error{ErrorKind::device_lost,
                 fmt::format("The worker '{}' {} over the request '{}'.", command_text(argv_), outcome.gone, method)};
  }

  /// What was asked of the worker that is gone, by what it told when it opened and loaded.
  Run remembered_run(const RunRequest& request) {
    const std::lock_guard lock(state_mutex_);
    for (const VariantInfo& v : variants_)
      if (v.name == request.variant) return run_of(request, v, device_);
    return run_of(request, VariantInfo{}, device_);
  }

  const WorkerOptions options_;
  std::vector<std::string> argv_;
  std::mutex run_mutex_;    ///< one open, load or run at a time; the first lock to take
  std::mutex start_mutex_;  ///< the second
  Connection connection_;
  std::mutex state_mutex_;  ///< the last
  Remembered remembered_;
  DeviceInfo device_;
  std::vector<VariantInfo> variants_;
  std::atomic<bool> on_software_{false};
};

}  // namespace

std::unique_ptr<Session> make_worker_session(const WorkerOptions& options) {
  return std::make_unique<WorkerSession>(options);
}

}  // namespace attnscope
