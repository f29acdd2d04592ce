// Further devices that measure the very config that is shown, at the same time, each through a worker of its own. What
// one of them tells is kept apart from the others: whatever goes wrong with it stands at it alone.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/gui/model/live.hpp"
#include "app/gui/worker/messages.hpp"
#include "engine/measure/compare.hpp"

namespace attnscope::gui {

/// A device's numbers at one time, and how it stands against the device in the first row. What is shown together was
/// compared together.
struct BesideReading {
  Record record;                     ///< with the samples that the rest is of
  std::vector<double> quantiles_ns;  ///< quantiles() of them
  std::optional<Comparison> word;    ///< of this device against the first; none: that one has no time
  std::string why_no_verdict;
};

struct BesideDevice {
  uint64_t id = 0;               ///< for as long as it is listed
  std::string command;           ///< as `--worker` takes it; "" = this program's own worker
  std::string selector;          ///< of the worker's devices, as Session::open takes it
  bool connected = false;        ///< a person wants it measured
  std::optional<size_t> worker;  ///< its link; none: there is none yet, or no more
  uint64_t attempt = 0;

  // What it told.
  std::optional<DeviceInfo> device;
  std::string machine;  ///< Session::machine()
  bool variants_known = false;
  std::map<std::string, std::string> faults;                   ///< variants that do not load or run there: why
  std::string failure;                                         ///< why there is no device
  std::optional<std::pair<Selection, std::string>> inspected;  ///< and why it cannot run, "" where it can
  Live live;
  std::optional<std::pair<Selection, Modes>> lost;  ///< not to be dispatched again unasked
  std::optional<BesideReading> reading;
};

class ExtraDevices {
 public:
  static constexpr size_t kMost = 8;
  static constexpr double kPeriod = 0.5;  ///< seconds from one reading to the next
  static constexpr size_t kEnough = 10;   ///< samples before a word is said

  const std::vector<BesideDevice>& all() const { return devices_; }
  const BesideDevice* find(uint64_t id) const;
  const BesideDevice* of_worker(size_t worker) const;
  /// Listed and not connected; nullopt: there are kMost.
  std::optional<uint64_t> add(const std::string& command, const std::string& selector);
  void connect(uint64_t id);
  void disconnect(uint64_t id);
  void remove(uint64_t id);
  /// Connected, and nothing stands in the way that did.
  void try_again(uint64_t id);

  // For whoever has the links.
  /// Devices that want a link and have none.
  std::vector<uint64_t> without_link() const;
  void link(uint64_t id, size_t worker);
  /// There can be none.
  void fail(uint64_t id, const std::string& why);
  /// Links that nobody wants any more; told once.
  std::vector<size_t> take_left();

  /// What the worker of a device tells; a line for the messages, "" = nothing.
  std::string hear(size_t worker, const WorkerEvent&, bool disturbed);
  /// Readings of what is asked, now and then. `first`: the run in the first row, with a time that may be shown, or
  /// nullptr.
  void step(const Live* first, const Selection&, const Modes&, double now);
  /// Of the first row, made with the newest readings; nullptr: it has no time.
  const BesideReading* first() const { return first_ ? &*first_ : nullptr; }
  /// Raised by every change of which devices are listed.
  uint64_t version() const { return version_; }

 private:
  BesideDevice* at(uint64_t id);
  void leave(BesideDevice&);
  std::vector<BesideDevice> devices_;
  std::optional<BesideReading> first_;
  std::vector<size_t> left_;
  uint64_t next_ = 1, version_ = 0;
  double made_at_ = -1e9;
  Selection made_of_;
  Modes made_in_;
};

/// Why nothing is measured on it of just this; "" when something is, or will be.
std::string why_not_measured(const BesideDevice&, const Selection&);
/// One and the same device of one running machine, or two software ones that share its CPU: each one's timings disturb
/// the other's. A sentence, or "".
std::string disturb_each_other(const DeviceInfo& a, const std::string& machine_a, const DeviceInfo& b,
                               const std::string& machine_b);

}  // namespace attnscope::gui
