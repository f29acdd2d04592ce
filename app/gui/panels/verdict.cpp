// The verdict light, with the numbers behind it.
#include <fmt/format.h>

#include "app/gui/panels/dump.hpp"
#include "app/gui/widgets.hpp"

namespace attnscope::gui {
namespace {

struct Light {
  ImU32 colour;
  const char* word;
  std::string why;
};

Light light(const Workbench& bench) {
  const Inspection* inspection = bench.current_inspection();
  if (inspection && !inspection->why_not.empty()) return {colours::warning, "Refused", inspection->why_not};
  const Live* live = bench.shown();
  if (!live) return {colours::faint, bench.asked.paused ? "Not run" : "Waiting", ""};
  if (!live->failure.empty())
    return live->ended == Outcome::refused ? Light{colours::warning, "Refused", live->failure}
                                           : Light{colours::bad, "Lost", live->failure};
  if (!live->verdict) return {colours::accent, bench.asked.paused ? "Not run" : "Verifying\u2026", ""};
  if (!live->verdict->pass) return {colours::bad, "Wrong", live->verdict->reason};
  return {colours::good, "Correct", ""};
}

void draw(Ui& ui) {
  const Workbench& bench = ui.bench;
  const Light l = light(bench);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float size = fonts.title->FontSize * 1.25f;
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const ImVec2 centre{at.x + size / 2, at.y + size / 2};
  draw->AddCircleFilled(centre, size * 0.5f, with_alpha(l.colour, 0.22f));
  draw->AddCircleFilled(centre, size * 0.34f, l.colour);
  ImGui::Dummy({size, size});
  ui.mark("verdict.light");
  ImGui::SameLine(0, px(9));
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() + (size - fonts.title->FontSize) / 2);
  text_in(fonts.title, l.colour, l.word);
  if (!l.why.empty()) wrapped_in(colours::soft, l.why);
  const Live* live = bench.shown();
  if (!live || !live->verdict) {
    if (l.why.empty())
      wrapped_in(colours::faint, "Every config is checked against a double-precision CPU reference before it is timed.");
    return;
  }
  const Verdict& v = *live->verdict;
  const auto number = [](double value) { return fmt::format("{:.2e}", value); };
  const auto mark = [](bool fine) { return fine ? colours::text : colours::bad; };
  fact("max abs error", number(v.max_abs), mark(v.max_abs <= v.allowed_max_abs));
  fact("  allowed", number(v.allowed_max_abs), colours::soft,
       "Twice the error of a CPU run at the variant's own precision, plus 1e-5.");
  fact("mean abs error", number(v.mean_abs));
  fact("NMSE", number(v.nmse), mark(v.nmse <= v.allowed_nmse));
  fact("  allowed", number(v.allowed_nmse), colours::soft);
  fact("NaN or Inf", count_text(v.nan_count), mark(v.nan_count == 0));
  fact("not written", count_text(v.unwritten_count), mark(v.unwritten_count == 0),
       "Elements that still hold the poison they were filled with before the run.");
  fact("padding", v.guard_intact ? "intact" : "overwritten", mark(v.guard_intact));
  fact("rows checked", fmt::format("{} of {}", count_text(v.rows_checked), count_text(v.rows_total)));
  if (!v.worst) return;
  fact("worst element", fmt::format("[{},{},{},{}]", v.worst->batch, v.worst->head, v.worst->query, v.worst->dim),
       colours::text, "batch, head, query, dim");
  fact("  got", fmt::format("{:.6g}", v.worst->got), colours::soft);
  fact("  expected", fmt::format("{:.6g}", v.worst->expected), colours::soft);
}

void dump(const Workbench& bench, Json& j) { j["verdict_word"] = light(bench).word; }

}  // namespace

const Panel verdict_panel = {"verdict", "Verdict", Place::right, draw, dump};

}  // namespace attnscope::gui
