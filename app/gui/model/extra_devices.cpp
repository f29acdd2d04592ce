#include "app/gui/model/extra_devices.hpp"

#include "engine/record/comparisons.hpp"

namespace attnscope::gui {
namespace {

void compare_with(ExtraReading& r, const ExtraReading& first, const SampleSummary& of_first) {
  const Environment &here = r.record.environment, &there = first.record.environment;
  if (here.shader_hash != there.shader_hash)
    r.why_no_verdict = "another version of the shader";
  else if (modes_of(r.record.protocol) != modes_of(first.record.protocol) || r.record.problem != first.record.problem)
    r.why_no_verdict = "another run";
  else if (std::min(r.record.samples_ns.size(), first.record.samples_ns.size()) < ExtraDevices::kEnough)
    r.why_no_verdict = "too few samples";
  else
    r.word = compare(of_first, make_sample_summary(r.record.samples_ns), share_cpu(first.record, r.record));
}

}  // namespace

std::string ExtraDevices::hear(size_t worker, const WorkerEvent& news, bool disturbed) {
  ExtraDevice* of = find_by(devices_, worker, &ExtraDevice::worker);
  if (!of) return "";
  ExtraDevice& d = *of;
  const auto named = [&](const std::string& what) {
    const std::string name = d.device ? d.device->name : d.command.empty() ? "the second device" : d.command;
    return fmt::format("{}: {}", name, what);
  };
  if (const auto* opened = std::get_if<DeviceOpened>(&news)) {
    d.device = opened->device;
    d.machine = opened->machine;
    d.failure.clear();
    d.variants_known = false;
  }
  if (const auto* variants = std::get_if<VariantList>(&news)) {
    d.variants_known = true;
    d.inspected.reset();
    d.faults.clear();
    for (const VariantInfo& v : variants->variants)
      if (!v.error.empty() || !v.why_not.empty()) d.faults[v.name] = !v.error.empty() ? v.error : v.why_not;
  }
  if (const auto* inspected = std::get_if<InspectionResult>(&news))
    d.inspected = {inspected->selection, inspected->inspection.why_not};
  if (const auto* started = std::get_if<RunStarted>(&news)) d.live.start(started->selection, started->modes);
  if (const auto* event = std::get_if<RunEvent>(&news)) d.live.hear(event->event, disturbed);
  if (const auto* ended = std::get_if<RunEnded>(&news)) {
    d.live.end(ended->record);
    return d.live.failure.empty() ? "" : named(d.live.failure);
  }
  if (const auto* failed = std::get_if<Failed>(&news)) {
    if (failed->selection) {
      d.live.fail(*failed->selection, {}, failed->error.message);
    } else if (failed->what != "peaks") {
      d.failure = failed->error.message;
      d.device.reset();
      d.live = {};
    }
    return named(failed->error.message);
  }
  return "";
}

void ExtraDevices::step(const Live* first, const Selection& selection, const Modes& modes, double now) {
  if (devices_.empty()) return first_.reset();
  if (made_of_ != std::pair{selection, modes}) {
    made_of_ = {selection, modes};
    made_at_ = -kPeriod;
    first_.reset();
    for (ExtraDevice& d : devices_) d.reading.reset();
  }
  // What has its first samples, or enough of them for a word, waits for no period.
  const auto grown = [](const ExtraReading* then, const Live& live) {
    return !then || (then->record.samples_ns.size() < kEnough && live.series.taken() >= kEnough);
  };
  bool due = now - made_at_ >= kPeriod;
  const auto timed = [&](const ExtraDevice& d) {
    return d.connected && d.failure.empty() && d.live.selection == selection && d.live.modes == modes && d.live.timed();
  };
  if (!first) first_.reset();
  if (first) due |= grown(this->first(), *first);
  for (ExtraDevice& d : devices_) {
    if (!timed(d)) d.reading.reset();
    if (timed(d)) due |= grown(d.reading ? &*d.reading : nullptr, d.live);
  }
  if (!due) return;
  made_at_ = now;
  SampleSummary of_first;
  if (first) {
    first_ = ExtraReading{*first->record()};
    of_first = make_sample_summary(first_->record.samples_ns);
  }
  for (ExtraDevice& d : devices_) {
    if (!timed(d)) continue;
    d.reading = ExtraReading{*d.live.record()};
    if (first_)
      compare_with(*d.reading, *first_, of_first);
    else
      d.reading->why_no_verdict = "the first has no time";
  }
}

std::string why_not_measured(const ExtraDevice& d, const Selection& selection) {
  if (!d.failure.empty()) return d.failure;
  if (const std::string* fault = find_at(d.faults, selection.variant)) return *fault;
  // The worker may be there again; what it was lost over waits to be asked for.
  if (d.live.selection == selection && !d.live.failure.empty())
    return d.live.failure + (d.lost(selection, d.live.modes) ? " Try again measures it once more." : "");
  if (d.live.selection == selection && d.live.wrong()) return "wrong results. " + d.live.verdict->reason;
  return d.inspected && d.inspected->first == selection ? d.inspected->second : "";
}

std::string disturb_each_other(const DeviceInfo& a, const std::string& machine_a, const DeviceInfo& b,
                               const std::string& machine_b) {
  const bool software = a.type == DeviceType::software && b.type == DeviceType::software;
  // A GPU's UUID is its own; that of a software device is the same on every machine.
  const bool same = !a.device_uuid.empty() && a.device_uuid == b.device_uuid && !software;
  const bool machine = !machine_a.empty() && machine_a == machine_b;
  if (same && (machine || machine_a.empty() || machine_b.empty()))
    return "Both are one and the same device: measured at once, their timings disturb each other.";
  if (software && machine)
    return "Both are software devices on one machine and share its CPU: measured at once, their timings disturb each "
           "other.";
  return "";
}

}  // namespace attnscope::gui
