#include "app/gui/model/user_request.hpp"

#include "app/gui/model/search_state.hpp"

namespace attnscope::gui {
namespace {

/// What the variant has no more is left out, what is new has its default.
Config with_values_of(const Config& values, const VariantInfo& variant) {
  Config config = default_config(variant);
  for (auto& [name, value] : config) value = at_or(values, name, value);
  return config;
}

}  // namespace

UserRequest::UserRequest(const GuiOptions& options, const DeviceState& known, MessagesLog& messages)
    : device(options.device),
      paused(!options.measure),
      quiet(options.quiet),
      device_state_(known),
      messages_(messages),
      wanted_config_(options.config),
      start_(options.start) {
  if (!options.presets.empty() && !options.presets.front().problems.empty())
    selection.problem = options.presets.front().problems.front();
  else if (auto small = parse_problem("1x4x32x32"))
    selection.problem = *small;
  variant_was_chosen(options.variant);
}

void UserRequest::set_problem(const Problem& problem) {
  problem_chosen_ = true;
  if (selection.problem == problem) return;
  selection.problem = problem;
  if (chosen_ == Choice::by_engine)
    leave_to_engine();
  else
    chosen_ = Choice::before;
  history.remember(selection, automatic_);
}

void UserRequest::leave_to_engine() {
  chosen_ = Choice::by_engine;
  choose_ = true;
  why_automatic_.clear();
  if (const VariantInfo* v = variant()) selection.config = default_config(*v);
}

void UserRequest::keep_config() {
  const auto& [problem, variant, config] = selection;
  if (chosen_ == Choice::by_engine)
    last_config_.erase(variant);
  else
    last_config_[variant] = config;
}

void UserRequest::set_variant(const std::string& name) {
  if (name == kAutoVariant) {
    if (automatic_) return;
    keep_config();
    automatic_ = true;
    leave_to_engine();
    history.remember(selection, automatic_);
    return;
  }
  if (!device_state_.variant(name)) return;
  end_automatic();
  if (selection.variant == name) return;
  keep_config();
  selection.variant = name;
  leave_to_engine();
  if (const Config* last = find_at(last_config_, name)) {
    selection.config = *last;
    chosen_ = Choice::before;
  }
  history.remember(selection, automatic_);
}

void UserRequest::set_config(const Config& config) {
  if (selection.config == config) return;
  selection.config = config;
  take_by_hand();
  history.remember(selection, automatic_);
}

Result<void> UserRequest::set_config(std::string_view text) {
  const VariantInfo* v = variant();
  if (!v) return bad_input("No variant is chosen.");
  const Config config = TRY(parse_config(*v, text));
  if (!asks_for_default(text)) {
    set_config(config);
    return {};
  }
  leave_to_engine();
  history.remember(selection, automatic_);
  return {};
}

void UserRequest::choose_first() {
  const VariantInfo* taken = nullptr;
  const auto offer = [&](const VariantInfo* v) {
    if (v && v->error.empty() && v->why_not.empty() && !taken) taken = v;
  };
  if (const StartChoice* choice = find_by(start_, device_state_.software(), &StartChoice::software)) {
    // A list without "auto" decides, as a person would.
    if (!choice->variants.empty() && automatic_) automatic_ = contains(choice->variants, kAutoVariant);
    for (const std::string& name : choice->variants) offer(device_state_.variant(name));
    if (!problem_chosen_) selection.problem = choice->problem;
  }
  for (const VariantInfo& v : device_state_.variants) offer(&v);
  if (!taken && !device_state_.variants.empty()) taken = &device_state_.variants.front();
  if (!taken) return;
  selection.variant = taken->name;
  leave_to_engine();
}

void UserRequest::hear_variants() {
  if (device_state_.variant(new_variant_)) set_variant(std::exchange(new_variant_, {}));
  // One that was loaded keeps its config until its folder is back.
  if (!variant() && !device_state_.variants.empty() && (automatic_ || !seen_.contains(selection.variant))) {
    const std::string gone = selection.variant;
    choose_first();
    if (!gone.empty())
      messages_.say(Level::warning, fmt::format("There is no variant '{}'; showing {}.", gone, selection.variant));
  }
  const VariantInfo* v = variant();
  for (const VariantInfo& each : device_state_.variants) seen_.insert(each.name);
  if (v && !v->error.empty() && automatic_) leave_to_engine();
  // One that does not load any more keeps its config for when it does again.
  if (!v || !v->error.empty()) return;
  if (!wanted_config_.empty() && automatic_) {
    leave_to_engine();  // whose config it is is known when the variant is
  } else if (!wanted_config_.empty()) {
    if (Result<void> taken = set_config(wanted_config_); !taken) messages_.say(Level::error, taken.error().message);
    wanted_config_.clear();
  } else if (chosen_ == Choice::by_engine) {
    leave_to_engine();
  } else {
    // A config from settings, or from before a reload, keeps what still exists.
    const Config config = with_values_of(selection.config, *v);
    std::vector<std::string> gone;
    for (const auto& [name, value] : selection.config)
      if (!config.contains(name)) gone.push_back(name);
    if (!gone.empty())
      messages_.say(Level::warning, fmt::format("{} has no parameter {} any more: the others are as they were.",
                                                v->name, fmt::join(gone, ", ")));
    selection.config = config;
  }
  history.amend(selection, automatic_);
}

void UserRequest::hear(const SelectionChoice& news) {
  if (!choosing() || news.automatic != automatic_ || news.asked.problem != selection.problem) return;
  if (!automatic_ && news.asked != selection) return;
  choose_ = false;
  if (!automatic_ && news.taken == selection) return;
  why_automatic_ = news.because;
  if (!news.remark.empty()) messages_.say(Level::info, news.remark);
  selection = news.taken;
  history.amend(selection, automatic_);
  if (wanted_config_.empty()) return;
  const std::string wanted = std::exchange(wanted_config_, {});
  if (asks_for_default(wanted)) return;
  if (Result<void> taken = set_config(wanted); !taken) messages_.say(Level::error, taken.error().message);
}

void UserRequest::hear(const InspectionResult& news) {
  if (news.selection != selection || chosen_ != Choice::before) return;
  chosen_ = Choice::by_hand;
  if (news.inspection.why_not.empty() || news.inspection.nearest.empty()) return;
  messages_.say(Level::info, fmt::format("{} with {} cannot run here, so the nearest legal config was taken: {}. {}",
                                         selection.variant, attnscope::to_text(selection.config),
                                         attnscope::to_text(news.inspection.nearest), news.inspection.why_not));
  selection.config = news.inspection.nearest;
  history.amend(selection, automatic_);
}

bool UserRequest::take(const Selection& wanted, const Modes& in) {
  if (const VariantInfo* v = device_state_.variant(wanted.variant); !v || !v->error.empty()) {
    messages_.say(Level::warning, fmt::format("There is no variant '{}' now{}.", wanted.variant,
                                              v ? " that loads" : "; --shaders adds a folder of them"));
    return false;
  }
  modes = in;
  // A person's choice: the engine's reason is none of it.
  end_automatic();
  if (selection == wanted) return true;
  if (selection.variant != wanted.variant) keep_config();
  selection = wanted;
  problem_chosen_ = true;
  chosen_ = Choice::by_hand;
  history.remember(selection, automatic_);
  return true;
}

void UserRequest::take(const Record& r) {
  const VariantInfo* v = device_state_.variant(r.variant);
  if (!take({r.problem, r.variant, v ? with_values_of(r.config, *v) : r.config}, modes_of(r.protocol))) return;
  const DeviceInfo& there = r.environment.device;
  if (!device_state_.device || there.name.empty() || same_device(there, *device_state_.device)) return;
  const DeviceInfo& here = *device_state_.device;
  messages_.say(Level::info, fmt::format("That was measured on {} ({}); it is measured here on {} ({}) now.",
                                         there.name, there.driver, here.name, here.driver));
}

bool UserRequest::set_device(size_t of_worker, const std::string& selector) {
  if (worker == of_worker && device == selector) return false;
  left_devices_[worker] = device;
  worker = of_worker;
  device = selector;
  tuned_.reset();
  return true;
}

void UserRequest::step_to(const History::Choice& asked) {
  selection = asked.selection;
  // What was asked once by hand is not adapted again; what the engine chose is its choice again.
  take_by_hand();
  automatic_ = asked.automatic;
  if (automatic_) chosen_ = Choice::by_engine;
  choose_ = false;
}

const tune::TunedMatch* UserRequest::tuned() const {
  const bool of_this = tuned_ && tuned_->match && tuned_->problem == selection.problem &&
                       tuned_->variant == selection.variant && tuned_->modes == modes;
  return of_this ? &*tuned_->match : nullptr;
}

std::string UserRequest::tuned_caption() const {
  const tune::TunedMatch* match = tuned();
  return match && match->entry.config == selection.config ? provenance(*match, std::time(nullptr)) : "";
}

}  // namespace attnscope::gui
