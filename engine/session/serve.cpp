#include "engine/session/serve.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <set>
#include <thread>

#include <fmt/format.h>

#include "engine/record/json_fields.hpp"
#include "engine/session/codec.hpp"
#include "engine/session/fields_error_map.hpp"
#include "engine/session/lines.hpp"
#include "engine/session/rpc.hpp"

namespace attnscope {
namespace {

constexpr auto kHeartbeat = std::chrono::seconds(1);
constexpr auto kAbandonAfter = std::chrono::seconds(2);

/// Stages that wait for a compiler or the CPU: alive as long as the process is, so a helper thread sends the
/// heartbeats. In all other stages only the measuring thread does, so that a dispatch that never ends is noticed.
bool helped(std::string_view stage) { return stage == "compile" || stage == "reference" || stage == "resources"; }

/// What inspections have to wait for.
bool sets_up(std::string_view method) {
  return method != "run" && method != "trials" && method != "race" && method != "peaks" && method != "error_map";
}

class Server {
 public:
  Server(Session& session, int in_fd, int out_fd, const ServeOptions& options)
      : session_(session),
        in_fd_(in_fd),
        out_fd_(out_fd),
        writer_(out_fd),
        options_(options),
        wake_(::eventfd(0, EFD_CLOEXEC)) {}

  Result<void> run() {
    std::thread reader([this] { read(); });
    std::thread control([this] { work(control_queue_); });
    std::thread pulse([this] { beat(); });
    work(main_queue_);
    control.join();
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    changed_.notify_all();
    wake();
    reader.join();
    pulse.join();
    if (!broken_.empty()) return Error{ErrorKind::device_lost, broken_};
    return {};
  }

 private:
  struct Request {
    int64_t id = 0;
    std::string method;
    Json params;
  };
  /// Set-up and runs, or what may be answered beside them; each has one thread.
  struct Queue {
    std::deque<Request> waiting;
  };

  void wake() {
    const uint64_t one = 1;
    [[maybe_unused]] const ssize_t n = ::write(wake_.get(), &one, sizeof one);
  }

  void send(const std::string& line) {
    if (Result<void> sent = writer_.write(line); !sent) close(sent.error().message);
  }

  /// No more requests; what runs is cancelled.
  void close(const std::string& broken = {}) {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    if (broken_.empty()) broken_ = broken;
    cancel_ = cancel_aside_ = true;
    changed_.notify_all();
    wake();
  }

  void read() {
    LineSplitter lines;
    std::string line;
    std::array<char, 65536> bytes{};
    bool open = true, shutdown = false;
    while (open && !shutdown) {
      std::array<pollfd, 2> fds{pollfd{in_fd_, POLLIN, 0}, pollfd{wake_.get(), POLLIN, 0}};
      if (::poll(fds.data(), fds.size(), -1) < 0 && errno != EINTR) break;
      if (fds[1].revents != 0) break;  // nobody reads our answers
      if (fds[0].revents == 0) continue;
      const ssize_t n = ::read(in_fd_, bytes.data(), bytes.size());
      if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      open = n > 0;
      if (open) lines.add({bytes.data(), static_cast<size_t>(n)});
      while (!shutdown && lines.next(line))
        if (!line.empty()) shutdown = !handle(line);
      if (lines.overflow()) {
        send(rpc_error(std::nullopt,
                       bad_input(fmt::format("a message is longer than {} bytes", LineSplitter::kMaxLine)),
                       kRpcInvalidRequest));
        break;
      }
    }
    if (shutdown)
      close();
    else
      drain();
    std::unique_lock lock(mutex_);
    // What runs aside counts as well: a search or a compile goes on as little as a run when nobody waits for it.
    const bool done = changed_.wait_for(lock, kAbandonAfter, [this] { return done_; });
    lock.unlock();
    if (!done && options_.abandon) options_.abandon();
  }

  /// No more requests will come: what was asked is still answered, as a script that pipes its requests in expects,
  /// unless nobody reads the answers. Returns when there is nothing left to do or nobody to do it for.
  void drain() {
    std::unique_lock lock(mutex_);
    draining_ = true;
    changed_.notify_all();
    while (!closing_ && !done_) {
      lock.unlock();
      std::array<pollfd, 2> fds{pollfd{out_fd_, 0, 0}, pollfd{wake_.get(), POLLIN, 0}};
      const int n = ::poll(fds.data(), fds.size(), -1);
      if (n > 0 && (fds[0].revents & (POLLERR | POLLHUP | POLLNVAL)) != 0) close("nobody reads the answers any more");
      lock.lock();
    }
  }

  /// On the reader's thread; false ends reading.
  bool handle(const std::string& line) {
    RpcFault fault;
    Result<RpcMessage> message = parse_rpc(line, &fault);
    if (!message) {
      send(rpc_error(fault.id, fault.error, fault.code));
      return true;
    }
    if (message->reply) {
      send(rpc_error(std::nullopt, bad_input("a worker asks nothing, so it expects no reply"), kRpcInvalidRequest));
      return true;
    }
    const std::string& method = message->method;
    if (method == "cancel") {
      const std::optional<int64_t> about = rpc_id(message->params.value("id", Json()));
      if (about) cancel(*about);
      acknowledge(*message, about.has_value());
      return true;
    }
    if (method == "proceed") {
      const std::optional<int64_t> about = rpc_id(message->params.value("id", Json()));
      if (about) proceed();
      acknowledge(*message, about.has_value());
      return true;
    }
    if (method == "shutdown") {
      if (message->id) send(rpc_result(*message->id, Json::object()));
      return false;
    }
    if (!message->id) return true;  // an unknown notification, as JSON-RPC says: ignored
    if (method == "initialize") {
      initialize(*message->id, message->params);
      return true;
    }
    enqueue({*message->id, method, message->params});
    return true;
  }

  /// Of a request about another one; as a notification it gets no answer.
  void acknowledge(const RpcMessage& message, bool understood) {
    if (!message.id) return;
    if (understood)
      send(rpc_result(*message.id, Json::object()));
    else
      send(rpc_error(*message.id, bad_input(fmt::format("'{}' needs the parameter \"id\", an integer", message.method)),
                     kRpcInvalidParams));
  }

  void proceed() {
    const std::lock_guard lock(mutex_);
    may_proceed_ = true;
    changed_.notify_all();
  }

  void initialize(int64_t id, const Json& params) {
    const Json wanted = params.value("protocol", Json());
    if (wanted.is_number_integer() && wanted.get<int64_t>() != kWorkerProtocol) {
      send(rpc_error(id,
                     bad_input(fmt::format("this worker speaks protocol {} and was asked for {}; use the same version "
                                           "of attnscope on both sides",
                                           kWorkerProtocol, wanted.get<int64_t>()))));
      return;
    }
    Json result{{"protocol", kWorkerProtocol}, {"program", "attnscope"}, {"version", ATTNSCOPE_VERSION}};
    result["pid"] = ::getpid();
    result["machine"] = session_.machine();
    send(rpc_result(id, result));
  }

  void enqueue(Request request) {
    const std::lock_guard lock(mutex_);
    static const std::set<std::string_view> kAside{"inspect",    "choose_config", "rank_variants",
                                                   "plan_space", "look_around",   "devices"};
    const bool aside = kAside.contains(request.method);
    // Behind a waiting `open` or `load_variants`, an inspection has to wait for what these change.
    bool setup_ahead = current_setup_;
    for (const Request& r : main_queue_.waiting) setup_ahead |= sets_up(r.method);
    (aside && !setup_ahead ? control_queue_ : main_queue_).waiting.push_back(std::move(request));
    changed_.notify_all();
  }

  void cancel(int64_t id) {
    const std::lock_guard lock(mutex_);
    if (running_ == id) cancel_ = true;
    if (running_aside_ == id) cancel_aside_ = true;
    changed_.notify_all();
    for (const Queue* queue : {&main_queue_, &control_queue_})
      for (const Request& r : queue->waiting)
        if (r.id == id) cancelled_.insert(id);
  }

  void work(Queue& queue) {
    const bool is_main = &queue == &main_queue_;
    for (;;) {
      Request request;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return closing_ || draining_ || !queue.waiting.empty(); });
        if (closing_ || queue.waiting.empty()) return;
        request = std::move(queue.waiting.front());
        queue.waiting.pop_front();
        if (is_main) {
          running_ = request.id;
          current_setup_ = sets_up(request.method);
          cancel_ = cancelled_.erase(request.id) > 0;
        } else {
          running_aside_ = request.id;
          cancel_aside_ = cancelled_.erase(request.id) > 0;
        }
        stages_[request.id] = "compile";  // until a run says otherwise
      }
      answer(request, is_main ? cancel_ : cancel_aside_);
      const std::lock_guard lock(mutex_);
      stages_.erase(request.id);
      if (is_main) {
        running_.reset();
        current_setup_ = false;
      } else {
        running_aside_.reset();
      }
    }
  }

  /// Decodes the parameter `key`, or answers with the error.
  template <class T>
  std::optional<T> parameter(const Request& request, const char* key) {
    if (!request.params.contains(key)) {
      send(rpc_error(request.id, bad_input(fmt::format("'{}' needs the parameter \"{}\"", request.method, key)),
                     kRpcInvalidParams));
      return std::nullopt;
    }
    Result<T> value = decode<T>(request.params.at(key), key);
    if (value) return std::move(*value);
    send(rpc_error(request.id, value.error(), kRpcInvalidParams));
    return std::nullopt;
  }

  template <class T>
  void reply(const Request& request, const char* key, const Result<T>& result) {
    if (result)
      send(rpc_result(request.id, Json{{key, *result}}));
    else
      send(rpc_error(request.id, result.error()));
  }

  void answer(const Request& request, const std::atomic<bool>& cancel) {
    if (request.method == "devices") return reply(request, "devices", session_.devices());
    if (request.method == "open") {
      if (const auto selector = parameter<std::string>(request, "selector"))
        reply(request, "device", session_.open(*selector));
    } else if (request.method == "load_variants") {
      if (const auto sources = parameter<std::vector<VariantSource>>(request, "sources"))
        reply(request, "variants", load(request, *sources));
    } else if (request.method == "inspect") {
      const auto problem = parameter<Problem>(request, "problem");
      const auto variant = problem ? parameter<std::string>(request, "variant") : std::nullopt;
      const auto config = variant ? parameter<Config>(request, "config") : std::nullopt;
      if (config) reply(request, "inspection", session_.inspect(*problem, *variant, *config));
    } else if (request.method == "choose_config") {
      const auto problem = parameter<Problem>(request, "problem");
      const auto variant = problem ? parameter<std::string>(request, "variant") : std::nullopt;
      const auto text = variant ? parameter<std::string>(request, "text") : std::nullopt;
      if (text) reply(request, "choice", session_.choose_config(*problem, *variant, *text));
    } else if (request.method == "rank_variants") {
      if (const auto problem = parameter<Problem>(request, "problem"))
        reply(request, "ranks", session_.rank_variants(*problem));
    } else if (request.method == "plan_space") {
      const auto problem = parameter<Problem>(request, "problem");
      const auto variant = problem ? parameter<std::string>(request, "variant") : std::nullopt;
      const auto space = variant ? parameter<SpaceRequest>(request, "request") : std::nullopt;
      if (space) reply(request, "batch", session_.plan_space(*problem, *variant, *space, cancel));
    } else if (request.method == "look_around") {
      const auto problem = parameter<Problem>(request, "problem");
      const auto variant = problem ? parameter<std::string>(request, "variant") : std::nullopt;
      const auto config = variant ? parameter<Config>(request, "config") : std::nullopt;
      if (config) reply(request, "surroundings", session_.look_around(*problem, *variant, *config));
    } else if (request.method == "peaks") {
      const auto wanted = parameter<PeaksRequest>(request, "request");
      if (wanted) reply(request, "answer", session_.peaks(*wanted, sink_of(request, false), cancel));
    } else if (request.method == "error_map") {
      const auto wanted = parameter<ErrorMapRequest>(request, "request");
      if (wanted) reply(request, "answer", session_.error_map(*wanted, sink_of(request, false), cancel));
    } else if (request.method == "run") {
      if (const auto run = parameter<RunRequest>(request, "request"))
        reply(request, "record", session_.run(*run, sink_of(request, run->paced), cancel));
    } else if (request.method == "trials") {
      if (const auto trials = parameter<TrialsRequest>(request, "request"))
        reply(request, "report", session_.trials(*trials, sink_of(request, false), cancel));
    } else if (request.method == "race") {
      if (const auto race = parameter<RaceRequest>(request, "request"))
        reply(request, "result", session_.race(*race, sink_of(request, false), cancel));
    } else {
      send(rpc_error(request.id, bad_input("there is no method '" + request.method + "'"), kRpcMethodNotFound));
    }
  }

  Result<std::vector<VariantInfo>> load(const Request& request, const std::vector<VariantSource>& sources) {
    const Json one_by_one = request.params.value("one_by_one", Json());
    if (!one_by_one.is_boolean() || !one_by_one.get<bool>()) return session_.load_variants(sources);
    return session_.load_one_by_one(sources, [&](const std::string& name) {
      send(rpc_notification("progress", Json{{"id", request.id}, {"stage", load_stage(name)}}));
    });
  }

  EventSink sink_of(const Request& request, bool paced) {
    return [this, id = request.id, paced](const Event& event) { tell(id, event, paced); };
  }

  /// An event of the request in hand, as a notification.
  void tell(int64_t id, const Event& event, bool paced) {
    EventMessage message = encode_event(event);
    if (const auto* progress = std::get_if<Progress>(&event)) {
      const std::lock_guard lock(mutex_);
      std::string& stage = stages_[id];
      // The session repeats a stage as a sign of life.
      if (stage_sent_ == id && stage == progress->stage) message.method = "heartbeat";
      stage = progress->stage;
      stage_sent_ = id;
    }
    Json params{{"id", id}};
    params.update(message.params);
    if (paced && message.method == "samples") expect_proceed();
    send(rpc_notification(message.method, params));
    if (paced && message.method == "samples") await_proceed(id);
  }

  void expect_proceed() {
    const std::lock_guard lock(mutex_);
    may_proceed_ = false;
  }

  /// The measuring thread of a paced run waits here between batches, with signs of life.
  void await_proceed(int64_t id) {
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, kHeartbeat, [this] { return may_proceed_ || cancel_ || closing_; })) {
      lock.unlock();
      send(rpc_notification("heartbeat", Json{{"id", id}, {"stage", "sample"}}));
      lock.lock();
    }
  }

  void beat() {
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, kHeartbeat, [this] { return closing_ || done_; })) {
      const std::map<int64_t, std::string> stages = stages_;
      lock.unlock();
      for (const auto& [id, stage] : stages)
        if (helped(stage)) send(rpc_notification("heartbeat", Json{{"id", id}, {"stage", stage}}));
      lock.lock();
    }
  }

  Session& session_;
  const int in_fd_, out_fd_;
  LineWriter writer_;
  const ServeOptions& options_;
  Fd wake_;

  std::mutex mutex_;
  std::condition_variable changed_;
  Queue main_queue_, control_queue_;
  std::optional<int64_t> running_;        ///< on the main thread
  std::optional<int64_t> running_aside_;  ///< on the control thread
  bool current_setup_ = false;            ///< ... and it is `open` or `load_variants`
  std::set<int64_t> cancelled_;           ///< while still waiting
  std::map<int64_t, std::string> stages_;
  std::optional<int64_t> stage_sent_;
  std::atomic<bool> cancel_{false}, cancel_aside_{false};  ///< of each
  bool may_proceed_ = true;                                ///< a paced run may take its next batch
  bool draining_ = false, closing_ = false, done_ = false;
  std::string broken_;
};

}  // namespace

Result<void> serve(Session& session, int in_fd, int out_fd, const ServeOptions& options) {
  return Server(session, in_fd, out_fd, options).run();
}

}  // namespace attnscope
