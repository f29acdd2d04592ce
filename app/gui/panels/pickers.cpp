// The problem in the top bar: its text, and below it every field and the presets.
// The variants below its name there: every folder that was found, with why one cannot serve the problem or the device.

#include "app/gui/panels/panel.hpp"

namespace attnscope::gui {

std::vector<const ProblemPreset*> in_order(const std::vector<ProblemPreset>& presets, bool software) {
  std::vector<const ProblemPreset*> all = mapped(presets, [](const ProblemPreset& p) { return &p; });
  std::ranges::stable_sort(all, {}, [&](const ProblemPreset* p) {
    return p->name == (software ? "start-software" : "start-gpu") ? 0 : p->name == "quick" ? 1 : 2;
  });
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
  const float below = ImGui::GetIO().DisplaySize.y - ImGui::GetCursorScreenPos().y - px(50);
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

/// Below the field, whole.
void note_below(Ui& ui, ImU32 colour, const std::string& text, ImVec2 field) {
  const float room = ImGui::GetIO().DisplaySize.x - field.x - px(28);
  ImGui::SetNextWindowPos(field);
  ImGui::SetNextWindowBgAlpha(1);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {px(8), (ImGui::GetFrameHeight() - fonts.small->FontSize) / 2});
  ImGui::Begin("##problem.note", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoInputs | ImGuiWindowFlags_Tooltip);
  wrapped_in(colour, text, std::min({px(kPickerWide), room, width_of(fonts.small, text)}));
  const ImVec2 at = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  ImGui::End();
  ImGui::PopStyleVar();
  ui.mark("problem.note", at, {at.x + size.x, at.y + size.y});
}

struct VariantsState {
  bool unfolded = false;  ///< those that cannot run here are shown
};

std::string about(const VariantInfo& v, const WhyNot& why) {
  std::string text = v.title.empty() ? v.name : v.title;
  if (!v.summary.empty()) text += "\n" + v.summary;
  if (!v.shadows.empty()) text += "\nReplaces the variant of the same name in " + v.shadows;
  if (!v.dtypes.empty()) text += fmt::format("\n\nStorage: {}", fmt::join(v.dtypes, ", "));
  text += v.features.empty() ? "\nNeeds nothing beyond Vulkan 1.3"
                             : fmt::format("\nNeeds: {}", fmt::join(v.features, ", "));
  if (!why.text.empty())
    text += (!v.error.empty() ? "\n\nDid not load: "
             : why.broken     ? "\n\nDoes not compile: "
                              : "\n\nCannot run: ") +
            why.text;
  return text;
}

const std::set<std::string>& wrong_here(const Workbench& bench) {
  static Memo<std::tuple<const SessionLog*, uint64_t, std::string, std::string>, std::set<std::string>> memo;
  const std::string problem = to_text(bench.request.selection.problem),
                    device = bench.device_state.device ? device_key(*bench.device_state.device) : "";
  return memo({&bench.log, bench.log.version(), problem, device},
              [&] { return last_wrong(bench.log, problem, device); });
}

float row_height() { return ImGui::GetTextLineHeight() * 2 + px(12); }

void two_lines(bool chosen, const std::string& name, ImU32 ink, const std::string& note, ImU32 note_ink,
               const std::string& below, ImU32 below_ink) {
  const ImVec2 at = ImGui::GetItemRectMin(), end = ImGui::GetItemRectMax();
  if (chosen || ImGui::IsItemHovered())
    ImGui::GetWindowDrawList()->AddRectFilled(at, end, chosen ? colours::raised_hover : colours::raised, px(6));
  const float room = end.x - at.x - px(20);
  // The name comes first; the note takes what is left of the line.
  const float noted = std::min(width_of(fonts.small, note), room - width_of(fonts.bold, name) - px(10));
  draw_cut(fonts.bold, {at.x + px(11), at.y + px(5)}, room, ink, name);
  if (noted > px(24)) draw_cut(fonts.small, {end.x - noted - px(9), at.y + px(6)}, noted + 1, note_ink, note);
  draw_cut(fonts.small, {at.x + px(11), at.y + px(8) + fonts.bold->FontSize}, room, below_ink, below);
}

void row(Ui& ui, const Catalogue::Row& listed) {
  Workbench& bench = ui.bench;
  const VariantInfo& v = bench.device_state.variants[listed.variant];
  const std::string& why = listed.why.text;
  const bool chosen = bench.request.selection.variant == v.name, broken = listed.why.broken, loaded = v.error.empty();
  // What did not load or lacks the device's support stays to be read about, but not to be chosen. What does not compile
  // is: its editor is where it is mended.
  const bool usable = loaded && v.why_not.empty();
  if (ImGui::InvisibleButton(("##variant." + v.name).c_str(), {ImGui::GetContentRegionAvail().x, row_height()}) &&
      usable) {
    bench.request.set_variant(v.name);
    ImGui::CloseCurrentPopup();
  }
  ui.mark("variant." + v.name, usable);
  tip_for_last(about(v, listed.why) +
               (wrong_here(bench).contains(v.name) ? "\n\nIts last result on this problem was wrong." : ""));
  const bool wrong = why.empty() && wrong_here(bench).contains(v.name);
  const std::string note = !loaded        ? "did not load"
                           : broken       ? "does not compile"
                           : !why.empty() ? "unsupported here"
                           : wrong        ? "wrong here"
                                          : "";
  const ImU32 noted = broken || wrong ? colours::bad : !why.empty() ? colours::warning : colours::soft;
  const ImU32 ink = broken ? colours::bad : why.empty() ? colours::text : colours::faint;
  two_lines(chosen, v.name, ink, note, noted,
            !why.empty()        ? why
            : v.summary.empty() ? v.title
                                : v.summary,
            why.empty() ? colours::soft : ink);
}

void auto_row(Ui& ui) {
  Workbench& bench = ui.bench;
  const bool on = bench.request.automatic();
  const std::string why = on ? (bench.request.choosing() ? "choosing\u2026" : bench.request.why_automatic())
                             : "the variant that suits each problem best";
  if (ImGui::InvisibleButton("##variant.auto", {ImGui::GetContentRegionAvail().x, row_height()})) {
    bench.request.set_variant(std::string(kAutoVariant));
    ImGui::CloseCurrentPopup();
  }
  mark_with_tip(ui, "variant.auto",
                (on ? why + "\n\n" : std::string()) +
                    "Automatic: for each problem the variant and config that were tuned for it or near it, else the "
                    "variant that its manifest ranks highest. Choosing a variant below ends it.");
  const size_t comma = why.starts_with("auto: ") ? why.find(", ") : std::string::npos;
  two_lines(on, on ? "auto: " + bench.request.selection.variant : "auto", colours::text, "", 0,
            comma == std::string::npos ? why : why.substr(comma + 2), colours::soft);
}

/// As cheap as the rows in view, whatever their number.
void rows_of(Ui& ui, const std::vector<Catalogue::Row>& rows) {
  rows_in_view(
      rows.size(), [&](size_t i) { row(ui, rows[i]); }, row_height() + ImGui::GetStyle().ItemSpacing.y);
}

void variant_list(Ui& ui) {
  Workbench& bench = ui.bench;
  if (!bench.device_state.variants_failure.empty()) wrapped_in(colours::bad, bench.device_state.variants_failure);
  const float reload = button_width(with_icon(icons::reload, "Reload"));
  if (ImGui::IsWindowAppearing()) {
    ui.layout.filter.clear();
    ImGui::SetKeyboardFocusHere();
  }
  const bool entered = text_field(ui, "variants.search", "Search variants", ui.layout.filter,
                                  ImGui::GetContentRegionAvail().x - reload - ImGui::GetStyle().ItemSpacing.x);
  bench.views.catalogue.step(bench.device_state, bench.request.selection.problem, bench.request.selection.variant,
                             ui.layout.filter);
  ImGui::SameLine();
  if (button(ui, "variants.reload", with_icon(icons::reload, "Reload"),
             "Read the shader folders again, after an edit (F5)"))
    bench.reload_shaders();
  if (bench.device_state.variants.empty())
    return bench.device_state.variants_known
               ? empty_hint("No variants", "No shader folder with a manifest.toml was found; --shaders DIR names one.")
               : empty_hint("Loading\u2026", "");
  const auto& open = bench.views.catalogue.open();
  const auto& folded = bench.views.catalogue.folded();
  const auto first = std::ranges::find(open, WhyNot(), &Catalogue::Row::why);
  if (entered && !ui.layout.filter.empty() && first != open.end()) {
    bench.request.set_variant(bench.device_state.variants[first->variant].name);
    ImGui::CloseCurrentPopup();
  }
  auto_row(ui);
  bool& unfolded = ui.states.of<VariantsState>().unfolded;
  const float pitch = row_height() + px(3);
  const float needed = pitch * float(open.size() + (unfolded ? folded.size() : 0)) + ImGui::GetFrameHeight() + px(8);
  const float whole = std::floor((ImGui::GetIO().DisplaySize.y - px(210)) / pitch);  // rows, none of them cut
  ImGui::BeginChild("variants.list", {0, std::min(needed, whole * pitch)}, 0, kPart);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, px(3)});
  const auto chosen = std::ranges::find(
      open, bench.request.variant(), [&](const Catalogue::Row& r) { return &bench.device_state.variants[r.variant]; });
  // As far as the chosen one needs, with the next below it.
  if (ImGui::IsWindowAppearing() && chosen != open.end())
    ImGui::SetScrollY(
        pitch * std::clamp(float(chosen - open.begin()) + 2 - whole, 0.f, std::max(0.f, float(open.size()) - whole)));
  rows_of(ui, open);
  if (open.empty() && folded.empty()) wrapped_in(colours::faint, "None matches.");
  if (!folded.empty()) {
    unfolded = ImGui::TreeNodeEx("##fold", ImGuiTreeNodeFlags_NoTreePushOnOpen | ImGuiTreeNodeFlags_SpanAvailWidth,
                                 "%zu unsupported here", folded.size());
    mark_with_tip(ui, "variants.not_here",
                  "Variants that this device or this problem rules out, each with its reason.");
  }
  // Who searches wants to see what is found.
  if (unfolded || !ui.layout.filter.empty()) rows_of(ui, folded);
  ImGui::PopStyleVar();
  ImGui::EndChild();
  ui.mark("variants.list");
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
    if (!state.text.error.empty()) return note_below(ui, colours::bad, state.text.error, below);
    if (state.text.text == to_text(ui.bench.request.selection.problem)) return;
    const auto typed = parse_problem(state.text.text);
    const std::string wait = typed ? wait_text(ui.bench, *typed) : "";
    if (!wait.empty()) note_below(ui, colours::warning, "First sample in " + wait + ".", below);
    return;
  }
  if (ImGui::IsKeyPressed(ImGuiKey_Escape, false) && state.number.empty()) ImGui::CloseCurrentPopup();
  number_fields(ui);
  if (!state.text.error.empty()) wrapped_in(colours::bad, state.text.error);
  ImGui::Separator();
  preset_list(ui);
  ImGui::EndPopup();
}

void variant_picker(Ui& ui, float width) {
  Workbench& bench = ui.bench;
  bench.views.catalogue.step(bench.device_state, bench.request.selection.problem, bench.request.selection.variant,
                             ui.layout.filter);
  const std::string& name = bench.request.selection.variant;
  ImGui::SetNextWindowSizeConstraints({px(480), 0}, {px(480), FLT_MAX});
  const std::string shown = !bench.request.automatic() ? name : name.empty() ? "auto" : "auto: " + name;
  const VariantInfo* v = bench.request.variant();
  const std::string tip = bench.request.automatic() ? bench.request.why_automatic()
                          : v                       ? about(*v, {})
                                                    : "The kernel that runs";
  if (!begin_combo(ui, "variant", shown, width, tip, ImGuiComboFlags_HeightLargest)) return;
  variant_list(ui);
  ImGui::EndCombo();
}

void dump_variants(const Workbench& bench, Json& j) {
  j["variants_known"] = bench.device_state.variants_known;
  const auto names = [&](const std::vector<Catalogue::Row>& rows) {
    return mapped(rows, [&](const Catalogue::Row& r) { return bench.device_state.variants[r.variant].name; });
  };
  j["variant_list"] = {{"open", names(bench.views.catalogue.open())},
                       {"folded", names(bench.views.catalogue.folded())}};
}

}  // namespace attnscope::gui
