#include "engine/record/explain.hpp"

namespace attnscope {

void explain(Record& record, const NeighbourPlans& around) {
  const PlanShape& shape = around.shape;
  record.fit = fit_of({record.problem, shape.workgroups, shape.invocations, record.resources.registers,
                       shape.shared_bytes, shape.tiles.query, shape.tiles.key, record.bytes, record.extra_bytes},
                      record.environment.device);
  record.advice.clear();
  if (!record.statistics) return;
  Situation s;
  s.problem = record.problem;
  s.config = record.config;
  s.median_us = record.statistics->median * 1e-3;
  s.bytes = record.bytes;
  s.extra_bytes = record.extra_bytes;
  s.launch = record.protocol.launch;
  s.registers = record.resources.registers;
  s.spills = record.resources.spills;
  s.spill_bytes = record.resources.spill_bytes;
  s.may_spill = record.resources.may_spill;
  s.device = record.environment.device;
  s.peaks = record.environment.peaks;
  s.floor = record.floor;
  s.fit = *record.fit;
  s.around = &around;
  record.advice = advise(s);
}

}  // namespace attnscope
