// Judge: checks a plan's results at its first execution and at later ones; a config that fails never has a time.
#pragma once

#include "engine/session/sampling.hpp"
#include "engine/session/workload.hpp"

namespace attnscope {

// Attention computed on the device by the engine's own kernel, judged by the CPU's rows before it judges every element.

/// How a result differs from the reference, over all of its elements.
struct Difference {
  uint64_t not_finite = 0;  ///< NaN, Inf, or never written (the poison is a NaN)
  uint64_t first_not_finite = 0;
  double max_abs = 0;   ///< over the finite elements, beyond storage_rounding() of what is expected
  double row_nmse = 0;  ///< of the worst row, likewise
  uint64_t worst = 0;   ///< its element of O
  double got = 0, expected = 0;
};

/// Seconds that computing it takes on a device like this, roughly; infinity beyond 32 bits of elements.
double device_reference_cost_s(const DeviceInfo&, const Problem&);
/// O in f32, laid out as the problem's: all in f32, keys in blocks of 128 with a running maximum.
Result<vulkan::Buffer> compute_on_device(const Workload&, const vulkan::Wait&);
/// The largest difference of `computed` from a CPU reference on its rows.
Result<double> error_of(const vulkan::Buffer& computed, const Problem&, const Reference&, const vulkan::Wait&);
/// Of O as a kernel left it. The two values of the worst element are fetched where its error is over `allowed`.
Result<Difference> compare_elements(const Workload&, const vulkan::Buffer& expected, double allowed,
                                    const vulkan::Wait&);

struct Yardstick {
  std::optional<vulkan::Buffer> elements{};  ///< absent where computing them takes too long
  double allowed = 0;                        ///< of an element's error against these
  double allowed_nmse = 0;                   ///< of a row; infinite: rows are not judged alone
};
inline double at_most_a_row(double nmse) { return std::isinf(nmse) ? nmse : std::min(nmse, kMostRowNmse); }
/// `elements` is absent where it takes over `most_s` or is no better than what it would judge. Inputs are in place.
Result<Yardstick> make_yardstick(Workload&, InputSet, const std::shared_ptr<const Reference>& rows, double most_s,
                                 const vulkan::Wait&);
/// Which element of O is wrong, as a sentence; "" when each is near enough. Only with `elements`.
Result<std::string> wrong_element(const Workload&, const Yardstick&, const vulkan::Wait&);

/// A plan ready to run: its pipelines, scratch memory and references.
struct PreparedPlan {
  vulkan::Execution execution;
  std::vector<GuardedBuffer> scratch;
  std::array<std::optional<uint64_t>, kInputSets> outputs{};  ///< fingerprints of the first results, by InputSet
  References references{};                                    ///< that it was judged by
};

/// The pipelines of the plan's passes, in order; this part takes a compiler.
Result<std::vector<vulkan::Pipeline>> pipelines_of(const vulkan::Device&, const Plan&, bool sliceable);
/// Bound to the inputs, in the forms that the plan wants, with scratch memory of its own.
Result<PreparedPlan> prepare(const Plan&, const std::vector<vulkan::Pipeline>&, Workload&, const vulkan::Wait&);

/// Executions timed one by one between the samples. A kernel that keeps earlier results is slower on changed inputs.
struct SpotCheck {
  /// A few on the problem's own inputs, with scratch memory as earlier executions left it.
  std::vector<double> known_ns{};
  double fresh_ns = 0;  ///< of one on changed inputs, with output and scratch memory full of NaN
};

/// Executions on known inputs, in ns. A kernel that looks at its output may work only where that was touched.
struct CheckTimes {
  std::vector<double> touched_ns{};    ///< a little of the output was put in disorder before
  std::vector<double> untouched_ns{};  ///< the output was as a sample left it
};

struct TimedRuns {
  uint64_t executions = 0;         ///< 0: none
  double typical_ns = 0;           ///< of one of them; 0 where it is not known
  double least_ns = 0;             ///< least_of() the samples; 0 where it is not known
  Sampling* sampling = nullptr;    ///< how they were made; absent where nothing is timed
  std::vector<SpotCheck> spots{};  ///< made between them
  CheckTimes between{};            ///< at random places among them
  CheckTimes last{};               ///< by again(): right after the last of them
  /// By again(), on a software device: other programs came in between, so the times are not to be shown.
  bool busy = false;
};

/// What one execution takes, by all spot checks of a run (at least one): on changed inputs the median (software device:
/// the least), on known ones the mean of the faster three quarters (half), so that an interruption hides nothing and
/// what is left out now and then shows. On a GPU those of `last` are also compared alone with the spot checks from
/// number `later` on (all, where there is none), those of `between` with all, and of both the untouched with the
/// touched: the pair that differs most.
struct SpotTimes {
  double known_ns = 0, fresh_ns = 0;
};
SpotTimes spot_times(const TimedRuns&, size_t later, bool software);

/// Of the fastest hundredth the slowest, and the second fastest at least: one misread clock is no time.
double least_of(std::vector<double> samples_ns);
Error too_busy(const TimedRuns&);

/// The problem's inputs, as they were uploaded: made again where an earlier run left other ones.
Result<std::shared_ptr<Workload>> untouched(WorkloadCache&, const Problem&, uint64_t seed, const vulkan::Wait&);
/// "K" and so on: the inputs that are not any more what was uploaded; "" when all are.
Result<std::string> changed_inputs(const Workload&, const vulkan::Wait&);

/// The compared part of a result. `elements`: on the device alone, where it has a reference of every element.
enum class Compare { rows_and_elements, elements };

/// Judges one plan on its inputs; a failure goes to the record's verdict, with a reason.
struct Judge {
  const Plan& plan;
  PreparedPlan& prepared;
  Workload& work;
  const vulkan::Wait& wait;
  Record& record;
  Compare compare = Compare::rows_and_elements;

  /// Runs once, all that it writes to full of NaN, and judges that if `prepared` has references. The execution's ns.
  Result<double> first(EventStream&) const;

  /// After first() found a NaN or Inf: executions with K and V zero from some key on tell which key it comes with, for
  /// the verdict's reason, within some seconds. Leaves inputs and output as they were.
  Result<void> find_key(double first_ns) const;

  /// Has the samples' outputs compared by again(), unless bits may differ.
  Result<void> watch(Sampling&) const;

  /// One execution on the inputs as they are, timed into `timed.between`; it must give what the first gave. In one of
  /// two some of the output is in disorder before; all is after it. Where bits may differ one in four is compared.
  Result<void> single_check(TimedRuns&) const;

  /// Executions on the inputs as they are, timed, after which memory is checked; one on changed inputs, which is
  /// judged; one on the first inputs again, into the output of the changed ones, which must give what the first gave.
  /// Where all inputs change, all that it writes to is poisoned before; where a part does, the rest is as it was. The
  /// inputs may stay changed on an error. The times are 0 without `sampling`.
  Result<SpotCheck> spot_check(const Sampling* sampling, InputSet set) const;

  /// Whether the executions since gave what the first did, and worked for it: judges what the last one left; a few that
  /// find the output as it is, and a spot check on part of the inputs, follow; the times of all spot checks are
  /// compared (without `sampling` all inputs change once more instead); then memory is looked at.
  Result<void> again(TimedRuns& timed) const;

  /// Guards, inputs and zeroed scratch memory after later executions.
  Result<void> check_memory() const;

  /// Fills all that the plan writes to with NaN.
  Result<void> poison() const;
  /// As the kernel writes it. bring_home() makes work.buffer(binding_o) of it, which is what references judge.
  const GuardedBuffer& output() const { return tensor_for(plan, work, binding_o); }
  bool failed() const { return !record.verdict->pass; }
  /// The device is a CPU, which other programs share.
  bool software() const { return work.kernels->device().is_software(); }
};

}  // namespace attnscope
