// Fields of the session's own values, as sent between a caller and its worker.
#pragma once

#include "engine/session/session.hpp"
#include "engine/tune/fields_tune.hpp"

namespace attnscope {

FIELDS(VariantInfo, FIELD(name, kNeeded), FIELD(title), FIELD(summary), FIELD(system), FIELD(hash), FIELD(features),
       FIELD(dtypes), FIELD(options), FIELD(parameters), FIELD(constraints), FIELD(supports), FIELD(no_spills),
       FIELD(configs), FIELD(rank), FIELD(why_not), FIELD(error), FIELD(shadows));
FIELDS(Inspection, FIELD(why_not), FIELD(broken), FIELD(choices), FIELD(nearest), FIELD(no_nearest),
       FIELD(shared_bytes), FIELD(private_bytes), FIELD(scratch_bytes), FIELD(grids), FIELD(local_sizes), FIELD(flops),
       FIELD(bytes), FIELD(extra_bytes), FIELD(precision));
FIELDS(RunRequest, FIELD(problem, kNeeded), FIELD(variant, kNeeded), FIELD(config), FIELD(protocol), FIELD(seed),
       FIELD(verify), FIELD(measure), FIELD(resources), FIELD(live), FIELD(batch_ms), FIELD(paced), FIELD(predicted));
FIELDS(SamplingBegan, FIELD(dispatches_per_sample), FIELD(settled));
FIELDS(TextRequest, FIELD(problem, kNeeded), FIELD(variant, kNeeded), FIELD(config));
FIELDS(ShaderText, FIELD(pass), FIELD(executable), FIELD(name, kNeeded), FIELD(description), FIELD(text));
FIELDS(ConfigChoice, FIELD(config, kNeeded), FIELD(name), FIELD(how), FIELD(because));
FIELDS(ConfigWork, FIELD(name, kNeeded), FIELD(config, kNeeded), FIELD(passes), FIELD(workgroups), FIELD(steps),
       FIELD(most_steps), FIELD(parts));
FIELDS(VariantRank, FIELD(variant, kNeeded), FIELD(rank, kNeeded), FIELD(why_not), FIELD(configs), FIELD(shader_hash));
FIELDS(SpaceRequest, FIELD(first), FIELD(budget_candidates), FIELD(budget_ms), FIELD(max_legal), FIELD(keep_refused),
       FIELD(points));
FIELDS(PrunedReason, FIELD(reason, kNeeded), FIELD(count, kNeeded), FIELD(example), FIELD(config));
FIELDS(RefusedConfig, FIELD(config, kNeeded), FIELD(why_not));
FIELDS(SpaceBatch, FIELD(size, kNeeded), FIELD(first), FIELD(next, kNeeded), FIELD(done, kNeeded), FIELD(legal),
       FIELD(pruned), FIELD(refused));
FIELDS(ConfigsOfVariant, FIELD(problem, kNeeded), FIELD(variant, kNeeded), FIELD(configs, kNeeded));
FIELDS(TrialsRequest, FIELD(problem, kNeeded), FIELD(variant, kNeeded), FIELD(configs, kNeeded), FIELD(protocol),
       FIELD(seed), FIELD(best_ns), FIELD(drop), FIELD(ahead), FIELD(judged_once), FIELD(next), FIELD(postpone));
FIELDS(TrialsReport, FIELD(wall_ms), FIELD(waiting_ms), FIELD(reference_ms), FIELD(verifying_ms), FIELD(measuring_ms),
       FIELD(done));
FIELDS(RaceEntry, FIELD(variant, kNeeded), FIELD(config));
FIELDS(RaceRequest, FIELD(problem, kNeeded), FIELD(entries, kNeeded), FIELD(protocol), FIELD(seed), FIELD(resources),
       FIELD(turn_ms), FIELD(paced), FIELD(batch_ms));
FIELDS(Turns, FIELD(samples, kNeeded));
FIELDS(RaceResult, FIELD(records, kNeeded), FIELD(turns));
FIELDS(Tiles, FIELD(query), FIELD(key), FIELD(value), FIELD(lane_stride), FIELD(lane_bytes));
FIELDS(PlanShape, FIELD(passes), FIELD(workgroups), FIELD(invocations), FIELD(shared_bytes), FIELD(private_bytes),
       FIELD(extra_bytes), FIELD(tiles));
FIELDS(Neighbour, FIELD(parameter, kNeeded), FIELD(value, kNeeded), FIELD(shape));
FIELDS(NeighbourPlans, FIELD(shape), FIELD(neighbours), FIELD(features));
FIELDS(PeaksRequest, FIELD(measure), FIELD(again));
FIELDS(CheckRequest, FIELD(check, kNeeded), FIELD(fault));
FIELDS(CheckResult, FIELD(check, kNeeded), FIELD(outcome, kNeeded), FIELD(text), FIELD(needs), FIELD(dtype));
FIELDS(PeaksAnswer, FIELD(peaks), FIELD(measured), FIELD(note));

FIELDS(ErrorMapRequest, FIELD(problem, kNeeded), FIELD(variant, kNeeded), FIELD(config), FIELD(seed), FIELD(batch),
       FIELD(head), FIELD(worst_head), FIELD(cells), FIELD(elements));
FIELDS(ErrorElement, FIELD(batch, kNeeded), FIELD(head, kNeeded), FIELD(query, kNeeded), FIELD(dim, kNeeded),
       FIELD(got), FIELD(expected), FIELD(allowed), FIELD(what));
FIELDS(ErrorMap, FIELD(batch), FIELD(head), FIELD(queries), FIELD(dims), FIELD(rows_checked), FIELD(cell_queries),
       FIELD(cell_dims), FIELD(rows), FIELD(columns), FIELD(cells), FIELD(failing), FIELD(unwritten), FIELD(not_finite),
       FIELD(max_abs), FIELD(mean_abs), FIELD(nmse), FIELD(allowed_max_abs), FIELD(allowed_nmse), FIELD(worst),
       FIELD(first), FIELD(first_of_all), FIELD(heads));
FIELDS(ErrorMapAnswer, FIELD(record, kNeeded), FIELD(map));

}  // namespace attnscope
