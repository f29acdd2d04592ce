#include "app/gui/editor/disk.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <mutex>
#include <set>
#include <thread>

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "engine/clock.hpp"
#include "engine/input/file.hpp"
#include "engine/record/results.hpp"
#include "engine/variant/name.hpp"
#include "engine/variant/outside_sources.hpp"
#include "engine/variant/source_files.hpp"
#include "engine/variant/variant.hpp"

namespace attnscope::gui {

namespace fs = std::filesystem;

SaveOutcome save_file(SaveRequest request) {
  SaveOutcome out{std::move(request), "", {}};
  const SaveRequest& r = out.request;
  std::error_code error;
  const fs::path real = fs::weakly_canonical(r.path, error);
  if (error) {
    out.error = fmt::format("'{}' cannot be written: {}.", r.path.string(), error.message());
    return out;
  }
  if (r.text.size() > kMaxSourceBytes) {
    out.error = fmt::format("'{}' is not written: {} bytes are more than the {} that a source may have.",
                            r.path.string(), r.text.size(), kMaxSourceBytes);
    return out;
  }
  if (r.expected && fs::exists(real, error)) {
    const Result<std::string> now = read_file(real, kMaxSourceBytes);
    if (!now) {
      out.error = now.error().message;
      return out;
    }
    if (*now != *r.expected && *now != r.text) {
      out.theirs = *now;
      return out;
    }
  }
  if (const Result<void> written = write_text(real, r.text); !written) out.error = written.error().message;
  return out;
}

std::string why_no_name(const std::string& name) {
  std::string why = not_a_variant_name(name);
  if (why.empty()) return why;
  return name.empty() ? "Give it a name." : fmt::format("This is no name of a variant: {}.", why);
}

Result<fs::path> copy_variant(const fs::path& folder, const fs::path& into, const std::string& name,
                              const std::map<std::string, std::string>& texts) {
  if (const std::string why = why_no_name(name); !why.empty()) return bad_input(fmt::format("'{}': {}", name, why));
  const fs::path target = into / name;
  std::error_code error;
  if (fs::exists(fs::symlink_status(target, error)))
    return bad_input(fmt::format("'{}' is there already: choose another name.", target.string()));
  fs::create_directories(into, error);
  if (error) return bad_input(fmt::format("'{}' cannot be made: {}.", into.string(), error.message()));
  // Found as a whole or not at all by whoever looks at the folder meanwhile.
  const fs::path made = into / fmt::format(".{}.new", name);
  fs::remove_all(made, error);
  error.clear();
  fs::create_directory(made, error);
  uint64_t bytes = 0;
  std::error_code ignored;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->path().filename().string().starts_with('.') || !it->is_regular_file(ignored)) continue;
    bytes += it->file_size(ignored);
    if (bytes > kMaxFolderBytes) {
      fs::remove_all(made, ignored);
      return bad_input(
          fmt::format("'{}' holds more than the {} bytes that a variant may have.", folder.string(), kMaxFolderBytes));
    }
    const fs::path to = made / it->path().filename();
    fs::copy_file(it->path(), to, error);
    // What ships may be read-only; a copy is for editing.
    if (!error) fs::permissions(to, fs::perms::owner_read | fs::perms::owner_write, fs::perm_options::add, error);
    if (error) break;
    const auto edited = texts.find(to.filename().string());
    if (edited != texts.end() && !(std::ofstream(to, std::ios::binary) << edited->second).flush())
      error = std::make_error_code(std::errc::io_error);
    if (error) break;
  }
  if (!error) fs::rename(made, target, error);
  if (error) {
    const std::string why = error.message();
    fs::remove_all(made, ignored);
    return bad_input(fmt::format("'{}' cannot be copied to '{}': {}.", folder.string(), target.string(), why));
  }
  return target;
}

namespace {

namespace fs = std::filesystem;

/// File systems whose other users' changes the kernel here does not hear of: NFS, SMB, CIFS, FUSE, 9p, VirtualBox.
constexpr uint32_t kDeaf[] = {0x6969, 0x517B, 0xFF534D42, 0xFE534D42, 0x65735546, 0x01021997, 0x786F4256};

bool deaf(const fs::path& folder) {
  struct statfs info {};
  if (::statfs(folder.c_str(), &info) != 0) return false;
  return std::find(std::begin(kDeaf), std::end(kDeaf), uint32_t(info.f_type)) != std::end(kDeaf);
}

/// A change is all that names, sizes, times or inodes can show.
using Stamp = std::map<std::string, std::array<int64_t, 4>>;

}  // namespace

struct Watch::Core {
  Core(std::vector<fs::path> d, std::vector<fs::path> o, std::function<void()> c, const WatchOptions& w)
      : dirs(std::move(d)), outside(std::move(o)), changed(std::move(c)), options(w) {}
  ~Core() {
    if (inotify >= 0) ::close(inotify);
    if (end >= 0) ::close(end);
  }

  const std::vector<fs::path> dirs, outside;
  const std::function<void()> changed;
  const WatchOptions options;
  int inotify = -1, end = -1;
  bool polls = false;
  std::vector<fs::path> folders;
  Stamp stamp;
  std::map<std::string, VariantSource> known;
  std::mutex mutex;
  std::set<std::string> names, looked_for;
  bool quit = false;
  std::thread thread;

  std::map<std::string, VariantSource> read() const {
    std::map<std::string, VariantSource> out;
    auto sources = read_variant_sources(dirs, outside);
    if (!sources) return out;
    for (VariantSource& s : *sources) {
      std::string name = s.name;
      out.emplace(std::move(name), std::move(s));
    }
    return out;
  }

  /// Whether there is a folder that was not watched before.
  bool arm() {
    std::vector<VariantSource> sources;
    sources.reserve(known.size());
    for (const auto& [name, source] : known) sources.push_back(source);
    std::vector<fs::path> now = source_folders(sources, dirs, outside);
    const bool more = !std::includes(folders.begin(), folders.end(), now.begin(), now.end());
    folders = std::move(now);
    if (inotify < 0) return more;
    for (const fs::path& folder : folders) {
      constexpr uint32_t mask = IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE | IN_ONLYDIR;
      // Where a folder cannot be watched (a limit of the system, a file system elsewhere), times are looked at.
      if (deaf(folder) || ::inotify_add_watch(inotify, folder.c_str(), mask) < 0) polls = true;
    }
    return more;
  }

  /// Reads until what is watched is what is read.
  void read_all() {
    known = read();
    for (int round = 0; round < 4 && arm(); ++round) known = read();
    if (polls) stamp = stamps();
  }

  Stamp stamps() const {
    Stamp out;
    for (const fs::path& folder : folders) {
      std::error_code error;
      for (fs::directory_iterator it(folder, error), last; !error && it != last; it.increment(error)) {
        struct stat s {};
        if (::stat(it->path().c_str(), &s) != 0) continue;
        out[it->path().string()] = {int64_t(s.st_mtim.tv_sec), int64_t(s.st_mtim.tv_nsec), int64_t(s.st_size),
                                    int64_t(s.st_ino)};
      }
    }
    return out;
  }

  void compare() {
    std::set<std::string> found;
    {
      // Before the reading: who asks later is answered by another one.
      const std::lock_guard lock(mutex);
      found = std::exchange(looked_for, {});
    }
    const std::map<std::string, VariantSource> before = std::exchange(known, {});
    read_all();
    for (const auto& [name, source] : known)
      if (const auto old = before.find(name); old == before.end() || !(old->second == source)) found.insert(name);
    for (const auto& [name, source] : before)
      if (!known.contains(name)) found.insert(name);
    if (found.empty()) return;
    {
      const std::lock_guard lock(mutex);
      names.merge(found);
    }
    if (changed) changed();
  }

  void wake() const {
    const uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(end, &one, sizeof one);
  }

  void drain() const {
    alignas(inotify_event) char buffer[16384];
    while (::read(inotify, buffer, sizeof buffer) > 0) {
    }
  }

  /// False when the watch ends. `event`: something changed, or somebody wants to know.
  bool wait(double s, bool& event) {
    pollfd fds[2] = {{end, POLLIN, 0}, {inotify, POLLIN, 0}};
    const int count = inotify >= 0 ? 2 : 1;
    const int n = ::poll(fds, nfds_t(count), s < 0 ? -1 : std::max(1, int(s * 1000)));
    event = n > 0;
    if (n <= 0 || fds[0].revents == 0) return true;
    uint64_t ignored = 0;
    [[maybe_unused]] const ssize_t taken = ::read(end, &ignored, sizeof ignored);
    const std::lock_guard lock(mutex);
    return !quit;
  }

  void loop() {
    while (true) {
      bool event = false;
      if (!wait(polls ? options.poll_s : -1, event)) return;
      if (!event && (!polls || stamps() == stamp)) continue;
      const auto begin = Clock::now();
      // Without inotify it may be in the middle of being written: its stamps come to rest.
      bool more = true;
      while (more && seconds_since(begin) < options.longest_s) {
        if (inotify >= 0) drain();
        const Stamp before = polls ? stamps() : Stamp();
        if (!wait(options.settle_s, more)) return;
        more = more || (polls && stamps() != before);
      }
      if (inotify >= 0) drain();
      compare();
    }
  }
};

Watch::Watch(std::vector<fs::path> dirs, std::vector<fs::path> outside, std::function<void()> changed,
             const WatchOptions& options)
    : core_(std::make_unique<Core>(std::move(dirs), std::move(outside), std::move(changed), options)) {
  core_->end = ::eventfd(0, EFD_CLOEXEC);
  if (!options.poll) core_->inotify = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  core_->polls = core_->inotify < 0;
  core_->read_all();
  core_->thread = std::thread([core = core_.get()] { core->loop(); });
}

Watch::~Watch() {
  {
    const std::lock_guard lock(core_->mutex);
    core_->quit = true;
  }
  core_->wake();
  core_->thread.join();
}

void Watch::look(const std::vector<std::string>& names) {
  {
    const std::lock_guard lock(core_->mutex);
    core_->looked_for.insert(names.begin(), names.end());
  }
  core_->wake();
}

std::vector<std::string> Watch::take() {
  const std::lock_guard lock(core_->mutex);
  std::vector<std::string> out(core_->names.begin(), core_->names.end());
  core_->names.clear();
  return out;
}

bool Watch::told() const { return !core_->polls; }

}  // namespace attnscope::gui
