// Fields of the session's own values: what travels between a window and its worker.
#pragma once

#include "engine/record/fields_record.hpp"
#include "engine/record/fields_variant.hpp"
#include "engine/session/session.hpp"

namespace attnscope {

// clang-format off: one row a line

template <>
inline constexpr auto fields_of<VariantInfo> = declare(
    field("name", &VariantInfo::name, kNeeded), field("title", &VariantInfo::title),
    field("summary", &VariantInfo::summary), field("system", &VariantInfo::system), field("hash", &VariantInfo::hash),
    field("features", &VariantInfo::features), field("dtypes", &VariantInfo::dtypes),
    field("options", &VariantInfo::options), field("parameters", &VariantInfo::parameters),
    field("constraints", &VariantInfo::constraints), field("supports", &VariantInfo::supports),
    field("configs", &VariantInfo::configs), field("rank", &VariantInfo::rank), field("why_not", &VariantInfo::why_not),
    field("error", &VariantInfo::error), field("shadows", &VariantInfo::shadows));

template <>
inline constexpr auto fields_of<Inspection> =
    declare(field("why_not", &Inspection::why_not), field("broken", &Inspection::broken),
            field("choices", &Inspection::choices), field("nearest", &Inspection::nearest),
            field("no_nearest", &Inspection::no_nearest), field("shared_bytes", &Inspection::shared_bytes, Unit::bytes),
            field("private_bytes", &Inspection::private_bytes, Unit::bytes),
            field("scratch_bytes", &Inspection::scratch_bytes, Unit::bytes), field("grids", &Inspection::grids),
            field("local_sizes", &Inspection::local_sizes), field("flops", &Inspection::flops, Unit::flop),
            field("bytes", &Inspection::bytes, Unit::bytes),
            field("extra_bytes", &Inspection::extra_bytes, Unit::bytes), field("precision", &Inspection::precision));

template <>
inline constexpr auto fields_of<RunRequest> = declare(
    field("problem", &RunRequest::problem, kNeeded), field("variant", &RunRequest::variant, kNeeded),
    field("config", &RunRequest::config), field("protocol", &RunRequest::protocol), field("seed", &RunRequest::seed),
    field("verify", &RunRequest::verify), field("measure", &RunRequest::measure),
    field("resources", &RunRequest::resources), field("live", &RunRequest::live),
    field("batch_ms", &RunRequest::batch_ms, Unit::milliseconds), field("paced", &RunRequest::paced));

template <>
inline constexpr auto fields_of<SamplingBegan> = declare(field("dispatches_per_sample",
                                                               &SamplingBegan::dispatches_per_sample),
                                                         field("settled", &SamplingBegan::settled));

template <>
inline constexpr auto fields_of<ConfigChoice> = declare(field("config", &ConfigChoice::config, kNeeded),
                                                        field("name", &ConfigChoice::name),
                                                        field("how", &ConfigChoice::how),
                                                        field("because", &ConfigChoice::because));

template <>
inline constexpr auto fields_of<VariantRank> = declare(field("variant", &VariantRank::variant, kNeeded),
                                                       field("rank", &VariantRank::rank, kNeeded),
                                                       field("why_not", &VariantRank::why_not));

template <>
inline constexpr auto fields_of<SpaceRequest> =
    declare(field("first", &SpaceRequest::first), field("budget_candidates", &SpaceRequest::budget_candidates),
            field("budget_ms", &SpaceRequest::budget_ms, Unit::milliseconds),
            field("max_legal", &SpaceRequest::max_legal), field("keep_refused", &SpaceRequest::keep_refused));

template <>
inline constexpr auto fields_of<PrunedReason> = declare(field("reason", &PrunedReason::reason, kNeeded),
                                                        field("count", &PrunedReason::count, kNeeded),
                                                        field("example", &PrunedReason::example),
                                                        field("config", &PrunedReason::config));

template <>
inline constexpr auto fields_of<RefusedConfig> = declare(field("config", &RefusedConfig::config, kNeeded),
                                                         field("why_not", &RefusedConfig::why_not));

template <>
inline constexpr auto fields_of<SpaceBatch> = declare(
    field("size", &SpaceBatch::size, kNeeded), field("first", &SpaceBatch::first),
    field("next", &SpaceBatch::next, kNeeded), field("done", &SpaceBatch::done, kNeeded),
    field("legal", &SpaceBatch::legal), field("pruned", &SpaceBatch::pruned), field("refused", &SpaceBatch::refused));

template <>
inline constexpr auto fields_of<TrialsRequest> =
    declare(field("problem", &TrialsRequest::problem, kNeeded), field("variant", &TrialsRequest::variant, kNeeded),
            field("configs", &TrialsRequest::configs, kNeeded), field("protocol", &TrialsRequest::protocol),
            field("seed", &TrialsRequest::seed), field("best_ns", &TrialsRequest::best_ns, Unit::nanoseconds),
            field("drop", &TrialsRequest::drop), field("ahead", &TrialsRequest::ahead));

template <>
inline constexpr auto fields_of<Trial> = declare(field("index", &Trial::index, kNeeded),
                                                 field("config", &Trial::config, kNeeded),
                                                 field("outcome", &Trial::outcome, kNeeded),
                                                 field("message", &Trial::message), field("dropped", &Trial::dropped),
                                                 field("median_ns", &Trial::median_ns, Unit::nanoseconds),
                                                 field("samples_ns", &Trial::samples_ns, Unit::nanoseconds),
                                                 field("dispatches_per_sample", &Trial::dispatches_per_sample),
                                                 field("settled", &Trial::settled),
                                                 field("compile_ms", &Trial::compile_ms, Unit::milliseconds));

template <>
inline constexpr auto fields_of<TrialsReport> =
    declare(field("wall_ms", &TrialsReport::wall_ms, Unit::milliseconds),
            field("waiting_ms", &TrialsReport::waiting_ms, Unit::milliseconds),
            field("reference_ms", &TrialsReport::reference_ms, Unit::milliseconds),
            field("verifying_ms", &TrialsReport::verifying_ms, Unit::milliseconds),
            field("measuring_ms", &TrialsReport::measuring_ms, Unit::milliseconds), field("done", &TrialsReport::done));

template <>
inline constexpr auto fields_of<RaceEntry> = declare(field("variant", &RaceEntry::variant, kNeeded),
                                                     field("config", &RaceEntry::config));

template <>
inline constexpr auto fields_of<RaceRequest> = declare(field("problem", &RaceRequest::problem, kNeeded),
                                                       field("entries", &RaceRequest::entries, kNeeded),
                                                       field("protocol", &RaceRequest::protocol),
                                                       field("seed", &RaceRequest::seed),
                                                       field("resources", &RaceRequest::resources),
                                                       field("turn_ms", &RaceRequest::turn_ms, Unit::milliseconds));

template <>
inline constexpr auto fields_of<Turns> = declare(field("samples", &Turns::samples, kNeeded));

template <>
inline constexpr auto fields_of<RaceResult> = declare(field("records", &RaceResult::records, kNeeded),
                                                      field("turns", &RaceResult::turns));

template <>
inline constexpr auto fields_of<Tiles> = declare(field("query", &Tiles::query), field("key", &Tiles::key),
                                                 field("value", &Tiles::value),
                                                 field("lane_stride", &Tiles::lane_stride, Unit::bytes),
                                                 field("lane_bytes", &Tiles::lane_bytes, Unit::bytes));

template <>
inline constexpr auto fields_of<PlanShape> = declare(field("passes", &PlanShape::passes),
                                                     field("workgroups", &PlanShape::workgroups),
                                                     field("invocations", &PlanShape::invocations),
                                                     field("shared_bytes", &PlanShape::shared_bytes, Unit::bytes),
                                                     field("private_bytes", &PlanShape::private_bytes, Unit::bytes),
                                                     field("extra_bytes", &PlanShape::extra_bytes, Unit::bytes),
                                                     field("tiles", &PlanShape::tiles));

template <>
inline constexpr auto fields_of<Neighbour> = declare(field("parameter", &Neighbour::parameter, kNeeded),
                                                     field("value", &Neighbour::value, kNeeded),
                                                     field("shape", &Neighbour::shape));

template <>
inline constexpr auto fields_of<Surroundings> = declare(field("shape", &Surroundings::shape),
                                                        field("neighbours", &Surroundings::neighbours),
                                                        field("features", &Surroundings::features));

template <>
inline constexpr auto fields_of<PeaksRequest> =
    declare(field("measure", &PeaksRequest::measure), field("again", &PeaksRequest::again),
            field("warmup_ms", &PeaksRequest::warmup_ms, Unit::milliseconds),
            field("target_ms", &PeaksRequest::target_ms, Unit::milliseconds),
            field("copy_bytes", &PeaksRequest::copy_bytes, Unit::bytes));

template <>
inline constexpr auto fields_of<PeaksAnswer> = declare(field("peaks", &PeaksAnswer::peaks),
                                                       field("measured", &PeaksAnswer::measured),
                                                       field("note", &PeaksAnswer::note));

// clang-format on

}  // namespace attnscope
