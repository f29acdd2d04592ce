#include "app/cli/trace_file.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>

#include "engine/clock.hpp"
#include "engine/platform/files.hpp"
#include "engine/record/json_fields.hpp"
#include "engine/record/results.hpp"

namespace attnscope::cli {
namespace {

constexpr int kHostTrack = 1, kDeviceTrack = 2;
constexpr std::string_view kHead = "{\"traceEvents\":[";
/// A worker whose clock is so far from ours is on another machine.
constexpr int64_t kOtherClockNs = 2'000'000'000;

/// Of the document's end, which never grows: a full disk can hold it where it held the one before.
constexpr size_t kEndBytes = 450;

std::string line(const Json& event) { return dump_line(event); }

}  // namespace

Result<std::unique_ptr<TraceFile>> TraceFile::create(const std::filesystem::path& path, size_t most) {
  if (path.extension() != ".json") return bad_input("a trace is JSON: give a name that ends in .json.");
  std::error_code none;
  const bool is_new = !std::filesystem::exists(path, none);
  Fd fd(open_file(path, O_RDWR | O_CREAT));
  if (!fd) return file_error("written", path, errno);
  if (const int code = try_lock(fd.get()); code == EWOULDBLOCK)
    return bad_input("another run writes this trace now: give another name, or wait for its end.");
  else if (code != 0)
    return file_error("locked", path, code);
  struct stat is {};
  std::string head(kHead.size(), '\0');
  if (::fstat(fd.get(), &is) != 0 || !S_ISREG(is.st_mode))
    return bad_input(fmt::format("'{}' is not a file of its own, which a trace needs.", path.string()));
  if (is.st_size > 0 && (read_some(fd.get(), head.data(), head.size()) != ssize_t(head.size()) || head != kHead))
    return bad_input(fmt::format("'{}' exists and is not a trace: give another name, or remove it.", path.string()));
  return std::unique_ptr<TraceFile>(new TraceFile(path, is_new, std::move(fd), most));
}

TraceFile::TraceFile(std::filesystem::path path, bool is_new, Fd fd, size_t most)
    : path_(std::move(path)), new_(is_new), fd_(std::move(fd)), most_(most), start_ns_(now_ns()) {}

std::string TraceFile::end() const {
  const Json other{
      {"program", fmt::format("attnscope {}", ATTNSCOPE_VERSION)},
      {"device_clock", !dispatched_  ? "nothing was dispatched"
                       : calibrated_ ? "related to the host's by the driver (calibrated timestamps)"
                                     : "not related to the host's by the driver: the first dispatch was put "
                                       "where the host's wait for it ended"},
      {"host_clock", shifted_ ? "of another machine: moved so that the newest event ends now" : "monotonic"},
      {"left_out", left_out_}};
  return fmt::format("\n],\"otherData\":{:<{}}}}\n", line(other), kEndBytes);
}

/// In one write, over the end that was there. 0 or errno.
int TraceFile::write(const std::string& text) {
  const std::string all = (at_ == 0 ? std::string(kHead) : "") + text;
  if (::lseek(fd_.get(), static_cast<off_t>(at_), SEEK_SET) < 0) return errno;
  if (const int code = write_all(fd_.get(), all); code != 0) return code;
  return ::ftruncate(fd_.get(), static_cast<off_t>(at_ + all.size())) == 0 ? 0 : errno;
}

void TraceFile::append(const std::string& events, size_t count) {
  if (error_ == 0) error_ = write(events + end());
  if (error_ == 0) {
    at_ += (at_ == 0 ? kHead.size() : 0) + events.size();
    return;
  }
  left_out_ += count;
  if (write(end()) != 0 && at_ == 0) {
    [[maybe_unused]] const int ignored = ::ftruncate(fd_.get(), 0);
  }
}

Result<void> TraceFile::finish() {
  const std::lock_guard lock(mutex_);
  // A full disk may show itself only when the file is closed.
  if (::close(fd_.release()) != 0 && error_ == 0) error_ = errno;
  std::error_code none;
  if (new_ && std::filesystem::file_size(path_, none) == 0) std::filesystem::remove(path_, none);
  if (error_ == 0) return {};
  Error error = file_error("written", path_, error_);
  error.message += fmt::format(" {} events are left out of the trace.", left_out_);
  return error;
}

void TraceFile::add(size_t session, const TraceSpans& told) {
  const std::lock_guard lock(mutex_);
  std::string text;
  const auto put = [&](const Json& event) { text += (events_++ == 0 ? "\n" : ",\n") + line(event); };
  const int pid = static_cast<int>(session) + 1;
  if (sessions_.size() <= session) sessions_.resize(session + 1);
  if (!sessions_[session]) {
    sessions_[session] = true;
    const auto name = [&](const char* what, int tid, const std::string& is) {
      put({{"name", what}, {"ph", "M"}, {"pid", pid}, {"tid", tid}, {"args", {{"name", is}}}});
    };
    name("process_name", kHostTrack, fmt::format("attnscope {}", pid));
    name("thread_name", kHostTrack, "host");
    name("thread_name", kDeviceTrack, "device");
  }
  bool device = false;
  size_t count = 0;
  const int64_t behind = now_ns() - told.now_ns, shift = std::abs(behind) > kOtherClockNs ? behind : 0;
  shifted_ = shifted_ || shift != 0;
  left_out_ += told.left_out;
  for (const TraceSpan& span : told.spans) {
    device = device || span.device;
    if (events_ >= most_) {
      ++left_out_;
      continue;
    }
    ++count;
    put({{"name", span.name},
         {"cat", span.stage.empty() ? "run" : span.stage},
         {"ph", "X"},
         {"pid", pid},
         {"tid", span.device ? kDeviceTrack : kHostTrack},
         {"ts", double(span.begin_ns + shift - start_ns_) / 1e3},
         {"dur", double(span.end_ns - span.begin_ns) / 1e3}});
  }
  dispatched_ = dispatched_ || device;
  if (device) calibrated_ = calibrated_ && told.calibrated;
  append(text, count);
}

}  // namespace attnscope::cli
