// The code that a driver makes of the config, for a GPU that is compiled for (docs/gpus.md): IR, assembly and SPIR-V,
// and the difference from the code of another config or GPU.
#include <algorithm>

#include <imgui.h>
#include <imgui_stdlib.h>

#include "app/gui/panels/panel.hpp"
#include "app/gui/ui/plot_widgets.hpp"
#include "app/gui/ui/widgets.hpp"
#include "engine/shader/instruction_mix.hpp"
#include "engine/shader/text_diff.hpp"

namespace attnscope::gui {
namespace {

struct IsaText {
  std::string label;  ///< "RX 7900 XTX, main Assembly, tiled BLOCK_M=32"
  std::string text;
  std::optional<InstructionMix> mix = {};  ///< of an assembly
};

struct IsaView {
  std::string kind;  ///< "main Assembly": which of the texts; "" = the driver's last
  std::string find;
  IsaText base;  ///< to compare with; its text is empty: nothing is
  IsaText shown;
  std::vector<DiffLine> all, lines;  ///< of both texts; those with the words
  std::string found;                 ///< the words that they were filtered by
  size_t changed = 0, added = 0;
  std::optional<size_t> go_to = {};  ///< a line to come into view
  std::shared_ptr<const std::vector<ShaderText>> of;
  std::string made_for;
};
IsaView isa;

/// The executable is named where a driver has several of one pass.
std::string kind_of(const ShaderText& t, const std::vector<ShaderText>& texts) {
  const bool several = std::any_of(texts.begin(), texts.end(), [&](const ShaderText& o) {
    return o.pass == t.pass && !o.executable.empty() && !t.executable.empty() && o.executable != t.executable;
  });
  return several ? fmt::format("{} {} {}", t.pass, t.executable, t.name) : fmt::format("{} {}", t.pass, t.name);
}

const ShaderText* chosen(const std::vector<ShaderText>& texts) {
  const ShaderText* usual = nullptr;
  for (const ShaderText& t : texts) {
    if (kind_of(t, texts) == isa.kind) return &t;
    if (!usual || !t.executable.empty()) usual = &t;
  }
  return usual;
}

/// Without the encodings of instructions ("; be800303"), which differ wherever a register does.
std::string without_encodings(const std::string& text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line(text.data() + at, end - at);
    if (const size_t note = line.rfind(';');
        note != line.npos && note > 0 && line.find_first_not_of("0123456789abcdef ", note + 1) == line.npos)
      line = line.substr(0, line.find_last_not_of(' ', note - 1) + 1);
    out += line;
    out += '\n';
    at = end + 1;
  }
  return out;
}

void make(const std::string& label, const ShaderText& t, const std::shared_ptr<const std::vector<ShaderText>>& of) {
  const std::string key = fmt::format("{}|{}|{}", label, kind_of(t, *of), isa.base.label);
  const bool anew = isa.of != of || isa.made_for != key;
  if (anew) {
    isa.of = of;
    isa.made_for = key;
    isa.shown = {label, without_encodings(t.text), instruction_mix(t)};
    isa.all = diff_code(isa.base.text.empty() ? isa.shown.text : isa.base.text, isa.shown.text);
    isa.changed = size_t(std::count_if(isa.all.begin(), isa.all.end(),
                                       [](const DiffLine& l) { return l.side != DiffLine::Side::both; }));
    isa.added = size_t(std::count_if(isa.all.begin(), isa.all.end(),
                                     [](const DiffLine& l) { return l.side == DiffLine::Side::second; }));
    const auto first =
        std::find_if(isa.all.begin(), isa.all.end(), [](const DiffLine& l) { return l.side != DiffLine::Side::both; });
    if (isa.changed > 0) isa.go_to = size_t(first - isa.all.begin());
  }
  if (!anew && isa.found == isa.find) return;
  isa.found = isa.find;
  isa.lines = isa.all;
  if (!isa.find.empty())
    std::erase_if(isa.lines, [](const DiffLine& l) { return l.text.find(isa.find) == l.text.npos; });
}

/// Of what stands out in the bars and in the code; the others differ by shade.
ImU32 colour_of(InstructionKind kind) {
  switch (kind) {
    case InstructionKind::spill: return colours::warning;
    case InstructionKind::matrix: return colours::accent;
    case InstructionKind::vector: return with_alpha(colours::second, 0.9f);
    case InstructionKind::scalar: return with_alpha(colours::second, 0.45f);
    case InstructionKind::shared_memory: return with_alpha(colours::text, 0.8f);
    case InstructionKind::memory: return with_alpha(colours::text, 0.5f);
    case InstructionKind::control:
    case InstructionKind::none: break;
  }
  return with_alpha(colours::text, 0.2f);
}

ImU32 colour_of(std::string_view line) {
  const InstructionKind kind = instruction_kind(line);
  if (kind == InstructionKind::spill || kind == InstructionKind::matrix) return colour_of(kind);
  return kind == InstructionKind::none ? colours::faint : colours::text;
}

void mix_bars(Ui& ui) {
  if (!isa.shown.mix) return;
  const InstructionMix& mix = *isa.shown.mix;
  const InstructionMix* base = isa.base.mix ? &*isa.base.mix : nullptr;
  const float width = ImGui::GetContentRegionAvail().x, side = fonts.small->FontSize;
  const double scale = width / double(std::max({uint64_t{1}, total(mix), base ? total(*base) : 0}));
  ImDrawList* draw = ImGui::GetWindowDrawList();
  for (const InstructionMix* m : {&mix, base}) {
    if (!m) continue;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float tall = px(m == &mix ? 8 : 4);
    float x = at.x;
    for (size_t i = 0; i < kInstructionKinds; ++i) {
      const float next = x + float(double((*m)[i]) * scale);
      draw->AddRectFilled({x, at.y}, {next, at.y + tall}, colour_of(InstructionKind(i)));
      x = next;
    }
    ImGui::Dummy({width, tall});
    tip_for_last(m == &mix ? "Instructions of this code, by kind." : "Of the code that it is compared with.");
  }
  ui.mark("isa.mix");
  bool first = true;
  for (size_t i = 0; i < kInstructionKinds; ++i) {
    if (mix[i] == 0 && (!base || (*base)[i] == 0)) continue;
    std::string text = fmt::format("{} {}", to_text(InstructionKind(i)), mix[i]);
    if (base && (*base)[i] != mix[i]) text += fmt::format(" ({:+})", int64_t(mix[i]) - int64_t((*base)[i]));
    if (!first) flow(side + px(5) + width_of(fonts.small, text));
    first = false;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    draw->AddRectFilled({at.x, at.y + px(2)}, {at.x + side - px(3), at.y + side - px(1)},
                        colour_of(InstructionKind(i)));
    ImGui::SetCursorScreenPos({at.x + side + px(2), at.y});
    text_in(fonts.small, colours::soft, text);
  }
}

void code() {
  ImGui::PushFont(fonts.mono);
  ImGui::BeginChild("isa.code", {0, 0}, 0, ImGuiWindowFlags_HorizontalScrollbar);
  if (const auto line = std::exchange(isa.go_to, {}))
    ImGui::SetScrollY(ImGui::GetTextLineHeightWithSpacing() * std::max(0.f, float(*line) - 3));
  ImGuiListClipper rows;
  rows.Begin(int(isa.lines.size()));
  while (rows.Step())
    for (int i = rows.DisplayStart; i < rows.DisplayEnd; ++i) {
      const DiffLine& line = isa.lines[size_t(i)];
      const bool both = line.side == DiffLine::Side::both, added = line.side == DiffLine::Side::second;
      const ImU32 own = colour_of(line.text);
      const ImU32 colour = both || own == colours::warning ? own : added ? colours::good : colours::bad;
      ImGui::PushStyleColor(ImGuiCol_Text, colour);
      ImGui::TextUnformatted(both ? " " : added ? "+" : "-");
      ImGui::SameLine(0, 0);
      ImGui::TextUnformatted(line.text.data(), line.text.data() + line.text.size());
      ImGui::PopStyleColor();
    }
  ImGui::EndChild();
  ImGui::PopFont();
}

void summary(const Resources& r) {
  std::string text;
  const auto add = [&](const std::optional<uint64_t>& value, const char* what) {
    if (value) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", *value, what);
  };
  const auto& spills = r.spills ? r.spills : r.spill_bytes;
  add(spills, r.spills ? "spills" : "B spilled");
  add(r.stack_bytes, "B scratch");
  add(r.registers, "registers");
  add(r.subgroups, "subgroups");
  if (const auto all = r.mix.find("all"); all != r.mix.end()) add(all->second, "instructions");
  text_cut(text, ImGui::GetContentRegionAvail().x, spills.value_or(0) > 0 ? colours::warning : colours::soft,
           fonts.small);
}

void draw_isa(Ui& ui) {
  OtherGpus& other = ui.bench.others.gpus;
  if (other.chosen.empty())
    return empty_hint("No code to show",
                      "Choose a GPU with \"Other GPUs\u2026\" in Resources: its driver compiles the "
                      "config, and the code is shown here.");
  if (!other.has(other.read)) other.read = other.chosen.front();
  ImGui::SetNextItemWidth(px(150));
  if (begin_combo("##isa.gpu", other.read)) {
    for (const std::string& gpu : other.chosen)
      if (ImGui::Selectable(gpu.c_str(), gpu == other.read)) other.read = gpu;
    ImGui::EndCombo();
  }
  ui.mark("isa.gpu");
  const auto request = ui.bench.gpu_request();
  const GpuAnswer* answer = request ? other.answer(other.read, *request) : nullptr;
  const ShaderText* text = answer && answer->texts ? chosen(*answer->texts) : nullptr;
  if (!text) {
    ImGui::SameLine();
    return text_in(fonts.small, answer && !answer->why.empty() ? colours::warning : colours::faint,
                   answer && !answer->why.empty() ? answer->why : "Compiling\u2026");
  }
  ImGui::SameLine();
  ImGui::SetNextItemWidth(px(170));
  if (begin_combo("##isa.kind", kind_of(*text, *answer->texts))) {
    for (const ShaderText& t : *answer->texts)
      if (ImGui::Selectable(kind_of(t, *answer->texts).c_str(), &t == text)) isa.kind = kind_of(t, *answer->texts);
    ImGui::EndCombo();
  }
  ui.mark("isa.kind");
  const std::string label = fmt::format("{}, {}, {}", other.read, kind_of(*text, *answer->texts),
                                        ui.bench.short_name(request->selection.variant, request->selection.config));
  make(label, *text, answer->texts);
  ImGui::SameLine();
  ImGui::SetNextItemWidth(px(130));
  ImGui::InputTextWithHint("##isa.find", "lines with\u2026", &isa.find);
  ui.mark("isa.find");
  ImGui::SameLine();
  if (isa.base.text.empty()) {
    if (button(ui, "isa.hold", "Compare with this", "Keep this code, and show what another config or GPU has instead"))
      isa.base = isa.shown;
  } else {
    if (button(ui, "isa.release", "End comparison", nullptr)) isa.base = {};
    text_cut(fmt::format("{} lines more, {} less than {}", isa.added, isa.changed - isa.added, isa.base.label),
             ImGui::GetContentRegionAvail().x, colours::soft, fonts.small);
  }
  if (answer->resources) summary(*answer->resources);
  // What the buttons changed is not drawn from texts that are gone.
  make(label, *text, answer->texts);
  mix_bars(ui);
  code();
}

}  // namespace

const PanelView isa_view = {"isa", "Code", draw_isa, nullptr};

}  // namespace attnscope::gui
