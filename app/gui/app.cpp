#include "app/gui/app.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>
#include <implot.h>

#include "app/gui/counted.hpp"
#include "app/gui/draw/picture.hpp"
#include "app/gui/free_name.hpp"
#include "app/gui/link_core.hpp"
#include "app/gui/state_dump.hpp"
#include "app/gui/theme.hpp"
#include "app/gui/ways_out.hpp"
#include "engine/input/shell_words.hpp"
#include "engine/record/results.hpp"

namespace attnscope::gui {
namespace {

constexpr double kKeepEvery = 5;    ///< seconds at least between writings of the session
constexpr double kKeepShare = 0.1;  ///< of the time at most goes into them
constexpr double kIdleRate = 20;    ///< frames a second while nothing is measured or touched
constexpr double kInputRate = 62;   ///< and while something is
constexpr double kSearchRate = 24;  ///< the same while a search measures, which does not wait for frames
constexpr double kSharedRate = 30;  ///< the most when the renderer and the measured device share the CPU

std::filesystem::path own_folder() {
  std::error_code ec;
  return std::filesystem::read_symlink("/proc/self/exe", ec).parent_path();
}

}  // namespace

LinkOptions worker_link(const GuiOptions& options, const std::vector<std::string>& command) {
  LinkOptions link;
  link.shader_dirs = options.shader_dirs;
  link.source_dirs = options.source_dirs;
  link.finished = options.finished;
  link.tuning = options.tuning;
  link.cache_dir = options.session.cache_dir;
  WorkerOptions worker;
  worker.command = command;
  if (options.deadline_s) worker.deadline_s = worker.software_deadline_s = *options.deadline_s;
  worker.session = options.session;
  link.ending = std::make_shared<std::atomic<bool>>(false);
  worker.cancel = link.ending.get();
  // The flag lives as long as whoever looks at it.
  link.session = [worker, ending = link.ending] { return make_worker_session(worker); };
  for (const std::string& word : command) link.name += (link.name.empty() ? "" : " ") + word;
  return link;
}

std::vector<LinkOptions> worker_links(const GuiOptions& options) {
  std::vector<LinkOptions> links;
  for (const auto& command : options.workers) links.push_back(worker_link(options, command));
  if (options.workers.empty()) links.push_back(worker_link(options, {}));
  return links;
}

App::App(const GuiOptions& options, std::vector<LinkOptions> links)
    : options_(options), bench_(options), start_(steady_seconds()), links_(std::move(links)) {
  IMGUI_CHECKVERSION();
  ImGui::CreateContext();
  ImPlot::CreateContext();
  ImGui::GetIO().IniFilename = nullptr;
  ImGui::GetIO().ConfigInputTextCursorBlink = false;
}

App::~App() {
  ImPlot::DestroyContext();
  ImGui::DestroyContext();
}

double App::now() const { return steady_seconds() - start_; }

Result<void> App::start(const std::string& settings_path) {
  settings_path_ = settings_path;
  shell_.command_line = options_.help;
  if (!options_.script.empty()) {
    auto script = read_script(options_.script);
    if (!script) return script.error();
    runner_.emplace(*script, options_.script_timeout_s);
  }
  if (!settings_path_.empty()) {
    // It would be replaced, or moved aside: nobody wants that of a device or a pipe.
    for (const std::string& path : {settings_path_, session_path(settings_path_)}) {
      std::error_code error;
      const auto status = std::filesystem::status(path, error);
      if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
        return bad_input(
            fmt::format("--settings {}: {} is no regular file; name one, or - for none.", settings_path_, path));
    }
    for (const std::string& note : {load_settings(settings_path_, bench_, layout_, window_),
                                    restore_session(session_path(settings_path_), bench_)}) {
      if (note.empty()) continue;
      bench_.say(Level::warning, note);
      if (options_.warn) options_.warn(note);
    }
    kept_ = session_version(bench_);
    // Once, where it can be remembered that it was.
    if (!std::exchange(layout_.welcomed, true)) shell_.welcome.restart();
  }
  if (!options_.problem.empty()) {
    auto problem = parse_problem(options_.problem);
    if (!problem) return problem.error();
    bench_.asked.ask.problem = *problem;
    bench_.problem_was_chosen();
  }
  if (!options_.variant.empty()) bench_.variant_was_chosen(options_.variant);
  if (bench_.across.problems().empty() && !bench_.presets.empty())
    for (const Problem& p : bench_.presets.front().problems)
      if (bench_.across.problems().size() < 4) bench_.across.add(p);
  return read_results();
}

void App::use_script(const char* text) {
  if (auto script = parse_script(text)) runner_.emplace(*script, options_.script_timeout_s);
}

Result<void> App::read_results() {
  for (const auto& path : options_.results) {
    auto results = attnscope::read_results(path);
    if (!results) return results.error();
    bench_.adopt_results(results->records);
    layout_.recent.note(path.string(), false);
    bench_.say(Level::info, fmt::format("Read {} of {}.", counted(results->records.size(), "record"), path.string()));
  }
  return {};
}

WindowSize App::wanted_size(float scale) const {
  WindowSize size{options_.width, options_.height};
  const auto usual = [&](float pixels) { return std::min(int(std::lround(pixels * scale)), kWindowPixels.most); };
  if (size.width <= 0) size.width = window_.width > 0 ? window_.width : usual(1280);
  if (size.height <= 0) size.height = window_.height > 0 ? window_.height : usual(800);
  return size;
}

void App::set_scale(float scale) {
  scale_ = scale;
  style();
}

void App::style() {
  drawn_ = std::clamp(scale_ * layout_.zoom, kScales.least, kScales.most);
  drawn_theme_ = layout_.theme;
  use_theme(drawn_theme_);
  apply_style(drawn_);
  load_fonts(
      {options_.data_dir / "fonts", options_.data_dir / "assets" / "fonts", own_folder() / ".." / "assets" / "fonts"},
      drawn_);
}

void App::restyle(Canvas& canvas) {
  if (drawn_theme_ == layout_.theme && drawn_ == std::clamp(scale_ * layout_.zoom, kScales.least, kScales.most)) return;
  style();
  canvas.forget_fonts();
}

void App::pump() {
  const double t = now();
  fold_in(t);
  parts_.news += now() - t;
}

void App::fold_in(double t) {
  // Before anything is read for the first time: what changes from now on is noticed.
  watch_files();
  for (const Heard& heard : links_.take()) {
    const auto* event = std::get_if<RunEvent>(&heard.news);
    const bool batch = event && std::holds_alternative<SampleBatch>(event->event);
    const bool disturbed = batch && heard.worker < disturbed_.size() && disturbed_[heard.worker];
    if (disturbed) disturbed_[heard.worker] = false;
    bench_.apply(heard, disturbed, t);
  }
  // After the news: what is derived from them is of the run that they are of.
  bench_.tick(t);
  link_beside();
  for (size_t worker = 0; worker < links_.size(); ++worker)
    if (const auto wish = bench_.wish(worker)) links_.wish(worker, *wish);
  finish_disk();
  keep_session();
  std::erase_if(opening_, [this](std::future<Opened>& f) {
    if (f.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return false;
    if (auto done = take_in(f.get()); !done) bench_.say(Level::error, done.error().message, "messages");
    return true;
  });
  // One that the settings or a session named.
  if (bench_.scaling.loading && !baseline_.valid()) load_baseline(bench_.scaling.path);
  if (baseline_.valid() && baseline_.wait_for(std::chrono::seconds(0)) == std::future_status::ready) {
    const Result<Results> read = baseline_.get();
    bench_.adopt_baseline(baseline_path_, read ? read->records : std::vector<Record>{},
                          read ? "" : read.error().message);
  }
  std::erase_if(saving_, [this](Saving& s) {
    if (s.done.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return false;
    report(s.done.get(), "Saved " + s.path);
    return true;
  });
}

void App::link_beside() {
  for (const size_t left : bench_.beside.take_left()) links_.end(left);
  for (const uint64_t id : bench_.beside.without_link()) {
    const std::string& command = bench_.beside.find(id)->command;
    const Result<std::vector<std::string>> words = command.empty() ? std::vector<std::string>{} : shell_words(command);
    if (words)
      bench_.beside.link(id, links_.add(worker_link(options_, *words)));
    else
      bench_.beside.fail(id, words.error().message);
  }
}

/// On a thread of its own: a file may be large. The newest path counts.
void App::load_baseline(const std::string& path) {
  baseline_path_ = path;
  baseline_ = std::async(std::launch::async, [path] { return attnscope::read_results(path); });
}

/// On a thread of its own, now and then: a crash costs seconds of a session, not the session. A session so long that
/// writing it takes a while is written less often.
void App::keep_session() {
  keep_settings();
  if (settings_path_.empty() || kept_ == session_version(bench_) || now() - kept_at_ < keep_every_) return;
  if (keeping_.valid()) {
    if (keeping_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return;
    const Kept kept = keeping_.get();
    keep_every_ = std::max(kKeepEvery, kept.seconds / kKeepShare);
    if (!kept.done) bench_.say(Level::warning, "The session cannot be kept: " + kept.done.error().message);
    if (now() - kept_at_ < keep_every_) return;
  }
  kept_ = session_version(bench_);
  kept_at_ = now();
  keep_every_ = kKeepEvery;
  keeping_ = std::async(std::launch::async, [path = session_path(settings_path_), copy = session_of(bench_)] {
    const double began = steady_seconds();
    Kept kept{save_session(path, copy), 0};
    kept.seconds = steady_seconds() - began;
    return kept;
  });
}

void App::keep_settings() {
  if (settings_path_.empty() || now() - settings_at_ < kKeepEvery) return;
  if (keeping_settings_.valid()) {
    if (keeping_settings_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return;
    (void)keeping_settings_.get();  // said at the end, if it is still so
  }
  settings_at_ = now();
  std::string text = settings_text(bench_, layout_, window_);
  if (text == settings_kept_) return;
  settings_kept_ = text;
  keeping_settings_ = std::async(std::launch::async, [path = settings_path_, text = std::move(text)] {
    std::error_code error;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
    return write_text(path, text);
  });
}

Pacing::Scene App::scene(bool input) const {
  Pacing::Scene s;
  s.quiet = bench_.quiet();
  s.sampling = links_.sampling();
  s.held = links_.held();
  s.input = input;
  const bool busy = bench_.measuring() || bench_.across.job.running || bench_.searched.running() || input_.busy() ||
                    now() - last_input_ < 1.0;
  s.rate = busy ? kInputRate : kIdleRate;
  if (software_renderer_ && bench_.known.device && bench_.known.device->type == DeviceType::software)
    s.rate = std::min(s.rate, bench_.searched.measuring() ? kSearchRate : kSharedRate);
  return s;
}

Pacing::Step App::next(bool input) {
  if (input) last_input_ = now();
  const Pacing::Step step = pacing_.next(scene(input || input_.busy()), now());
  // Those added wait for a turn of drawing to end, and for no batch of the others.
  if (step.resume)
    links_.resume();
  else if (!links_.held())
    links_.resume_added();
  return step;
}

void App::build(const Gpu& gpu) {
  const double began = now();
  software_renderer_ = gpu.software;
  input_.play();
  ImGui::NewFrame();
  widgets_.clear();
  Ui ui{bench_, layout_, drafts_, widgets_, shell_, {}, {pacing_.fps(now()), pacing_.times().last_ms(), gpu.name}};
  draw_workbench(ui);
  ImGui::Render();
  requests_ = std::move(ui.requests);
  parts_.build = now() - began;
}

void App::report(const Result<void>& result, const std::string& done) {
  if (result)
    bench_.say(Level::good, done, "messages");
  else
    bench_.say(Level::error, result.error().message);
}

Result<Picture> App::picture_of(Canvas& canvas, const std::string& widget) {
  auto picture = canvas.read_back();
  if (!picture || widget.empty()) return picture;
  const auto found = widgets_.find(widget);
  if (found == widgets_.end()) return bad_input(fmt::format("there is no widget '{}' on screen", widget));
  const WidgetRect& r = found->second;
  return crop(*picture, int(r.x0), int(r.y0), int(std::ceil(r.x1 - r.x0)), int(std::ceil(r.y1 - r.y0)));
}

Result<void> App::save_picture_of(Canvas& canvas, const std::string& widget, const std::string& path) {
  auto picture = picture_of(canvas, widget);
  return picture ? save_png(*picture, path) : picture.error();
}

void App::save_later(Canvas& canvas, const std::string& widget, const std::string& path) {
  auto picture = picture_of(canvas, widget);
  if (!picture) return bench_.say(Level::error, picture.error().message, "messages");
  saving_.push_back(
      {std::async(std::launch::async, [p = std::move(*picture), path] { return save_png(p, path); }), path});
}

Result<size_t> App::export_results(const std::string& path) {
  const Results results{.records = bench_.all_records()};
  if (results.records.empty()) return bad_input("There is nothing to export yet: nothing was measured.");
  if (auto written = write_results(path, results); !written) return written.error();
  layout_.recent.note(path, false);
  const auto measured = std::count_if(results.records.begin(), results.records.end(),
                                      [](const Record& r) { return r.outcome == Outcome::measured; });
  const size_t others = results.records.size() - size_t(measured);
  bench_.say(
      Level::good,
      fmt::format("Wrote {} to {}: {} measured ({} as they are, then what else was tried){}.{}",
                  counted(results.records.size(), "record"), path, measured, counted(bench_.pins.all().size(), "pin"),
                  others > 0 ? fmt::format(", {} that have no time and say why", others) : "",
                  bench_.searched.measuring() ? " The search that goes on is not in it yet." : ""),
      "messages");
  return results.records.size();
}

Result<void> App::finish(Canvas& canvas, const Gpu& gpu, double begin, bool input) {
  window_ = {canvas.width(), canvas.height()};
  pacing_.drawn(begin, now(), scene(input || input_.busy()), std::exchange(parts_, {}));
  disturbed_.resize(links_.size());
  if (pacing_.take_disturbed())
    for (size_t worker = 0; worker < links_.size(); ++worker)
      if (links_.sampling(worker)) disturbed_[worker] = true;
  Requests r = std::exchange(requests_, {});
  if (r.quit && may_close()) quit_ = true;
  start_disk(r);
  if (r.job) links_.submit(bench_.asked.worker, *r.job);
  if (r.cancel_job) links_.cancel_jobs();
  if (r.load_baseline && !baseline_.valid()) load_baseline(*r.load_baseline);
  if (r.search) links_.search(search_worker_ = bench_.asked.worker, *r.search);
  if (r.cancel_search) links_.cancel_search(search_worker_);
  if (bench_.take_keep()) links_.keep(search_worker_, bench_.searched.asked().id);
  for (WayOut& way : std::exchange(pictures_, {}))
    if (auto done = put_out(canvas, way); !done) bench_.say(Level::error, done.error().message, "messages");
  for (WayOut& way : r.out) {
    if (way.form == WayOut::Form::png)
      pictures_.push_back(way);
    else if (auto done = put_out(canvas, way); !done)
      bench_.say(Level::error, done.error().message, "messages");
  }
  const bool written = !r.out.empty() || r.export_results || r.save_widget || r.save_window;
  if (written ||
      std::any_of(r.files.begin(), r.files.end(), [](const FileWish& f) { return f.what != FileWish::What::open; }))
    shell_.welcome.got_out();
  for (const FileWish& wish : r.files) {
    auto done = wish.what == FileWish::What::save_session ? save_session_as(wish.path) : Result<void>{};
    if (wish.what == FileWish::What::results)
      if (auto count = export_results(wish.path.empty() ? free_name("attnscope-results", ".json") : wish.path); !count)
        done = count.error();
    if (!done) bench_.say(Level::error, done.error().message, "messages");
    if (wish.what == FileWish::What::open) open(wish.path);
    if (wish.what == FileWish::What::report) report_later(wish.path);
  }
  if (bench_.copied != clipboard_) {
    clipboard_ = bench_.copied;
    ImGui::SetClipboardText(clipboard_.c_str());
  }
  if (r.save_widget) {
    const std::string path = free_name("attnscope-" + r.save_widget->substr(0, r.save_widget->find('.')), ".png");
    save_later(canvas, *r.save_widget, path);
  }
  if (r.save_window) {
    const std::string path = free_name("attnscope-window", ".png");
    save_later(canvas, "", path);
  }
  if (r.export_results) {
    const std::string path = free_name("attnscope-results", ".json");
    if (auto done = export_results(path); !done) bench_.say(Level::error, done.error().message, "messages");
  }
  if (!runner_) return {};
  RunnerHost h = host(canvas, gpu);
  if (auto ok = runner_->step(h, now()); !ok) return ok;
  if (runner_->wants_quit()) quit_ = true;
  return {};
}

RunnerHost App::host(Canvas& canvas, const Gpu& gpu) {
  const auto dump = [this, &canvas, &gpu](const std::string& path) {
    const DumpFacts facts{gpu.name, drawn_, canvas.width(), canvas.height(), gpu.validation_messages()};
    return write_text(path, dump_state(bench_, layout_, shell_, widgets_, pacing_, facts, now()));
  };
  return {bench_,
          layout_,
          widgets_,
          input_,
          [this](const std::string& id) { shell_.commands.push_back(id); },
          [this](const Job& job) { links_.submit(bench_.asked.worker, job); },
          [this] { links_.cancel_jobs(); },
          [this] { return pacing_.times().count(); },
          [this] { pacing_.reset_statistics(now()); },
          [this] {
            if (options_.print) options_.print(pacing_.times().text(now()));
          },
          dump,
          [this, &canvas](const std::string& path) { return save_picture_of(canvas, "", path); },
          [this](const std::string& path) -> Result<void> {
            if (auto done = export_results(path); !done) return done.error();
            return {};
          },
          [this, &canvas](const std::string& widget, const std::string& path) {
            return save_picture_of(canvas, widget, path);
          },
          [this, &canvas](const std::string& verb, const std::vector<std::string>& words) -> Result<void> {
            if (verb == "open") return open_now(words[0]);
            if (verb == "save-session") return save_session_as(words[0]);
            if (verb == "report") return report_now(words[0]);
            const auto form = form_of(words[1]);
            if (!form) return form.error();
            return put_out(canvas, {*form, words[0], words[1]});
          }};
}

void App::save() {
  if (settings_path_.empty()) return;
  bench_.log_live();
  // A read-only home is no reason to fail on the way out; there is no window left to say it in.
  if (keeping_settings_.valid()) (void)keeping_settings_.get();
  (void)save_settings(settings_path_, bench_, layout_, window_);
  if (keeping_.valid() && !keeping_.get().done) kept_ = ~session_version(bench_);
  // An empty session over no file at all is nothing to keep.
  if (kept_ != session_version(bench_)) (void)save_session(session_path(settings_path_), session_of(bench_));
}

}  // namespace attnscope::gui
