// Further devices that measure the very config that is shown, at the same time, each through a worker of its own. What
// one of them tells is kept apart from the others: whatever goes wrong with it stands at it alone.
#pragma once

#include "app/gui/model/live.hpp"
#include "app/gui/worker/gpu_compiler.hpp"
#include "app/gui/worker/messages.hpp"

namespace attnscope::gui {

/// A device's numbers at one time, and how it stands against the first row: both of the same moment.
struct ExtraReading {
  Record record;                        ///< with the samples that the word is of
  std::optional<Comparison> word = {};  ///< of this device against the first; none: that one has no time
  std::string why_no_verdict = {};
};

struct ExtraDevice {
  uint64_t id = 0;                    ///< for as long as it is listed
  std::string command;                ///< as `--worker` takes it; "" = this program's own worker
  std::string selector;               ///< of the worker's devices, as Session::open takes it
  bool connected = false;             ///< a person wants it measured
  std::optional<size_t> worker = {};  ///< its link; none: there is none yet, or no more
  uint64_t attempt = 0;

  // What it told.
  std::optional<DeviceInfo> device = {};
  std::string machine = {};  ///< Session::machine()
  bool variants_known = false;
  std::map<std::string, std::string> faults = {};                   ///< variants that do not load or run there: why
  std::string failure = {};                                         ///< why there is no device
  std::optional<std::pair<Selection, std::string>> inspected = {};  ///< and why it cannot run, "" where it can
  Live live = {};
  std::optional<ExtraReading> reading = {};
  /// Its worker was lost over just this: it is not dispatched again unasked.
  bool lost(const Selection& selection, const Modes& modes) const {
    return live.ended == Outcome::error && live.selection == selection && live.modes == modes;
  }
};

class ExtraDevices {
 public:
  static constexpr size_t kMost = 8;
  static constexpr double kPeriod = 0.5;  ///< seconds from one reading to the next
  static constexpr size_t kEnough = 10;   ///< samples before a word is said

  const std::vector<ExtraDevice>& all() const { return devices_; }
  const ExtraDevice* find(uint64_t id) const { return find_by(devices_, id, &ExtraDevice::id); }
  const ExtraDevice* of_worker(size_t worker) const { return find_by(devices_, worker, &ExtraDevice::worker); }
  /// Listed and not connected; nullopt: there are kMost.
  std::optional<uint64_t> add(const std::string& command, const std::string& selector) {
    if (devices_.size() >= kMost) return std::nullopt;
    devices_.push_back({.id = next_, .command = command, .selector = selector});
    return next_++;
  }
  void connect(uint64_t id) {
    if (ExtraDevice* d = at(id)) d->connected = true;
  }
  void disconnect(uint64_t id) {
    if (ExtraDevice* d = at(id)) leave(*d);
  }
  void remove(uint64_t id) {
    disconnect(id);
    std::erase_if(devices_, [&](const ExtraDevice& d) { return d.id == id; });
  }
  /// Connected, and nothing stands in the way that did.
  void try_again(uint64_t id) {
    ExtraDevice* d = at(id);
    if (!d) return;
    // Where there is no device there is nothing to go on with.
    if (!d->failure.empty()) leave(*d);
    d->connected = true;
    d->live.failure.clear();
    ++d->attempt;
  }

  /// Devices that want a link and have none: for whoever has the links.
  std::vector<uint64_t> without_link() const {
    const auto wants = [](const ExtraDevice& d) { return d.connected && !d.worker && d.failure.empty(); };
    return mapped(filtered(devices_, wants), &ExtraDevice::id);
  }
  void link(uint64_t id, size_t worker) {
    if (ExtraDevice* d = at(id)) d->worker = worker;
  }
  /// There can be none.
  void fail(uint64_t id, const std::string& why) {
    if (ExtraDevice* d = at(id)) d->failure = why;
  }
  /// Links that nobody wants any more; told once.
  std::vector<size_t> take_left() { return std::exchange(left_, {}); }

  /// What the worker of a device tells; a line for the messages, "" = nothing.
  std::string hear(size_t worker, const WorkerEvent&, bool disturbed);
  /// Readings of what is asked, now and then. `first`: the run in the first row that has a time, or nullptr.
  void step(const Live* first, const Selection&, const Modes&, double now);
  /// Of the first row, made with the newest readings; nullptr: it has no time.
  const ExtraReading* first() const { return first_ ? &*first_ : nullptr; }

 private:
  ExtraDevice* at(uint64_t id) { return find_by(devices_, id, &ExtraDevice::id); }
  void leave(ExtraDevice& d) {
    if (d.worker) left_.push_back(*d.worker);
    d = {.id = d.id, .command = d.command, .selector = d.selector};
  }
  std::vector<ExtraDevice> devices_;
  std::optional<ExtraReading> first_;
  std::vector<size_t> left_;
  uint64_t next_ = 1;
  double made_at_ = -kPeriod;
  std::pair<Selection, Modes> made_of_;
};

/// Why nothing is measured on it of just this; "" when something is, or will be.
std::string why_not_measured(const ExtraDevice&, const Selection&);
/// One device of one machine, or two software ones that share its CPU: each disturbs the other. A sentence, or "".
std::string disturb_each_other(const DeviceInfo& a, const std::string& machine_a, const DeviceInfo& b,
                               const std::string& machine_b);

/// GPUs that are not here, which the config shown is compiled for beside the device that measures it.
struct OtherGpus {
  static constexpr size_t kMost = 6;  ///< each is a process with a compiler in it
  std::vector<OfferedGpu> offered;    ///< the catalogue
  std::vector<std::string> chosen;
  std::map<std::string, GpuAnswer> answers;  ///< the newest of each

  bool has(const std::string& gpu) const { return contains(chosen, gpu); }
  void toggle(const std::string& gpu) {
    if (std::erase(chosen, gpu) == 0 && chosen.size() < kMost) chosen.push_back(gpu);
    answers.erase(gpu);
  }
  /// What is known of the same config stays: it may be told again without.
  void add(GpuAnswer answer) {
    if (!has(answer.gpu)) return;
    if (const GpuAnswer* before = this->answer(answer.gpu, answer.of); before && !answer.without_spills)
      answer.without_spills = before->without_spills;
    answers.insert_or_assign(answer.gpu, std::move(answer));
  }
  bool answered(const GpuRequest& of) const {
    return std::ranges::all_of(chosen, [&](const std::string& gpu) { return answer(gpu, of); });
  }
  /// nullptr: it is not known yet.
  const GpuAnswer* answer(const std::string& gpu, const GpuRequest& of) const {
    const GpuAnswer* found = find_at(answers, gpu);
    return found && found->of == of ? found : nullptr;
  }
};

}  // namespace attnscope::gui
