#include "app/gui/testing/script.hpp"

#include <cstdlib>
#include <sstream>

#include "app/gui/panels/panel.hpp"

namespace attnscope::gui {
namespace {

struct Verb {
  const char* name;
  int least, most;    ///< words after it
  const char* usage;  ///< of those
};

constexpr int kAny = 1000;
constexpr const char* kBlank = " \t\r";
constexpr std::array verbs = {
    Verb{"device", 1, kAny, "SELECTOR"},
    Verb{"problem", 1, 1, "TEXT"},
    Verb{"variant", 1, 1, "NAME"},
    Verb{"set", 2, 2, "PARAMETER VALUE"},
    Verb{"config", 1, kAny, "TEXT"},
    Verb{"cache", 1, 1, "hot|cold"},
    Verb{"measure", 1, 1, "on|off"},
    Verb{"tab", 1, 1, "PANEL"},
    Verb{"command", 1, kAny, "ID, as the palette's widgets are named"},
    Verb{"pin", 0, 0, ""},
    Verb{"unpin-all", 0, 0, ""},
    Verb{"add-problem", 1, 1, "TEXT"},
    Verb{"beside", 0, kAny, "COMMAND, as --worker takes it; nothing = another worker of this program"},
    Verb{"gpu", 1, kAny, "NAME of the catalogue"},
    Verb{"click", 1, 1, "WIDGET"},
    Verb{"double-click", 1, 1, "WIDGET"},
    Verb{"right-click", 1, 1, "WIDGET"},
    Verb{"hover", 1, 3, "WIDGET, then DX DY"},
    Verb{"scroll", 2, 2, "WIDGET STEPS"},
    Verb{"drag", 2, 3, "WIDGET WIDGET, or WIDGET DX DY"},
    Verb{"shift-drag", 2, 3, "WIDGET WIDGET, or WIDGET DX DY"},
    Verb{"key", 1, 1, "NAME, such as Ctrl+Z"},
    Verb{"type", 1, kAny, "TEXT"},
    Verb{"wait", 1, 2, "what to wait for, then timeout=S"},
    Verb{"picture", 1, 1, "FILE.png"},
    Verb{"dump", 1, 1, "FILE.json, then every=S"},
    Verb{"export", 1, 1, "FILE.json"},
    Verb{"save", 2, 2, "WIDGET FILE, which ends in .png, .svg, .csv or .md"},
    Verb{"open", 1, 1, "FILE"},
    Verb{"save-session", 1, 1, "FILE.json"},
    Verb{"report", 1, 1, "FILE.html"},
    Verb{"reset-frames", 0, 0, ""},
    Verb{"frames", 0, 0, ""},
    Verb{"monitor-scale", 1, 1, "FACTOR"},
    Verb{"quit", 0, 0, ""},
};
constexpr std::array waits_plain = {"ready", "verified", "job", "failure", "search", "gpus"};
constexpr std::array waits_counted = {"samples", "beside", "trials", "frames", "seconds"};

Error at(int line, const std::string& message) { return bad_input(fmt::format("Script line {}: {}", line, message)); }

/// Seconds, counts and pixels: nothing sensible is larger.
constexpr double kMostNumber = 1e6;
constexpr int kMostPixels = 10'000;

std::optional<double> number(const std::string& text) {
  const auto value = parse_number<double>(text, {0, kMostNumber});
  return value ? std::optional(*value) : std::nullopt;
}

Result<void> check_wait(const Action& a) {
  const std::string& what = a.words.front();
  const bool counted = contains(waits_counted, what);
  if (!counted && !contains(waits_plain, what))
    return at(a.line, fmt::format("cannot wait for '{}'; allowed: {}, or {} with a number.", what, joined(waits_plain),
                                  joined(waits_counted)));
  if (counted ? a.words.size() != 2 || !number(a.words[1]) : a.words.size() != 1)
    return at(a.line, fmt::format("'wait {}' takes {}.", what, counted ? "one number" : "nothing more"));
  return {};
}

std::string names_in(const auto& all) {
  return joined(all, ", ", [](const auto& one) { return one.name; });
}

Result<void> check(const Action& a) {
  const Verb* verb = find_by(verbs, a.verb, &Verb::name);
  if (!verb) return at(a.line, fmt::format("there is no action '{}'; there are: {}.", a.verb, names_in(verbs)));
  const int count = int(a.words.size());
  if (count < verb->least || count > verb->most)
    return at(a.line, fmt::format("'{}' takes {}; {} given.", a.verb, *verb->usage ? verb->usage : "nothing", count));
  if (a.verb == "wait") return check_wait(a);
  if (a.verb == "tab") {
    const Panel* panel = panel_named(a.words[0]);
    if (panel && *panel->title) return {};
    return at(a.line,
              fmt::format("'tab {}': there is no such panel; there are {}.", a.words[0], joined(panel_names())));
  }
  // DX and DY in pixels, or whole steps of the wheel.
  const bool numbers = a.verb == "scroll" || (a.verb == "hover" ? count > 1 : a.verb.ends_with("drag") && count == 3);
  for (size_t i = 1; numbers && i < a.words.size(); ++i)
    if (!parse_number<int>(a.words[i], {-kMostPixels, kMostPixels}) || (a.verb == "hover" && count == 2))
      return at(a.line, fmt::format("'{}' takes {}: whole numbers up to {}.", a.verb, verb->usage, kMostPixels));
  if (a.timeout_s || (a.every_s && a.verb != "dump"))
    return at(a.line, fmt::format("'{}' takes no timeout= or every=.", a.verb));
  const auto choices = split(verb->usage, '|');
  if (count == 1 && choices.size() > 1 && !contains(choices, a.words[0]))
    return at(a.line, fmt::format("'{} {}': allowed are {}.", a.verb, a.words[0], verb->usage));
  return {};
}

constexpr int kDragSteps = 8;
constexpr float kDoubleClick = 0.3f;  ///< seconds; ImGui's own

ImGuiKey key_named(const std::string& name) {
  if (name == "Plus") return ImGuiKey_Equal;
  for (int key = ImGuiKey_NamedKey_BEGIN; key < ImGuiKey_NamedKey_END; ++key)
    if (const std::string known = ImGui::GetKeyName(ImGuiKey(key)); name == known || name + "Arrow" == known)
      return ImGuiKey(key);
  return ImGuiKey_None;
}

Error at(const Action& a, const std::string& message) {
  return bad_input(fmt::format("Script line {} ({} {}): {}", a.line, a.verb, a.rest, message));
}

std::string state_of(const Workbench& bench) {
  if (std::string why = bench.hopeless(); !why.empty()) return why;
  if (!bench.device_state.device) return "The device is not open yet.";
  if (!bench.device_state.variants_known) return "The variants are still loading.";
  if (const VariantInfo* v = bench.request.variant(); v && !v->error.empty())
    return fmt::format("{} does not load: {}", v->name, v->error);
  const Live& running = bench.live.newest;
  return fmt::format("Stage '{}', {} samples{}.", running.stage, running.series.taken(),
                     bench.live.shown() ? "" : " of another config");
}

}  // namespace

Result<std::vector<Action>> parse_script(const std::string& text) {
  std::vector<Action> script;
  std::stringstream lines(text);
  int number_of_line = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number_of_line;
    std::stringstream words(line);
    Action action;
    action.line = number_of_line;
    if (!(words >> action.verb) || action.verb.front() == '#') continue;
    const Verb* verb = find_by(verbs, action.verb, &Verb::name);
    // A text as it stands: what is quoted in it may hold several spaces.
    const bool as_it_stands = verb && verb->most == kAny;
    const size_t from = line.find_first_not_of(kBlank, line.find(action.verb) + action.verb.size());
    if (as_it_stands && from != line.npos) action.rest = line.substr(from, line.find_last_not_of(kBlank) + 1 - from);
    for (std::string word; words >> word;) {
      const bool timeout = word.starts_with("timeout="), every = word.starts_with("every=");
      if (as_it_stands || (!timeout && !every)) {
        if (!as_it_stands) action.rest += (action.rest.empty() ? "" : " ") + word;
        action.words.push_back(word);
        continue;
      }
      const auto value = number(word.substr(word.find('=') + 1));
      if (!value) return at(number_of_line, fmt::format("'{}' takes seconds.", word));
      (timeout ? action.timeout_s : action.every_s) = *value;
    }
    TRY(check(action));
    script.push_back(std::move(action));
  }
  return script;
}

Result<std::vector<Action>> read_script(const std::string& path) {
  auto text = read_file(path, kMaxSourceBytes, FileKind::any_input);
  if (!text) return bad_input("The action script " + text.error().message);
  return parse_script(*text);
}

void InputPlayer::move(ImVec2 to) {
  steps_.push_back({.kind = Step::Kind::move, .at = to});
  steps_.push_back({});
}

void InputPlayer::click(ImVec2 at, int button) {
  move(at);
  for (const bool down : {true, false}) steps_.push_back({.kind = Step::Kind::button, .down = down, .button = button});
  steps_.push_back({});
}

void InputPlayer::double_click(ImVec2 at) {
  // Two clicks are two clicks on however slow a machine they are played.
  steps_.push_back({.kind = Step::Kind::patience, .down = true});
  click(at);
  click(at);
  steps_.push_back({.kind = Step::Kind::patience, .down = false});
}

void InputPlayer::scroll(ImVec2 at, int steps) {
  move(at);
  for (int i = 0; i < std::abs(steps); ++i) steps_.push_back({.kind = Step::Kind::wheel, .down = steps < 0});
  steps_.push_back({});
}

void InputPlayer::drag(ImVec2 from, ImVec2 to, bool shift) {
  move(from);
  if (shift) steps_.push_back({.kind = Step::Kind::key, .down = true, .key = ImGuiMod_Shift});
  steps_.push_back({.kind = Step::Kind::button, .down = true});
  for (int i = 1; i <= kDragSteps; ++i) {
    const float part = float(i) / float(kDragSteps);
    steps_.push_back(
        {.kind = Step::Kind::move, .at = {from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part}});
  }
  steps_.push_back({});
  steps_.push_back({.kind = Step::Kind::button, .down = false});
  if (shift) steps_.push_back({.kind = Step::Kind::key, .down = false, .key = ImGuiMod_Shift});
  steps_.push_back({});
}

Result<void> InputPlayer::key(const std::string& name) {
  std::string rest = name;
  std::vector<ImGuiKey> keys;
  for (const auto& [prefix, key] : {std::pair("Ctrl+", ImGuiMod_Ctrl), std::pair("Shift+", ImGuiMod_Shift)})
    if (rest.starts_with(prefix)) {
      keys.push_back(key);
      rest.erase(0, std::strlen(prefix));
    }
  const ImGuiKey key = key_named(rest);
  if (key == ImGuiKey_None)
    return bad_input(
        fmt::format("there is no key '{}'; there are A-Z, 0-9, F1-F12, Left, Right, Up, Down, Plus, and the others by "
                    "their English names, each after Ctrl+ or Shift+ too.",
                    name));
  keys.push_back(key);
  for (const ImGuiKey k : keys) steps_.push_back({.kind = Step::Kind::key, .down = true, .key = k});
  std::ranges::reverse(keys);
  for (const ImGuiKey k : keys) steps_.push_back({.kind = Step::Kind::key, .down = false, .key = k});
  steps_.push_back({});
  return {};
}

void InputPlayer::play(bool goes_on) {
  ImGuiIO& io = ImGui::GetIO();
  // The pointer of the desktop, wherever it is, does not take it away.
  if (at_ && goes_on) io.AddMousePosEvent(at_->x, at_->y);
  if (steps_.empty()) return;
  const Step step = std::move(steps_.front());
  steps_.pop_front();
  switch (step.kind) {
    case Step::Kind::move:
      at_ = step.at;
      io.AddMousePosEvent(at_->x, at_->y);
      break;
    case Step::Kind::button: io.AddMouseButtonEvent(step.button, step.down); break;
    case Step::Kind::wheel: io.AddMouseWheelEvent(0, step.down ? -1.f : 1.f); break;
    case Step::Kind::patience: io.MouseDoubleClickTime = step.down ? 60.f : kDoubleClick; break;
    case Step::Kind::key: io.AddKeyEvent(step.key, step.down); break;
    case Step::Kind::text: io.AddInputCharactersUTF8(step.text.c_str()); break;
    case Step::Kind::rest: break;
  }
}

Result<void> Runner::step(RunnerHost& host, double now) {
  if (dump_ && now - dumped_ >= *dump_->every_s) {
    dumped_ = now;
    TRY(host.act(*dump_));
  }
  while (!done()) {
    // Each action sees the outcome of the input before it.
    if (host.input.busy()) return {};
    const Action& action = script_[next_];
    if (!started_) {
      started_ = true;
      began_ = now;
      frames_at_start_ = host.frames();
    }
    auto finished = TRY(perform(host, action, now));
    if (!finished) {
      const double limit = action.timeout_s.value_or(timeout_s_);
      if (now - began_ > limit) return at(action, fmt::format("gave up after {:g} s. {}", limit, state_of(host.bench)));
      return {};
    }
    started_ = false;
    ++next_;
    if (host.input.busy()) return {};
  }
  return {};
}

Result<ImVec2> Runner::centre(const RunnerHost& host, const Action& a, const std::string& widget) const {
  if (const WidgetRect* r = find_at(host.widgets, widget)) return ImVec2{(r->x0 + r->x1) / 2, (r->y0 + r->y1) / 2};
  const auto ids = mapped(host.widgets, [](const auto& named) { return named.first; });
  const auto near = [room = widget.substr(0, widget.find('.'))](const std::string& id) { return id.starts_with(room); };
  const std::string like = joined(filtered(ids, near));
  return at(a, fmt::format("there is no widget '{}' on screen{}.", widget, like.empty() ? "" : "; there are " + like));
}

Result<bool> Runner::play(RunnerHost& host, const Action& a) {
  if (a.verb == "key") {
    if (auto fine = host.input.key(a.words[0]); !fine) return at(a, fine.error().message);
    return true;
  }
  if (a.verb == "type") {
    host.input.type(a.rest);
    return true;
  }
  auto from = centre(host, a, a.words[0]);
  if (!from) {
    // A widget may appear with the next frames (a popup that opens): asked again until the timeout.
    if (host.frames() < frames_at_start_ + 20) return false;
    return from.error();
  }
  if (a.verb == "click") host.input.click(*from);
  if (a.verb == "double-click") host.input.double_click(*from);
  if (a.verb == "right-click") host.input.click(*from, ImGuiMouseButton_Right);
  if (a.verb == "scroll") host.input.scroll(*from, int(std::strtol(a.words[1].c_str(), nullptr, 10)));
  const auto away = [&] {
    return ImVec2{from->x + std::strtof(a.words[1].c_str(), nullptr),
                  from->y + std::strtof(a.words[2].c_str(), nullptr)};
  };
  if (a.verb == "hover") host.input.move(a.words.size() == 3 ? away() : *from);
  if (!a.verb.ends_with("drag")) return true;
  const ImVec2 to = a.words.size() == 3 ? away() : TRY(centre(host, a, a.words[1]));
  host.input.drag(*from, to, a.verb == "shift-drag");
  return true;
}

Result<bool> Runner::choose(RunnerHost& host, const Action& a) {
  Workbench& bench = host.bench;
  if (a.verb.ends_with("problem")) {
    const auto problem = parse_problem(a.words[0]);
    if (!problem) return at(a, problem.error().message);
    a.verb == "problem" ? bench.request.set_problem(*problem) : bench.jobs.problems.add(*problem);
    return true;
  }
  // The rest needs the variants; they come with the device.
  const DeviceState& known = bench.device_state;
  if (!known.variants_known) return known.device_failure.empty() ? Result<bool>(false) : at(a, known.device_failure);
  if (a.verb == "variant") {
    if (!known.variant(a.words[0]) && a.words[0] != kAutoVariant)
      return at(a, fmt::format("there is no variant '{}'; there are {}.", a.words[0], names_in(known.variants)));
    bench.request.set_variant(a.words[0]);
    return true;
  }
  // A config is of the variant that "auto" takes, which comes soon.
  if (bench.request.automatic() && bench.request.choosing()) return false;
  const VariantInfo* v = bench.request.variant();
  if (!v) return at(a, "no variant is chosen.");
  if (a.verb == "config") {
    if (Result<void> taken = bench.request.set_config(a.rest); !taken) return at(a, taken.error().message);
    return true;
  }
  auto config = parse_config(*v, a.words[0] + "=" + a.words[1]);
  if (!config) return at(a, config.error().message);
  bench.request.set_value(a.words[0], (*config)[a.words[0]]);
  return true;
}

Result<bool> Runner::wait(RunnerHost& host, const Action& a, double now) {
  const Workbench& bench = host.bench;
  const std::string& what = a.words[0];
  const double amount = a.words.size() > 1 ? std::strtod(a.words[1].c_str(), nullptr) : 0;
  if (what == "seconds") return now - began_ >= amount;
  if (what == "frames") return double(host.frames() - frames_at_start_) >= amount;
  if (what == "beside") {
    for (const ExtraDevice& d : bench.others.beside.all()) {
      if (!d.connected || !why_not_measured(d, bench.request.selection).empty()) continue;
      if (!d.reading || double(d.reading->record.samples_ns.size()) < amount) return false;
    }
    return true;
  }
  const Live* live = bench.live.shown();
  if (what == "job") return bench.jobs.text().empty();
  if (what == "search") return !bench.search.running();
  if (what == "gpus") {
    const auto request = bench.gpu_request();
    return request && bench.others.gpus.answered(*request);
  }
  if (what == "trials") return double(bench.search.trials().size()) >= amount;
  if (what == "failure") return live && !live->failure.empty();
  if (what == "ready") {
    if (!bench.device_state.device_failure.empty()) return at(a, bench.device_state.device_failure);
    return bench.device_state.variants_known &&
           (bench.device_state.variants.empty() || (bench.request.inspection() && !bench.request.choosing()));
  }
  if (const std::string why = bench.hopeless(); !why.empty()) return at(a, why);
  if (what == "verified") return live && live->verdict.has_value();
  if (live && live->wrong()) return at(a, "The result is wrong: " + live->verdict->reason);
  return bench.live.timed() && double(live->series.taken()) >= amount;
}

Result<bool> Runner::perform(RunnerHost& host, const Action& a, double now) {
  Workbench& bench = host.bench;
  if (a.verb == "wait") return wait(host, a, now);
  if (a.verb == "click" || a.verb == "double-click" || a.verb == "right-click" || a.verb == "hover" ||
      a.verb == "scroll" || a.verb.ends_with("drag") || a.verb == "key" || a.verb == "type")
    return play(host, a);
  if (a.verb.ends_with("problem") || a.verb == "variant" || a.verb == "set" || a.verb == "config")
    return choose(host, a);
  if (a.verb == "device") bench.set_device(bench.request.worker, a.rest);
  if (a.verb == "cache") bench.request.modes.cache = a.rest == "hot" ? CacheMode::hot : CacheMode::cold;
  if (a.verb == "measure") bench.request.paused = a.rest == "off";
  if (a.verb == "tab") host.layout.tab = a.rest;
  // It is done with the next frame; what follows finds it done.
  if (a.verb == "command" && host.frames() != frames_at_start_) {
    if (!host.refused.empty()) return at(a, std::exchange(host.refused, {}));
    return true;
  }
  if (a.verb == "beside") {
    const auto id = bench.others.beside.add(a.rest, "");
    if (!id)
      return at(a, fmt::format("there are {} devices beside the first, and no more can be.", ExtraDevices::kMost));
    bench.others.beside.connect(*id);
  }
  if (a.verb == "gpu") {
    const OfferedGpu* gpu = find_by(bench.others.gpus.offered, a.rest, &OfferedGpu::name);
    if (!gpu) return at(a, "the catalogue of GPUs has no '" + a.rest + "'.");
    if (!gpu->missing.empty()) return at(a, a.rest + " cannot be had here: " + gpu->missing);
    bench.others.gpus.toggle(a.rest);
  }
  if (a.verb == "unpin-all") bench.clear_pins();
  if (a.verb == "quit") quit_ = true;
  if (a.verb == "pin") {
    if (!bench.live.timed()) return false;
    bench.pin();
  }
  // Of a frame that shows what the actions before have done.
  if ((a.verb == "picture" || a.verb == "save") && host.frames() < frames_at_start_ + 2) return false;
  if (a.every_s) dump_ = a, dumped_ = now;
  if (const Result<void> done = host.act(a); !done) return at(a, done.error().message);
  return a.verb != "command";
}

}  // namespace attnscope::gui
