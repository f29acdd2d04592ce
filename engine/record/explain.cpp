#include "engine/record/explain.hpp"

namespace attnscope {

void explain(Record& record, const NeighbourPlans& around) {
  const PlanShape& shape = around.shape;
  record.fit = fit_of({record.problem, shape.workgroups, shape.invocations, record.resources.registers,
                       shape.shared_bytes, shape.tiles.query, shape.tiles.key, record.bytes, record.extra_bytes},
                      record.environment.device);
  record.advice.clear();
  if (!record.statistics) return;
  Situation s{.problem = record.problem,
              .config = record.config,
              .median_us = record.statistics->median * 1e-3,
              .bytes = record.bytes,
              .extra_bytes = record.extra_bytes,
              .launch = record.protocol.launch,
              .registers = record.resources.registers,
              .spills = record.resources.spills,
              .spill_bytes = record.resources.spill_bytes,
              .may_spill = record.resources.may_spill,
              .device = record.environment.device,
              .peaks = record.environment.peaks,
              .floor = record.floor,
              .fit = *record.fit,
              .around = &around};
  record.advice = advise(s);
}

}  // namespace attnscope
