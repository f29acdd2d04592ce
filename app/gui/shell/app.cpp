#include "app/gui/shell/app.hpp"

#include <imgui_internal.h>
#include <implot.h>

#include "app/gui/panels/panel.hpp"
#include "engine/input/text.hpp"
#include "engine/page/page.hpp"
#include "engine/platform/system.hpp"

namespace attnscope::gui {

namespace {

template <class T>
bool ready(const std::future<T>& f) {
  return f.valid() && f.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

constexpr double kKeepEvery = 5;    ///< seconds at least between writings of the session
constexpr double kIdleRate = 20;    ///< frames a second while nothing is measured or touched
constexpr double kInputRate = 62;   ///< and while something is
constexpr double kSearchRate = 24;  ///< the same while a search compiles and verifies
constexpr double kSharedRate = 30;  ///< the most when the renderer and the measured device share the CPU

/// What is said of all that is kept.
std::string without_search(const Workbench& bench) {
  return bench.search.measuring() ? "; the running search is not in it" : "";
}

/// A session does not take the place of results, nor they of it, because the name still stands in the field.
Result<void> check_kind(const std::string& path, bool session) {
  if (std::error_code error; !std::filesystem::is_regular_file(path, error)) return {};
  const auto text = read_text(path);
  if (!text || text->empty() || is_session(*text) == session) return {};
  return bad_input(fmt::format("{} is there and is {}: it stays as it is. Give another name.", path,
                               session ? "no session" : "a session"));
}

Result<void> write_report(const std::vector<std::filesystem::path>& folders, const std::vector<Record>& records,
                          const std::string& path) {
  std::error_code error;
  for (const auto& folder : folders) {
    if (!std::filesystem::exists(folder, error)) continue;
    const auto assets = read_page_assets(folder);
    return assets ? write_text(path, make_page(records, *assets)) : Result<void>(assets.error());
  }
  return bad_input("The report's own files (assets/report) are not where the program's data is.");
}

/// The first of name.ext, name-2.ext, … that does not exist, in the current folder: no picture overwrites another.
std::string free_name(const std::string& name, const std::string& extension) {
  for (int i = 1;; ++i) {
    const std::string path = i == 1 ? name + extension : fmt::format("{}-{}{}", name, i, extension);
    std::error_code error;
    if (std::filesystem::exists(std::filesystem::symlink_status(path, error))) continue;
    const std::filesystem::path whole = std::filesystem::absolute(path, error);
    return error ? path : whole.string();
  }
}

/// A session through this worker command; empty = this executable's own.
WorkerThreadOptions worker_link(const GuiOptions& options, const std::vector<std::string>& command) {
  WorkerThreadOptions link;
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
  worker.cancel_ends_all = true;
  link.abandon = std::make_shared<std::atomic<bool>>(false);
  worker.abandon = link.abandon.get();
  // The flags live as long as whoever looks at them.
  link.session = [worker, ending = link.ending, abandon = link.abandon] { return make_worker_session(worker); };
  link.name = joined(command, " ");
  return link;
}

}  // namespace

std::vector<WorkerThreadOptions> worker_links(const GuiOptions& options) {
  if (options.workers.empty()) return {worker_link(options, {})};
  return mapped(options.workers, [&](const auto& command) { return worker_link(options, command); });
}

App::App(const GuiOptions& options, std::vector<WorkerThreadOptions> links)
    : options_(options),
      bench_(options),
      watch_(options.shader_dirs, options.source_dirs),
      start_(steady_seconds()),
      links_(std::move(links)) {
  IMGUI_CHECKVERSION();
  ImGui::CreateContext();
  ImPlot::CreateContext();
  ImGui::GetIO().IniFilename = nullptr;
  ImGui::GetIO().ConfigInputTextCursorBlink = false;
  ImGui::GetIO().ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
  // There is one window: Ctrl+Tab would list it alone.
  ImGui::GetCurrentContext()->ConfigNavWindowingKeyNext = ImGui::GetCurrentContext()->ConfigNavWindowingKeyPrev = 0;
}

App::~App() {
  ImPlot::DestroyContext();
  ImGui::DestroyContext();
}

double App::now() const { return steady_seconds() - start_; }

std::string App::title() const {
  const SearchState& search = bench_.search;
  std::string what = bench_.jobs.text();
  if (search.measuring()) {
    const tune::TuneProgress& p = search.progress();
    what = fmt::format("searching, {} tried{}", p.tried - p.recalled, p.goal > 0 ? fmt::format(" of {}", p.goal) : "");
  } else if (what.empty() && !bench_.request.selection.variant.empty()) {
    what = fmt::format("{} {}", bench_.request.selection.variant, to_text(bench_.request.selection.problem));
  }
  const std::string window = session_.number > 1 ? fmt::format(" ({})", session_.number) : "";
  return fmt::format("{}attnscope{}", what.empty() ? "" : what + " \u2014 ", window);
}

Result<void> App::start(const std::string& settings_path) {
  settings_path_ = settings_path;
  if (!options_.script.empty()) {
    auto script = TRY(read_script(options_.script));
    runner_.emplace(script, options_.script_timeout_s);
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
    session_ = own_session(settings_path_);
    std::string shared;
    if (session_.path != session_path(settings_path_))
      shared = fmt::format("Another window keeps its pins and its log in {}. This window keeps its own in {}.",
                           session_path(settings_path_), session_.path);
    for (const std::string& note :
         {load_settings(settings_path_, bench_, layout_, window_), restore_session(session_.path, bench_), shared}) {
      if (note.empty()) continue;
      say(note == shared ? Level::warning : Level::error, note, "messages");
      if (options_.warn) options_.warn(note);
    }
    kept_ = session_of(bench_);
    // Once, where it can be remembered that it was.
    if (!layout_.welcomed) shell_.welcome.open = true;
  }
  if (!options_.problem.empty()) {
    bench_.request.selection.problem = TRY(parse_problem(options_.problem));
    bench_.request.problem_was_chosen();
  }
  if (!options_.variant.empty()) bench_.request.variant_was_chosen(options_.variant);
  bench_.others.gpus.offered = offered_gpus(options_.data_dir);
  if (bench_.jobs.problems.all().empty() && !bench_.given.presets.empty())
    for (const Problem& p : bench_.given.presets.front().problems)
      if (bench_.jobs.problems.all().size() < 4) bench_.jobs.problems.add(p);
  for (const auto& path : options_.results) {
    auto results = TRY(attnscope::read_results(path));
    bench_.open_dataset(path.string(), results.records);
  }
  return {};
}

void App::use_script(const char* text) {
  if (auto script = parse_script(text)) runner_.emplace(*script, options_.script_timeout_s);
}

WindowSize App::wanted_size(float scale) const {
  WindowSize size{options_.width, options_.height};
  const auto usual = [&](float pixels) { return std::min(int(std::lround(pixels * scale)), kWindowPixels.most); };
  if (size.width <= 0) size.width = window_.width > 0 ? window_.width : usual(1280);
  if (size.height <= 0) size.height = window_.height > 0 ? window_.height : usual(800);
  return size;
}

void App::set_scale(float scale, float pixels) {
  scale_ = scale;
  pixels_ = pixels;
}

void App::style() {
  drawn_ = std::clamp(scale_ * layout_.zoom, kScales.least, kScales.most);
  drawn_theme_ = layout_.theme;
  use_theme(drawn_theme_);
  apply_style(drawn_);
  std::vector<std::filesystem::path> folders = {options_.data_dir / "fonts", options_.data_dir / "assets" / "fonts",
                                                executable().parent_path() / ".." / "assets" / "fonts"};
  if (load_fonts(folders, drawn_) || std::exchange(fonts_missed_, true)) return;
  const std::string note = "The fonts (ui.font, mono.font) are in none of " +
                           joined(folders, ", ", [](auto& f) { return f.string(); }) +
                           ": another one is drawn, which has few signs. Install attnscope's assets anew.";
  say(Level::warning, note);
  if (options_.warn) options_.warn(note);
}

void App::restyle(Canvas& canvas) {
  if (drawn_theme_ == layout_.theme && drawn_ == std::clamp(scale_ * layout_.zoom, kScales.least, kScales.most)) return;
  style();
  canvas.forget_fonts();
}

void App::compile_elsewhere() {
  OtherGpus& other = bench_.others.gpus;
  if (!gpus_ && other.chosen.empty()) return;
  if (!gpus_)
    gpus_ =
        std::make_unique<GpuCompiler>(GpuCompiler::Places{options_.data_dir, options_.shader_dirs, options_.source_dirs,
                                                          options_.session, options_.deadline_s},
                                      wake_);
  gpus_->choose(other.chosen);
  const auto request = bench_.gpu_request();
  if (request) gpus_->want(*request);
  for (GpuAnswer& answer : gpus_->take())
    if (request && answer.of == *request) other.add(std::move(answer));
}

void App::pump() {
  const double t = now();
  bench_.sources_changed(watch_.take(t));
  for (const DeviceEvent& heard : links_.take()) {
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
    if (const auto request = bench_.request_of(worker); request && links_.at(worker))
      links_.at(worker)->request(*request);
  compile_elsewhere();
  // What they lead to may be more work.
  auto pending = std::exchange(pending_, {});
  std::erase_if(pending, [](const auto& done) { return done(); });
  pending_.insert(pending_.begin(), pending.begin(), pending.end());
  keep();
}

template <class T, class Then>
void App::later(std::future<T> work, Then then) {
  pending_.push_back([f = std::make_shared<std::future<T>>(std::move(work)), then = std::move(then)] {
    if (!ready(*f)) return false;
    then(f->get());
    return true;
  });
}

void App::save_later(const std::string& path, std::future<Result<void>> work, const std::string& but) {
  later(std::move(work), [this, said = "Saved " + path + but](const Result<void>& done) {
    if (done) say(Level::good, said, "messages");
    exported(done);
  });
}

void App::link_beside() {
  for (const size_t left : bench_.others.beside.take_left()) links_.end(left);
  for (const uint64_t id : bench_.others.beside.without_link()) {
    const std::string& command = bench_.others.beside.find(id)->command;
    const Result<std::vector<std::string>> words = command.empty() ? std::vector<std::string>{} : shell_words(command);
    if (words)
      bench_.others.beside.link(id, links_.add(worker_link(options_, *words)));
    else
      bench_.others.beside.fail(id, words.error().message);
  }
}

/// On a thread of its own, now and then: a crash costs seconds of a session, not the session.
void App::keep() {
  if (settings_path_.empty() || now() - kept_at_ < kKeepEvery) return;
  if (keeping_.valid()) {
    if (!ready(keeping_)) return;
    if (const Result<void> kept = keeping_.get(); !kept) {
      say(Level::warning, "The session cannot be kept: " + kept.error().message);
      kept_ = {};
    }
  }
  kept_at_ = now();
  std::optional<std::string> settings = settings_text(bench_, layout_, window_);
  if (settings == settings_kept_) settings.reset();
  std::optional<SessionCopy> session = session_of(bench_);
  if (*session == kept_) session.reset();
  if (!settings && !session) return;
  if (settings) settings_kept_ = *settings;
  if (session) kept_ = *session;
  keeping_ = std::async(std::launch::async, [path = settings_path_, to = session_.path, settings = std::move(settings),
                                             session = std::move(session)] {
    if (settings) (void)write_settings(path, *settings);  // tried again at the end
    return session ? save_session(to, *session) : Result<void>{};
  });
}

Pacing::Scene App::scene(bool input) const {
  Pacing::Scene s{.quiet = bench_.quiet(), .sampling = links_.sampling(), .held = links_.held(), .input = input};
  const bool busy = bench_.live.measuring() || bench_.jobs.now.running || bench_.search.running() || input_.busy() ||
                    now() - last_input_ < 1.0;
  s.rate = busy ? kInputRate : kIdleRate;
  if (software_renderer_ && bench_.device_state.software())
    s.rate = std::min(s.rate, bench_.search.measuring() ? kSearchRate : kSharedRate);
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
  software_renderer_ = gpu.software;
  input_.play(!script_done());
  ImGui::NewFrame();
  widgets_.clear();
  Ui ui{bench_, layout_, states_, widgets_, shell_, {}, {pacing_.fps(now()), pacing_.times().last_ms(), gpu.name}};
  draw_workbench(ui);
  ImGui::Render();
  requests_ = std::move(ui.requests);
}

void App::complain(const Result<void>& result) {
  if (!result) say(Level::error, result.error().message, "messages");
}

void App::exported(const Result<void>& result) {
  if (result && shell_.welcome.open) layout_.steps_done[4] = true;
  complain(result);
}

Result<Picture> App::picture_of(Canvas& canvas, const std::string& widget) {
  auto picture = canvas.read_back();
  if (!picture || widget.empty()) return picture;
  const WidgetRect* found = find_at(widgets_, widget);
  if (!found) return bad_input(fmt::format("there is no widget '{}' on screen", widget));
  const WidgetRect& r = *found;
  return crop(*picture, int(r.x0), int(r.y0), int(std::ceil(r.x1 - r.x0)), int(std::ceil(r.y1 - r.y0)));
}

Result<void> App::export_results(const std::string& path) {
  const Results results{.records = bench_.all_records()};
  if (results.records.empty()) return bad_input("There is nothing to export yet: nothing was measured.");
  TRY(check_kind(path, false));
  TRY(write_results(path, results));
  say(Level::good,
      fmt::format("Exported {} to {}{}.", counted(results.records.size(), "result"), path, without_search(bench_)),
      "messages");
  return {};
}

Result<void> App::finish(Canvas& canvas, const Gpu& gpu, double begin, bool input) {
  window_ = {int(std::lround(float(canvas.width()) / pixels_)), int(std::lround(float(canvas.height()) / pixels_))};
  pacing_.drawn(begin, now(), scene(input || input_.busy()));
  disturbed_.resize(links_.size());
  if (pacing_.take_disturbed())
    for (size_t worker = 0; worker < links_.size(); ++worker)
      if (links_.sampling(worker)) disturbed_[worker] = true;
  Requests r = std::exchange(requests_, {});
  if (r.quit) quit_ = true;
  start_disk(r);
  if (r.job) links_.at(bench_.request.worker)->submit(*r.job);
  if (r.cancel_job) links_.cancel_jobs(), bench_.jobs.now.cancelled = true;
  if (r.search) links_.at(search_worker_ = bench_.request.worker)->search(*r.search);
  if (r.cancel_search) links_.at(search_worker_)->cancel_search();
  if (r.keep_search) links_.at(search_worker_)->keep(bench_.search.asked().id);
  for (WayOut& way : std::exchange(pictures_, {})) complain(put_out(canvas, way));
  for (WayOut& way : r.out) way.form == WayOut::Form::png ? pictures_.push_back(way) : exported(put_out(canvas, way));
  for (const FileRequest& request : r.files) {
    if (request.what == FileRequest::What::save_session) exported(save_session_as(request.path));
    if (request.what == FileRequest::What::results)
      exported(export_results(request.path.empty() ? free_name("attnscope-results", ".json") : request.path));
    if (request.what == FileRequest::What::open) open(request.path);
    if (request.what == FileRequest::What::report) {
      const std::string path = request.path.empty() ? free_name("attnscope-report", ".html") : request.path;
      save_later(path, make_report(path), without_search(bench_));
    }
  }
  if (!runner_) return {};
  RunnerHost host{bench_,
                  layout_,
                  widgets_,
                  input_,
                  [this] { return pacing_.times().count(); },
                  [&](const Action& a) { return act(a, canvas, gpu); },
                  shell_.refused};
  TRY(runner_->step(host, now()));
  if (runner_->wants_quit()) quit_ = true;
  return {};
}

/// Everything the window knows and shows that tests check instead of pixels (docs/gui.md).
std::string App::state(const Gpu& gpu) const {
  Json j;
  j["window"] = {{"scale", drawn_}};
  j["frames"] = {{"count", pacing_.times().count()}};
  j["validation"] = gpu.validation_messages();
  j["tab"] = layout_.tab;
  j["layout"] = to_json(layout_.panels);
  j["theme"] = layout_.theme == Theme::dark ? "dark" : "light";
  j["zoom"] = layout_.zoom;
  j["palette"] = {{"open", shell_.palette.open}, {"chosen", shell_.palette.chosen}};
  j["welcome"] = {{"open", shell_.welcome.open}, {"done", layout_.steps_done}};
  j["copied"] = shell_.copied;
  j["focused"] = shell_.focused;
  j["can_undo"] = bench_.request.history.can_undo();
  for (const Panel* panel : all_panels()) {
    if (panel->dump) panel->dump(bench_, j);
    for (const PanelView* view : panel->views)
      if (view->dump) view->dump(bench_, j);
  }
  for (const auto& [id, r] : widgets_)
    j["widgets"][id] = {
        {"x", r.x0},           {"y", r.y0}, {"w", r.x1 - r.x0}, {"h", r.y1 - r.y0}, {"enabled", r.enabled},
        {"visible", r.visible}};
  return dump_pretty(j) + "\n";
}

Result<void> App::act(const Action& a, Canvas& canvas, const Gpu& gpu) {
  const std::vector<std::string>& words = a.words;
  if (a.verb == "command") shell_.commands.push_back(a.rest);
  if (a.verb == "reset-frames") pacing_.reset_statistics(now());
  if (a.verb == "frames" && options_.print) options_.print(pacing_.times().text(now()));
  if (a.verb == "dump") return write_text(words[0], state(gpu));
  if (a.verb == "picture") return put_out(canvas, {WayOut::Form::png, "", words[0]});
  if (a.verb == "open") return take_in(TRY(read_any(words[0])));
  if (a.verb == "save-session") return save_session_as(words[0]);
  if (a.verb == "report") return make_report(words[0]).get();
  if (a.verb == "export") return export_results(words[0]);
  if (a.verb == "save") return put_out(canvas, {TRY(form_of(words[1])), words[0], words[1]});
  if (a.verb == "monitor-scale") {
    const Result<float> scale = parse_number(words[0], kScales);
    if (!scale) return bad_input(scale.error().message + ".");
    set_scale(*scale, pixels_);
  }
  return {};
}

void App::save() {
  if (settings_path_.empty()) return;
  bench_.log_live();
  const bool failed = keeping_.valid() && !keeping_.get();
  // A read-only home is no reason to fail on the way out; there is no window left to say it in.
  (void)write_settings(settings_path_, settings_text(bench_, layout_, window_));
  // An empty session over no file at all is nothing to keep.
  if (const SessionCopy now = session_of(bench_); failed || now != kept_) (void)save_session(session_.path, now);
}

void App::on_news(const std::function<void()>& wake) {
  wake_ = wake;
  links_.on_news(wake);
}

void App::start_disk(const Requests& r) {
  for (const SaveRequest& save : r.save_texts)
    later(std::async(std::launch::async, [save] { return save_file(save); }),
          [this](const SaveOutcome& out) { saved(out); });
  if (!r.new_variant || copying_) return;
  const LoadedVariant* from = bench_.editor.variant(bench_.request.selection.variant);
  if (!from || options_.new_variants.empty()) return;
  Copied copied{*r.new_variant, from->name, {}};
  for (const LoadedFile& file : from->files)
    if (const Editor::Document* d = bench_.editor.find(file.path.string()); d && file.own && d->dirty())
      copied.texts[file.path.filename().string()] = d->buffer.text();
  copying_ = true;
  later(std::async(std::launch::async, [folder = from->folder, into = options_.new_variants,
                                        copied] { return copy_variant(folder, into, copied.name, copied.texts); }),
        [this, copied](const Result<std::filesystem::path>& made) { take_copy(copied, made); });
}

void App::saved(const SaveOutcome& out) {
  bench_.editor.saved(out);
  if (!out.error.empty()) say(Level::error, out.error);
  if (out.theirs)
    say(Level::warning,
        fmt::format("'{}' was not saved: somebody else changed it meanwhile.", out.request.path.string()));
  if (!out.error.empty() || out.theirs) return;
  const std::vector<std::string> names = bench_.editor.variants_with(out.request.path.string());
  bench_.editor.changing.insert(names.begin(), names.end());
  watch_.look(names);
}

void App::take_copy(const Copied& copied, const Result<std::filesystem::path>& made) {
  copying_ = false;
  NewVariant& copy = states_.of<NewVariant>();
  if (!made) {
    copy.error = made.error().message;
    copy.naming = true;
    return say(Level::error, made.error().message);
  }
  say(Level::good, fmt::format("Made {}.", made->string()));
  copy.error.clear();
  // The edits are in the copy now.
  for (const auto& [file, text] : copied.texts)
    if (Editor::Document* d = bench_.editor.document(copied.from, file); d && d->buffer.text() == text)
      bench_.editor.discard(*d);
  bench_.request.take_new_variant(copied.name);
  watch_.look({copied.name});
}

Result<void> App::put_out(Canvas& canvas, const WayOut& way) {
  const std::string of = way.widget.empty() ? "window" : way.widget.substr(0, way.widget.find(".plot"));
  std::string path =
      way.path.empty() && !way.clipboard ? free_name("attnscope-" + of, extension_of(way.form)) : way.path;
  if (way.form == WayOut::Form::png) {
    auto picture = TRY(picture_of(canvas, way.widget));
    if (!way.path.empty()) return save_png(picture, path);
    save_later(path, std::async(std::launch::async, [p = std::move(picture), path] { return save_png(p, path); }));
    return {};
  }
  auto text = TRY(text_out(bench_, way.widget, way.form));
  if (way.clipboard) {
    copy(bench_, shell_, text,
         fmt::format("{} as {}", way.widget, way.form == WayOut::Form::markdown ? "Markdown" : "CSV"));
    return {};
  }
  TRY(write_text(path, text));
  say(Level::good, "Saved " + path, "messages");
  return {};
}

Result<App::Opened> App::read_any(const std::string& path) {
  const auto read = [&]() -> Result<Opened> {
    std::error_code no_file;
    const uintmax_t bytes = std::filesystem::file_size(path, no_file);
    // What is too long for a session is not read twice.
    if (no_file || bytes <= kMaxResultBytes)
      if (auto text = TRY(read_text(path)); is_session(text)) return Opened{path, text, {}};
    return Opened{path, {}, TRY(read_results(path)).records};
  };
  return within(path + " was not opened", read());
}

Result<void> App::take_in(Opened opened) {
  if (opened.session.empty()) {
    bench_.open_dataset(opened.path, opened.records);
    layout_.tab = "pins";
    return {};
  }
  // What was here may not be anywhere else.
  const Result<std::string> kept = keep_aside();
  if (!kept)
    return bad_input(
        fmt::format("{} was not opened, since it takes the place of this session, which cannot be kept: {}",
                    opened.path, kept.error().message));
  auto settings = session_from(opened.session, bench_, true);
  if (!settings) return bad_input(fmt::format("{} was not opened: {}", opened.path, settings.error().message));
  if (!settings->empty()) {
    // Where things lie, theme and size are of the person who sits here.
    WindowSize ignored = window_;
    Layout theirs = layout_;
    const auto notes = settings_from(*settings, bench_, theirs, ignored);
    const std::string note = notes ? *notes : notes.error().message;
    if (!note.empty()) say(Level::warning, fmt::format("{} had what cannot be: {}.", opened.path, note));
  }
  say(Level::good,
      fmt::format("Opened {}{}.", opened.path, kept->empty() ? "" : fmt::format("; what was here is in {}", *kept)),
      "messages");
  return {};
}

void App::open(const std::string& path) {
  later(std::async(std::launch::async, read_any, path),
        [this](Result<Opened> opened) { complain(opened ? take_in(*std::move(opened)) : opened.error()); });
}

Result<std::string> App::keep_aside() {
  if (session_of(bench_).empty()) return std::string();
  std::string why;
  for (const std::filesystem::path& folder : {options_.sessions, std::filesystem::path()}) {
    const std::string path = free_name((folder / "attnscope-session-before").string(), ".json");
    const Result<void> saved = save_session_as(path);
    if (saved) return path;
    if (!why.ends_with(saved.error().message)) why += (why.empty() ? "" : " ") + saved.error().message;
  }
  return bad_input(why + " Make room in one of these folders, or begin where you may write.");
}

Result<void> App::save_session_as(const std::string& given) {
  const std::string path = given.empty() ? free_name("attnscope-session", ".json") : given;
  SessionCopy session = session_of(bench_);
  session.settings = settings_text(bench_, layout_, window_);
  TRY(check_kind(path, true));
  TRY(save_session(path, session));
  say(Level::good,
      fmt::format("Saved this session ({}, {}) to {}.", counted(session.pins.size(), "pin"),
                  counted(session.tried.size(), "line") + " of the log", path),
      "messages");
  return {};
}

std::future<Result<void>> App::make_report(const std::string& path) {
  return std::async(std::launch::async,
                    [data = options_.data_dir, records = bench_.all_records(), path]() -> Result<void> {
                      if (records.empty()) return bad_input("There is nothing to report yet: nothing was measured.");
                      return write_report({data / "assets" / "report", data / "report"}, records, path);
                    });
}

}  // namespace attnscope::gui
