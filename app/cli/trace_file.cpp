#include "app/cli/trace_file.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>

#include <fmt/format.h>

#include "app/cli/print.hpp"
#include "engine/clock.hpp"
#include "engine/platform/descriptor.hpp"
#include "engine/record/json_fields.hpp"
#include "engine/record/new_file.hpp"

namespace attnscope::cli {
namespace {

constexpr int kHostTrack = 1, kDeviceTrack = 2;
constexpr std::string_view kHead = "{\"traceEvents\":[";
/// A worker whose clock is so far from ours is on another machine.
constexpr int64_t kOtherClockNs = 2'000'000'000;

std::string line(const Json& event) { return dump_line(event); }

}  // namespace

Result<std::unique_ptr<TraceFile>> TraceFile::create(const std::filesystem::path& path, size_t most) {
  Fd fd(open_file(path, O_RDWR | O_CREAT));
  if (!fd) return file_error("written", path, errno);
  struct stat is {};
  std::string head(kHead.size(), '\0');
  std::string wrong;
  if (::fstat(fd.get(), &is) != 0 || !S_ISREG(is.st_mode) || path == "-")
    wrong = fmt::format("'{}' is not a file of its own, which a trace needs.", path.string());
  else if (is.st_size > 0 && (read_some(fd.get(), head.data(), head.size()) != ssize_t(head.size()) || head != kHead))
    wrong = fmt::format("'{}' exists and is not a trace: give another name, or remove it.", path.string());
  if (!wrong.empty() || ::ftruncate(fd.get(), 0) != 0) {
    return wrong.empty() ? Result<std::unique_ptr<TraceFile>>(file_error("written", path, errno)) : bad_input(wrong);
  }
  std::unique_ptr<TraceFile> file(new TraceFile(std::move(fd), most));
  file->append("");
  if (file->broken_) return file_error("written", path, errno);
  return file;
}

TraceFile::TraceFile(Fd fd, size_t most) : fd_(std::move(fd)), most_(most), start_ns_(now_ns()) {
  if (::lseek(fd_.get(), 0, SEEK_SET) != 0 || write_all(fd_.get(), kHead) != 0) broken_ = true;
  at_ = kHead.size();
}

/// In one write, over the end that was there; a shorter end than the last one is padded.
void TraceFile::append(const std::string& events) {
  const Json other{
      {"program", fmt::format("attnscope {}", ATTNSCOPE_VERSION)},
      {"device_clock", calibrated_ ? "related to the host's by the driver (calibrated timestamps)"
                                   : "not related to the host's by the driver: the first dispatch was put "
                                     "where the host's wait for it ended"},
      {"host_clock", shifted_ ? "of another machine: moved so that the newest event ends now" : "monotonic"},
      {"left_out", left_out_}};
  const std::string end = fmt::format("\n],\"otherData\":{}}}\n", line(other));
  const auto write = [&](const std::string& text) {
    return ::lseek(fd_.get(), static_cast<off_t>(at_), SEEK_SET) >= 0 && write_all(fd_.get(), text) == 0 &&
           ::ftruncate(fd_.get(), static_cast<off_t>(at_ + text.size())) == 0;
  };
  if (broken_) return;
  if (write(events + end)) {
    at_ += events.size();
    return;
  }
  broken_ = true;
  write(end);  // a full disk can still hold the former content
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
  const int64_t behind = now_ns() - told.now_ns, shift = std::abs(behind) > kOtherClockNs ? behind : 0;
  shifted_ = shifted_ || shift != 0;
  left_out_ += told.left_out;
  for (const TraceSpan& span : told.spans) {
    device = device || span.device;
    if (events_ >= most_) {
      ++left_out_;
      continue;
    }
    put({{"name", span.name},
         {"cat", span.stage.empty() ? "run" : span.stage},
         {"ph", "X"},
         {"pid", pid},
         {"tid", span.device ? kDeviceTrack : kHostTrack},
         {"ts", double(span.begin_ns + shift - start_ns_) / 1e3},
         {"dur", double(span.end_ns - span.begin_ns) / 1e3}});
  }
  if (device) calibrated_ = calibrated_ && told.calibrated;
  append(text);
}

}  // namespace attnscope::cli
