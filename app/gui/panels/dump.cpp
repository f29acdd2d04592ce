#include "app/gui/panels/dump.hpp"

namespace attnscope::gui {

Json ask_json(const Ask& ask) {
  return {{"problem", to_text(ask.problem)},
          {"variant", ask.variant},
          {"config", ask.config},
          {"config_text", attnscope::to_text(ask.config)}};
}

Json brief(const Record& r) {
  Json j = {{"problem", to_text(r.problem)},
            {"variant", r.variant},
            {"config", r.config},
            {"cache", to_text(r.protocol.cache)},
            {"launch", to_text(r.protocol.launch)},
            {"shader_hash", r.environment.shader_hash},
            {"device", r.environment.device.name},
            {"outcome", to_text(r.outcome)},
            {"message", r.message},
            {"samples", r.samples_ns.size()},
            {"tflops", r.tflops},
            {"gbps", r.gbps},
            {"moved_bytes", r.bytes + r.extra_bytes},
            {"scratch_bytes", r.scratch_bytes}};
  if (r.statistics) j["statistics"] = *r.statistics;
  if (r.verdict) j["verdict"] = *r.verdict;
  return j;
}

}  // namespace attnscope::gui
