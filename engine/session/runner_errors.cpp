// Where a config's result is wrong: one execution, judged, and the errors of one batch and head.

#include "engine/attention/layout.hpp"
#include "engine/attention/parallel.hpp"
#include "engine/attention/reference.hpp"
#include "engine/record/run.hpp"
#include "engine/session/resources.hpp"
#include "engine/session/runner.hpp"

namespace attnscope {
namespace {

/// Double-precision work for the rows of the one head, for each thread of this machine.
constexpr double kHeadFlops = 2e8;

Error cancelled() { return {ErrorKind::cancelled, "Cancelled while the CPU reference was computed."}; }

}  // namespace

Result<void> check_request(const ErrorMapRequest& r) {
  if (r.batch >= r.problem.batch || r.head >= r.problem.heads_q)
    return bad_input(fmt::format("batch {}, head {} does not exist in {}: it has batches 0 to {} and heads 0 to {}.",
                                 r.batch, r.head, to_text(r.problem), r.problem.batch - 1, r.problem.heads_q - 1));
  if (r.cells < 1 || r.cells > kMostErrorCells)
    return bad_input(fmt::format("cells is {}; it has to be from 1 to {}.", r.cells, kMostErrorCells));
  if (r.elements > kMostErrorElements)
    return bad_input(fmt::format("elements is {}; it has to be {} at most.", r.elements, kMostErrorElements));
  return {};
}

void Runner::error_map(const Plan& plan, const ErrorMapRequest& request, EventStream& events,
                       const std::atomic<bool>& cancel, ErrorMapAnswer& answer) {
  Record& record = answer.record;
  record_plan(plan, record);
  conclude(record, map_errors(plan, request, events, cancel, answer));
}

Result<Outcome> Runner::map_errors(const Plan& plan, const ErrorMapRequest& request, EventStream& events,
                                   const std::atomic<bool>& cancel, ErrorMapAnswer& answer) {
  const vulkan::Wait wait = events.wait(cancel);
  events.stage("compile");
  std::shared_ptr<Workload> found = TRY(judge_.untouched(workloads_, plan.problem, request.seed, wait));
  Workload& work = *found;
  const Problem& p = plan.problem;
  RunRequest run;
  run.problem = p;
  run.seed = request.seed;
  run.measure = false;
  Ready ready = TRY(make_ready(plan, run, work, events, wait, answer.record));
  const Reference& judged = *ready.prepared.references.usual;
  // In the state of the verdict: nothing has run since.
  std::vector<std::byte> bytes = TRY(work.buffer(binding_o).download(wait));
  // A kernel that writes where it must not may have changed the inputs.
  if (!answer.record.verdict->pass) workloads_.forget(found);
  const Tensor output{p.dtype, std::move(bytes)};

  events.stage("reference");
  std::pair<uint32_t, uint32_t> place{request.batch, request.head};
  if (request.worst_head) place = worst_head(p, judged, output);
  const auto [batch, head] = place;
  std::vector<uint64_t> also;
  if (const auto& worst = answer.record.verdict->worst)
    also.push_back((uint64_t{worst->batch} * p.heads_q + worst->head) * p.seq_q + worst->query);
  std::optional<Inputs> again;
  if (!work.inputs) again = make_inputs(p, request.seed);
  const Reference slice =
      make_reference_of(p, again ? *again : *work.inputs, plan.precision,
                        rows_of_head(p, batch, head, request.seed, kHeadFlops * worker_threads(), also), &cancel);
  if (cancel) return cancelled();
  answer.map = make_error_map(p, judged, slice, batch, head, output, request.cells, request.elements);
  return answer.record.verdict->pass ? Outcome::verified : Outcome::failed_verdict;
}

}  // namespace attnscope
