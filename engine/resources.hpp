// What a plan's pipelines take: by its modules, and as their driver says.
#pragma once

#include "engine/words.hpp"

namespace attnscope {

/// A statistic of a driver, as it says it.
struct RawResource {
  std::string pass;  ///< of the plan, with the driver's executable where it has several; without a plan that alone
  std::string name, description;
  long double value = 0;  ///< holds any 64-bit integer and any double
  bool operator==(const RawResource&) const = default;
};
/// What is known of a compile's time.
enum class Compile {
  not_asked,
  measured,           ///< of a compile that really took place
  cached,             ///< a cache answered, as far as can be told, so there is no time to show
  in_first_dispatch,  ///< creating the pipeline compiles nothing here: the driver does so when it first runs
};
constexpr std::string_view to_text(Compile compile) {
  return word_of(compile, {"not asked", "measured", "cached", "within the first dispatch"});
}
/// Absent = "not reported by this driver", never a zero.
struct Resources {
  std::optional<uint64_t> registers;    ///< per invocation, largest over passes
  std::optional<uint64_t> spills;       ///< registers or store instructions that were spilled, as the driver counts
  std::optional<uint64_t> spill_bytes;  ///< of an invocation, largest over passes
  std::optional<uint64_t> stack_bytes;  ///< scratch memory of an invocation, thread or subgroup, as the driver counts
  std::optional<uint64_t> subgroups;    ///< that fit a SIMD or a core, as the driver counts
  std::optional<uint64_t> cycles;       ///< the compiler's own estimate: no time was measured
  std::optional<uint64_t> shared_bytes_driver;
  std::optional<uint64_t> code_bytes;
  uint64_t shared_bytes = 0;  ///< from the specialized SPIR-V
  uint64_t private_bytes = 0;
  uint64_t workgroup_invocations = 0;  ///< of the pass with the largest grid
  uint64_t workgroups = 0;
  std::optional<double> compile_ms;  ///< of all passes, no cache; absent unless `compile` is measured
  Compile compile = Compile::not_asked;
  std::string may_spill;                ///< why it may, as the manifest says; "" = it should not
  std::map<std::string, uint64_t> mix;  ///< instructions by kind, over all passes; "all" is all of them
  std::vector<RawResource> raw;
  bool operator==(const Resources&) const = default;
};

}  // namespace attnscope
