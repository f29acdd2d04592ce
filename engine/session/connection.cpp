#include "engine/session/connection.hpp"

#include "engine/measure/units.hpp"
#include "engine/visible.hpp"

namespace attnscope {
namespace {

/// A worker that reads always takes a request at once; one that does not for this long will not any more.
constexpr double kWriteTimeout = 20;
constexpr double kGoodbyeTimeout = 0.2;
constexpr size_t kNoiseKept = 4096;
constexpr size_t kLastLines = 3, kLongestLine = 200;
constexpr auto kLastWordsPatience = std::chrono::milliseconds(300);
/// Messages about one request that nobody took yet. A worker that sends more is not one of ours.
constexpr size_t kMostUnread = size_t{256} << 20;

}  // namespace

Result<std::unique_ptr<WorkerConnection>> WorkerConnection::start(const std::vector<std::string>& argv,
                                                                  const std::vector<std::string>& environment) {
  std::unique_ptr<Process> process = TRY(Process::start(argv, environment));
  return std::unique_ptr<WorkerConnection>(new WorkerConnection(std::move(process)));
}

WorkerConnection::WorkerConnection(std::unique_ptr<Process> process)
    : process_(std::move(process)), writer_(process_->input()), incoming_({process_->output(), process_->errors()}) {
  listener_ = std::jthread([this] { listen(); });
}

WorkerConnection::~WorkerConnection() {
  if (open()) (void)writer_.write(rpc_notification("shutdown", Json::object()), kGoodbyeTimeout);
  end(1);
  incoming_.wake();
}

Result<int64_t> WorkerConnection::request(std::string_view method, const Json& params) {
  int64_t id = 0;
  {
    const std::lock_guard lock(mutex_);
    id = next_id_++;
    pending_[id];
  }
  if (Result<void> sent = writer_.write(rpc_request(id, method, params), kWriteTimeout); !sent) {
    const std::lock_guard lock(mutex_);
    pending_.erase(id);
    return sent.error();
  }
  return id;
}

Result<void> WorkerConnection::notify(std::string_view method, const Json& params) {
  return writer_.write(rpc_notification(method, params), kWriteTimeout);
}

WorkerConnection::MessageKind WorkerConnection::wait(int64_t id, std::chrono::milliseconds wait, RpcMessage& message) {
  std::unique_lock lock(mutex_);
  PendingRequest& mine = pending_.at(id);
  heard_.wait_for(lock, wait, [&] { return closed_ || !mine.inbox.empty(); });
  if (mine.inbox.empty()) return closed_ ? MessageKind::closed : MessageKind::nothing;
  message = std::move(mine.inbox.front().message);
  mine.unread_bytes -= mine.inbox.front().bytes;
  mine.inbox.pop_front();
  if (!message.reply) return MessageKind::notification;
  pending_.erase(id);
  return MessageKind::reply;
}

Clock::time_point WorkerConnection::last_heard(int64_t id) {
  const std::lock_guard lock(mutex_);
  const auto it = pending_.find(id);
  return it == pending_.end() ? Clock::now() : it->second.last_heard;
}

bool WorkerConnection::open() {
  const std::lock_guard lock(mutex_);
  return !closed_;
}

std::string WorkerConnection::end(double patience_s, const std::string& why) {
  std::string how = process_->stop(patience_s);
  std::unique_lock lock(mutex_);
  close();
  // Its last words may still be on their way through the pipe.
  heard_.wait_for(lock, kLastWordsPatience, [this] { return drained_; });
  if (!complaint_.empty()) how += ", for " + complaint_;
  return (why.empty() ? how : why) + last_words();
}

void WorkerConnection::close(const std::string& complaint) {
  if (complaint_.empty()) complaint_ = complaint;
  closed_ = true;
  heard_.notify_all();
}

void WorkerConnection::listen() {
  LineSplitter lines;
  std::string line;
  while (const std::optional<Incoming::Piece> piece = incoming_.next()) {
    if (piece->from == 1) {
      remember(piece->bytes);
      continue;
    }
    lines.add(piece->bytes);
    while (lines.next(line)) receive(line);
    const bool too_long = lines.overflow();
    if (!piece->bytes.empty() && !too_long) continue;
    incoming_.leave_out(0);
    remember(lines.take_rest());
    const std::lock_guard lock(mutex_);
    close(too_long ? fmt::format("a message of more than {} bytes", LineSplitter::kMaxLine) : "");
  }
  const std::lock_guard lock(mutex_);
  drained_ = true;
  close();
}

void WorkerConnection::receive(const std::string& line) {
  // A remote shell may greet before the worker speaks: what does not look like a message is only remembered.
  if (line.empty() || line.front() != '{') return remember(line + "\n");
  Result<RpcMessage> message = parse_rpc(line);
  const std::lock_guard lock(mutex_);
  if (!message)
    return close(fmt::format("a message that cannot be read ({}): {}", message.error().message,
                             visible_line(line.substr(0, 120))));
  const std::optional<int64_t> about = message->reply ? message->id : rpc_id(message->params.value("id", Json()));
  const auto it = about ? pending_.find(*about) : pending_.end();
  if (it == pending_.end()) {
    // An error without an id: our request could not be read there, so its reply will never come.
    if (message->reply && !message->id && !*message->reply)
      close("an answer that it could not read our request: " + message->reply->error().message);
    return;
  }
  it->second.last_heard = Clock::now();
  it->second.unread_bytes += line.size();
  if (it->second.unread_bytes > kMostUnread) return close("more messages than could be taken");
  it->second.inbox.push_back({std::move(*message), line.size()});
  heard_.notify_all();
}

void WorkerConnection::remember(std::string_view text) {
  const std::lock_guard lock(mutex_);
  noise_ += text;
  if (noise_.size() > kNoiseKept) noise_.erase(0, noise_.size() - kNoiseKept);
}

/// The last lines it wrote, as a clause of a sentence; nothing when it wrote nothing. Under the lock.
std::string WorkerConnection::last_words() {
  std::string words;
  const std::vector<std::string_view> all = split(noise_, '\n');
  size_t lines = 0;
  for (auto at = all.rbegin(); at != all.rend() && lines < kLastLines; ++at) {
    const std::string line = visible_line(*at);
    const std::string_view text = trimmed(line);
    if (text.empty()) continue;
    words.insert(0, cut_to(text, kLongestLine) + (words.empty() ? "" : " / "));
    ++lines;
  }
  return words.empty() ? "" : " " + std::string(kLastOutput) + words + ")";
}

}  // namespace attnscope
