// What the window reads and writes at a person's wish: plots and tables, sessions, results, reports.
#include <chrono>

#include <fmt/format.h>
#include <imgui.h>

#include "app/gui/app.hpp"
#include "app/gui/counted.hpp"
#include "app/gui/draw/caption.hpp"
#include "app/gui/draw/picture.hpp"
#include "app/gui/free_name.hpp"
#include "app/gui/shell/dock.hpp"
#include "app/gui/ways_out.hpp"
#include "engine/history/transfer.hpp"
#include "engine/page/page.hpp"
#include "engine/record/results.hpp"

namespace attnscope::gui {

Result<void> App::put_out(Canvas& canvas, const WayOut& way) {
  const std::string name = "attnscope-" + way.widget.substr(0, way.widget.find(".plot"));
  std::string path = way.path.empty() && !way.clipboard ? free_name(name, extension_of(way.form)) : way.path;
  if (way.form == WayOut::Form::png) {
    auto picture = picture_of(canvas, way.widget);
    if (!picture) return picture.error();
    Picture whole = captioned(*picture, titled(bench_, way.widget));
    // A script waits for its file; a person need not.
    if (!way.path.empty()) return save_png(whole, path);
    saving_.push_back(
        {std::async(std::launch::async, [p = std::move(whole), path] { return save_png(p, path); }), path});
    return {};
  }
  auto text = text_out(bench_, way.widget, way.form);
  if (!text) return text.error();
  if (way.clipboard) {
    bench_.copy(*text, fmt::format("{} as {}", way.widget, way.form == WayOut::Form::markdown ? "Markdown" : "CSV"));
    return {};
  }
  if (auto written = write_text(path, *text); !written) return written;
  bench_.say(Level::good, "Saved " + path, "messages");
  return {};
}

App::Opened App::read_any(const std::string& path) {
  Opened out{path, {}, {}, {}};
  std::error_code no_file;
  const uintmax_t bytes = std::filesystem::file_size(path, no_file);
  const bool too_long_for_a_session = !no_file && bytes > kMaxResultBytes;
  const auto text = too_long_for_a_session ? Result<std::string>(std::string()) : read_text(path);
  if (!text) {
    out.error = text.error().message;
  } else if (!too_long_for_a_session && is_session(*text)) {
    out.session = *text;
  } else if (auto records = read_records(path)) {
    out.records = std::move(*records);
  } else {
    out.error = records.error().message;
  }
  return out;
}

Result<void> App::take_in(Opened opened) {
  if (!opened.error.empty()) return bad_input(fmt::format("{} was not opened: {}", opened.path, opened.error));
  if (opened.session.empty()) {
    bench_.adopt_results(opened.records);
    layout_.recent.note(opened.path, false);
    bench_.say(Level::good,
               fmt::format("Read {} of {}; each config measured is pinned once.",
                           counted(opened.records.size(), "record"), opened.path),
               "compare");
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
  layout_.recent.note(opened.path, true);
  std::string brought;
  if (!settings->empty()) {
    WindowSize ignored = window_;  // the window stays as large as it is
    Layout theirs = layout_;
    const auto notes = settings_from(*settings, bench_, theirs, ignored);
    if (!notes) bench_.say(Level::warning, "The layout in it cannot be used: " + notes.error().message);
    if (notes && !notes->empty())
      bench_.say(Level::warning, fmt::format("{} had what cannot be: {}.", opened.path, *notes));
    if (notes && take_layout_of(theirs)) brought = " It brought its layout.";
  }
  bench_.say(Level::good,
             fmt::format("Opened {}{}.{}", opened.path,
                         kept->empty() ? "" : fmt::format("; what was here is in {}", *kept), brought),
             "messages", brought.empty() ? "" : "layout.before");
  return {};
}

bool App::take_layout_of(const Layout& theirs) {
  // Theme, size and how one works are of the person who sits here, and so is a layout of one's own of the same name.
  layout_.tab = theirs.tab;
  layout_.show_pins = theirs.show_pins;
  for (const auto& [name, own] : theirs.own)
    if (layout_.own.size() < kMostLayouts) layout_.own.try_emplace(name, own);
  if (theirs.tree == layout_.tree) return false;
  // Before the first frame there is none to go back to.
  const bool any = !panels_of(layout_.tree).empty();
  if (any) layout_.before = {layout_.tree, closed_panels(layout_.tree)};
  layout_.tree = theirs.tree;
  layout_.closed = theirs.closed;
  layout_.full.clear();
  shell_.restored = false;  // panels that it does not know come to their places
  return any;
}

void App::open(const std::string& path) { opening_.push_back(std::async(std::launch::async, read_any, path)); }

Result<void> App::open_now(const std::string& path) { return take_in(read_any(path)); }

Result<std::string> App::keep_aside() {
  if (session_of(bench_).empty()) return std::string();
  std::vector<std::filesystem::path> folders;
  if (!options_.sessions.empty()) folders.push_back(options_.sessions);
  // Beside the session of every start.
  if (!settings_path_.empty()) folders.push_back(std::filesystem::path(session_path(settings_path_)).parent_path());
  folders.emplace_back();
  std::string why;
  for (const std::filesystem::path& folder : folders) {
    const std::string path = free_name((folder / "attnscope-session-before").string(), ".json");
    const Result<void> saved = save_session_as(path);
    if (saved) return path;
    why += (why.empty() ? "" : " ") + saved.error().message;
  }
  return bad_input(why + " Make room in one of these folders, or begin where you may write.");
}

Result<void> App::save_session_as(const std::string& given) {
  const std::string path = given.empty() ? free_name("attnscope-session", ".json") : given;
  SessionCopy session = session_of(bench_);
  // To be passed on: which files lie here is nobody else's.
  Layout passed = layout_;
  passed.recent = {};
  passed.before.reset();
  session.settings = settings_text(bench_, passed, window_);
  if (auto saved = save_session(path, session); !saved) return saved;
  layout_.recent.note(path, true);
  bench_.say(Level::good,
             fmt::format("Saved this session ({}, {}) to {}.", counted(session.pins.size(), "pin"),
                         counted(session.tried.size(), "line") + " of the log", path),
             "messages");
  return {};
}

namespace {

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

}  // namespace

Result<void> App::report_now(const std::string& path) {
  report_later(path);
  const Result<void> done = saving_.back().done.get();
  saving_.pop_back();
  return done;
}

void App::report_later(const std::string& given) {
  const std::string path = given.empty() ? free_name("attnscope-report", ".html") : given;
  if (bench_.searched.measuring()) bench_.say(Level::info, "The search that goes on is not in the report yet.", "map");
  saving_.push_back({std::async(std::launch::async,
                                [data = options_.data_dir, records = bench_.all_records(), path]() -> Result<void> {
                                  if (records.empty())
                                    return bad_input("There is nothing to report yet: nothing was measured.");
                                  return write_report({data / "assets" / "report", data / "report"}, records, path);
                                }),
                     path});
}

}  // namespace attnscope::gui
