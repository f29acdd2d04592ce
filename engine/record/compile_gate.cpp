#include "engine/record/compile_gate.hpp"

#include <unordered_map>

#include <fmt/format.h>

namespace attnscope {
namespace {

std::string row_text(const Record& r) {
  return fmt::format("{}, {} {} on {}", r.environment.device.name, r.variant, to_text(r.config), to_text(r.problem));
}

using Rows = std::unordered_map<std::string, const Record*>;
/// By what a row is of; of several the first.
Rows rows_of(std::span<const Record> records) {
  Rows rows;
  for (const Record& r : records) rows.emplace(row_text(r), &r);
  return rows;
}

bool compiled(const Record& r) { return r.outcome == Outcome::compiled || r.outcome == Outcome::measured; }

}  // namespace

Result<std::vector<std::string>> failed_gates(std::span<const Record> records, const CompileGate& gate) {
  std::vector<std::string> failed;
  bool shared = false;
  const Rows before = rows_of(gate.baseline);
  for (const Record& r : records) {
    const Resources& now = r.resources;
    const uint64_t spills = now.spills.value_or(now.spill_bytes.value_or(0));
    if (gate.spill && spills > 0)
      failed.push_back(fmt::format("{}: it spills {}", row_text(r),
                                   now.spills ? fmt::format("{} times", spills) : fmt::format("{} bytes", spills)));
    if (gate.registers && now.registers.value_or(0) > *gate.registers)
      failed.push_back(
          fmt::format("{}: it takes {} registers, more than {}", row_text(r), *now.registers, *gate.registers));
    const auto found = before.find(row_text(r));
    if (found == before.end()) continue;
    const Record* base = found->second;
    shared = true;
    if (compiled(*base) && !compiled(r)) failed.push_back(fmt::format("{}: it was compiled before", row_text(r)));
    if (!compiled(*base) || !compiled(r)) continue;
    const auto compare = [&](const char* what, const std::optional<uint64_t>& then,
                             const std::optional<uint64_t>& after) {
      if (then && after && *after > *then)
        failed.push_back(fmt::format("{}: {} {} → {}", row_text(r), what, *then, *after));
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
