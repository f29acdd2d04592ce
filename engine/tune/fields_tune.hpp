// Fields of the tuner's stored values: trials in journals, entries of the tuning cache.
#pragma once

#include "engine/record/json.hpp"
#include "engine/tune/cache.hpp"
#include "engine/tune/cost_model.hpp"
#include "engine/tune/journal.hpp"

namespace attnscope {

FIELDS(tune::JournalKey, FIELD(device), FIELD(device_uuid), FIELD(driver), FIELD(problem, kNeeded), FIELD(cache),
       FIELD(launch), FIELD(seed));
FIELDS(Trial, FIELD(index, kNeeded), FIELD(config, kNeeded), FIELD(outcome, kNeeded), FIELD(message), FIELD(dropped),
       FIELD(median_ns), FIELD(samples_ns), FIELD(dispatches_per_sample), FIELD(settled), FIELD(compile_ms),
       FIELD(time_utc));
FIELDS(tune::TunedConstant, FIELD(id, kNeeded), FIELD(name), FIELD(bits, kNeeded), FIELD(formula));
FIELDS(tune::TunedPush, FIELD(offset, kNeeded), FIELD(name), FIELD(type), FIELD(bits), FIELD(formula));
FIELDS(tune::TunedPass, FIELD(name, kNeeded), FIELD(shader), FIELD(grid), FIELD(grid_formula), FIELD(local_size),
       FIELD(subgroup_size), FIELD(constants), FIELD(push_bytes), FIELD(push));
FIELDS(tune::TunedEntry, FIELD(device, kNeeded), FIELD(device_uuid), FIELD(driver, kNeeded), FIELD(vendor_id),
       FIELD(device_id), FIELD(problem, kNeeded), FIELD(variant, kNeeded), FIELD(shader_hash), FIELD(config, kNeeded),
       FIELD(cache), FIELD(launch), FIELD(median_ns, Zero::not_measured), FIELD(p20_ns, Zero::not_measured),
       FIELD(p80_ns, Zero::not_measured), FIELD(verified), FIELD(raced), FIELD(trials),
       FIELD(default_ns, Zero::not_measured), FIELD(default_variant), FIELD(default_config), FIELD(too_close),
       FIELD(passes), FIELD(time_utc), FIELD(program_version), FIELD(source_changed));
FIELDS(tune::CostConfig, FIELD(variant, kNeeded), FIELD(shader_hash), FIELD(config, kNeeded));
FIELDS(tune::CostProblem, FIELD(problem, kNeeded), FIELD(rows, kNeeded));
FIELDS(tune::CostModel, FIELD(device, kNeeded), FIELD(driver), FIELD(time_utc), FIELD(program_version),
       FIELD(cores, kNeeded), FIELD(vendor_id), FIELD(subgroup_size), FIELD(matrix), FIELD(configs, kNeeded),
       FIELD(problems, kNeeded));

}  // namespace attnscope
