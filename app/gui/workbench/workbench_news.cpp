// How news from the links change the workbench.

#include "app/gui/workbench/workbench.hpp"

namespace attnscope::gui {

void Workbench::apply(const DeviceEvent& heard, bool disturbed, double now) {
  now_ = now;
  disturbed_ = disturbed;
  if (others.beside.of_worker(heard.worker)) {
    if (const std::string line = others.beside.hear(heard.worker, heard.news, disturbed); !line.empty())
      say(Level::error, line, "pins");
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

void Workbench::on(const DeviceOpened& news) {
  device_state.open(news.device);
  device_state.machine = news.machine;
  say(Level::info, fmt::format("Opened {} ({}).", news.device.name, news.device.driver));
}

/// What a first look shows: the problem and the first variant that can run here, of the choice made for such a device.
/// With "auto" the variant stands until the engine has chosen, and where nothing can serve the problem.
void Workbench::choose_first() {
  Selection& selection = request.selection;
  const auto runs = [](const VariantInfo& v) { return v.error.empty() && v.why_not.empty(); };
  const bool software = device_state.software();
  const auto choice =
      std::find_if(start_.begin(), start_.end(), [&](const StartChoice& c) { return c.software == software; });
  const VariantInfo* taken = nullptr;
  if (choice != start_.end()) {
    // A list without "auto" decides, as a person would.
    if (!choice->variants.empty() && automatic_)
      automatic_ = std::find(choice->variants.begin(), choice->variants.end(), kAutoVariant) != choice->variants.end();
    for (const std::string& name : choice->variants)
      if (const VariantInfo* v = device_state.variant(name); v && runs(*v) && !taken) taken = v;
    if (!problem_chosen_) selection.problem = choice->problem;
  }
  if (!taken)
    for (const VariantInfo& v : device_state.variants)
      if (runs(v) && !taken) taken = &v;
  if (!taken && !device_state.variants.empty()) taken = &device_state.variants.front();
  if (!taken) return;
  selection.variant = taken->name;
  leave_to_engine();
}

void Workbench::on(const VariantsKnown& news) {
  device_state.list_variants(news.variants);
  const bool its_own = changing_.contains(live_.selection.variant);
  note_versions(news);
  // What a shader before this reading could not do is not known of this one; what was lost stays said until it runs.
  if (!live_.began && live_.stage.empty() && (live_.ended != Outcome::error || its_own)) live_ = {};
  // Once, until it says something else or loads: the folders are read again for many reasons.
  for (const VariantInfo& v : device_state.variants) {
    const std::string key = v.name + "!", error = key + v.error;
    if (std::erase_if(shadows_told_, [&](const std::string& told) { return told.starts_with(key) && told != error; }))
      messages.settle("editor", v.name);
    if (!v.error.empty() && shadows_told_.insert(error).second)
      say(Level::error, fmt::format("{} did not load; the Editor shows why.", v.name), "editor", v.name);
  }
  for (const VariantInfo& v : device_state.variants)
    if (!v.shadows.empty() && shadows_told_.insert(v.name + "|" + v.shadows).second)
      say(Level::warning, fmt::format("{} replaces the variant of the same name in {}.", v.name, v.shadows));
  if (std::exchange(reloading_, false)) {
    const auto broken = std::count_if(device_state.variants.begin(), device_state.variants.end(),
                                      [](const VariantInfo& v) { return !v.error.empty(); });
    say(broken ? Level::warning : Level::good,
        fmt::format("Read {} variants again{}.", device_state.variants.size(),
                    broken ? fmt::format("; {} did not load", broken) : ""),
        "variants");
  }
  Selection& selection = request.selection;
  // One that was loaded keeps its config until its folder is back.
  if (!current_variant() && !device_state.variants.empty() && (automatic_ || !loaded_.contains(selection.variant))) {
    const std::string gone = selection.variant;
    choose_first();
    if (!gone.empty())
      say(Level::warning, fmt::format("There is no variant '{}'; showing {}.", gone, selection.variant));
  }
  const VariantInfo* v = current_variant();
  for (const VariantInfo& each : device_state.variants) loaded_.insert(each.name);
  if (v && !v->error.empty() && automatic_) leave_to_engine();
  // One that does not load any more keeps its config for when it does again.
  if (!v || !v->error.empty()) return;
  if (!wanted_config_.empty() && automatic_) {
    leave_to_engine();  // whose config it is is known when the variant is
  } else if (!wanted_config_.empty()) {
    if (Result<void> taken = set_config(wanted_config_); !taken) say(Level::error, taken.error().message);
    wanted_config_.clear();
  } else if (chosen_ == Choice::by_engine) {
    leave_to_engine();
  } else {
    // A config from settings, or from before a reload, keeps what still exists.
    Config config = default_config(*v);
    std::vector<std::string> gone;
    for (const auto& [name, value] : selection.config) {
      if (const auto has = config.find(name); has != config.end())
        has->second = value;
      else
        gone.push_back(name);
    }
    if (!gone.empty())
      say(Level::warning,
          fmt::format("{} has no parameter {} any more: the others are as they were.", v->name, fmt::join(gone, ", ")));
    selection.config = config;
  }
  history.amend(selection, automatic_);
}

void Workbench::log_live() {
  if (!timed()) return;
  if (const auto record = live_.record()) log.note(*record);
}

void Workbench::on(const VariantChecked& news) {
  device_state.check(news.variant, news.problem, {news.why_not, news.broken});
}

void Workbench::on(const Chosen& news) {
  Selection& selection = request.selection;
  if (!choosing() || news.automatic != automatic_ || news.asked.problem != selection.problem) return;
  if (!automatic_ && news.asked != selection) return;
  choose_ = false;
  if (!automatic_ && news.taken == selection) return;
  why_automatic_ = news.because;
  if (!news.remark.empty()) say(Level::info, news.remark);
  selection = news.taken;
  history.amend(selection, automatic_);
  if (wanted_config_.empty()) return;
  const std::string wanted = std::exchange(wanted_config_, {});
  if (asks_for_default(wanted)) return;
  if (Result<void> taken = set_config(wanted); !taken) say(Level::error, taken.error().message);
}

void Workbench::on(const Inspected& news) {
  device_state.inspect(news.selection, news.inspection);
  Selection& selection = request.selection;
  if (news.selection != selection || chosen_ != Choice::before) return;
  chosen_ = Choice::by_hand;
  if (news.inspection.why_not.empty() || news.inspection.nearest.empty()) return;
  say(Level::info, fmt::format("{} with {} cannot run here, so the nearest legal config was taken: {}. {}",
                               selection.variant, attnscope::to_text(selection.config),
                               attnscope::to_text(news.inspection.nearest), news.inspection.why_not));
  selection.config = news.inspection.nearest;
  history.amend(selection, automatic_);
}

void Workbench::on(const PeaksKnown& news) {
  if (news.peaks) device_state.peaks = news.peaks;
  device_state.peaks_stage = news.stage;
  if (!news.note.empty()) say(Level::warning, news.note);
}

void Workbench::on(const RunStarted& news) {
  messages.settle("timing");
  if (live_.selection != news.selection || live_.modes != news.modes) before_.leave(live_);
  live_.start(news.selection, news.modes);
}

void Workbench::on(const RunEvent& news) {
  if (const auto* began = std::get_if<RunBegan>(&news.event);
      began && live_.began && !same_run(run_of(*live_.began), run_of(*began->record)))
    before_.leave(live_);
  live_.hear(news.event, disturbed_);
  if (const auto* verdict = std::get_if<Verdict>(&news.event); verdict && !verdict->pass)
    say(Level::error,
        fmt::format("Wrong results of {} on {}: {}", short_name(news.selection.variant, news.selection.config),
                    to_text(news.selection.problem), verdict->reason),
        "timing");
}

void Workbench::on(const RunEnded& news) {
  live_.end(news.record);
  if (!live_.failure.empty())
    say(Level::error, fmt::format("{}: {}", to_text(news.selection), live_.failure), "timing");
  if (!live_.verdict && live_.failure.empty()) return;
  if (const auto record = live_.record()) log.note(*record);
}

void Workbench::on(const JobNews& news) {
  JobState& job = jobs.now;
  const bool newest = job.id == news.id, along = newest && job.kind == JobKind::scaling;
  if (news.record) {
    const Record& r = *news.record;
    log.note(r);
    // Along an axis some values are refused as a rule; each point says why.
    if (r.outcome != Outcome::measured && !(r.outcome == Outcome::refused && along))
      say(Level::warning,
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
  say(job.done == job.total ? Level::good : Level::warning,
      along ? fmt::format("Measured {} of {} points along the {}.", job.done, job.total, title(jobs.scaling.axis))
            : fmt::format("Measured the pins on the listed problems: {} of {}. {}", job.done, job.total, news.error),
      along ? "scaling" : "across");
}

void Workbench::on(const Failed& news) {
  if (news.what == "open" && request.device_remembered) {
    request.device_remembered = false;
    say(Level::warning,
        fmt::format("The device used last is not there ({}); the default one is taken.", news.error.message));
    return set_device(0, "");
  }
  // Said twice of a request that changed while the device was looked for: the default matches any, so it is not of
  // that.
  if (news.what == "open" && request.device.empty() && news.error.kind == ErrorKind::bad_input) return;
  if (news.what == "open" || news.what == "devices") device_state.device_failure = news.error.message;
  if (news.what == "variants") device_state.variants_failure = news.error.message;
  if (news.selection && *news.selection == request.selection) {
    live_ = {};
    live_.selection = request.selection;
    live_.modes = request.modes;
    live_.failure = news.error.message;
  }
  // What does not load was told when it was read.
  if (const VariantInfo* v = news.selection ? device_state.variant(news.selection->variant) : nullptr;
      v && !v->error.empty())
    return;
  say(Level::error,
      news.selection ? fmt::format("{}: {}", to_text(*news.selection), news.error.message) : news.error.message);
}

}  // namespace attnscope::gui
