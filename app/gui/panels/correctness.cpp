// Where a result is wrong: the error of one batch and head over (query, dim), and how near it comes to what is allowed.

#include "app/gui/model/explain.hpp"
#include "app/gui/panels/panel.hpp"

namespace attnscope::gui {
namespace {

/// Cells that are drawn at most: more are smaller than a hand can point at, and cost every frame.
constexpr uint32_t kMostColumns = 96, kMostRows = 72;
constexpr size_t kNamedHeads = 256;

std::string number(double value) { return fmt::format("{:.1e}", value); }

std::string place_text(const ErrorElement& e) { return fmt::format("[{},{},{},{}]", e.batch, e.head, e.query, e.dim); }

void look_row(Ui& ui) {
  Workbench& bench = ui.bench;
  const Inspection* inspection = bench.request.inspection();
  const bool legal = inspection && inspection->why_not.empty();
  const bool can = bench.device_state.device && bench.request.loaded() && legal && !bench.jobs.now.running &&
                   !bench.search.measuring();
  if (bench.jobs.runs(JobKind::errors))
    return cancel_button(ui, "correctness.cancel", "Cancel", "Stop computing the reference");
  if (button(ui, "correctness.look", bench.errors() ? "Look again" : "Map the errors",
             "Runs the config once on the inputs of its verdict and compares a head with the CPU's reference.", can,
             !bench.errors()))
    ui.requests.job = ui.bench.look_at_errors();
}

double share_of(double value, double allowed) { return allowed > 0 ? value / allowed : value > 0 ? 2 : 0; }

void rule(const char* name, double value, double allowed, const char* tip) {
  fact_of_limit(name, value, allowed, fmt::format("{} of {}", number(value), number(allowed)), tip);
  tip_for_last(fmt::format("{:.2g} % of what is allowed", 100 * share_of(value, allowed)));
}

void verdict_facts(const Verdict& v) {
  const auto faults = [&](bool broken) {
    const ImU32 ink = broken ? colours::bad : colours::text;
    if ((v.unwritten_count > 0) == broken) fact("not written", count_text(v.unwritten_count), ink, explain::unwritten);
    if ((v.nan_count > 0) == broken) fact("NaN or Inf", count_text(v.nan_count), ink, explain::nan);
    if (!v.guard_intact == broken) fact("out-of-bounds writes", broken ? "found" : "none", ink, explain::padding);
  };
  // What is broken is said before errors that may all be small: they are those of the numbers that were written.
  faults(true);
  rule("max abs", v.max_abs, v.allowed_max_abs, explain::max_abs);
  rule("NMSE", v.nmse, v.allowed_nmse, explain::nmse);
  // Of rows whose errors are too small to be judged there is none.
  if (v.allowed_row_nmse && v.row_nmse > 0) rule("row NMSE", v.row_nmse, *v.allowed_row_nmse, explain::row_nmse);
  fact("mean abs", number(v.mean_abs), colours::text, explain::mean_abs);
  faults(false);
  const bool all = v.rows_checked >= v.rows_total;
  fact("rows checked", (all ? "all " : count_text(v.rows_checked) + " of ") + count_text(v.rows_total), colours::text,
       explain::rows_checked);
  if (!all && v.all_on_device) wrapped_in(colours::soft, "All others by a reference of the device that those judged.");
}

void head_facts(Ui& ui, const ErrorMapAnswer& answer) {
  const ErrorMap& map = *answer.map;
  const Verdict& v = *answer.record.verdict;
  fact("batch, head", fmt::format("{}, {}", map.batch, map.head));
  ImGui::PushFont(fonts.small);
  if (ui.bench.jobs.correctness.head &&
      button(ui, "correctness.worst_head", "worst head", "The head with the largest error")) {
    ui.bench.jobs.correctness.head.reset();
    ui.requests.job = ui.bench.look_at_errors();
  }
  ImGui::PopFont();
  fact("failing", fmt::format("{} of {}", count_text(map.failing), count_text(map.rows_checked * map.dims)),
       map.failing ? colours::bad : colours::good,
       "Elements of this head further from the reference than is allowed of them, or no numbers.");
  if (map.rows_checked < map.queries)
    fact("rows compared", fmt::format("{} of {}", count_text(map.rows_checked), count_text(map.queries)),
         colours::warning, "The CPU has no time for all of this head's: a row at random of each stretch.");
  if (!v.pass && map.failing == 0) wrapped_in(colours::warning, v.reason);
}

/// Its map shows nothing: the one execution it is of is right.
bool wrong_later(const Live* live, const ErrorMapAnswer& answer) {
  return live && live->wrong() && answer.record.verdict->pass && answer.map->failing == 0;
}

void facts(Ui& ui, const ErrorMapAnswer* answer) {
  Workbench& bench = ui.bench;
  const VerdictLight light = verdict_light(bench);
  const Live* live = bench.live.shown();
  lamp(light.colour, true);
  ImGui::SameLine(0, px(5));
  ImGui::AlignTextToFramePadding();
  text_in(fonts.bold, light.colour, light.word);
  flow(px(130));
  look_row(ui);
  if (!light.why.empty() && !(live && live->verdict)) wrapped_in(colours::soft, light.why);
  if (!bench.jobs.correctness.failure.empty() && bench.errors_tried())
    wrapped_in(colours::bad, bench.jobs.correctness.failure);
  if (answer && !wrong_later(live, *answer)) head_facts(ui, *answer);
  if (live && live->verdict) verdict_facts(*live->verdict);
}

void heads_strip(Ui& ui, const ErrorMap& map, float width) {
  const size_t count = map.heads.size();
  const float name = width_of(fonts.small, "heads") + px(6);
  width -= name;
  if (count < 2 || width / float(count) < 1) return;
  ImDrawList* draw = ImGui::GetWindowDrawList();
  ImVec2 at = ImGui::GetCursorScreenPos();
  const float each = std::min(px(22), width / float(count)), tall = px(13);
  const uint32_t heads = uint32_t(count) / ui.bench.request.selection.problem.batch;
  draw_text({at.x, at.y + (tall - fonts.small->FontSize) / 2}, colours::soft, "heads");
  at.x += name;
  ImGui::SetCursorScreenPos(at);
  hit_area("##heads", {each * float(count), tall});
  const bool hovered = ImGui::IsItemHovered(), clicked = ImGui::IsItemClicked();
  const float mouse = ImGui::GetIO().MousePos.x;
  for (size_t i = 0; i < count; ++i) {
    const ImVec2 min{at.x + each * float(i), at.y}, max{min.x + std::max(1.f, each - 1), at.y + tall};
    draw->AddRectFilled(min, max, error_colour(map.heads[i]));
    const uint32_t batch = uint32_t(i) / heads, head = uint32_t(i) % heads;
    if (i < kNamedHeads) ui.mark(fmt::format("correctness.head.{}.{}", batch, head), min, max);
    if (batch == map.batch && head == map.head) draw->AddRect(min, max, colours::text, 0, 0, px(1.5f));
    if (!hovered || mouse < min.x || mouse >= min.x + each) continue;
    ImGui::SetTooltip("batch %u, head %u\nworst of its rows: %s", batch, head, error_text(map.heads[i]).c_str());
    if (!clicked || ui.bench.jobs.now.running) continue;
    ui.bench.jobs.correctness.head = std::pair(batch, head);
    ui.requests.job = ui.bench.look_at_errors();
  }
}

void tell_cell(const ErrorMap& map, const ErrorGrid& grid, uint32_t x, uint32_t y) {
  const uint32_t q0 = y * grid.queries, q1 = std::min(map.queries, q0 + grid.queries) - 1;
  const uint32_t d0 = x * grid.dims, d1 = std::min(map.dims, d0 + grid.dims) - 1;
  const auto range = [](uint32_t a, uint32_t b) {
    return a == b ? fmt::format("{}", a) : fmt::format("{}\u2013{}", a, b);
  };
  const bool one = q0 == q1 && d0 == d1;
  ImGui::SetTooltip("query %s, dim %s\n%s%s", range(q0, q1).c_str(), range(d0, d1).c_str(),
                    one ? "" : "worst: ", error_text(grid.cells[size_t{y} * grid.columns + x]).c_str());
}

void image(Ui& ui, const ErrorMap& map) {
  Workbench& bench = ui.bench;
  const float line = fonts.small->FontSize + px(2);
  heads_strip(ui, map, ImGui::GetContentRegionAvail().x);
  const ImVec2 origin = ImGui::GetCursorScreenPos(), space = ImGui::GetContentRegionAvail();
  const float scale = width_of(fonts.small, "allowed") + px(23);
  const ImVec2 room{std::max(px(40), space.x - scale), std::max(px(30), space.y - line)};
  const ErrorGrid& grid = bench.jobs.correctness.grid(std::min(kMostColumns, uint32_t(room.x / px(3))),
                                                      std::min(kMostRows, uint32_t(room.y / px(2))));
  if (grid.cells.empty()) return;
  const ImVec2 cell{std::min(room.x / float(grid.columns), px(18)), std::min(room.y / float(grid.rows), px(18))};
  const ImVec2 min = origin, max{min.x + cell.x * float(grid.columns), min.y + cell.y * float(grid.rows)};
  ImGui::SetCursorScreenPos(min);
  hit_area("##errors", {max.x - min.x, max.y - min.y});
  ui.mark("correctness.image", min, max);
  const bool hovered = ImGui::IsItemHovered(), clicked = ImGui::IsItemClicked();
  plot_menu(ui, "correctness.image");
  ImDrawList* draw = ImGui::GetWindowDrawList();
  draw->AddRectFilled(min, max, colours::raised);
  const float gap = std::min(cell.x, cell.y) > px(6) ? 1.f : 0.f;
  for (uint32_t y = 0; y < grid.rows; ++y)
    for (uint32_t x = 0; x < grid.columns; ++x) {
      const double ratio = grid.cells[size_t{y} * grid.columns + x];
      if (class_of(ratio) == ErrorClass::unchecked) continue;
      const ImVec2 a{min.x + cell.x * float(x), min.y + cell.y * float(y)};
      const ImVec2 b{a.x + cell.x - gap, a.y + cell.y - gap};
      draw->AddRectFilled(a, b, error_colour(ratio));
      if (class_of(ratio) == ErrorClass::not_a_number && cell.x >= px(3))
        draw->AddLine({a.x, b.y}, {b.x, a.y}, colours::window, px(1));
    }
  if (const ErrorElement* e = bench.jobs.correctness.element(); e && e->batch == map.batch && e->head == map.head) {
    const ImVec2 a{min.x + cell.x * float(uint32_t{e->dim / grid.dims}),
                   min.y + cell.y * float(uint32_t{e->query / grid.queries})};
    const float out = px(2);
    draw->AddRect({a.x - out, a.y - out}, {a.x + cell.x + out, a.y + cell.y + out}, colours::text, 0, 0, px(1.5f));
  }
  draw_cut(fonts.small, {min.x, max.y + px(1)}, space.x, colours::soft,
           fmt::format("{} dims \u2192 {} queries \u2193", map.dims, count_text(map.queries)));
  const float left = max.x + px(8), high = fonts.small->FontSize, tall = std::min(max.y - min.y, px(150));
  draw->AddRectFilled({left, min.y}, {left + px(10), min.y + high}, colours::bad);
  draw_text({left + px(15), min.y}, colours::soft, "failing");
  heat_scale({left, min.y + high + px(4)}, tall - high - px(4), kBrightestError,
             {"allowed", "1/10", "1/100", "1/1000"});
  if (!hovered) return;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const auto x = std::min(grid.columns - 1, uint32_t(std::max(0.f, (mouse.x - min.x) / cell.x)));
  const auto y = std::min(grid.rows - 1, uint32_t(std::max(0.f, (mouse.y - min.y) / cell.y)));
  tell_cell(map, grid, x, y);
  if (!clicked) return;
  // To the first failing element in it, of those that are listed.
  for (size_t i = 0; i < map.first.size(); ++i)
    if (map.first[i].query / grid.queries == y && map.first[i].dim / grid.dims == x) {
      bench.jobs.correctness.at = i;
      return;
    }
}

std::string allowed_text(double share) {
  if (share >= 10) return short_number(share) + "\u00d7 allowed";
  return share < 0.005 ? "under 1 % of allowed" : fmt::format("{:.0f} % of allowed", 100 * share);
}

void element_facts(const ErrorElement& e) {
  fact("  got", e.what.empty() ? fmt::format("{:.7g}", e.got) : e.what, e.what.empty() ? colours::text : colours::bad);
  fact("  expected", fmt::format("{:.7g}", e.expected));
  if (!e.what.empty()) return;
  const double error = std::abs(e.got - e.expected);
  fact("  error", fmt::format("{}, {}", number(error), allowed_text(e.allowed > 0 ? error / e.allowed : 0)),
       error <= e.allowed ? colours::text : colours::bad,
       "Its distance from the reference, and how much of what is allowed that is.");
}

void stepper(Ui& ui, const ErrorMap& map) {
  Correctness& c = ui.bench.jobs.correctness;
  const bool several = map.first.size() > 1;
  if (button(ui, "correctness.previous", "<", "The failing element before", several)) c.step(-1);
  ImGui::SameLine(0, px(4));
  if (button(ui, "correctness.next", ">", "The next failing element", several)) c.step(1);
  ImGui::SameLine(0, px(8));
  label(fmt::format("{} of {}", c.at + 1, count_text(map.first.size())));
  tip_for_last(fmt::format("Listed of {} that fail", count_text(map.failing)));
}

void elements(Ui& ui, const ErrorMap& map) {
  if (!map.first.empty()) stepper(ui, map);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {ImGui::GetStyle().ItemSpacing.x, px(1)});
  if (!map.first.empty()) {
    const ErrorElement& e = map.first[std::min(ui.bench.jobs.correctness.at, map.first.size() - 1)];
    fact("element", place_text(e), colours::text, "Batch, head, query and dim of the element that is outlined.");
    element_facts(e);
  }
  if (map.worst) {
    fact("worst", place_text(*map.worst), colours::text,
         "The element of this head with the largest error for what is allowed: batch, head, query, dim.");
    if (map.first.empty()) element_facts(*map.worst);
  }
  if (map.first_of_all)
    fact("breaks first", place_text(*map.first_of_all), colours::bad,
         "The failing element of the lowest index in the whole output, of the rows that the verdict compared and of "
         "this head's; what is no number is looked for everywhere.");
  ImGui::PopStyleVar();
}

/// What was compared where a later execution is wrong, or what the time says.
void later_facts(Ui& ui, const Verdict& v, float width) {
  text_in(fonts.bold, colours::text, "The first execution is right in every element; a later check is not.");
  ui.mark("correctness.later");
  wrapped_in(colours::bad, v.reason);
  if (!v.worst || v.max_abs <= v.allowed_max_abs) return;
  const WorstElement& w = *v.worst;
  column("correctness.got", width, [&] {
    const ErrorElement e{w.batch, w.head, w.query, w.dim, w.got, w.expected, v.allowed_max_abs, ""};
    fact("element", place_text(e));
    element_facts(e);
  });
}

void draw_correctness(Ui& ui) {
  Workbench& bench = ui.bench;
  // A wrong result is looked at unasked: nothing is sampled then.
  const Live* live = bench.live.shown();
  if (live && live->wrong() && live->stage.empty() && !bench.errors_tried() && bench.jobs.text().empty() &&
      !bench.search.measuring())
    ui.requests.job = ui.bench.look_at_errors();
  const ErrorMapAnswer* answer = bench.errors();
  begin_wide("correctness.columns", 560);
  const float width = ImGui::GetContentRegionAvail().x, gap = px(14);
  const float side = std::clamp(width * 0.32f, px(172), px(236));
  column("correctness.facts", side, [&] { facts(ui, answer); });
  ImGui::SameLine(0, gap);
  if (answer && wrong_later(live, *answer)) {
    column("correctness.later", 0, [&] { later_facts(ui, *live->verdict, side); });
    return ImGui::EndChild();
  }
  if (!answer) {
    column("correctness.empty", 0, [&] {
      if (bench.jobs.runs(JobKind::errors))
        return empty_hint("Comparing", "It is run once, and the CPU computes the reference of one head.");
      if (!(live && live->verdict) && !verdict_light(bench).why.empty())
        return empty_hint("Nothing to map", "What does not run has no result.");
      empty_hint("Not mapped yet",
                 "Map the errors: where a result is off, which element is worst, and how near the tolerance it comes.");
    });
    return ImGui::EndChild();
  }
  column(
      "correctness.map", width - 2 * side - 2 * gap, [&] { image(ui, *answer->map); }, false);
  ImGui::SameLine(0, gap);
  column("correctness.elements", 0, [&] { elements(ui, *answer->map); });
  ImGui::EndChild();
}

void dump_correctness(const Workbench& bench, Json& j) { j["verdict_word"] = verdict_light(bench).word; }

}  // namespace

bool can_pin(const Workbench& bench) { return bench.live.timed() || verdict_light(bench).why.empty(); }

VerdictLight verdict_light(const Workbench& bench) {
  if (const VariantInfo* v = bench.request.variant(); v && !v->error.empty())
    return {colours::bad, "Not run", "", v->error};
  const Inspection* inspection = bench.request.inspection();
  if (inspection && !inspection->why_not.empty())
    return inspection->broken ? VerdictLight{colours::bad, "Does not compile", "", inspection->why_not}
                              : VerdictLight{colours::warning, "Refused", "", inspection->why_not};
  const Live* live = bench.live.shown();
  if (live && live->ended == Outcome::refused && !live->failure.empty())
    return {colours::warning, "Refused", "", live->failure};
  if (std::string why = bench.stuck(); !why.empty()) return {colours::bad, "Lost", "", std::move(why)};
  const char* before = bench.request.paused ? "Not run" : live ? "Verifying\u2026" : "Waiting";
  if (!live || !live->verdict) return {colours::soft, before};
  const Verdict& v = *live->verdict;
  if (!v.pass) return {colours::bad, "Wrong", "", v.reason};
  const double share = std::max({share_of(v.max_abs, v.allowed_max_abs), share_of(v.nmse, v.allowed_nmse),
                                 v.allowed_row_nmse ? share_of(v.row_nmse, *v.allowed_row_nmse) : 0});
  return {colours::good, "Correct", allowed_text(share)};
}

const Panel correctness_panel = {
    .name = "correctness", .title = "Correctness", .draw = draw_correctness, .dump = dump_correctness};

}  // namespace attnscope::gui
