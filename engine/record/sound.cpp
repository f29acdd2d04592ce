#include "engine/record/sound.hpp"

#include <fmt/format.h>

#include "engine/record/json_fields.hpp"

namespace attnscope {

std::string impossible_time(const Record& r) {
  constexpr auto reason = [](const std::string& where, double ns) {
    return fmt::format("{}: a time of {:g} ns cannot be", where, ns);
  };
  for (size_t i = 0; i < r.samples_ns.size(); ++i)
    if (r.samples_ns[i] < 0) return reason(fmt::format("samples_ns[{}]", i), r.samples_ns[i]);
  if (!r.statistics) return "";
  const Statistics& s = *r.statistics;
  for (const auto& [name, ns] : {std::pair{"median", s.median}, std::pair{"min", s.min}, std::pair{"max", s.max},
                                 std::pair{"mean", s.mean}, std::pair{"p20", s.p20}, std::pair{"p80", s.p80}})
    if (ns < 0) return reason(fmt::format("statistics.{}", name), ns);
  return "";
}

void heed_verdict(Record& r) {
  if (r.samples_ns.empty() && !r.statistics) return;
  if (r.verdict && !r.verdict->pass && r.outcome != Outcome::error) r.outcome = Outcome::failed_verdict;
  if (r.outcome != Outcome::refused && r.outcome != Outcome::failed_verdict) return;
  r.samples_ns.clear();
  r.statistics.reset();
  r.floor.reset();
  r.tflops = r.gbps = 0;
}

void mend_older(const Json&, Record& r) {
  if (const std::string why = impossible_time(r); !why.empty()) throw JsonError("." + why);
  heed_verdict(r);
}

}  // namespace attnscope
