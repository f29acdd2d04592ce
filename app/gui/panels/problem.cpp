// The problem editor: presets, every field, the text form.
#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include "app/gui/panels/dump.hpp"
#include "app/gui/panels/preset_list.hpp"
#include "app/gui/widgets.hpp"

namespace attnscope::gui {
namespace {

void refused(Ui& ui, const std::string& why) {
  ui.drafts.problem_error = "Not taken: " + why;
  ui.drafts.refused_at = ui.bench.asked.ask;
}

/// A field whose edit takes effect on Enter, Tab or when it is left by the mouse; Escape takes it back. An edit that
/// makes no legal problem says why instead.
void number_field(Ui& ui, const char* label, const char* id, uint32_t Problem::*field, const char* tip, float width) {
  Problem problem = ui.bench.asked.ask.problem;
  ImGui::BeginGroup();
  text_in(fonts.small, colours::soft, label);
  ImGui::PushFont(fonts.mono);
  ImGui::SetNextItemWidth(width);
  // ImGui's own number field forgets its text unless Enter ends it, so the text is kept here.
  std::string& draft = ui.drafts.numbers[id];
  if (ui.drafts.number != id) draft = std::to_string(problem.*field);
  ImGui::InputText((std::string("##") + id).c_str(), &draft,
                   ImGuiInputTextFlags_CharsDecimal | ImGuiInputTextFlags_AutoSelectAll);
  const bool left = ImGui::IsItemDeactivatedAfterEdit();
  if (ImGui::IsItemActive())
    ui.drafts.number = id;
  else if (ui.drafts.number == id)
    ui.drafts.number.clear();
  ImGui::PopFont();
  ui.mark(id);
  tip_for_last(tip);
  ImGui::EndGroup();
  if (!left) return;
  const auto refuse = [&](const std::string& why) { refused(ui, why); };
  uint32_t value = 0;
  const auto [end, error] = std::from_chars(draft.data(), draft.data() + draft.size(), value);
  if (error != std::errc() || end != draft.data() + draft.size())
    return refuse(fmt::format("{}: '{}' is no whole number that fits.", label, draft));
  if (value == problem.*field) return ui.drafts.problem_error.clear();
  const bool same_kv = field == &Problem::heads_q && problem.heads_kv == problem.heads_q;
  const bool same_dv = field == &Problem::head_dim && problem.v_dim == problem.head_dim;
  problem.*field = value;
  if (same_kv) problem.heads_kv = problem.heads_q;
  if (same_dv) problem.v_dim = problem.head_dim;
  if (auto legal = check_problem(problem); !legal) return refuse(legal.error().message);
  ui.drafts.problem_error.clear();
  ui.bench.set_problem(problem);
}

void text_form(Ui& ui) {
  Workbench& bench = ui.bench;
  Drafts& drafts = ui.drafts;
  ImGui::PushFont(fonts.mono);
  ImGui::SetNextItemWidth(-FLT_MIN);
  const bool entered = ImGui::InputText("##problem", &drafts.problem, ImGuiInputTextFlags_EnterReturnsTrue);
  const bool editing = ImGui::IsItemActive(), left = ImGui::IsItemDeactivatedAfterEdit();
  ImGui::PopFont();
  ui.mark("problem.text");
  // Below the field stands what is wrong: the words of a hover would lie over it.
  if (drafts.problem_error.empty())
    tip_for_last(
        "Text form: BATCHxHEADSxSEQxHEAD_DIM, then :q= :kv= :dv= :causal :f16 :scale= :window= :softcap= :sinks :mask "
        ":mask=alibi :kvtype=q8_0 in any order.");
  if (entered || left) {
    if (auto parsed = parse_problem(drafts.problem)) {
      drafts.problem_error.clear();
      bench.set_problem(*parsed);
    } else {
      drafts.problem_error = "Not taken: " + parsed.error().message;
    }
  }
  // What was refused stays to be mended; Escape brings back what is asked.
  const bool dropped = !drafts.problem_error.empty() && !editing && ImGui::IsKeyPressed(ImGuiKey_Escape);
  if (!editing && (drafts.problem_of != bench.asked.ask.problem || dropped)) {
    drafts.problem = to_text(bench.asked.ask.problem);
    drafts.problem_of = bench.asked.ask.problem;
    drafts.problem_error.clear();
  }
  // A field goes back to what is asked by itself: its error has been read once something else was done.
  if (drafts.problem == to_text(bench.asked.ask.problem) && drafts.refused_at != bench.asked.ask && !editing)
    drafts.problem_error.clear();
  if (!drafts.problem_error.empty()) wrapped_in(colours::bad, drafts.problem_error);
}

void draw(Ui& ui) {
  Workbench& bench = ui.bench;
  preset_list(ui);
  text_form(ui);
  // Two fields a row where three could not hold six digits.
  const float gap = ImGui::GetStyle().ItemSpacing.x, room = ImGui::GetContentRegionAvail().x,
              left = ImGui::GetCursorPosX();
  const int in_row = room < px(216) ? 2 : 3;
  const float wide = (room - float(in_row - 1) * gap) / float(in_row);
  // Each field begins at its column's edge and at its row's top, whatever its neighbour's height.
  float top = 0;
  int next = 0;
  const auto place = [&] {
    if (next == 0) top = ImGui::GetCursorPosY();
    ImGui::SetCursorPos({left + float(next) * (wide + gap), top});
    next = (next + 1) % in_row;
  };
  const auto field = [&](const char* label, const char* id, uint32_t Problem::*member, const char* tip) {
    place();
    number_field(ui, label, id, member, tip, wide);
  };
  field("batch", "problem.batch", &Problem::batch, "Sequences in the batch.");
  field("heads", "problem.heads", &Problem::heads_q, "Query heads.");
  field("KV heads", "problem.kv", &Problem::heads_kv,
        "Key and value heads; divides the query heads (grouped-query attention).");
  field("queries", "problem.q", &Problem::seq_q, "Query rows of each sequence (seq_q).");
  field("keys", "problem.seq", &Problem::seq_kv, "Keys and values of each sequence (seq_kv).");
  field("head dim", "problem.d", &Problem::head_dim, "Elements of one query or key.");
  field("value dim", "problem.dv", &Problem::v_dim, "Elements of one value and output row.");
  if (in_row == 2) next = 0;  // the storage types take a row of their own
  const float rest = in_row == 2 ? room : room - wide - gap;
  place();
  ImGui::BeginGroup();
  text_in(fonts.small, colours::soft, "storage");
  const int dtype = segmented(ui, "problem.dtype", {"f32", "f16", "bf16"}, int(bench.asked.ask.problem.dtype), rest);
  ImGui::EndGroup();
  Problem changed = bench.asked.ask.problem;
  if (dtype >= 0) changed.dtype = DType(dtype);
  ImGui::Checkbox("causal", &changed.causal);
  ui.mark("problem.causal");
  tip_for_last("Query i sees key j when j \u2264 i + keys \u2212 queries (aligned to the bottom right).");
  ImGui::SameLine(0, px(14));
  const std::string scale = fmt::format("scale {:.4g}", changed.softmax_scale());
  text_in(fonts.small, colours::soft, scale);
  tip_for_last("Factor of the scores before the softmax; 1/\u221ahead_dim unless the text form gives :scale=.");
  if (changed == bench.asked.ask.problem) return;
  if (auto legal = check_problem(changed); legal)
    bench.set_problem(changed);
  else
    refused(ui, legal.error().message);
}

void dump(const Workbench& bench, Json& j) { j["ask"] = ask_json(bench.asked.ask); }

}  // namespace

const Panel problem_panel = {"problem", "Problem", Place::left, draw, dump};

}  // namespace attnscope::gui
