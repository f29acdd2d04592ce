// How news from the links change the workbench.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "app/gui/workbench.hpp"

namespace attnscope::gui {

void Workbench::apply(const Heard& heard, bool disturbed, double now) {
  now_ = now;
  disturbed_ = disturbed;
  if (beside.of_worker(heard.worker)) {
    if (const std::string line = beside.hear(heard.worker, heard.news, disturbed); !line.empty())
      say(Level::error, line, "devices");
    return;
  }
  if (heard.worker >= known.workers.size()) return;  // of a device that was beside this one
  if (const auto* devices = std::get_if<DevicesKnown>(&heard.news))
    return known.list_devices(heard.worker, devices->devices);
  // A job goes on where it was begun; everything else of a worker that is not looked at now is old.
  if (heard.worker != asked.worker && !std::holds_alternative<JobStep>(heard.news) &&
      !std::holds_alternative<ErrorsKnown>(heard.news) && !std::holds_alternative<SearchNews>(heard.news) &&
      !std::holds_alternative<VersionsRaced>(heard.news) && !std::holds_alternative<RivalsRaced>(heard.news))
    return;
  std::visit([this](const auto& item) { on(item); }, heard.news);
}

void Workbench::on(const DeviceOpened& news) {
  known.open(news.device);
  known.machine = news.machine;
  say(Level::info, fmt::format("Opened {} ({}).", news.device.name, news.device.driver));
}

/// What a first look shows: the problem and the first variant that can run here, of the choice made for such a device.
/// With "auto" the variant stands until the engine has chosen, and where nothing can serve the problem.
void Workbench::choose_first() {
  Ask& ask = asked.ask;
  const auto runs = [](const VariantInfo& v) { return v.error.empty() && v.why_not.empty(); };
  const bool software = known.device && known.device->type == DeviceType::software;
  const auto choice =
      std::find_if(start_.begin(), start_.end(), [&](const StartChoice& c) { return c.software == software; });
  const VariantInfo* taken = nullptr;
  if (choice != start_.end()) {
    // A list without "auto" decides, as a person would.
    if (!choice->variants.empty() && automatic_)
      automatic_ = std::find(choice->variants.begin(), choice->variants.end(), kAutoVariant) != choice->variants.end();
    for (const std::string& name : choice->variants)
      if (const VariantInfo* v = known.variant(name); v && runs(*v) && !taken) taken = v;
    if (!problem_chosen_) ask.problem = choice->problem;
  }
  if (!taken)
    for (const VariantInfo& v : known.variants)
      if (runs(v) && !taken) taken = &v;
  if (!taken && !known.variants.empty()) taken = &known.variants.front();
  if (!taken) return;
  ask.variant = taken->name;
  leave_to_engine();
}

void Workbench::on(const VariantsKnown& news) {
  known.list_variants(news.variants);
  note_versions(news);
  // What a shader before this reading could not do is not known of this one.
  if (!live_.began && live_.stage.empty()) live_ = {};
  // Once, until it says something else or loads: the folders are read again for many reasons.
  for (const VariantInfo& v : known.variants) {
    const std::string key = v.name + "!", error = key + v.error;
    std::erase_if(shadows_told_, [&](const std::string& told) { return told.starts_with(key) && told != error; });
    if (!v.error.empty() && shadows_told_.insert(error).second)
      say(Level::error, fmt::format("{} did not load: {}", v.name, v.error));
  }
  for (const VariantInfo& v : known.variants)
    if (!v.shadows.empty() && shadows_told_.insert(v.name + "|" + v.shadows).second)
      say(Level::warning, fmt::format("{} replaces the variant of the same name in {}.", v.name, v.shadows));
  if (std::exchange(reloading_, false)) {
    const auto broken = std::count_if(known.variants.begin(), known.variants.end(),
                                      [](const VariantInfo& v) { return !v.error.empty(); });
    say(broken ? Level::warning : Level::good,
        fmt::format("Read {} variants again{}.", known.variants.size(),
                    broken ? fmt::format("; {} did not load", broken) : ""),
        "variants");
  }
  Ask& ask = asked.ask;
  if (!current_variant() && !known.variants.empty()) {
    if (!ask.variant.empty())
      say(Level::warning, fmt::format("There is no variant '{}'; showing another.", ask.variant));
    choose_first();
  }
  const VariantInfo* v = current_variant();
  if (v && !v->error.empty() && automatic_) leave_to_engine();
  // One that does not load any more keeps its config for when it does again.
  if (!v || !v->error.empty()) return;
  if (!wanted_config_.empty() && automatic_) {
    leave_to_engine();  // whose config it is is known when the variant is
  } else if (!wanted_config_.empty()) {
    if (Result<void> taken = set_config(wanted_config_); !taken) say(Level::error, taken.error().message);
    wanted_config_.clear();
  } else if (chosen_ == Chosen::by_engine) {
    leave_to_engine();
  } else {
    // A config from settings, or from before a reload, keeps what still exists.
    Config config = default_config(*v);
    for (auto& [name, value] : config)
      if (const auto had = ask.config.find(name); had != ask.config.end()) value = had->second;
    ask.config = config;
  }
  history.amend(ask);
}

void Workbench::log_live() {
  if (!timed()) return;
  if (const auto record = live_.record()) tried.note(*record);
}

void Workbench::on(const VariantChecked& news) { known.check(news.variant, news.problem, {news.why_not, news.broken}); }

void Workbench::on(const ConfigChosen& news) {
  Ask& ask = asked.ask;
  if (news.ask != ask || chosen_ != Chosen::by_engine || !choose_) return;
  choose_ = false;
  if (news.choice.config == ask.config) return;
  if (news.tuned) say(Level::info, fmt::format("{} is {}.", to_text(news.ask.problem), news.choice.because));
  if (news.choice.how == ConfigChoice::How::nearest)
    say(Level::info, fmt::format("{} with its defaults cannot run here, so the nearest legal config was taken: {}. {}",
                                 ask.variant, attnscope::to_text(news.choice.config), news.choice.because));
  ask.config = news.choice.config;
  history.amend(ask);
}

void Workbench::on(const AutoChosen& news) {
  Ask& ask = asked.ask;
  if (!automatic_ || !choose_ || chosen_ != Chosen::by_engine || news.problem != ask.problem) return;
  choose_ = false;
  ask.variant = news.choice.variant;
  ask.config = news.choice.config;
  why_automatic_ = news.choice.because;
  if (!news.remark.empty()) say(Level::info, news.remark);
  history.amend(ask);
  if (wanted_config_.empty()) return;
  const std::string wanted = std::exchange(wanted_config_, {});
  // The default is what was chosen.
  if (asks_for_default(wanted)) return;
  if (Result<void> taken = set_config(wanted); !taken) say(Level::error, taken.error().message);
}

void Workbench::on(const Inspected& news) {
  known.inspect(news.ask, news.inspection);
  Ask& ask = asked.ask;
  if (news.ask != ask || chosen_ != Chosen::before) return;
  chosen_ = Chosen::by_hand;
  if (news.inspection.why_not.empty() || news.inspection.nearest.empty()) return;
  say(Level::info, fmt::format("{} with {} cannot run here, so the nearest legal config was taken: {}. {}", ask.variant,
                               attnscope::to_text(ask.config), attnscope::to_text(news.inspection.nearest),
                               news.inspection.why_not));
  ask.config = news.inspection.nearest;
  history.amend(ask);
}

void Workbench::on(const PeaksKnown& news) {
  if (news.peaks) known.peaks = news.peaks;
  known.peaks_stage = news.stage;
  if (!news.note.empty()) say(Level::warning, news.note);
}

void Workbench::on(const RunStarted& news) {
  lost_.reset();
  if (live_.ask != news.ask || live_.modes != news.modes) before_.leave(live_);
  live_.start(news.ask, news.modes);
}

void Workbench::on(const RunEvent& news) {
  if (const auto* progress = std::get_if<Progress>(&news.event)) live_.stage = progress->stage;
  if (const auto* began = std::get_if<RunBegan>(&news.event)) {
    if (live_.began && !same_run(run_of(*live_.began), run_of(*began->record))) before_.leave(live_);
    live_.begin(*began->record);
  }
  if (const auto* sampling = std::get_if<SamplingBegan>(&news.event)) live_.sampling = *sampling;
  if (const auto* resources = std::get_if<ResourcesReady>(&news.event)) live_.resources = resources->resources;
  if (const auto* batch = std::get_if<SampleBatch>(&news.event)) live_.add(batch->samples_ns, disturbed_);
  if (const auto* verdict = std::get_if<Verdict>(&news.event)) {
    live_.verdict = *verdict;
    if (!verdict->pass) say(Level::error, fmt::format("{}: wrong results. {}", to_text(news.ask), verdict->reason));
  }
}

void Workbench::on(const RunEnded& news) {
  live_.end(news.record);
  // Whatever else is wished meanwhile, what its worker was lost over waits to be asked for.
  if (news.record.outcome == Outcome::error) lost_ = {live_.ask, live_.modes};
  if (!live_.failure.empty()) say(Level::error, fmt::format("{}: {}", to_text(news.ask), live_.failure));
  if (!live_.verdict && live_.failure.empty()) return;
  if (const auto record = live_.record()) tried.note(*record);
}

void Workbench::on(const JobStep& news) {
  if (news.record) {
    const Record& r = *news.record;
    if (r.outcome == Outcome::measured) across.note(r);
    tried.note(r);
    // Along an axis some values are refused as a rule; each point says why.
    if (r.outcome != Outcome::measured && !(r.outcome == Outcome::refused && news.id == scaling.job))
      say(Level::warning,
          fmt::format("{}  {}  {}: {}", r.variant, attnscope::to_text(r.problem), attnscope::to_text(r.config),
                      r.message.empty() && r.verdict ? r.verdict->reason : r.message));
  }
  JobState& job = across.job;
  if (job.id != news.id) return;
  const size_t measured = job.done;  // a job that ends is told as all done
  job.done = news.done;
  job.current = news.current;
  if (news.current || news.record || !std::exchange(job.running, false)) return;
  const bool along = news.id == scaling.job;
  say(measured == job.total ? Level::good : Level::warning,
      along ? fmt::format("Measured {} of {} points along the {}.", measured, job.total, title(scaling.axis))
            : fmt::format("Measured the pins on the listed problems: {} of {}.", measured, job.total),
      along ? "scaling" : "across");
}

void Workbench::on(const Failed& news) {
  if (news.what == "open" && asked.device_remembered) {
    asked.device_remembered = false;
    say(Level::warning,
        fmt::format("The device used last is not there ({}); the default one is taken.", news.error.message));
    return set_device(0, "");
  }
  // Said twice of a wish that changed while the device was looked for: the default matches any, so it is not of that.
  if (news.what == "open" && asked.device.empty() && news.error.kind == ErrorKind::bad_input) return;
  if (news.what == "open" || news.what == "devices") known.device_failure = news.error.message;
  if (news.what == "variants") known.variants_failure = news.error.message;
  if (news.ask && *news.ask == asked.ask) {
    live_ = {};
    live_.ask = asked.ask;
    live_.modes = asked.modes;
    live_.failure = news.error.message;
  }
  // What does not load was told when it was read.
  if (const VariantInfo* v = news.ask ? known.variant(news.ask->variant) : nullptr; v && !v->error.empty()) return;
  say(Level::error, news.ask ? fmt::format("{}: {}", to_text(*news.ask), news.error.message) : news.error.message);
}

}  // namespace attnscope::gui
