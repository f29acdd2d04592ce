// JSON-RPC 2.0 messages of the worker's protocol (docs/worker.md), one a line, and lines over file descriptors.
#pragma once

#include <mutex>

#include <nlohmann/json.hpp>

#include "engine/session/fields_session.hpp"

namespace attnscope {

/// Raised when a message changes its meaning; `initialize` compares it.
inline constexpr int kWorkerProtocol = 1;

/// A message as received. A request has an id and a method, a notification a method alone, a reply an id alone.
struct RpcMessage {
  std::optional<int64_t> id;
  std::string method;
  Json params = Json::object();
  std::optional<Result<Json>> reply;
};

/// JSON-RPC's own error codes, and ours: -32001 and down, one for each ErrorKind. "data" carries the kind by name too.
int rpc_code(ErrorKind);

/// The line without its end.
std::string rpc_request(int64_t id, std::string_view method, const Json& params);
std::string rpc_notification(std::string_view method, const Json& params);
std::string rpc_result(int64_t id, const Json& result);
/// `id` absent: the request had none that could be read. `code` 0: the one of the error's kind.
std::string rpc_error(std::optional<int64_t> id, const Error& error, int code = 0);

/// Why a line is not a message, and what can be answered.
struct RpcFault {
  Error error;
  int code = 0;               ///< JSON-RPC's own
  std::optional<int64_t> id;  ///< where the line has one all the same
};

/// Checks that the line is a JSON-RPC 2.0 message. `fault`: the error for whoever has to answer.
Result<RpcMessage> parse_rpc(std::string_view line, RpcFault* fault = nullptr);
/// An id as the protocol has it, an integer of 64 bits; nullopt for anything else.
std::optional<int64_t> rpc_id(const Json&);

inline constexpr int kRpcParseError = -32700;
inline constexpr int kRpcInvalidRequest = -32600;
inline constexpr int kRpcMethodNotFound = -32601;
inline constexpr int kRpcInvalidParams = -32602;

/// Cuts a byte stream into lines. A line longer than `kMaxLine` ends the stream: nothing of ours is that long.
class LineSplitter {
 public:
  static constexpr size_t kMaxLine = size_t{64} << 20;
  void add(std::string_view bytes);
  /// True and the next whole line, without its end.
  bool next(std::string& line);
  /// The text after the last line end.
  std::string take_rest();
  bool overflow() const { return buffer_.size() - taken_ > kMaxLine; }

 private:
  std::string buffer_;
  size_t taken_ = 0;    ///< of the buffer, by lines
  size_t scanned_ = 0;  ///< of the buffer, without a line end
};

/// Writes whole lines; safe from several threads. A reader that is gone is an Error, never a SIGPIPE.
class LineWriter {
 public:
  explicit LineWriter(int fd) : fd_(fd) {}
  /// Waits at most `timeout_s` for the other side to take it; 0 = as long as it needs.
  Result<void> write(std::string_view line, double timeout_s = 0);

 private:
  int fd_;
  std::mutex mutex_;
};

// JSON of the session's own values, as sent between a caller and its worker.

/// An event as a notification: its method (kEvents in rpc.cpp, or "began") and its value in the params.
struct EventMessage {
  std::string method;
  Json params;
};
EventMessage encode_event(const Event&);
/// nullopt: a method that is not an event (a heartbeat, or one of a newer worker).
std::optional<Result<Event>> decode_event(const std::string& method, const Json& params);

// The methods of the worker's protocol, for both sides: which function of a Session each is, and its messages' names.

/// aside: may be answered while something is measured; set_up: what is asked aside waits for it; measure: it does not.
enum class MethodKind { set_up, measure, aside };

template <class Function>
struct Method {
  Function function;
  MethodKind kind;
  std::string_view name;
  const char* result;                     ///< the field of the answer
  std::array<const char*, 3> parameters;  ///< in the order of the function, which has the types
};
template <class Function>
Method(Function, MethodKind, const char*, const char*, std::array<const char*, 3>) -> Method<Function>;

/// No two of one type: a method is found by its function's.
inline constexpr std::tuple kMethods{
    Method{&Session::devices, MethodKind::aside, "devices", "devices", {}},
    Method{&Session::open, MethodKind::set_up, "open", "device", {"selector"}},
    Method{&Session::load_variants, MethodKind::set_up, "load_variants", "variants", {"sources"}},
    Method{&Session::inspect, MethodKind::aside, "inspect", "inspection", {"problem", "variant", "config"}},
    Method{&Session::choose_config, MethodKind::aside, "choose_config", "choice", {"problem", "variant", "text"}},
    Method{&Session::rank_variants, MethodKind::aside, "rank_variants", "ranks", {"problem"}},
    Method{&Session::plan_space, MethodKind::aside, "plan_space", "batch", {"problem", "variant", "request"}},
    Method{&Session::plan_neighbours,
           MethodKind::aside,
           "plan_neighbours",
           "neighbours",
           {"problem", "variant", "config"}},
    Method{&Session::shader_texts, MethodKind::aside, "shader_texts", "texts", {"request"}},
    Method{&Session::peaks, MethodKind::measure, "peaks", "answer", {"request"}},
    Method{&Session::check, MethodKind::measure, "check", "result", {"request"}},
    Method{&Session::error_map, MethodKind::measure, "error_map", "answer", {"request"}},
    Method{&Session::run, MethodKind::measure, "run", "record", {"request"}},
    Method{&Session::trials, MethodKind::measure, "trials", "report", {"request"}},
    Method{&Session::race, MethodKind::measure, "race", "result", {"request"}}};

/// Calls visit(method); false: there is none of this name.
template <class Visit>
bool with_method(std::string_view name, const Visit& visit) {
  return std::apply([&](const auto&... m) { return ((name == m.name && (visit(m), true)) || ...); }, kMethods);
}

/// The worker's side of the protocol: serves one Session over two file descriptors, JSON-RPC 2.0 a line.
/// Serves until the other side closes `in_fd` or asks for a shutdown. Runs, opens and loads: one at a time on this
/// thread; a second one answers `inspect` and `devices` meanwhile. Error: a broken stream. `abandon` is called when the
/// other side is gone, or asked for a shutdown, and the run in flight did not end within two seconds: a dispatch that
/// hangs cannot be interrupted, so it has to end the process and must not return.
Result<void> serve(Session& session, int in_fd, int out_fd, const std::function<void()>& abandon);

}  // namespace attnscope
