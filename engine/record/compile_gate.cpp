#include "engine/record/compile_gate.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace attnscope {
namespace {

std::string row_text(const Record& r) {
  return fmt::format("{}, {} {} on {}", r.environment.device.name, r.variant, to_text(r.config), to_text(r.problem));
}

bool compiled(const Record& r) { return r.outcome == Outcome::compiled || r.outcome == Outcome::measured; }

}  // namespace

Result<std::vector<std::string>> failed_gates(std::span<const Record> records, const CompileGate& gate) {
  std::vector<std::string> failed;
  bool shared = false;
  for (const Record& r : records) {
    const Resources& now = r.resources;
    const uint64_t spills = now.spills.value_or(now.spill_bytes.value_or(0));
    if (gate.spill && spills > 0)
      failed.push_back(fmt::format("{}: it spills {}", row_text(r),
                                   now.spills ? fmt::format("{} times", spills) : fmt::format("{} bytes", spills)));
    if (gate.registers && now.registers.value_or(0) > *gate.registers)
      failed.push_back(
          fmt::format("{}: it takes {} registers, more than {}", row_text(r), *now.registers, *gate.registers));
    const auto same = [&](const Record& b) {
      return b.environment.device.name == r.environment.device.name && b.problem == r.problem &&
             b.variant == r.variant && b.config == r.config;
    };
    const auto base = std::find_if(gate.baseline.begin(), gate.baseline.end(), same);
    if (base == gate.baseline.end()) continue;
    shared = true;
    if (compiled(*base) && !compiled(r)) failed.push_back(fmt::format("{}: it was compiled before", row_text(r)));
    if (!compiled(*base) || !compiled(r)) continue;
    const auto compare = [&](const char* what, const std::optional<uint64_t>& before,
                             const std::optional<uint64_t>& after) {
      if (before && after && *after > *before)
        failed.push_back(fmt::format("{}: {} {} → {}", row_text(r), what, *before, *after));
    };
    compare("registers", base->resources.registers, now.registers);
    compare("spills", base->resources.spills, now.spills);
    compare("spilled bytes", base->resources.spill_bytes, now.spills ? std::nullopt : now.spill_bytes);
  }
  if (!gate.baseline.empty() && !shared)
    return bad_input("The baseline has none of these configs on a GPU of that name.");
  return failed;
}

}  // namespace attnscope
