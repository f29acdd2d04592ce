// How news from the links change the workbench.

#include "app/gui/workbench/workbench.hpp"

namespace attnscope::gui {

void Workbench::apply(const DeviceEvent& heard, bool disturbed, double now) {
  messages.now = now;
  disturbed_ = disturbed;
  if (others.beside.of_worker(heard.worker)) {
    if (const std::string line = others.beside.hear(heard.worker, heard.news, disturbed); !line.empty())
      messages.say(Level::error, line, "pins");
    return;
  }
  if (heard.worker >= device_state.workers.size()) return;  // of a device that was beside this one
  if (const auto* devices = std::get_if<DevicesKnown>(&heard.news))
    return device_state.list_devices(heard.worker, devices->devices);
  // A job goes on where it was begun; everything else of a worker that is not looked at now is old.
  if (heard.worker != request.worker && !std::holds_alternative<JobNews>(heard.news) &&
      !std::holds_alternative<SearchNews>(heard.news))
    return;
  std::visit([this](const auto& item) { on(item); }, heard.news);
}

void Workbench::on(const VariantsKnown& news) {
  device_state.list_variants(news.variants);
  const bool its_own = editor.changing.contains(live.newest.selection.variant);
  note_versions(news);
  // What a shader before this reading could not do is not known of this one; what was lost stays said until it runs.
  if (!live.newest.began && live.newest.stage.empty() && (live.newest.ended != Outcome::error || its_own))
    live.newest = {};
  // Once, until it says something else or loads: the folders are read again for many reasons.
  for (const VariantInfo& v : device_state.variants) {
    const std::string key = v.name + "!", error = key + v.error;
    if (std::erase_if(shadows_told_, [&](const std::string& told) { return told.starts_with(key) && told != error; }))
      for (const char* panel : {"editor", "timing"}) messages.settle(panel, v.name);
    if (!v.error.empty() && shadows_told_.insert(error).second)
      messages.say(Level::error, fmt::format("{} did not load; the Editor shows why.", v.name),
                   v.name == request.selection.variant ? "timing" : "editor", v.name);
  }
  for (const VariantInfo& v : device_state.variants)
    if (!v.shadows.empty() && shadows_told_.insert(v.name + "|" + v.shadows).second)
      messages.say(Level::warning, fmt::format("{} replaces the variant of the same name in {}.", v.name, v.shadows));
  if (std::exchange(reloading_, false)) {
    const auto broken = std::count_if(device_state.variants.begin(), device_state.variants.end(),
                                      [](const VariantInfo& v) { return !v.error.empty(); });
    messages.say(broken ? Level::warning : Level::good,
                 fmt::format("Read {} variants again{}.", device_state.variants.size(),
                             broken ? fmt::format("; {} did not load", broken) : ""),
                 "variants");
  }
  request.hear_variants();
}

void Workbench::on(const PeaksKnown& news) {
  if (news.peaks) device_state.peaks = news.peaks;
  device_state.peaks_stage = news.stage;
  if (!news.note.empty()) messages.say(Level::warning, news.note);
}

void Workbench::on(const RunStarted& news) {
  messages.settle("timing");
  if (live.newest.selection != news.selection || live.newest.modes != news.modes) live.leave();
  live.newest.start(news.selection, news.modes);
}

void Workbench::on(const RunEvent& news) {
  if (const auto* began = std::get_if<RunBegan>(&news.event);
      began && live.newest.began && run_id(*live.newest.began) != run_id(*began->record))
    live.leave();
  live.newest.hear(news.event, disturbed_);
  if (const auto* verdict = std::get_if<Verdict>(&news.event); verdict && !verdict->pass)
    messages.say(Level::error,
                 fmt::format("Wrong results of {} on {}: {}", short_name(news.selection.variant, news.selection.config),
                             to_text(news.selection.problem), verdict->reason),
                 "timing");
}

void Workbench::on(const RunEnded& news) {
  live.newest.end(news.record);
  if (!live.newest.failure.empty())
    messages.say(Level::error, fmt::format("{}: {}", to_text(news.selection), live.newest.failure), "timing");
  if (!live.newest.verdict && live.newest.failure.empty()) return;
  if (const auto record = live.newest.record()) log.note(*record);
}

void Workbench::on(const JobNews& news) {
  JobState& job = jobs.now;
  const bool newest = job.id == news.id, along = newest && job.kind == JobKind::scaling;
  if (news.record) {
    const Record& r = *news.record;
    log.note(r);
    // Along an axis some values are refused as a rule; each point says why.
    if (r.outcome != Outcome::measured && !(r.outcome == Outcome::refused && along))
      messages.say(Level::warning,
                   fmt::format("{}  {}  {}: {}", r.variant, attnscope::to_text(r.problem), attnscope::to_text(r.config),
                               r.message.empty() && r.verdict ? r.verdict->reason : r.message));
  }
  if (!newest || !job.running) return;
  job.current = news.current;
  job.stage = news.stage;
  job.running = !news.over;
  if (!news.over) {
    job.done = news.done;
    return;
  }
  if (job.kind == JobKind::errors) return jobs.correctness.take(news.errors, news.error);
  if (job.kind == JobKind::versions) return end_race_of_versions(news);
  if (job.kind == JobKind::pins) return end_race_of_pins(news);
  if (job.cancelled)
    return messages.say(Level::info, fmt::format("Cancelled after {} of {}.", job.done, job.total),
                        along ? "scaling" : "across");
  messages.say(
      job.done == job.total ? Level::good : Level::warning,
      along ? fmt::format("Measured {} of {} points along the {}.", job.done, job.total, title(jobs.scaling.axis))
            : fmt::format("Measured the pins on the listed problems: {} of {}. {}", job.done, job.total, news.error),
      along ? "scaling" : "across");
}

void Workbench::on(const Failed& news) {
  if (news.what == "open" && request.device_remembered) {
    request.device_remembered = false;
    messages.say(Level::warning,
                 fmt::format("The device used last is not there ({}); the default one is taken.", news.error.message));
    return set_device(0, "");
  }
  // Said twice of a request that changed while the device was looked for: the default matches any, so it is not of
  // that.
  if (news.what == "open" && request.device.empty() && news.error.kind == ErrorKind::bad_input) return;
  if (news.what == "open" || news.what == "devices") device_state.device_failure = news.error.message;
  if (news.what == "variants") device_state.variants_failure = news.error.message;
  if (news.selection && *news.selection == request.selection) {
    live.newest = {};
    live.newest.selection = request.selection;
    live.newest.modes = request.modes;
    live.newest.failure = news.error.message;
  }
  // What does not load was told when it was read.
  if (const VariantInfo* v = news.selection ? device_state.variant(news.selection->variant) : nullptr;
      v && !v->error.empty())
    return;
  messages.say(Level::error, news.selection ? fmt::format("{}: {}", to_text(*news.selection), news.error.message)
                                            : news.error.message);
}

}  // namespace attnscope::gui
