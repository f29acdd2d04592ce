// The caller's side of the protocol: one worker process, its requests and replies.
#pragma once

#include <condition_variable>
#include <deque>
#include <thread>

#include "engine/platform/process.hpp"
#include "engine/session/rpc.hpp"

namespace attnscope {

/// Begins the part of an error's message with the worker's last output; ")" ends it.
inline constexpr std::string_view kLastOutput = "(its last output: ";

/// Thread-safe: requests of several threads are in flight together, each waits for its own.
class WorkerConnection {
 public:
  enum class MessageKind { notification, reply, nothing, closed };

  static Result<std::unique_ptr<WorkerConnection>> start(const std::vector<std::string>& argv,
                                                         const std::vector<std::string>& environment = {});
  ~WorkerConnection();

  Result<int64_t> request(std::string_view method, const Json& params);
  Result<void> notify(std::string_view method, const Json& params);
  /// Waits for the next notification or the reply to request `id`, at most `wait`. `closed`: neither will ever come.
  MessageKind wait(int64_t id, std::chrono::milliseconds wait, RpcMessage& message);
  /// When something about request `id` was last heard.
  Clock::time_point last_heard(int64_t id);
  bool open();
  /// Ends the process and says how ("was killed by signal 9 (Killed)") or `why`, with its last words.
  std::string end(double patience_s, const std::string& why = {});
  pid_t pid() const { return process_->pid(); }

 private:
  struct UnreadMessage {
    RpcMessage message;
    size_t bytes = 0;  ///< of its line
  };
  struct PendingRequest {
    std::deque<UnreadMessage> inbox;
    size_t unread_bytes = 0;
    Clock::time_point last_heard = Clock::now();
  };
  explicit WorkerConnection(std::unique_ptr<Process> process);
  void listen();
  /// Stops listening; `complaint`: what the worker did wrong. Call it with the lock held.
  void close(const std::string& complaint = {});
  void receive(const std::string& line);
  void remember(std::string_view text);
  std::string last_words();

  std::unique_ptr<Process> process_;
  LineWriter writer_;
  Incoming incoming_;
  std::mutex mutex_;
  std::condition_variable heard_;
  std::map<int64_t, PendingRequest> pending_;
  int64_t next_id_ = 1;
  bool closed_ = false;    ///< nothing will be heard any more
  bool drained_ = false;   ///< ... and nothing more will be read either
  std::string complaint_;  ///< why we stopped listening, when that was our decision
  std::string noise_;      ///< the end of its stderr, and lines on stdout that are not messages
  std::jthread listener_;  // last: it uses the others
};

}  // namespace attnscope
