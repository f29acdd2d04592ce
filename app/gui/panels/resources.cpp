// What the config costs the device: registers, spills, shared memory, workgroups.

#include "app/gui/model/explain.hpp"
#include "app/gui/panels/panel.hpp"
#include "engine/session/open_gpu.hpp"

namespace attnscope::gui {
namespace {

struct GpuPicker {
  std::string words;  ///< typed to find some of the GPUs
};

void reported(const char* label, const std::optional<uint64_t>& value, bool bytes, const char* tip) {
  if (value) fact(label, bytes ? bytes_text(double(*value)) : count_text(*value), colours::text, tip);
}

void raw_numbers(const Resources& r) {
  if (r.raw.empty() || !ImGui::TreeNode("As the driver reports them")) return;
  for (const RawResource& raw : r.raw)
    fact(raw.name.c_str(), short_number(double(raw.value)), colours::soft, raw.description.c_str());
  ImGui::TreePop();
}

constexpr float kGpuList = 420;

void choose_gpus(Ui& ui) {
  OtherGpus& other = ui.bench.others.gpus;
  ImGui::SetNextWindowSizeConstraints({px(200), px(60)}, {px(280), px(kGpuList)});
  if (!begin_popup("##gpus")) return;
  std::string& words = ui.states.of<GpuPicker>().words;
  if (ImGui::IsWindowAppearing()) {
    words.clear();
    ImGui::SetKeyboardFocusHere();
  }
  // Enter takes the first that was found, and the next is typed.
  bool wanted = text_field(ui, "gpus.find", "find a GPU", words, px(240)) && !words.empty();
  if (wanted) ImGui::SetKeyboardFocusHere(-1);
  text_in(fonts.small, colours::soft, fmt::format("Up to {}; grey ones need a driver.", OtherGpus::kMost));
  if (other.offered.empty()) wrapped_in(colours::soft, "The catalogue (assets/gpus.toml) cannot be read.");
  ImGui::BeginChild("gpus.list", {px(240), px(kGpuList - 100)});
  bool none = !other.offered.empty();
  for (size_t i = 0; i < other.offered.size(); ++i) {
    const OfferedGpu& gpu = other.offered[i];
    if (!find_words(words, gpu.name)) continue;
    none = false;
    bool on = other.has(gpu.name);
    const bool can = on || (gpu.missing.empty() && other.chosen.size() < OtherGpus::kMost);
    ImGui::BeginDisabled(!can);
    const std::string why = can || !gpu.missing.empty() ? gpu.missing : "No more at a time.";
    if (check_box(ui, fmt::format("gpus.{}", i), gpu.name.c_str(), on, why) || (can && std::exchange(wanted, false)))
      other.toggle(gpu.name);
    ImGui::EndDisabled();
  }
  if (none) wrapped_in(colours::faint, fmt::format("No GPU has '{}'.", words));
  ImGui::EndChild();
  ImGui::EndPopup();
}

/// What a hover tells of a config that was compiled for another GPU.
std::string compiled_text(const Resources& r) {
  std::string tip = "Compiled, not executed: static numbers do not promise time.";
  const auto line = [&](const char* name, const std::optional<uint64_t>& value) {
    if (value) tip += fmt::format("\n{}: {}", name, *value);
  };
  line("registers", r.registers);
  line("spills", r.spills);
  if (r.spills.value_or(0) > 0 && !r.may_spill.empty()) tip += "\n  " + r.may_spill;
  line("scratch, bytes", r.stack_bytes);
  line("subgroups that fit", r.subgroups);
  line("shared memory, bytes", r.shared_bytes_driver);
  line("code, bytes", r.code_bytes);
  line("cycles, as the compiler estimates", r.cycles);
  for (const auto& [kind, count] : r.mix)
    tip += fmt::format("\ninstructions{}: {}", kind == "all" ? "" : ", " + kind, count);
  return tip;
}

void other_gpus(Ui& ui) {
  const OtherGpus& other = ui.bench.others.gpus;
  std::optional<Config> chosen;
  const auto request = ui.bench.gpu_request();
  ImGui::Dummy({0, px(4)});
  if (!other.chosen.empty()) text_in(fonts.small, colours::soft, "Compiled for other GPUs");
  for (const std::string& name : other.chosen) {
    const GpuAnswer* answer = request ? other.answer(name, *request) : nullptr;
    const Resources* r = answer && answer->resources ? &*answer->resources : nullptr;
    if (!answer) {
      fact(name.c_str(), "compiling\u2026", colours::faint);
    } else if (!r) {
      fact(name.c_str(), "refused", colours::warning, answer->why.c_str());
    } else {
      std::string text = r->registers ? fmt::format("{} regs", *r->registers) : "";
      const bool spills = r->spills.value_or(0) > 0;
      // What decides: that it spills, else how many subgroups fit.
      const auto& second = spills ? r->spills : r->subgroups;
      if (second) text += (text.empty() ? "" : ", ") + counted(*second, spills ? "spill" : "subgroup");
      fact(name.c_str(), text.empty() ? "compiled" : text, spills ? colours::warning : colours::text,
           compiled_text(*r).c_str());
      if (!answer->without_spills) continue;
      const std::string changes =
          "no spills: " + attnscope::to_text(changed_values(request->selection.config, *answer->without_spills));
      const auto at = &name - other.chosen.data();
      const std::string tip =
          fmt::format("Nothing spills on {} with this, the nearest such config. Click: make it the current one.", name);
      if (button(ui, fmt::format("gpus.without.{}", at).c_str(), changes, tip.c_str()))
        chosen = *answer->without_spills;
    }
  }
  if (button(ui, "resources.gpus", "Other GPUs\u2026", "Compile this config for GPUs that are not here (docs/gpus.md)"))
    ImGui::OpenPopup("##gpus");
  choose_gpus(ui);
  if (chosen) ui.bench.request.set_config(*chosen);
}

void reported(const Resources& r) {
  reported("registers", r.registers, false, explain::registers);
  reported("spilled", r.spill_bytes, true, explain::spilled);
  reported("code", r.code_bytes, true, nullptr);
  if (r.compile_ms) fact("compile", time_text(*r.compile_ms * 1e6), colours::text, explain::compile);
}

void row_facts(Ui& ui, const Pin& p) {
  Workbench& bench = ui.bench;
  const Record& r = *p.record;
  const float close = ImGui::GetFrameHeight();
  text_cut(bench.name_of(p), ImGui::GetContentRegionAvail().x - close, colours::text, fonts.bold);
  ui.mark("resources.row");
  ImGui::SameLine(ImGui::GetContentRegionMax().x - close);
  if (small_button(ui, "resources.close", icon_or(icons::close, "\u00d7"), "Back to the live config (Escape)"))
    bench.pins.selected = 0;
  if (!p.dataset.empty()) fact("file", std::filesystem::path(p.dataset).filename().string());
  fact("device", r.environment.device.name);
  fact("problem", to_text(r.problem));
  fact("variant", r.variant);
  if (!r.config.empty()) wrapped_in(colours::soft, attnscope::to_text(r.config));
  fact("verdict", verdict_of(r), r.verdict && !r.verdict->pass ? colours::bad : colours::text);
  if (r.statistics) {
    const Statistics& s = *r.statistics;
    const Work work{r.flops, r.bytes};
    fact("median", time_text(s.median), colours::text, explain::median);
    fact("p20\u2013p80", fmt::format("{} \u2013 {}", time_text(s.p20), time_text(s.p80)));
    fact("rate", metric_text(Metric::tflops, in_metric(Metric::tflops, s.median, work)), colours::text, explain::flops);
    fact("bandwidth", metric_text(Metric::gbps, in_metric(Metric::gbps, s.median, work)), colours::text,
         explain::bandwidth);
    fact("samples", count_text(s.count));
  }
  floor_facts(r);
  if (r.resources.shared_bytes > 0)
    fact("shared memory", bytes_text(double(r.resources.shared_bytes)), colours::text, explain::shared);
  reported(r.resources);
  fact("workspace", bytes_text(double(r.scratch_bytes)), colours::text, explain::scratch);
  fact("modes", fmt::format("{}, {}", to_text(r.protocol.cache), to_text(r.protocol.launch)));
  if (!r.environment.time_utc.empty()) fact("measured", r.environment.time_utc);
  const VariantInfo* v = bench.device_state.variant(r.variant);
  if (button(ui, "resources.restore", with_icon(icons::undo, "Restore"),
             "Take its problem, variant, config and modes (double click on its row)", v && v->error.empty()))
    bench.request.take(r);
  raw_numbers(r.resources);
}

void draw_resources(Ui& ui) {
  if (const Pin* row = ui.bench.pins.find(ui.bench.pins.selected)) return row_facts(ui, *row);
  const Workbench& bench = ui.bench;
  const Inspection* inspection = bench.request.inspection();
  const VariantInfo* v = bench.request.variant();
  if (const Record* good = bench.last_good()) {
    wrapped_in(colours::warning, kLastGood);
    ImGui::BeginDisabled();
    fact("shared memory", bytes_text(double(good->resources.shared_bytes)));
    fact("private arrays", bytes_text(double(good->resources.private_bytes)));
    reported(good->resources);
    return ImGui::EndDisabled();
  }
  if (bench.device_state.variants_known && (!v || !v->error.empty())) return wrapped_in(colours::faint, "None.");
  // The worker plans nothing meanwhile.
  const std::string job = bench.jobs.text();
  if (!inspection)
    return wrapped_in(colours::faint, job.empty() ? "Planning\u2026" : fmt::format("Not planned yet: {}.", job));
  if (!inspection->why_not.empty()) {
    wrapped_in(colours::faint, "Nothing is planned: this config cannot run here.");
    return other_gpus(ui);
  }
  const Live* live = bench.live.shown();
  const Resources* r = live && live->resources ? &*live->resources : nullptr;
  const uint64_t shared = r ? std::max(r->shared_bytes, inspection->shared_bytes) : inspection->shared_bytes;
  if (bench.device_state.device && bench.device_state.device->limits.max_shared_bytes) {
    const double limit = bench.device_state.device->limits.max_shared_bytes;
    fact_of_limit("shared memory", double(shared), limit,
                  fmt::format("{} of {}", bytes_text(double(shared)), bytes_text(limit)), explain::shared);
  }
  fact("private arrays", bytes_text(double(r ? r->private_bytes : inspection->private_bytes)), colours::text,
       explain::private_arrays);
  if (r) reported(*r);
  double workgroups = 0;
  for (size_t i = 0; i < inspection->grids.size(); ++i) {
    const auto& g = inspection->grids[i];
    workgroups = std::max(workgroups, double(g[0]) * g[1] * g[2]);
    std::string local;
    if (i < inspection->local_sizes.size()) {
      const auto& l = inspection->local_sizes[i];
      local = fmt::format(" of {}", uint64_t(l[0]) * l[1] * l[2]);
    }
    fact(inspection->grids.size() > 1 ? fmt::format("pass {}", i + 1).c_str() : "grid",
         fmt::format("{}\u00d7{}\u00d7{}{}", g[0], g[1], g[2], local), colours::text, explain::grid);
  }
  if (const uint32_t cores = bench.device_state.device ? bench.device_state.device->limits.core_count : 0; cores > 0)
    fact("workgroups / core", short_number(workgroups / cores), colours::text, explain::per_core);
  fact("accumulator", to_text(inspection->precision), colours::text, explain::sums);
  fact("workspace", bytes_text(double(inspection->scratch_bytes)), colours::text, explain::scratch);
  other_gpus(ui);
  if (r) raw_numbers(*r);
  ui.mark("resources");
}

}  // namespace

const Panel resources_panel = {
    .name = "resources", .title = "Resources", .draw = draw_resources, .dump = nullptr, .least_w = 188, .least_h = 104};

}  // namespace attnscope::gui
