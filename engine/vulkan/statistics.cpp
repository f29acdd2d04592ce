// The table of the drivers' statistics. A name that is not in it stays raw.
#include "engine/vulkan/pipeline.hpp"
#include "engine/words.hpp"

namespace attnscope::vulkan {
namespace {

using S = Resources;
enum class How {
  as_is,
  dwords,      ///< of 4 bytes
  lane_words,  ///< registers of 4 bytes a lane, counted as spills too
  low_half,    ///< NVIDIA: a 64-bit number with flags above the low half
};
struct Meaning {
  std::string_view driver;  ///< what DeviceInfo::driver begins with
  std::string_view name;    ///< the driver's, whatever the case of its letters: Mesa changed that between versions
  std::optional<uint64_t> S::*to = nullptr;  ///< the largest over passes and executables
  std::string_view part = {};                ///< or a part of the instruction mix
  How how = How::as_is;
};

constexpr Meaning kMeanings[] = {
    {"NVIDIA", "register count", &S::registers},
    {"NVIDIA", "binary size", &S::code_bytes},
    {"NVIDIA", "shared memory size", &S::shared_bytes_driver, {}, How::low_half},
    {"NVIDIA", "local memory size", &S::spill_bytes, {}, How::low_half},
    {"NVIDIA", "stack size", &S::stack_bytes, {}, How::low_half},

    {"AMD", "numusedvgprs", &S::registers},
    {"AMD", "ldsusagesizeinbytes", &S::shared_bytes_driver},

    // A subgroup's scratch; subgroups a SIMD; latency in cycles of one subgroup.
    {"radv", "vgprs", &S::registers},
    {"radv", "spilled vgprs", &S::spill_bytes, {}, How::lane_words},
    {"radv", "scratch size", &S::stack_bytes},
    {"radv", "lds size", &S::shared_bytes_driver},
    {"radv", "code size", &S::code_bytes},
    {"radv", "subgroups per simd", &S::subgroups},
    {"radv", "latency", &S::cycles},
    {"radv", "instructions", nullptr, "all"},
    {"radv", "valu", nullptr, "vector ALU"},
    {"radv", "salu", nullptr, "scalar ALU"},
    {"radv", "vmem", nullptr, "vector memory"},
    {"radv", "smem", nullptr, "scalar memory"},
    {"radv", "vopd", nullptr, "dual issue"},
    {"radv", "copies", nullptr, "copies"},
    {"radv", "branches", nullptr, "branches"},

    // A hardware thread's registers of 32 or 64 bytes, and its scratch; the older names first.
    {"Intel open-source", "spill count", &S::spills},
    {"Intel open-source", "instruction count", nullptr, "all"},
    {"Intel open-source", "send count", nullptr, "sends"},
    {"Intel open-source", "fill count", nullptr, "fills"},
    {"Intel open-source", "loop count", nullptr, "loops"},
    {"Intel open-source", "cycle count", &S::cycles},
    {"Intel open-source", "spills", &S::spills},
    {"Intel open-source", "instructions", nullptr, "all"},
    {"Intel open-source", "sends", nullptr, "sends"},
    {"Intel open-source", "fills", nullptr, "fills"},
    {"Intel open-source", "loops", nullptr, "loops"},
    {"Intel open-source", "cycles", &S::cycles},
    {"Intel open-source", "code size", &S::code_bytes},
    {"Intel open-source", "max live registers", &S::registers},
    {"Intel open-source", "scratch memory size", &S::stack_bytes},
    {"Intel open-source", "workgroup memory size", &S::shared_bytes_driver},

    // An invocation's; warps of an SM.
    {"NVK", "number of gprs", &S::registers},
    {"NVK", "spills to memory", &S::spills},
    {"NVK", "slm size", &S::stack_bytes},
    {"NVK", "code size", &S::code_bytes},
    {"NVK", "max warps/sm", &S::subgroups},
    {"NVK", "static cycle count", &S::cycles},
    {"NVK", "instruction count", nullptr, "all"},
    {"NVK", "fills from memory", nullptr, "fills"},
    {"NVK", "spills to reg", nullptr, "spills to registers"},
    {"NVK", "fills from reg", nullptr, "fills from registers"},

    // Full registers of four words; waves of a core.
    {"turnip", "registers used", &S::registers},
    {"turnip", "stp count", &S::spills},
    {"turnip", "code size", &S::code_bytes, {}, How::dwords},
    {"turnip", "max waves per core", &S::subgroups},
    {"turnip", "instruction count", nullptr, "all"},
    {"turnip", "ldp count", nullptr, "fills"},
    {"turnip", "nops count", nullptr, "no-ops"},
    {"turnip", "mov count", nullptr, "moves"},
    {"turnip", "cov count", nullptr, "conversions"},
    {"turnip", "cat0 instructions", nullptr, "flow"},
    {"turnip", "cat1 instructions", nullptr, "moves and conversions"},
    {"turnip", "cat2 instructions", nullptr, "ALU of two operands"},
    {"turnip", "cat3 instructions", nullptr, "ALU of three operands"},
    {"turnip", "cat4 instructions", nullptr, "special functions"},
    {"turnip", "cat5 instructions", nullptr, "texture"},
    {"turnip", "cat6 instructions", nullptr, "memory"},
    {"turnip", "cat7 instructions", nullptr, "barriers"},

    // Registers of two bytes; a thread's scratch. "Threads" is invocations, not subgroups, so it stays raw.
    {"Honeykrisp", "gprs", &S::registers},
    {"Honeykrisp", "spills", &S::spills},
    {"Honeykrisp", "scratch", &S::stack_bytes},
    {"Honeykrisp", "code size", &S::code_bytes},
    {"Honeykrisp", "alu", &S::cycles},
    {"Honeykrisp", "instructions", nullptr, "all"},
    {"Honeykrisp", "fills", nullptr, "fills"},
    {"Honeykrisp", "loops", nullptr, "loops"}};

uint64_t converted(uint64_t value, How how) {
  return how == How::dwords || how == How::lane_words ? value * 4 : how == How::low_half ? value & 0xffffffffu : value;
}

void raise(std::optional<uint64_t>& to, uint64_t value) { to = std::max(to.value_or(0), value); }

}  // namespace

Resources normalize_statistics(std::vector<RawResource> raw, std::string_view driver) {
  Resources out;
  std::map<std::string, std::map<std::string, uint64_t>> mixes;  // of each executable
  for (const auto& s : raw) {
    const uint64_t value = s.value > 0 && s.value < 0x1p64L ? uint64_t(s.value) : 0;
    const std::string name = lower_case(s.name);
    for (const Meaning& m : kMeanings) {
      if (!driver.starts_with(m.driver) || m.name != name) continue;
      if (m.to != nullptr) raise(out.*m.to, converted(value, m.how));
      if (m.how == How::lane_words) raise(out.spills, value);
      if (!m.part.empty()) mixes[s.pass][std::string(m.part)] += value;
    }
  }
  // A driver may compile one shader several times, such as once for each subgroup size: the largest counts.
  for (const auto& [executable, mix] : mixes)
    for (const auto& [part, count] : mix) out.mix[part] = std::max(out.mix[part], count);
  out.raw = std::move(raw);
  return out;
}

}  // namespace attnscope::vulkan
