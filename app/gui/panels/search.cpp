// A search begun, watched, and its best taken: what its views (map, lines, progress) have in common.
#include "app/gui/panels/panel.hpp"

namespace attnscope::gui {
namespace {

constexpr float kControlsWidth = 256;      ///< pixels at scale 1
constexpr uint64_t kTrialsToEstimate = 5;  ///< fewer say little of how long the rest takes

std::string left_text(double seconds) { return seconds < 0 ? "" : fmt::format(", {} left", span_text(seconds)); }

/// "123 of 400", "123 tried"
std::string done_text(const tune::TuneProgress& p) {
  if (p.goal == 0) return count_text(p.tried) + " tried";
  return fmt::format("{} of {}", count_text(p.tried - p.refused), count_text(p.goal));
}

/// "race of 9: compiling 3, about 40 s left"
std::string race_far(const Workbench& bench) {
  const SearchState::Race& race = bench.search.race();
  const uint64_t all = std::max(bench.search.progress().racing, race.configs),
                 ready = std::max<uint64_t>(race.configs, 1) - 1;
  std::string stage = race.stage.empty() ? "beginning" : stage_text(race.stage);
  // Sooner, where all are known well enough; later, where frames and checks take long.
  double left = double(all) * Protocol{}.max_ms / 1e3;
  if (race.stage == "sample") {
    left -= bench.now() - race.since;
  } else if (race.sampled) {
    left = 0;
  } else if (race.stage != "warm-up") {
    if (race.configs > 0) stage += " " + std::to_string(race.configs);
    left = ready > 0 ? left + (bench.now() - race.began) * double(all - ready) / double(ready) : 0;
  }
  return fmt::format("race of {}: {}{}", all, stage,
                     left > 0                 ? fmt::format(", about {} left", span_text(left))
                     : race.stage == "sample" ? fmt::format(", {} so far", span_text(bench.now() - race.since))
                                              : "");
}

/// "123 of 400, 40 s left"
std::string how_far(const Workbench& bench) {
  const SearchState& s = bench.search;
  const tune::TuneProgress& p = s.progress();
  if (s.stage() == "race") return race_far(bench);
  if (!s.known()) return "beginning";
  const bool enough = p.tried - p.recalled >= kTrialsToEstimate || s.asked().budget.seconds > 0;
  const double left = enough ? search::seconds_left(p, s.seconds(bench.now()), s.asked().budget.seconds) : -1;
  return done_text(p) + left_text(left);
}

void search_progress(Ui& ui) {
  const Workbench& bench = ui.bench;
  const SearchState& s = bench.search;
  const tune::TuneProgress& p = s.progress();
  // In a low pane it is one line.
  const bool low = ImGui::GetContentRegionAvail().y < px(40);
  const auto say = [&](const std::string& text, ImU32 colour) {
    if (!low) return wrapped_in(colour, text);
    text_cut(text, ImGui::GetContentRegionAvail().x, colour, fonts.small, false);
  };
  if (s.measuring()) {
    double share = p.goal > 0 ? double(p.tried - p.refused) / double(p.goal) : 0;
    if (s.asked().budget.seconds > 0) share = std::max(share, s.seconds(bench.now()) / s.asked().budget.seconds);
    if (s.stage() != "race" && !low) meter(float(std::min(share, 1.0)), colours::accent);
    say(how_far(bench), colours::soft);
  } else {
    if (!s.error().empty()) wrapped_in(colours::warning, "Ended: " + s.error());
    if (!s.known() || p.tried == 0) return;
    say(search::counts_text(p), colours::faint);
  }
  ui.mark("search.progress");
  std::string tip = search::counts_text(p);
  for (const std::string& line : search::in_vain(p)) tip += "\n" + line;
  tip_for_last(tip);
}

void form(Ui& ui) {
  TuningForm& form = ui.bench.views.tuning;
  const float width = ImGui::GetContentRegionAvail().x, left = px(58);
  const auto row = [&](const char* name) {
    const float start = ImGui::GetCursorPosX();
    label(name);
    ImGui::SameLine(start + left);
  };
  row("strategy");
  choose(ui, "tuning.strategy", {"surrogate", "random", "exhaustive"}, form.strategy, width - left, fonts.small);
  tip_for_last("surrogate: a model of the times says which to try. random: any legal ones. exhaustive: all, in order.");
  row("budget");
  text_field(ui, "tuning.budget", "until all are tried", form.budget, width - left,
             "How long to search (60s, 5m), or how many configs to try (200); empty: until all are tried.");
  row("variants");
  const int chosen = segmented(ui, "tuning.variants", {"all", "this one"}, form.all_variants ? 0 : 1, width - left, {},
                               fonts.small, {"all", "one"});
  if (chosen >= 0) form.all_variants = chosen == 0;
  if (const auto budget = form.limit(); !budget) wrapped_in(colours::bad, budget.error().message);
}

void estimates(Ui& ui) {
  const Workbench& bench = ui.bench;
  if (!bench.device_state.variants_known) return;
  wrapped_in(colours::soft, "All variants: " + text_of(estimate_of_sweep(bench, kSearchBudget)));
  tip_for_last("Configs that were not tried yet, of all variants that can serve this problem.");
}

/// What is asked now, as it raced against the best; nullptr: it did not.
const Record* raced_now(const Workbench& bench, const Selection& best) {
  const search::SearchOutcome* out = bench.search.outcome();
  if (bench.search.measuring() || !out || !out->result.over_current) return nullptr;
  const auto entry_of = [](const auto& of) { return RaceEntry{of.variant, of.config}; };
  const RaceEntry now = entry_of(bench.request.selection);
  const auto record = std::ranges::find(out->result.raced, now, entry_of);
  const bool both = now == *out->request.current && entry_of(best) == entry_of(*out->result.winner);
  return both && record != out->result.raced.end() ? &*record : nullptr;
}

constexpr const char* kInTheRace = " in the race";

/// "Best: row LANES=4 BLOCK_N=2, 156 µs, 25.1× faster than now (3.92 ms, by trials)"
struct Best {
  std::string lead = {}, config = {}, rest = {};
  bool next = false;     ///< to switch to it is what comes next: it is not slower, as far as known
  bool current = false;  ///< it is what is asked now
};

Best best_of(const Workbench& bench) {
  const SearchState& s = bench.search;
  const SlimTrial& trial = s.trials()[size_t(s.best())];
  const Selection best = s.fastest();
  const bool other = !bench.search_of_other().empty();
  Best b{"", bench.short_name(best.variant, best.config), ""};
  b.current = !other && best == bench.request.selection;
  const Record* raced = other || b.current ? nullptr : raced_now(bench, best);
  // By the race of both; else by their trials, as the map has them; else what is shown, though a trial is of another
  // moment. How sure the last two are is told by the samples of what is shown.
  const bool by_trials = !other && !b.current && !raced && trial.timed();
  const SlimTrial* tried = by_trials ? s.timed(bench.request.selection) : nullptr;
  std::optional<Comparison> word;
  const double best_ns = tried ? trial.tried_ns : trial.median_ns;
  double now_ns = 0;
  if (raced) {
    word = s.outcome()->result.over_current;
    now_ns = raced->statistics->median;
  } else if (const Live* live = other || b.current ? nullptr : bench.live.timed()) {
    const double shown_ns = bench.views.shape.statistics(live->series).median;
    now_ns = tried ? tried->tried_ns : shown_ns;
    word = bench.live.verdict(best_ns / now_ns * shown_ns, trial.samples);
    if (word) word->ratio = best_ns / now_ns;
  }
  const bool unsure = word && word->relation == Relation::unsure;
  const bool slower = word && (word->relation == Relation::slower || (unsure && word->ratio > 1));
  b.next = !other && !b.current && !slower;
  b.lead = slower ? "Fastest tried" : s.measuring() ? "Best so far" : "Best";
  if (s.stopped()) b.lead += fmt::format(" of {}, cancelled", done_text(s.progress()));
  // The time of what is shown is the live one: the search's is of another moment.
  b.rest = b.current ? ", the current config"
                     : fmt::format(", {}{}", time_text(best_ns), trial.raced() && !raced && !tried ? kInTheRace : "");
  if (!word) return b;
  const char* there = raced ? kInTheRace : "";
  const std::string now = time_text(now_ns) + (tried ? ", by trials" : "");
  b.rest += unsure ? fmt::format(",{} now {} ({})", there, now, unsure_text(*word))
            : word->relation == Relation::same
                ? fmt::format(",{} the same as now ({})", there, now)
                : fmt::format(",{} {} {} than now ({})", there, times_text(word->ratio),
                              word->relation == Relation::faster ? "faster" : "slower", now);
  return b;
}

/// The same as one text; "" = there is none.
std::string best_text(const Workbench& bench) {
  if (bench.search.best() < 0) return "";
  const Best b = best_of(bench);
  return b.lead + ": " + b.config + b.rest;
}

void keep_going(Ui& ui) {
  Workbench& bench = ui.bench;
  const Search& asked = bench.search.asked();
  const std::string tip =
      "The budget of this search is spent. Try what is left of it, until you cancel: " +
      text_of(asked.variants.size() == 1 ? estimate_of(bench, asked.variants.front()) : estimate_of_sweep(bench));
  if (button(ui, "search.keep_going", "Keep going", tip.c_str(), true, bench.search.best() < 0))
    ui.requests.search = bench.keep_going();
}

/// Always there, with its buttons at the right end: what is clicked never moves when a search begins or ends.
void result_line(Ui& ui) {
  Workbench& bench = ui.bench;
  const SearchState& s = bench.search;
  const bool any = s.best() >= 0, narrow = ImGui::GetContentRegionAvail().x < px(560);
  Best best = any ? best_of(bench) : Best{.lead = "No best config yet", .current = true};
  const float switch_width = button_width("Switch"),
              save_width = button_width(with_icon(icons::save, narrow ? "Saved" : "Saved as default"));
  const float right = ImGui::GetContentRegionMax().x - switch_width - save_width - px(6);
  ImGui::AlignTextToFramePadding();
  const float room = right - px(12) - ImGui::GetCursorPosX(), least = px(110);
  const auto wide = [](const std::string& text) { return width_of(fonts.bold, text); };
  const std::string whole = any ? best.lead + ": " + best.config : best.lead, all = whole + best.rest;
  // What it is worth is never cut: the config is, then what is in brackets goes, and where the time is from.
  if (least + wide(best.rest) > room) best.rest = best.rest.substr(0, best.rest.rfind(" ("));
  if (const size_t race = best.rest.find(kInTheRace); race != std::string::npos && least + wide(best.rest) > room)
    best.rest.erase(race, std::strlen(kInTheRace));
  ImGui::BeginGroup();
  text_cut(whole, std::max(room - wide(best.rest), least), any ? colours::text : colours::faint,
           any ? fonts.bold : fonts.body, false);
  ImGui::SameLine(0, 0);
  text_cut(best.rest, right - px(12) - ImGui::GetCursorPosX() + 1, colours::text, fonts.bold, false);
  ImGui::EndGroup();
  mark_with_tip(ui, "search.best", wide(all) > room ? all : "");
  ImGui::SameLine(right);
  if (button(ui, "search.switch", "Switch",
             "Make it the current config. A search that still runs is ended; what it tried is kept.", !best.current,
             best.next, switch_width)) {
    if (s.measuring()) ui.requests.cancel_search = true;
    bench.take_best();
  }
  ImGui::SameLine(0, px(6));
  const bool stays = s.outcome() && search::keeps_current(*s.outcome());
  if (button(ui, "search.save",
             with_icon(icons::save, std::string(s.kept() ? "Saved" : "Save") + (narrow ? "" : " as default")),
             stays
                 ? "Too close to call: the default for this problem stays what it is, and is saved as measured here."
                 : "Switch to it, and save it in the tuning cache: the default for this problem here from now on. Once "
                   "the search has ended.",
             bench.can_accept() && !s.kept(), false, save_width))
    ui.requests.keep_search = stays || bench.take_best();
}

void custom(Ui& ui) {
  Workbench& bench = ui.bench;
  form(ui);
  if (button(ui, "search.custom", "Search with these", "Search for the fastest config in this way",
             bench.device_state.variants_known, true)) {
    if (const auto search = bench.tune()) {
      ui.requests.search = *search;
      ImGui::CloseCurrentPopup();
    }
  }
  if (const auto estimate = estimate_of_tuning(bench); estimate && bench.device_state.variants_known)
    wrapped_in(colours::soft,
               (bench.views.tuning.all_variants ? "All variants: " : bench.request.selection.variant + ": ") +
                   text_of(*estimate));
}

void begin_and_end(Ui& ui) {
  Workbench& bench = ui.bench;
  const SearchState& s = bench.search;
  if (s.measuring()) {
    if (button(ui, "search.cancel", with_icon(icons::stop, "Cancel"),
               "Stop at once; what was tried is kept, and a later search goes on there", true, false,
               button_width("60 s more (S)")))
      ui.requests.cancel_search = true;
    return;
  }
  const bool before = s.known() && bench.search_of_other().empty() && s.progress().tried > 0;
  const char* start = bench.can_keep_going() ? "60 s more (S)" : before ? "Resume (S)" : "Search (S)";
  if (button(
          ui, "search.start", start,
          "Each variant once, then all of the fastest one, then of the next. What was tried before is not tried again.",
          bench.device_state.variants_known, s.best() < 0 && !bench.can_keep_going(), button_width("60 s more (S)")))
    ui.requests.search = bench.sweep_best();
  flow(button_width("This variant"), px(5));
  const std::string& variant = bench.request.selection.variant;
  if (bench.can_keep_going())
    keep_going(ui);
  else if (button(ui, "search.this", "This variant",
                  ("Every legal config of " + variant + ": " + text_of(estimate_of(bench, variant, kSearchBudget)))
                      .c_str(),
                  bench.request.variant() != nullptr))
    ui.requests.search = bench.sweep(variant);
  flow(button_width("\u2026"), px(5));
  if (button(ui, "search.more", "\u2026", "Strategy, budget and variants of a search"))
    ImGui::OpenPopup("##search.more");
  // With the width known, the height that the popup is placed by is right.
  ImGui::SetNextWindowSizeConstraints({px(420), 0}, {px(420), FLT_MAX});
  if (begin_popup("##search.more")) {
    custom(ui);
    ImGui::EndPopup();
  }
}

// The search as it went: best so far against trials, the race at the end.

void best_plot(Ui& ui) {
  Workbench& bench = ui.bench;
  const SearchState& s = bench.search;
  const Chart chart = tuning_chart(bench);
  if (chart.empty())
    return empty_hint("Nothing timed yet", "The best so far of each variant is drawn here against the trials made.");
  std::vector<LegendEntry> entries;
  for (const ChartSeries& line : chart.series) {
    const SearchState::Arm& arm = s.arms()[s.arm_of(line.name)];
    const std::string best = time_text(arm.steps.back().ns);
    entries.push_back({"tuning.legend." + line.name, fmt::format("{} {}", line.name, best), line.style, true,
                       fmt::format("{}: best {} of {} timed", line.name, best, count_text(arm.timed))});
  }
  legend(ui, "tuning.legend", entries, 2);
  Plot plot("##tuning.plot");
  if (!plot.open()) return;
  plot.axes(chart.x, chart.y);
  for (const ChartSeries& line : chart.series) draw_series(plot.frame, line);
  plot.close(ui, "tuning.plot");
  tip_for_last("The best so far of each variant against the number of trials, all variants together.");
}

enum Columns : size_t { kConfig, kMedian, kSpread, kWord };

/// What the words are against: the default of that variant, which may be another one; "" = they are of none.
std::string against_text(const search::SearchOutcome& out) {
  return out.result.baseline ? "vs untuned " + out.result.baseline->variant : "";
}

void finalists(Ui& ui) {
  Workbench& bench = ui.bench;
  const search::SearchOutcome* out = bench.search.outcome();
  FittedTable table;
  std::vector<FittedTable::Column> columns(kWord + 1);
  columns[kConfig] = {.title = "raced",
                      .explanation = "The fastest by their trials, measured side by side at the end: this decides.",
                      .width = px(200),
                      .grows = true};
  columns[kMedian] = number_column("median");
  columns[kSpread] = number_column("spread", 3);
  columns[kWord] = {against_text(*out), "Against what would have run untuned, turn by turn of the same race.",
                    width_of(fonts.small, "SLOWER 88.88\u00d7")};
  if (!table.begin(ui, "raced", std::move(columns))) return;
  const auto& raced = out->result.raced;
  for (size_t i = 0; i < raced.size(); ++i) {
    const Record& r = raced[i];
    ImGui::PushID(int(i));
    table.row();
    if (table.target(kConfig, fmt::format("raced.{}", i))) bench.take(r.variant, r.config);
    tip_for_last(fmt::format("{} {}\nClick: make it the current config.", r.variant, attnscope::to_text(r.config)));
    table.text(kConfig, fonts.body, i == 0 ? colours::text : colours::soft, bench.short_name(r.variant, r.config));
    number_cell(table, kMedian, "median", r);
    number_cell(table, kSpread, "spread", r);
    if (i < out->result.words.size()) {
      const Record& base = *out->result.baseline;
      if (base.variant != r.variant || base.config != r.config)
        word_cell(table, kWord, out->result.words[i], "Against what would have run untuned, in turns.", true);
      else
        table.text(kWord, fonts.small, colours::faint, "untuned");
    }
    ImGui::PopID();
  }
  table.end();
}

void draw_tuning(Ui& ui) {
  const search::SearchOutcome* out = ui.bench.search.outcome();
  const bool raced = out && !out->result.raced.empty();
  // Where both have no room the race is what is left: it decided.
  if (const float room = ImGui::GetContentRegionAvail().x; !raced || room > px(420)) {
    column(
        "tuning.best", raced ? room * 0.36f : 0, [&] { best_plot(ui); }, false);
    ImGui::SameLine(0, px(12));
  }
  if (raced) column("tuning.raced", 0, [&] { finalists(ui); });
}

void dump_tuning(const Workbench& bench, Json& j) {
  Json& raced = j["tuning"]["raced"] = Json::array();
  const search::SearchOutcome* out = bench.search.outcome();
  for (size_t i = 0; out && i < out->result.raced.size(); ++i) {
    raced.push_back({{"config", out->result.raced[i].config}});
    if (i < out->result.words.size()) raced.back()["word"] = to_text(out->result.words[i].relation);
  }
  if (out) j["tuning"]["against"] = against_text(*out);
}

const PanelView tuning_view = {"tuning", "Progress", draw_tuning, dump_tuning};

void draw_search(Ui& ui) {
  Workbench& bench = ui.bench;
  if (!ui.requests.search)
    if (const auto look = bench.look_back()) ui.requests.search = look;
  result_line(ui);
  const PanelView* view = view_of(ui, search_panel);
  ImGui::BeginChild("search.controls", {std::min(px(kControlsWidth), ImGui::GetContentRegionAvail().x * 0.42f), 0}, 0,
                    kPart);
  begin_and_end(ui);
  if (view != &tuning_view && !bench.views.sweep.empty()) map_controls(ui, view == &map_view);
  if (!bench.search.measuring() && bench.search.trials().empty()) estimates(ui);
  search_progress(ui);
  ImGui::EndChild();
  ImGui::SameLine(0, px(14));
  ImGui::BeginChild("search.view", {0, 0}, 0, kPart | ImGuiWindowFlags_NoScrollbar);
  if (const std::string other = bench.search_of_other(); !other.empty())
    text_cut("Of " + other, ImGui::GetContentRegionAvail().x, colours::warning, fonts.small);
  const bool predicted = bench.views.sweep.grid.fastest() > 0;
  const bool blank = bench.views.sweep.empty() || (bench.search.trials().empty() && !predicted);
  if (blank && !bench.search.measuring())
    empty_hint("No search yet", "S tries each variant once and then the configs of the fastest ones.");
  else if (bench.views.sweep.empty())
    empty_hint("Planning", "Which configs are legal is being found out.");
  else
    view->draw(ui);
  ImGui::EndChild();
}

void dump_search(const Workbench& bench, Json& j) {
  const SearchState& s = bench.search;
  j["search"] = {{"running", s.running()},           {"measuring", s.measuring()},
                 {"trials", s.trials().size()},      {"recalled", s.progress().recalled},
                 {"can_accept", bench.can_accept()}, {"kept", s.kept()},
                 {"best", best_text(bench)},         {"strategy", name_of(bench.views.tuning.strategy)}};
}

const PanelView* const search_views[] = {&map_view, &lines_view, &tuning_view};

}  // namespace

const Panel search_panel = {
    .name = "search", .title = "Search", .draw = draw_search, .dump = dump_search, .views = search_views};

std::string search_line(const Workbench& bench) {
  const SearchState& s = bench.search;
  const std::string best =
      s.best() < 0 ? "" : fmt::format(", best {}", time_text(s.trials()[size_t(s.best())].median_ns));
  return fmt::format("searching {}: {}{}", to_text(s.asked().problem), how_far(bench), best);
}

std::string trial_name(const Workbench& bench, const SlimTrial& t) {
  const SearchState::Arm& arm = bench.search.arms()[t.arm];
  return bench.short_name(arm.arm.variant, bench.search.config(t));
}

std::vector<std::string> trial_lines(const Workbench& bench, const SlimTrial& t) {
  const Work work = work_of(bench.search.asked().problem);
  const std::string config = attnscope::to_text(bench.search.config(t));
  if (t.outcome == Outcome::measured) {
    std::string how = t.raced() ? fmt::format("in the race at the end, which decides\n{} by its trial of {} samples",
                                              time_text(t.tried_ns), t.samples)
                                : (t.dropped ? "" : "median of the ") + counted(t.samples, "sample") + " of its trial";
    if (!t.settled) how += ", with the device's clock below its top";
    if (t.recalled) how += ", from before";
    if (t.dropped) return {"clearly slower than the best", config, "stopped early: " + how};
    return {fmt::format("{}   {}", time_text(t.median_ns),
                        metric_text(Metric::tflops, in_metric(Metric::tflops, t.median_ns, work))),
            config, how};
  }
  const char* word = t.outcome == Outcome::refused          ? "cannot run"
                     : t.outcome == Outcome::failed_verdict ? "wrong result"
                                                            : "lost";
  return {word, config, t.message};
}

}  // namespace attnscope::gui
