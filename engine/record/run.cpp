#include "engine/record/run.hpp"

namespace attnscope {

std::string_view to_text(Outcome outcome) {
  return word_of(outcome, {"measured", "verified", "compiled", "failed", "refused", "cancelled", "error"});
}

RunId run_id(const Record& r) {
  return {fmt::format("{}|{}|{}|{}|{}|{}|{}", device_key(r.environment.device), r.variant, r.environment.shader_hash,
                      to_text(r.config), to_text(r.protocol.cache), to_text(r.protocol.launch), r.seed),
          to_text(r.problem)};
}

Record make_record(Record run) {
  run.outcome = Outcome::error;
  run.flops = problem_flops(run.problem);
  run.bytes = problem_bytes(run.problem);
  return run;
}

void conclude(Record& record, Outcome outcome, const std::string& message) {
  // A verdict outranks whoever concludes: what is wrong is not timed.
  if (record.wrong() && outcome != Outcome::error) outcome = Outcome::failed_verdict;
  record.outcome = outcome;
  if (!message.empty()) record.message += (record.message.empty() ? "" : " ") + message;
  if (outcome == Outcome::refused || outcome == Outcome::failed_verdict) record.samples_ns.clear();
  record.statistics.reset();
  record.floor.reset();
  record.tflops = record.gbps = 0;
  if (outcome != Outcome::measured && outcome != Outcome::cancelled) return;
  record.statistics = summarize(record.samples_ns);
  rate(record);
}

void rate(Record& record) {
  if (!record.statistics) return;
  record.tflops = to_tflops(record.flops, record.statistics->median);
  record.gbps = to_gbps(record.bytes, record.statistics->median);
  if (record.environment.peaks)
    record.floor = floor_of({record.flops, record.bytes, record.problem.dtype, record.precision, record.protocol.cache,
                             record.protocol.launch},
                            record.statistics->median * 1e-3, *record.environment.peaks);
}

Outcome outcome_of(ErrorKind kind) {
  if (kind == ErrorKind::bad_input || kind == ErrorKind::unsupported) return Outcome::refused;
  return kind == ErrorKind::cancelled ? Outcome::cancelled : Outcome::error;
}

void conclude(Record& record, const Result<Outcome>& done) {
  if (done)
    conclude(record, *done);
  else
    conclude(record, outcome_of(done.error().kind), done.error().message);
}

std::string impossible_time(const Record& r) {
  constexpr double most = 1e18;  // 30 years
  constexpr auto possible = [](double ns) { return ns >= 0 && ns <= most; };
  constexpr auto reason = [](const std::string& where, double ns) {
    return fmt::format("{}: a time of {:g} ns cannot be", where, ns);
  };
  for (size_t i = 0; i < r.samples_ns.size(); ++i)
    if (!possible(r.samples_ns[i])) return reason(fmt::format("samples_ns[{}]", i), r.samples_ns[i]);
  if (r.predicted && !possible(r.predicted->ns)) return reason("predicted", r.predicted->ns);
  if (!r.statistics) return "";
  const Statistics& s = *r.statistics;
  for (const auto& [name, ns] : {std::pair{"median", s.median}, std::pair{"min", s.min}, std::pair{"max", s.max},
                                 std::pair{"mean", s.mean}, std::pair{"p20", s.p20}, std::pair{"p80", s.p80}})
    if (!possible(ns)) return reason(fmt::format("statistics.{}", name), ns);
  // A file may hold some of the samples alone.
  if (const auto own = summarize(r.samples_ns); own && (s.median < 0.9 * own->min || s.median > 1.1 * own->max))
    return fmt::format("statistics.median: {:g} ns is not among samples_ns, {:g} to {:g} ns", s.median, own->min,
                       own->max);
  return "";
}

void enforce_verdict(Record& r) {
  if (r.samples_ns.empty() && !r.statistics) return;
  const bool failed = r.outcome == Outcome::failed_verdict || (r.wrong() && r.outcome != Outcome::error);
  if (failed || r.outcome == Outcome::refused) conclude(r, r.outcome);
}

void explain(Record& record, const NeighbourPlans& around) {
  const PlanShape& shape = around.shape;
  record.fit = fit_of({record.problem, shape.workgroups, shape.invocations, record.resources.registers,
                       shape.tiles.query, shape.tiles.key, record.bytes, record.extra_bytes},
                      record.environment.device);
  record.advice = record.statistics ? advise(record, around) : std::vector<Advice>();
}

}  // namespace attnscope
