#include "engine/session/request_run.hpp"

#include <fmt/chrono.h>

#include <ctime>

#include "engine/platform/system.hpp"

namespace attnscope {

Environment stamp(const DeviceInfo& device) {
  Environment e;
  e.device = device;
  e.program_version = ATTNSCOPE_VERSION;
  e.time_utc = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  // No node name: a record may be published.
  e.host_os = system_name();
  return e;
}

Result<void> check_request(const RunRequest& request) {
  constexpr NumberRange<double> kBatchMs{0.001, 60'000};
  if (!kBatchMs.holds(request.batch_ms))
    return bad_input(fmt::format("batch_ms is {}; it has to be {}.", request.batch_ms, range_text(kBatchMs)));
  return check_protocol(request.protocol);
}

Run run_of(const RunRequest& request, const VariantInfo& variant, const DeviceInfo& device) {
  Run run;
  run.problem = request.problem;
  run.variant = request.variant;
  run.config = full_config(variant, {"", "", request.config});
  // A variant that did not load has no configs, so no defaults either.
  if (variant.error.empty()) run.config_name = config_name(variant, run.config);
  run.protocol = request.protocol;
  run.seed = request.seed;
  run.environment = stamp(device);
  run.environment.shader_hash = variant.hash;
  run.predicted = request.predicted;
  return run;
}

}  // namespace attnscope
