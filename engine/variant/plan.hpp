// Plan: a Config bound to a Problem and a device. Passes, grids, buffers, and nothing left to decide.
#pragma once

#include <atomic>

#include "engine/attention/reference.hpp"
#include "engine/shader/module.hpp"
#include "engine/variant/variant.hpp"

namespace attnscope {

/// Where in a block the address of a buffer goes.
struct Address {
  uint32_t offset = 0;
  Slot slot;  ///< of no place
};
struct PlanBlock {
  uint32_t place = 0;
  std::vector<std::byte> bytes;
  std::vector<Address> addresses;
};
struct PlanPass {
  std::string name;
  Spirv spirv;
  SpecValues constants;
  std::array<uint32_t, 3> grid{1, 1, 1};
  std::vector<std::byte> push;
  std::vector<Address> push_addresses;
  std::vector<PlanBlock> uniforms;
  std::vector<Slot> slots;  ///< one for each of the module's storage buffers
  ModuleFacts facts;
  uint32_t subgroup_size = 0;  ///< 0 = the driver's choice
};
struct PlanScratch {
  std::string name;
  uint64_t bytes = 0;
  bool zeroed = false;     ///< of ScratchDecl
  bool addressed = false;  ///< a pass is given its address
};
struct Plan {
  std::string variant;
  Problem problem;
  Config config;
  std::vector<PlanPass> passes;
  std::vector<PlanScratch> scratch;
  TensorForms forms;  ///< in which the passes want tensors, where it is not the problem's own
  uint64_t scratch_bytes = 0;
  double extra_bytes = 0;     ///< traffic beyond the least, as the manifest counts it
  uint64_t shared_bytes = 0;  ///< largest over passes
  uint64_t private_bytes = 0;
  Precision precision;
  std::string may_spill;   ///< why it may, as the manifest says; "" = it should not
  bool bit_stable = true;  ///< two runs agree in every bit, as the manifest says
};

/// Refuses, before any pipeline exists, what the variant or the device cannot hold: each error names the constraint or
/// limit, what was asked and what is allowed. Order: dtype/features/supports and what no config changes, candidate
/// values, constraints, grid, buffer sizes, device memory, then by pass shared and private memory, invocations and the
/// rest of check_module (engine/shader/limits.hpp). A plan that is made is one that pipelines can be made for.
Result<Plan> make_plan(const Variant&, const Problem&, const Config&, const DeviceInfo&, Compiler&);

/// Bounds of a search over configs; whichever is reached first ends it. One candidate is always looked at.
struct SearchBudget {
  uint64_t candidates = 100'000;
  double ms = 500;  ///< of which shaders that have to be compiled first take nothing, up to ten seconds
};

/// For each parameter, for each candidate value with the others as in `config`: empty when legal, else why not.
struct ParameterChoices {
  std::string name;
  std::vector<std::string> why_not;  ///< parallel to Parameter::values
  bool operator==(const ParameterChoices&) const = default;
};
/// A value that the budget left no time for says so in its place.
std::vector<ParameterChoices> parameter_choices(const Variant&, const Problem&, const Config&, const DeviceInfo&,
                                                Compiler&, const SearchBudget& = {.ms = 2000});
/// Name of the first legal named config whose `suits` holds for this problem and device; "" when the defaults do.
std::string suited_config(const Variant&, const Problem&, const DeviceInfo&, Compiler&);

/// What a search for a legal config came to.
struct Nearest {
  enum class End {
    found,
    none_exists,    ///< no config at all is legal, either for a reason that no parameter changes or by trying each
    out_of_budget,  ///< none was found among the nearest; farther ones were not tried
    cancelled
  };
  End end = End::none_exists;
  Config config;  ///< when found
  Error why;      ///< of the config asked for, where it is not legal; with how the search ended when nothing was found
  uint64_t tried = 0;  ///< candidates looked at
};
/// The legal config nearest to `config`: fewest parameters changed, then smallest steps, then the earliest parameters.
Nearest nearest_legal(const Variant&, const Problem&, const Config&, const DeviceInfo&, Compiler&,
                      const SearchBudget& = {}, const std::atomic<bool>* cancel = nullptr);

}  // namespace attnscope
