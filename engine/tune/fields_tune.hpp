// Fields of what the tuner keeps: trials in journals, entries of the tuning cache.
#pragma once

#include "engine/record/json.hpp"
#include "engine/tune/cache.hpp"
#include "engine/tune/journal.hpp"

namespace attnscope {

// clang-format off: one row a line

template <>
inline constexpr auto fields_of<tune::JournalKey> = declare(field("device", &tune::JournalKey::device),
                                                            field("device_uuid", &tune::JournalKey::device_uuid),
                                                            field("driver", &tune::JournalKey::driver),
                                                            field("problem", &tune::JournalKey::problem, kNeeded),
                                                            field("cache", &tune::JournalKey::cache),
                                                            field("launch", &tune::JournalKey::launch),
                                                            field("seed", &tune::JournalKey::seed));

template <>
inline constexpr auto fields_of<tune::JournalLine> = declare(
    field("variant", &tune::JournalLine::variant, kNeeded), field("shader_hash", &tune::JournalLine::shader_hash),
    field("config", &tune::JournalLine::config, kNeeded), field("outcome", &tune::JournalLine::outcome, kNeeded),
    field("message", &tune::JournalLine::message), field("dropped", &tune::JournalLine::dropped),
    field("median_ns", &tune::JournalLine::median_ns, Unit::nanoseconds),
    field("samples_ns", &tune::JournalLine::samples_ns, Unit::nanoseconds),
    field("dispatches_per_sample", &tune::JournalLine::dispatches_per_sample),
    field("settled", &tune::JournalLine::settled),
    field("compile_ms", &tune::JournalLine::compile_ms, Unit::milliseconds),
    field("time_utc", &tune::JournalLine::time_utc));

template <>
inline constexpr auto fields_of<tune::TunedConstant> = declare(field("id", &tune::TunedConstant::id, kNeeded),
                                                               field("name", &tune::TunedConstant::name),
                                                               field("bits", &tune::TunedConstant::bits, kNeeded),
                                                               field("formula", &tune::TunedConstant::formula));

template <>
inline constexpr auto fields_of<tune::TunedPass> = declare(field("name", &tune::TunedPass::name, kNeeded),
                                                           field("shader", &tune::TunedPass::shader),
                                                           field("grid", &tune::TunedPass::grid),
                                                           field("grid_formula", &tune::TunedPass::grid_formula),
                                                           field("local_size", &tune::TunedPass::local_size),
                                                           field("subgroup_size", &tune::TunedPass::subgroup_size),
                                                           field("constants", &tune::TunedPass::constants));

template <>
inline constexpr auto fields_of<tune::TunedEntry> = declare(
    field("device", &tune::TunedEntry::device, kNeeded), field("device_uuid", &tune::TunedEntry::device_uuid),
    field("driver", &tune::TunedEntry::driver, kNeeded), field("problem", &tune::TunedEntry::problem, kNeeded),
    field("variant", &tune::TunedEntry::variant, kNeeded), field("shader_hash", &tune::TunedEntry::shader_hash),
    field("config", &tune::TunedEntry::config, kNeeded), field("cache", &tune::TunedEntry::cache),
    field("launch", &tune::TunedEntry::launch), field("median_ns", &tune::TunedEntry::median_ns, Unit::nanoseconds),
    field("p20_ns", &tune::TunedEntry::p20_ns, Unit::nanoseconds),
    field("p80_ns", &tune::TunedEntry::p80_ns, Unit::nanoseconds), field("verified", &tune::TunedEntry::verified),
    field("raced", &tune::TunedEntry::raced), field("trials", &tune::TunedEntry::trials),
    field("default_ns", &tune::TunedEntry::default_ns, Unit::nanoseconds, Zero::not_measured),
    field("default_variant", &tune::TunedEntry::default_variant),
    field("default_config", &tune::TunedEntry::default_config), field("passes", &tune::TunedEntry::passes),
    field("time_utc", &tune::TunedEntry::time_utc), field("program_version", &tune::TunedEntry::program_version));

// clang-format on

}  // namespace attnscope
