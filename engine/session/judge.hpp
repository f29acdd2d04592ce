// Judge: whether what a plan computes is right, and stays right. The verdict of its first execution, and what later
// ones must still do; a config that does not is failed, and never has a time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/record/record.hpp"
#include "engine/session/device_words.hpp"
#include "engine/session/events.hpp"
#include "engine/session/fingerprint.hpp"
#include "engine/session/full_check.hpp"
#include "engine/session/prepared.hpp"
#include "engine/session/workload.hpp"
#include "engine/variant/plan.hpp"

namespace attnscope {

/// What has run since the first execution was judged.
struct Timed {
  uint64_t executions = 0;  ///< 0: nothing but that
  double typical_ns = 0;    ///< of one of them; 0 where it is not known
  uint32_t slices = 1;      ///< they ran in
};

class Judge {
 public:
  explicit Judge(vulkan::Device device) : device_(device), full_check_(std::move(device)) {}
  FullCheck& full_check() { return full_check_; }

  /// The problem's inputs, of which it was checked that they are what was uploaded: a run that broke off, or sampled
  /// for long, may have left other ones, and nobody is judged on those.
  Result<std::shared_ptr<Workload>> untouched(WorkloadCache&, const Problem&, uint64_t seed, const vulkan::Wait&);
  /// Before anything runs on these inputs: what kernels must leave alone, as it was uploaded.
  Result<void> take_fingerprints(Workload&, const vulkan::Wait&);
  /// "K" and so on: the inputs that are not any more what was uploaded; "" when all are.
  Result<std::string> changed_inputs(const Workload&, const vulkan::Wait&) const;

  /// Runs once, everything it writes to full of NaN, and judges that by the references of `prepared`; without them it
  /// just runs. The execution's time in ns.
  Result<double> first(const Plan&, Prepared&, Workload&, EventStream&, const vulkan::Wait&, Record&);

  /// Whether the executions since gave what the first one did, and whether they worked for it. A result may be left
  /// over from an earlier execution, in scratch memory or in the output itself. So what the last timed execution left
  /// is judged; then an execution on other inputs (the signs of Q and V turned), with the scratch memory as it is, into
  /// an output full of NaN; then one on the first inputs, into the output of those others, which must give what the
  /// first execution gave. Neither may take much longer than those that were timed. Fails the record's verdict, with a
  /// reason. When it ends in an error the inputs may be left turned.
  Result<void> again(const Plan&, const Prepared&, Workload&, const Timed&, const vulkan::Wait&, Record&);

 private:
  struct Tools {
    Fingerprint fingerprint;
    SignTurn turn;
    SharedSpoil spoil_shared;
  };
  struct Case;
  Result<void> need_tools();
  Result<void> turn_inputs(const Case&) const;
  Result<void> poison(const Case&, bool scratch) const;
  /// Fails what left something in scratch memory that it declares zeroed: what it finds there next would be more.
  Result<void> check_zeroed(const Case&) const;
  Result<bool> guards_intact(const Case&) const;
  Result<Verdict> verdict_of(const Case&, const Reference&);
  /// The output against the fingerprint of the first: the same to the bit, or where the manifest says that bits may
  /// differ, as near to the reference.
  Result<void> compare_output(const Case&, const std::string& when);
  Result<double> on_turned_inputs(const Case&);
  Result<void> compare_times(const Case&, uint32_t slices) const;

  vulkan::Device device_;
  FullCheck full_check_;
  std::optional<Tools> tools_;
};

}  // namespace attnscope
