// The problem in the top bar: its text, and below it every field and the presets.
#include "app/gui/panels/panel.hpp"

#include <cfloat>

#include "app/gui/model/labels.hpp"

namespace attnscope::gui {

std::vector<const ProblemPreset*> in_order(const std::vector<ProblemPreset>& presets, bool software) {
  std::vector<const ProblemPreset*> all;
  for (const ProblemPreset& p : presets) all.push_back(&p);
  const auto rank = [&](const ProblemPreset* p) {
    return p->name == (software ? "start-software" : "start-gpu") ? 0 : p->name == "quick" ? 1 : 2;
  };
  std::stable_sort(all.begin(), all.end(), [&](const auto* a, const auto* b) { return rank(a) < rank(b); });
  return all;
}

std::vector<PresetRow> find_presets(const std::vector<const ProblemPreset*>& presets, std::string_view typed) {
  std::vector<PresetRow> rows;
  for (const ProblemPreset* preset : presets)
    for (size_t i = 0; i < preset->problems.size(); ++i)
      if (find_words(typed, fmt::format("{} {} {} {}", preset->name, preset->summary, to_text(preset->problems[i]),
                                        preset->whose_of(i))))
        rows.push_back({preset, i});
  return rows;
}

namespace {

struct ProblemState {
  TextDraft text;
  std::map<std::string, TextDraft> numbers;  ///< of number fields, by widget
  std::string number;                        ///< the one being edited
  std::string words;                         ///< typed to find some presets
  size_t chosen = 0;                         ///< of those found, from 1: what Enter takes; 0 = none
};

constexpr float kPickerWide = 600,
                kPresetsHigh = 340;  ///< of what opens below the text, and of the presets in it; at scale 1

/// Which of `count` lines Enter takes, from 1, after this frame's keys; whether it is another.
bool step(size_t& chosen, size_t count) {
  const size_t before = chosen;
  if (ImGui::IsKeyPressed(ImGuiKey_DownArrow)) ++chosen;
  if (ImGui::IsKeyPressed(ImGuiKey_UpArrow) && chosen > 1) --chosen;
  chosen = std::min(chosen, count);
  return chosen != before;
}

/// The problem that was clicked, or nullptr. `chosen`: the line that is lit, from 1; 0 = none.
const Problem* rows_of(Ui& ui, const std::vector<PresetRow>& rows, size_t chosen, bool scroll) {
  const Problem* taken = nullptr;
  const ProblemPreset* under = nullptr;
  for (size_t r = 0; r < rows.size(); ++r) {
    const ProblemPreset& preset = *rows[r].preset;
    if (&preset != under) {
      under = &preset;
      text_in(fonts.bold, colours::soft, preset.summary.empty() ? preset.name : preset.summary);
      if (!preset.summary.empty() && !std::ranges::equal(preset.summary, preset.name, {}, ::tolower, ::tolower)) {
        ImGui::SameLine(0, px(8));
        text_in(fonts.small, colours::faint, preset.name);
        tip_for_last("The name of this preset");
      }
    }
    const Problem& problem = preset.problems[rows[r].problem];
    ImGui::PushFont(fonts.mono);
    if (ImGui::Selectable(fmt::format("  {}##{}.{}", to_text(problem), preset.name, rows[r].problem).c_str(),
                          r + 1 == chosen || problem == ui.bench.request.selection.problem))
      taken = &problem;
    ImGui::PopFont();
    const ImVec2 row = ImGui::GetItemRectMin();
    const float from = row.x + width_of(fonts.mono, "    " + to_text(problem));
    ImVec2 end{ImGui::GetItemRectMax().x,
               row.y + ImGui::GetStyle().ItemSpacing.y / 2 + fonts.mono->Ascent - fonts.small->Ascent};
    const auto note = [&](const std::string& text, ImU32 colour) {
      const float wide = std::min(width_of(fonts.small, text), end.x - px(8) - from);
      if (text.empty() || wide < px(20)) return;
      end.x -= wide + px(8);
      draw_cut(fonts.small, end, wide + 1, colour, text);
    };
    note(wait_text(ui.bench, problem), colours::warning);
    note(preset.whose_of(rows[r].problem), colours::soft);
    if (r + 1 == chosen && scroll) ImGui::SetScrollHereY();
    mark_with_tip(ui, fmt::format("problem.preset.{}.{}", preset.name, rows[r].problem),
                  preset.whose_of(rows[r].problem));
  }
  return taken;
}

void preset_list(Ui& ui) {
  Workbench& bench = ui.bench;
  std::string& words = ui.states.of<ProblemState>().words;
  size_t& chosen = ui.states.of<ProblemState>().chosen;
  if (ImGui::IsWindowAppearing()) {
    words.clear();
    chosen = 0;
    ImGui::SetKeyboardFocusHere();
  }
  const bool entered = text_field(ui, "problem.find", "Presets: type to find llama, decode, causal f16\u2026", words);
  const bool edited = ImGui::IsItemEdited();
  // Until something is typed or stepped to, none is lit: the list is looked through.
  if (edited) chosen = words.empty() ? 0 : 1;
  if (entered && chosen == 0) ImGui::SetKeyboardFocusHere(-1);
  const std::vector<PresetRow> rows = find_presets(in_order(bench.given.presets, bench.device_state.software()), words);
  const bool moved = step(chosen, rows.size());
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float below = ImGui::GetIO().DisplaySize.y - at.y - px(50);
  ImGui::BeginChild("##list", {0, std::clamp(below, px(120), px(kPresetsHigh))}, 0, kPart);
  if (bench.given.presets.empty())
    text_in(fonts.small, colours::faint, "No presets were found.");
  else if (rows.empty())
    text_in(fonts.small, colours::faint, fmt::format("No preset has '{}'.", words));
  if (rows.empty()) ui.mark("problem.preset.none");
  const Problem* taken = rows_of(ui, rows, chosen, moved || edited);
  ImGui::EndChild();
  if (entered && chosen > 0) taken = &rows[chosen - 1].preset->problems[rows[chosen - 1].problem];
  if (!taken) return;
  bench.request.set_problem(*taken);
  ImGui::CloseCurrentPopup();
}

/// An edit that makes no legal problem says why instead.
void number_field(Ui& ui, const char* label, const char* id, uint32_t Problem::*field, const char* tip) {
  const Problem& now = ui.bench.request.selection.problem;
  const auto take = [&](const std::string& text) -> Result<void> {
    uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
      return bad_input(fmt::format("{}: '{}' is not a whole number that fits.", label, text));
    Problem problem = now;
    problem.*field = value;
    if (field == &Problem::heads_q && now.heads_kv == now.heads_q) problem.heads_kv = value;
    if (field == &Problem::head_dim && now.v_dim == now.head_dim) problem.v_dim = value;
    TRY(check_problem(problem));
    ui.bench.request.set_problem(problem);
    return {};
  };
  text_in(fonts.small, colours::soft, label);
  ProblemState& state = ui.states.of<ProblemState>();
  TextDraft& draft = state.numbers[id];
  draft_field(
      ui, id, draft, -FLT_MIN, tip, take, [&] { return std::pair(to_text(now), std::to_string(now.*field)); },
      ImGuiInputTextFlags_CharsDecimal | ImGuiInputTextFlags_AutoSelectAll);
  if (ImGui::IsItemActive())
    state.number = id;
  else if (state.number == id)
    state.number.clear();
}

void text_form(Ui& ui, float width) {
  Workbench& bench = ui.bench;
  TextDraft& draft = ui.states.of<ProblemState>().text;
  const auto now = [&] { return to_text(bench.request.selection.problem); };
  const auto take = [&](const std::string& text) -> Result<void> {
    const Problem parsed = TRY(parse_problem(text));
    bench.request.set_problem(parsed);
    return {};
  };
  draft_field(ui, "problem.text", draft, width,
              "Text form: BATCHxHEADSxSEQxHEAD_DIM, then :q= :kv= :dv= :causal :f16 :scale= :window= :softcap= :sinks "
              ":mask :mask=alibi|causal :kvtype= :ktype= :vtype= :mla :topk= in any order.",
              take, [&] { return std::pair(now(), now()); });
}

void number_fields(Ui& ui) {
  Workbench& bench = ui.bench;
  if (!ImGui::BeginTable("fields", 4, ImGuiTableFlags_SizingStretchSame)) return;
  const auto next = [] {
    ImGui::TableNextColumn();
    ImGui::AlignTextToFramePadding();  // as ImGui does after the first column
  };
  const auto field = [&](const char* label, const char* id, uint32_t Problem::*member, const char* tip) {
    next();
    number_field(ui, label, id, member, tip);
  };
  field("batch", "problem.batch", &Problem::batch, "Sequences in the batch.");
  field("heads", "problem.heads", &Problem::heads_q, "Query heads.");
  field("KV heads", "problem.kv", &Problem::heads_kv,
        "Key and value heads; divides the query heads (grouped-query attention).");
  field("queries", "problem.q", &Problem::seq_q, "Query rows of each sequence (seq_q).");
  field("keys", "problem.seq", &Problem::seq_kv, "Keys and values of each sequence (seq_kv).");
  field("head dim", "problem.d", &Problem::head_dim, "Elements of one query or key.");
  field("value dim", "problem.dv", &Problem::v_dim, "Elements of one value and output row.");
  next();
  text_in(fonts.small, colours::soft, "storage");
  Problem changed = bench.request.selection.problem;
  choose(ui, "problem.dtype", {"f32", "f16", "bf16"}, changed.dtype, ImGui::GetContentRegionAvail().x);
  ImGui::EndTable();
  check_box(ui, "problem.causal", "causal", changed.causal,
            "Query i sees key j when j \u2264 i + keys \u2212 queries (aligned to the bottom right).");
  ImGui::SameLine(0, px(14));
  label(fmt::format("scale {:.4g}", changed.softmax_scale()));
  tip_for_last("Factor of the scores before the softmax; 1/\u221ahead_dim unless the text form gives :scale=.");
  for (const auto& [id, draft] : ui.states.of<ProblemState>().numbers)
    if (!draft.error.empty()) wrapped_in(colours::bad, draft.error);
  if (changed == bench.request.selection.problem) return;
  if (auto legal = check_problem(changed); legal)
    bench.request.set_problem(changed);
  else
    ui.states.of<ProblemState>().text.error = "Not taken: " + legal.error().message;
}

void note_below(ImU32 colour, const std::string& text, ImVec2 at) {
  ImGui::SetNextWindowPos(at);
  ImGui::SetNextWindowBgAlpha(1);
  ImGui::Begin("##problem.error", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoInputs | ImGuiWindowFlags_Tooltip);
  wrapped_in(colour, text, px(kPickerWide));
  ImGui::End();
}

}  // namespace

void problem_picker(Ui& ui, float width) {
  const float arrow = ImGui::GetFrameHeight();
  text_form(ui, width - arrow);
  const ImVec2 below{ImGui::GetItemRectMin().x, ImGui::GetItemRectMax().y + px(2)};
  ImGui::SameLine(0, 0);
  ImGui::PushStyleColor(ImGuiCol_Text, colours::soft);
  const bool clicked = ImGui::ArrowButton("##presets", ImGuiDir_Down);
  ImGui::PopStyleColor();
  mark_with_tip(ui, "problem.presets",
                "The problem number by number; those of published systems and models, odd, long and decode ones.");
  if (clicked || std::exchange(ui.shell.presets, false)) ImGui::OpenPopup("problem");
  const ProblemState& state = ui.states.of<ProblemState>();
  const float edge = px(10), screen = ImGui::GetIO().DisplaySize.x, wide = std::min(px(kPickerWide), screen - 2 * edge);
  ImGui::SetNextWindowPos({std::clamp(below.x, edge, screen - edge - wide), below.y});
  ImGui::SetNextWindowSize({wide, 0});
  if (!ImGui::BeginPopup("problem", ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings)) {
    if (!state.text.error.empty()) return note_below(colours::bad, state.text.error, below);
    if (state.text.text == to_text(ui.bench.request.selection.problem)) return;
    const auto typed = parse_problem(state.text.text);
    const std::string wait = typed ? wait_text(ui.bench, *typed) : "";
    if (!wait.empty()) note_below(colours::warning, "First sample in " + wait + ".", below);
    return;
  }
  if (ImGui::IsKeyPressed(ImGuiKey_Escape, false) && state.number.empty()) ImGui::CloseCurrentPopup();
  number_fields(ui);
  if (!state.text.error.empty()) wrapped_in(colours::bad, state.text.error);
  ImGui::Separator();
  preset_list(ui);
  ImGui::EndPopup();
}

}  // namespace attnscope::gui
