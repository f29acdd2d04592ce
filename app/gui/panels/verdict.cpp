// The verdict light, with the numbers behind it.
#include <fmt/format.h>

#include "app/gui/explain_tables.hpp"
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
  if (const VariantInfo* v = bench.current_variant(); v && !v->error.empty()) return {colours::bad, "Did not load", ""};
  const Inspection* inspection = bench.current_inspection();
  if (inspection && !inspection->why_not.empty())
    return inspection->broken ? Light{colours::bad, "Does not compile", inspection->why_not}
                              : Light{colours::warning, "Refused", inspection->why_not};
  const Live* live = bench.shown();
  if (!live) return {colours::faint, bench.asked.paused ? "Not run" : "Waiting", ""};
  if (!live->failure.empty())
    return live->ended == Outcome::refused ? Light{colours::warning, "Refused", live->failure}
                                           : Light{colours::bad, "Lost", live->failure};
  if (!live->verdict) return {colours::accent, bench.asked.paused ? "Not run" : "Verifying\u2026", ""};
  if (!live->verdict->pass) return {colours::bad, "Wrong", live->verdict->reason};
  return {colours::good, "Correct", ""};
}

/// What the verdict rests on when that is not every row; "" when it is.
std::string sampled(const Verdict& v) {
  if (v.rows_checked >= v.rows_total) return "";
  if (v.all_on_device)
    return fmt::format(
        "{} of {} rows by the CPU, and every element against a reference that the device computed and "
        "those rows judged.",
        count_text(v.rows_checked), count_text(v.rows_total));
  return fmt::format("From a sample: {} of {} rows checked, every element checked for NaN and being written.",
                     count_text(v.rows_checked), count_text(v.rows_total));
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
      wrapped_in(colours::faint,
                 "Every config is checked against a double-precision CPU reference before it is timed.");
    return;
  }
  const Verdict& v = *live->verdict;
  if (const std::string sample = sampled(v); !sample.empty()) {
    wrapped_in(colours::soft, sample);
    tip_for_last(explain::rows_checked);
  }
  const auto number = [](double value) { return fmt::format("{:.2e}", value); };
  const auto mark = [](bool fine) { return fine ? colours::text : colours::bad; };
  fact("max abs error", number(v.max_abs), mark(v.max_abs <= v.allowed_max_abs), explain::max_abs);
  fact("  allowed", number(v.allowed_max_abs), colours::soft, explain::allowed_max_abs);
  fact("mean abs error", number(v.mean_abs), colours::text, explain::mean_abs);
  fact("NMSE", number(v.nmse), mark(v.nmse <= v.allowed_nmse), explain::nmse);
  fact("  allowed", number(v.allowed_nmse), colours::soft, explain::allowed_nmse);
  fact("NaN or Inf", count_text(v.nan_count), mark(v.nan_count == 0), explain::nan);
  fact("not written", count_text(v.unwritten_count), mark(v.unwritten_count == 0), explain::unwritten);
  fact("padding", v.guard_intact ? "intact" : "overwritten", mark(v.guard_intact), explain::padding);
  if (v.rows_checked >= v.rows_total)
    fact("rows checked", "all " + count_text(v.rows_total), colours::text, explain::rows_checked);
  if (!v.worst) return;
  fact("worst element", fmt::format("[{},{},{},{}]", v.worst->batch, v.worst->head, v.worst->query, v.worst->dim),
       colours::text, explain::worst);
  fact("  got", fmt::format("{:.9g}", v.worst->got), colours::soft, explain::got);
  fact("  expected", fmt::format("{:.9g}", v.worst->expected), colours::soft, explain::expected);
}

void dump(const Workbench& bench, Json& j) {
  j["verdict_word"] = light(bench).word;
  const Live* live = bench.shown();
  j["verdict_sample"] = live && live->verdict ? sampled(*live->verdict) : "";
}

}  // namespace

const Panel verdict_panel = {"verdict", "Verdict", Place::right, draw, dump};

}  // namespace attnscope::gui
