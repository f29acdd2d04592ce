// Plan: a Config bound to a Problem and a device. Passes, grids, buffers, and nothing left to decide.
#pragma once

#include "engine/attention/reference.hpp"
#include "engine/shader/limits.hpp"
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
  uint64_t workgroups() const { return uint64_t{grid[0]} * grid[1] * grid[2]; }
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
  /// Of most workgroups; the last of those.
  const PlanPass& largest_pass() const {
    return *std::ranges::max_element(passes.rbegin(), passes.rend(), {}, &PlanPass::workgroups);
  }
};

/// Refuses, before any pipeline exists, what variant or device cannot hold: the error names constraint or limit, what
/// was asked and what is allowed. Order: dtype, features, supports; candidate values; constraints; grid; buffers;
/// device memory; by pass check_module (engine/shader/limits.hpp). What is planned can be made.
Result<Plan> make_plan(const Variant&, const Problem&, const Config&, const DeviceInfo&, Compiler&);

class Planner;

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
std::vector<ParameterChoices> parameter_choices(const Planner&, const Config&, const SearchBudget& = {.ms = 2000});
/// Name of the first legal named config whose `suits` holds for this problem and device; "" when the defaults do.
std::string suited_config(const Planner&);

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
Nearest nearest_legal(const Planner&, const Config&, const SearchBudget& = {}, const Cancel* cancel = nullptr);

// What a plan of one pass, and all its buffers, ask of a device, as refusals.

struct Refusal {
  Error error;
  /// The same without numbers, by which refusals are counted: "shared memory of pass 'main'", a constraint's `require`.
  std::string reason;
  std::optional<Limit> limit{};  ///< a number that parameters can be advised about
  size_t pass = 0;               ///< index into the manifest's passes
  uint64_t asked = 0, allowed = 0;
  bool broken = false;  ///< the shader does not compile, or the manifest is wrong: no limit of a problem or device
};

/// What the pass's module asks, by check_module.
std::optional<Refusal> check_pass(const PlanPass&, const Reflection&, size_t index, const DeviceInfo&);
std::optional<Refusal> check_pass_grid(const std::string& pass, size_t index, const std::array<uint64_t, 3>& grid,
                                       const DeviceInfo&);

/// A run keeps each tensor between two guards, which find writes outside it.
inline constexpr uint64_t kBufferGuard = 256;
/// What a buffer of `bytes` takes: whole words and both guards.
constexpr uint64_t guarded_bytes(uint64_t bytes) { return (bytes + 3) / 4 * 4 + 2 * kBufferGuard; }

/// Each buffer of a run against the range and allocation limits, then the sum against the device's memory.
std::optional<Refusal> check_buffers(const Problem&, const TensorForms&, const std::vector<PlanScratch>&,
                                     const DeviceInfo&);

// The one policy of which config stands for a text on a problem.

struct ConfigChoice {
  enum class How {
    as_asked,  ///< it is what the text says, legal or not
    suited,    ///< a named config made for such problems stands in for the defaults
    nearest    ///< the defaults are not legal, and this is the legal config nearest to them
  };
  Config config;
  std::string name;  ///< "default", the manifest's named config, or ""
  How how = How::as_asked;
  /// Why another one stands in; or, as asked, why none could, and whether there is none or none was found in time.
  std::string because;
  bool legal() const { return how != How::as_asked || because.empty(); }
};
constexpr std::string_view to_text(ConfigChoice::How how) { return word_of(how, {"as_asked", "suited", "nearest"}); }

/// Named configs and values are taken as they are. "default" (or "") is the first named config that suits the problem
/// and is legal, else the defaults, else the legal config nearest to them. The error is the text's.
Result<ConfigChoice> choose_config(const Planner&, std::string_view text);

// A plan as numbers, and those of the configs one step away: what moving a parameter would change.

/// What the manifest's [tiles] come to; 0 = it declares none.
struct Tiles {
  double query = 0, key = 0, value = 0;    ///< query rows, keys, output dims
  double lane_stride = 0, lane_bytes = 0;  ///< of shared memory, in bytes
  bool operator==(const Tiles&) const = default;
};
struct PlanShape {
  uint32_t passes = 0;
  uint64_t workgroups = 0, invocations = 0;  ///< of the pass with most workgroups; a workgroup's
  uint64_t shared_bytes = 0, private_bytes = 0;
  double extra_bytes = 0;
  Tiles tiles;
  bool operator==(const PlanShape&) const = default;
};
/// The nearest legal value of one parameter in one direction, the others as they are.
struct Neighbour {
  std::string parameter;
  int64_t value = 0;
  PlanShape shape;
  bool operator==(const Neighbour&) const = default;
};
struct NeighbourPlans {
  PlanShape shape;
  std::vector<Neighbour> neighbours = {};  ///< at most two for each parameter
  std::vector<std::string> features;       ///< that the variant needs of a device
  bool operator==(const NeighbourPlans&) const = default;
};
/// The error is make_plan's where the config is not legal. What the budget leaves no time for is left out.
Result<NeighbourPlans> plan_neighbours(const Planner&, const Config&, const SearchBudget& = {.ms = 2000});

}  // namespace attnscope
