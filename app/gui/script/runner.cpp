#include "app/gui/script/runner.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

namespace attnscope::gui {
namespace {

Error at(const Action& a, const std::string& message) {
  return bad_input(fmt::format("Script line {} ({} {}): {}", a.line, a.verb, a.rest, message));
}

std::string state_of(const Workbench& bench) {
  const Known& known = bench.known;
  if (!known.device_failure.empty()) return known.device_failure;
  if (!known.device) return "The device is not open yet.";
  if (!known.variants_failure.empty()) return known.variants_failure;
  if (!known.variants_known) return "The variants are still loading.";
  if (const VariantInfo* v = bench.current_variant(); v && !v->error.empty())
    return fmt::format("{} does not load: {}", v->name, v->error);
  const Live* live = bench.shown();
  if (live && !live->failure.empty()) return live->failure;
  if (const Inspection* i = bench.current_inspection(); i && !i->why_not.empty())
    return (i->broken ? "The shader is refused: " : "The config is refused: ") + i->why_not;
  const Live& running = bench.running();
  return fmt::format("Stage '{}', {} samples{}.", running.stage, running.series.taken(),
                     live ? "" : " of another config");
}

/// Why the current config can never give a verdict or samples; "" while there is hope.
std::string hopeless(const Workbench& bench) {
  if (!bench.known.device_failure.empty()) return bench.known.device_failure;
  if (const Live* live = bench.shown(); live && !live->failure.empty()) return live->failure;
  if (const Inspection* i = bench.current_inspection(); i && !i->why_not.empty())
    return "The config is refused: " + i->why_not;
  return "";
}

}  // namespace

Result<void> Runner::step(RunnerHost& host, double now) {
  if (dump_ && now - dump_->last >= dump_->every_s) {
    dump_->last = now;
    if (auto written = host.dump(dump_->path); !written) return written;
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
    auto finished = perform(host, action, now);
    if (!finished) return finished.error();
    if (!*finished) {
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
  const auto found = host.widgets.find(widget);
  if (found == host.widgets.end()) {
    // The nearest names help more than all of them.
    const std::string room = widget.substr(0, widget.find('.'));
    std::string like;
    for (const auto& [id, rect] : host.widgets)
      if (id.starts_with(room)) like += (like.empty() ? "" : ", ") + id;
    return at(a,
              fmt::format("there is no widget '{}' on screen{}.", widget, like.empty() ? "" : "; there are " + like));
  }
  const WidgetRect& r = found->second;
  return ImVec2{(r.x0 + r.x1) / 2, (r.y0 + r.y1) / 2};
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
  if (a.verb == "right-click") host.input.right_click(*from);
  if (a.verb == "scroll") host.input.scroll(*from, int(std::strtol(a.words[1].c_str(), nullptr, 10)));
  const auto away = [&] {
    return ImVec2{from->x + std::strtof(a.words[1].c_str(), nullptr),
                  from->y + std::strtof(a.words[2].c_str(), nullptr)};
  };
  if (a.verb == "hover") host.input.move(a.words.size() == 3 ? away() : *from);
  if (a.verb != "drag") return true;
  if (a.words.size() == 3) {
    host.input.drag(*from, away());
    return true;
  }
  auto to = centre(host, a, a.words[1]);
  if (!to) return to.error();
  host.input.drag(*from, *to);
  return true;
}

Result<bool> Runner::choose(RunnerHost& host, const Action& a) {
  Workbench& bench = host.bench;
  const auto problem = [&]() -> Result<Problem> {
    auto parsed = parse_problem(a.words[0]);
    if (!parsed) return at(a, parsed.error().message);
    return parsed;
  };
  if (a.verb == "problem") {
    auto parsed = problem();
    if (!parsed) return parsed.error();
    bench.set_problem(*parsed);
    return true;
  }
  if (a.verb == "add-problem") {
    auto parsed = problem();
    if (!parsed) return parsed.error();
    bench.across.add(*parsed);
    return true;
  }
  // The rest needs the variants; they come with the device.
  const Known& known = bench.known;
  if (!known.variants_known) return known.device_failure.empty() ? Result<bool>(false) : at(a, known.device_failure);
  if (a.verb == "variant") {
    if (!known.variant(a.words[0]) && a.words[0] != kAutoVariant) {
      std::string names;
      for (const VariantInfo& v : known.variants) names += (names.empty() ? "" : ", ") + v.name;
      return at(a, fmt::format("there is no variant '{}'; there are {}.", a.words[0], names));
    }
    bench.set_variant(a.words[0]);
    return true;
  }
  // A config is of the variant that "auto" takes, which comes soon.
  if (bench.automatic() && bench.choosing()) return false;
  const VariantInfo* v = bench.current_variant();
  if (!v) return at(a, "no variant is chosen.");
  if (a.verb == "config") {
    if (Result<void> taken = bench.set_config(a.rest); !taken) return at(a, taken.error().message);
    return true;
  }
  auto config = parse_config(*v, a.words[0] + "=" + a.words[1]);
  if (!config) return at(a, config.error().message);
  bench.set_value(a.words[0], (*config)[a.words[0]]);
  return true;
}

Result<bool> Runner::wait(RunnerHost& host, const Action& a, double now) {
  const Workbench& bench = host.bench;
  const std::string& what = a.words[0];
  const double amount = a.words.size() > 1 ? std::strtod(a.words[1].c_str(), nullptr) : 0;
  if (what == "seconds") return now - began_ >= amount;
  if (what == "frames") return double(host.frames() - frames_at_start_) >= amount;
  if (what == "beside") {
    for (const BesideDevice& d : bench.beside.all()) {
      if (!d.connected || !why_not_measured(d, bench.asked.ask).empty()) continue;
      if (!d.reading || double(d.reading->record.samples_ns.size()) < amount) return false;
    }
    return true;
  }
  const Live* live = bench.shown();
  if (what == "job") return bench.job_text().empty();
  if (what == "search") return !bench.searched.running();
  if (what == "trials") return double(bench.searched.trials().size()) >= amount;
  if (what == "failure") return live && !live->failure.empty();
  if (what == "ready") {
    if (!bench.known.device_failure.empty()) return at(a, bench.known.device_failure);
    return bench.known.variants_known &&
           (bench.known.variants.empty() || (bench.current_inspection() && !bench.choosing()));
  }
  if (const std::string why = hopeless(bench); !why.empty()) return at(a, why);
  if (what == "verified") return live && live->verdict.has_value();
  return bench.timed() && double(live->series.taken()) >= amount;
}

Result<bool> Runner::perform(RunnerHost& host, const Action& a, double now) {
  Workbench& bench = host.bench;
  const auto done_if = [](const Result<void>& r, const Action& action) -> Result<bool> {
    if (!r) return at(action, r.error().message);
    return true;
  };
  if (a.verb == "wait") return wait(host, a, now);
  if (a.verb == "click" || a.verb == "double-click" || a.verb == "right-click" || a.verb == "hover" ||
      a.verb == "scroll" || a.verb == "drag" || a.verb == "key" || a.verb == "type")
    return play(host, a);
  if (a.verb == "problem" || a.verb == "add-problem" || a.verb == "variant" || a.verb == "set" || a.verb == "config")
    return choose(host, a);
  if (a.verb == "device") bench.set_device(bench.asked.worker, a.rest);
  if (a.verb == "metric")
    bench.asked.metric = a.rest == "time" ? Metric::time : a.rest == "tflops" ? Metric::tflops : Metric::gbps;
  if (a.verb == "cache") bench.asked.modes.cache = a.rest == "hot" ? CacheMode::hot : CacheMode::cold;
  if (a.verb == "launch")
    bench.asked.modes.launch = a.rest == "isolated" ? LaunchMode::isolated : LaunchMode::back_to_back;
  if (a.verb == "quiet") bench.asked.quiet = a.rest == "on";
  if (a.verb == "measure") bench.set_measuring(a.rest == "on");
  if (a.verb == "tab") host.layout.tab = a.rest;
  // It is done with the next frame; what follows finds it done.
  if (a.verb == "command") {
    if (host.frames() != frames_at_start_) return true;
    host.command(a.rest);
    return false;
  }
  if (a.verb == "undo") bench.undo();
  if (a.verb == "redo") bench.redo();
  if (a.verb == "retry") bench.try_again();
  if (a.verb == "beside") {
    const auto id = bench.beside.add(a.rest, "");
    if (!id) return at(a, fmt::format("there are {} devices beside the first, and no more can be.", Beside::kMost));
    bench.beside.connect(*id);
  }
  if (a.verb == "reload") bench.reload_shaders();
  if (a.verb == "unpin-all") bench.clear_pins();
  if (a.verb == "cancel") host.cancel_job();
  if (a.verb == "reset-frames") host.reset_frames();
  if (a.verb == "frames") host.print_frames();
  if (a.verb == "quit") quit_ = true;
  if (a.verb == "pin") {
    if (!bench.can_pin()) return false;
    bench.pin();
  }
  if (a.verb == "measure-all") {
    const auto job = bench.measure_all();
    if (!job) return at(a, bench.messages.lines().back().text);
    host.submit(*job);
  }
  if (a.verb == "picture") return done_if(host.picture(a.words[0]), a);
  if (a.verb == "picture-of") return done_if(host.picture_of(a.words[0], a.words[1]), a);
  if (a.verb == "open" || a.verb == "save-session" || a.verb == "report" || a.verb == "save")
    return done_if(host.files(a.verb, a.words), a);
  if (a.verb == "export") return done_if(host.export_results(a.words[0]), a);
  if (a.verb == "dump") {
    if (a.every_s) dump_ = Repeated{a.words[0], *a.every_s, now};
    return done_if(host.dump(a.words[0]), a);
  }
  return true;
}

}  // namespace attnscope::gui
