// What the config costs the device: registers, spills, shared memory, workgroups.
#include <fmt/format.h>

#include "app/gui/explain_tables.hpp"
#include "app/gui/panels/dump.hpp"
#include "app/gui/widgets.hpp"
#include "engine/record/units.hpp"

namespace attnscope::gui {
namespace {

void reported(const char* label, const std::optional<uint64_t>& value, bool bytes, const char* tip) {
  if (value)
    fact(label, bytes ? bytes_text(double(*value)) : count_text(*value), colours::text, tip);
  else {
    fact(label, "not reported", colours::faint, nullptr);
    tip_for_last(fmt::format("{} Not reported by this driver.", tip));
  }
}

void raw_numbers(const Resources& r) {
  if (r.raw.empty() || !ImGui::TreeNode("As the driver reports them")) return;
  for (const RawResource& raw : r.raw) {
    fact(raw.name.c_str(), short_number(raw.value), colours::soft, raw.description.c_str());
  }
  ImGui::TreePop();
}

/// A time, or why there is none: never a time of something else.
void compiled(const Resources& r) {
  if (r.compile == Compile::not_asked) return;
  if (r.compile_ms) return fact("compile", time_text(*r.compile_ms * 1e6), colours::text, explain::compile);
  const bool later = r.compile == Compile::in_first_dispatch;
  fact("compile", "not measured", colours::faint, explain::compile);
  wrapped_in(colours::faint, later ? "  compiles within the first dispatch" : "  a cache answered");
  tip_for_last(later ? "Creating the pipeline compiles nothing here: the driver does that when the kernel first runs, "
                       "before any sample."
                     : "As far as can be told a cache answered, so there was no compile to time.");
}

/// In the unit that suits its size, as rates are.
std::string work_text(double flops) {
  const RateUnit unit = choose_rate_unit({&flops, 1}, "FLOP");
  return short_number(flops / unit.size) + " " + unit.name;
}

void draw(Ui& ui) {
  const Workbench& bench = ui.bench;
  const Inspection* inspection = bench.current_inspection();
  if (const VariantInfo* v = bench.current_variant(); v && !v->error.empty())
    return wrapped_in(colours::faint, "Nothing is planned: the variant did not load.");
  if (!inspection) return wrapped_in(colours::faint, "Planning\u2026");
  const Live* live = bench.shown();
  const Resources* r = live && live->resources ? &*live->resources : nullptr;
  const uint64_t shared = r ? std::max(r->shared_bytes, inspection->shared_bytes) : inspection->shared_bytes;
  if (bench.known.device && bench.known.device->limits.max_shared_bytes) {
    const double limit = bench.known.device->limits.max_shared_bytes;
    fact("shared memory", fmt::format("{} of {}", bytes_text(double(shared)), bytes_text(limit)),
         double(shared) > limit ? colours::bad : colours::text, explain::shared);
    meter(float(double(shared) / limit), double(shared) > limit ? colours::bad : colours::accent);
  }
  fact("private arrays", bytes_text(double(r ? r->private_bytes : inspection->private_bytes)), colours::text,
       explain::private_arrays);
  if (r) {
    reported("registers", r->registers, false, explain::registers);
    reported("spilled", r->spill_bytes, true, explain::spilled);
    reported("code", r->code_bytes, true, explain::code);
    compiled(*r);
  }
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
  if (bench.known.device) {
    const uint32_t cores = bench.known.device->limits.core_count;
    fact("workgroups / core", cores ? short_number(workgroups / cores) : "cores not reported",
         cores ? colours::text : colours::faint, explain::per_core);
  }
  fact("sums", to_text(inspection->precision), colours::text, explain::sums);
  fact("scratch", bytes_text(double(inspection->scratch_bytes)), colours::text, explain::scratch);
  fact("work", work_text(inspection->flops), colours::text, explain::work);
  fact("least traffic", bytes_text(inspection->bytes), colours::text, explain::least_traffic);
  fact("extra traffic", bytes_text(inspection->extra_bytes), colours::text, explain::extra_traffic);
  if (inspection->bytes > 0)
    fact("intensity", fmt::format("{} FLOP/B", short_number(inspection->flops / inspection->bytes)), colours::text,
         explain::intensity);
  if (r) raw_numbers(*r);
  ui.mark("resources");
}

}  // namespace

const Panel resources_panel = {"resources", "Resources", Place::right, draw, nullptr};

}  // namespace attnscope::gui
