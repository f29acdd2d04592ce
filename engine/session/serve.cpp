#include "engine/session/rpc.hpp"

#include <deque>

#include "engine/record/json_fields.hpp"
#include "engine/repeater.hpp"

namespace attnscope {
namespace {

constexpr auto kHeartbeat = std::chrono::seconds(1);
constexpr auto kAbandonAfter = std::chrono::seconds(2);

/// In these a helper thread sends the heartbeats; in all others a dispatch that never ends is noticed.
bool helped(std::string_view stage) { return stage == "compile" || stage == "reference" || stage == "resources"; }

class Server {
 public:
  Server(Session& session, int in_fd, int out_fd, const std::function<void()>& abandon)
      : session_(session), out_fd_(out_fd), writer_(out_fd), abandon_(abandon), incoming_({in_fd}) {}

  Result<void> run() {
    std::thread reader([this] { read(); });
    std::thread control([this] { work(control_queue_); });
    const Repeater pulse([this] { return beat(); });
    work(main_queue_);
    control.join();
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    changed_.notify_all();
    incoming_.wake();
    reader.join();
    if (!broken_.empty()) return device_lost(broken_);
    return {};
  }

 private:
  using Request = RpcMessage;  ///< with an id and a method
  /// Set-up and runs, or what may be answered beside them; each has one thread.
  struct Queue {
    std::deque<Request> waiting;
    std::optional<int64_t> running;
    std::atomic<bool> cancel{false};  ///< what runs
  };

  void send(const std::string& line) {
    if (Result<void> sent = writer_.write(line); !sent) close(sent.error().message);
  }

  /// No more requests; what runs is cancelled.
  void close(const std::string& broken = {}) {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    if (broken_.empty()) broken_ = broken;
    main_queue_.cancel = control_queue_.cancel = true;
    changed_.notify_all();
    incoming_.wake();
  }

  void read() {
    LineSplitter lines;
    std::string line;
    bool shutdown = false;
    while (!shutdown) {
      // Woken: nobody reads our answers, or all is done.
      const std::optional<Incoming::Piece> piece = incoming_.next();
      if (!piece) break;
      // The last line of what has ended needs no end of its own.
      lines.add(piece->bytes.empty() ? "\n" : piece->bytes);
      while (!shutdown && lines.next(line))
        if (!line.empty()) shutdown = !handle(line);
      if (lines.overflow()) {
        send(rpc_error(std::nullopt, bad_input("a message is longer than {} bytes", LineSplitter::kMaxLine),
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
    if (!done && abandon_) abandon_();
  }

  /// No more requests will come: what was asked is still answered, unless nobody reads the answers.
  void drain() {
    std::unique_lock lock(mutex_);
    draining_ = true;
    changed_.notify_all();
    while (!closing_ && !done_) {
      lock.unlock();
      if (incoming_.await_unread(out_fd_)) close("nobody reads the answers any more");
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
    if (method == "cancel" || method == "proceed") {
      const std::optional<int64_t> about = rpc_id(message->params.value("id", Json()));
      if (about) method == "cancel" ? cancel(*about) : let_proceed(true);
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
    enqueue(std::move(*message));
    return true;
  }

  /// A request about another one; as a notification it gets no answer.
  void acknowledge(const RpcMessage& message, bool understood) {
    if (!message.id) return;
    if (understood)
      send(rpc_result(*message.id, Json::object()));
    else
      send(rpc_error(*message.id, bad_input("'{}' needs the parameter \"id\", an integer", message.method),
                     kRpcInvalidParams));
  }

  /// A paced run: whether it may take its next batch.
  void let_proceed(bool may) {
    const std::lock_guard lock(mutex_);
    may_proceed_ = may;
    changed_.notify_all();
  }

  void initialize(int64_t id, const Json& params) {
    const Json wanted = params.value("protocol", Json());
    if (wanted != kWorkerProtocol) {
      send(rpc_error(id, bad_input("this worker (attnscope {}) speaks protocol {} and was asked for {}; "
                                   "use the same version of attnscope on both sides",
                                   ATTNSCOPE_VERSION, kWorkerProtocol,
                                   wanted.is_number_integer() ? wanted.dump() : "none by its number")));
      return;
    }
    Json result{{"protocol", kWorkerProtocol}, {"program", "attnscope"}, {"version", ATTNSCOPE_VERSION}};
    result["pid"] = ::getpid();
    result["machine"] = session_.machine();
    send(rpc_result(id, result));
  }

  void enqueue(Request request) {
    const std::lock_guard lock(mutex_);
    const bool aside = kind_of(request.method) == MethodKind::aside;
    // Behind a waiting `open` or `load_variants`, an inspection has to wait for what these change.
    bool setup_ahead = current_setup_;
    for (const Request& r : main_queue_.waiting) setup_ahead |= sets_up(r.method);
    (aside && !setup_ahead ? control_queue_ : main_queue_).waiting.push_back(std::move(request));
    changed_.notify_all();
  }

  void cancel(int64_t id) {
    const std::lock_guard lock(mutex_);
    for (Queue* queue : {&main_queue_, &control_queue_}) {
      if (queue->running == id) queue->cancel = true;
      for (const Request& r : queue->waiting)
        if (r.id == id) cancelled_.insert(id);
    }
    changed_.notify_all();
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
        queue.running = request.id;
        queue.cancel = cancelled_.erase(*request.id) > 0;
        if (is_main) current_setup_ = sets_up(request.method);
        stages_[*request.id] = "compile";  // until a run says otherwise
      }
      answer(request, queue.cancel);
      const std::lock_guard lock(mutex_);
      stages_.erase(*request.id);
      queue.running.reset();
      if (is_main) current_setup_ = false;
    }
  }

  struct Call {
    Server& server;
    const Request& request;
    const std::array<const char*, 3>& parameters;
    const Cancel& cancel;
    size_t next = 0;  ///< parameter
    bool ok = true, paced = false;
  };

  /// What a function of the session takes next; what is missing or wrong is answered with the error, and `ok` is false.
  template <class T>
  static auto argument(Call& c) {
    if constexpr (std::is_same_v<T, std::atomic<bool>>) {
      return std::cref(c.cancel);
    } else if constexpr (std::is_same_v<T, EventSink>) {
      return EventSink([&c](const Event& event) { c.server.tell(*c.request.id, event, c.paced); });
    } else {
      const char* key = c.parameters.at(c.next++);
      if (!c.ok) return T();
      Result<T> value = bad_input("'{}' needs the parameter \"{}\"", c.request.method, key);
      if (c.request.params.contains(key)) value = decode<T>(c.request.params.at(key), key);
      if constexpr (requires { value->paced; }) c.paced = value && value->paced;
      if (value) return std::move(*value);
      c.server.send(rpc_error(c.request.id, value.error(), kRpcInvalidParams));
      c.ok = false;
      return T();
    }
  }
  template <class R, class... T>
  void answer(const Method<Result<R> (Session::*)(T...)>& method, const Request& request, const Cancel& cancel) {
    Call c{*this, request, method.parameters, cancel};
    // In order, as braces have it.
    const std::tuple<decltype(argument<std::remove_cvref_t<T>>(c))...> arguments{
        argument<std::remove_cvref_t<T>>(c)...};
    if (!c.ok) return;
    const Result<R> result =
        std::apply([&](const auto&... x) -> Result<R> { return (session_.*method.function)(x...); }, arguments);
    send(result ? rpc_result(*request.id, Json{{method.result, *result}}) : rpc_error(request.id, result.error()));
  }
  void answer(const Request& request, const Cancel& cancel) {
    if (!with_method(request.method, [&](const auto& method) { answer(method, request, cancel); }))
      send(rpc_error(request.id, bad_input("there is no method '" + request.method + "'"), kRpcMethodNotFound));
  }

  /// What is unknown counts as a set-up.
  static MethodKind kind_of(std::string_view name) {
    MethodKind kind = MethodKind::set_up;
    with_method(name, [&](const auto& method) { kind = method.kind; });
    return kind;
  }
  /// Requests that inspections must wait for.
  static bool sets_up(std::string_view name) { return kind_of(name) != MethodKind::measure; }

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
    if (paced && message.method == "samples") let_proceed(false);
    send(rpc_notification(message.method, params));
    if (paced && message.method == "samples") await_proceed(id);
  }

  /// The measuring thread of a paced run waits here between batches, with signs of life.
  void await_proceed(int64_t id) {
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, kHeartbeat, [this] { return may_proceed_ || main_queue_.cancel || closing_; })) {
      lock.unlock();
      send(rpc_notification("heartbeat", Json{{"id", id}, {"stage", "sample"}}));
      lock.lock();
    }
  }

  /// Milliseconds until the next beat.
  double beat() {
    std::unique_lock lock(mutex_);
    if (closing_) return -1;
    const std::map<int64_t, std::string> stages = stages_;
    lock.unlock();
    for (const auto& [id, stage] : stages)
      if (helped(stage)) send(rpc_notification("heartbeat", Json{{"id", id}, {"stage", stage}}));
    return std::chrono::duration<double, std::milli>(kHeartbeat).count();
  }

  Session& session_;
  const int out_fd_;
  LineWriter writer_;
  const std::function<void()>& abandon_;
  Incoming incoming_;

  std::mutex mutex_;
  std::condition_variable changed_;
  Queue main_queue_, control_queue_;
  bool current_setup_ = false;   ///< what runs of the main queue is `open` or `load_variants`
  std::set<int64_t> cancelled_;  ///< while still waiting
  std::map<int64_t, std::string> stages_;
  std::optional<int64_t> stage_sent_;
  bool may_proceed_ = true;  ///< a paced run may take its next batch
  bool draining_ = false, closing_ = false, done_ = false;
  std::string broken_;
};

}  // namespace

Result<void> serve(Session& session, int in_fd, int out_fd, const std::function<void()>& abandon) {
  return Server(session, in_fd, out_fd, abandon).run();
}

}  // namespace attnscope
