// Fields of a record and its parts. A field whose row names no column is one of the CSV under its own name (csv.cpp has
// their order).
#pragma once

#include "engine/measure/compare.hpp"
#include "engine/record/fields.hpp"
#include "engine/record/fields_device.hpp"
#include "engine/record/record.hpp"

namespace attnscope {

// clang-format off: one row a line

template <>
inline constexpr auto fields_of<Precision> = declare(field("accumulate", &Precision::accumulate),
                                                     field("probabilities", &Precision::probabilities),
                                                     field("f16_pairs", &Precision::f16_pairs));

template <>
inline constexpr auto fields_of<Verdict::Worst> = declare(field("batch", &Verdict::Worst::batch, Column{"worst_batch"}),
                                                          field("head", &Verdict::Worst::head, Column{"worst_head"}),
                                                          field("query", &Verdict::Worst::query, Column{"worst_query"}),
                                                          field("dim", &Verdict::Worst::dim, Column{"worst_dim"}),
                                                          field("got", &Verdict::Worst::got, Column{"worst_got"}),
                                                          field("expected", &Verdict::Worst::expected,
                                                                Column{"worst_expected"}));

template <>
inline constexpr auto fields_of<Verdict> =
    declare(field("pass", &Verdict::pass, kNeeded), field("reason", &Verdict::reason),
            field("rows_checked", &Verdict::rows_checked), field("rows_total", &Verdict::rows_total),
            field("all_on_device", &Verdict::all_on_device), field("nan_count", &Verdict::nan_count),
            field("unwritten_count", &Verdict::unwritten_count), field("guard_intact", &Verdict::guard_intact),
            field("max_abs", &Verdict::max_abs), field("mean_abs", &Verdict::mean_abs), field("nmse", &Verdict::nmse),
            field("allowed_max_abs", &Verdict::allowed_max_abs), field("allowed_nmse", &Verdict::allowed_nmse),
            field("worst", &Verdict::worst));

template <>
inline constexpr auto fields_of<Statistics> =
    declare(field("count", &Statistics::count, Column{"samples"}),
            field("median", &Statistics::median, kNeeded, Unit::nanoseconds, Column{"median_ns"}),
            field("min", &Statistics::min, Unit::nanoseconds, Column{"min_ns"}),
            field("max", &Statistics::max, Unit::nanoseconds, Column{"max_ns"}),
            field("mean", &Statistics::mean, Unit::nanoseconds, Column{"mean_ns"}),
            field("p20", &Statistics::p20, Unit::nanoseconds, Column{"p20_ns"}),
            field("p80", &Statistics::p80, Unit::nanoseconds, Column{"p80_ns"}),
            field("stddev", &Statistics::stddev, Unit::nanoseconds, Column{"stddev_ns"}),
            field("noise", &Statistics::noise, Unit::fraction), field("drift", &Statistics::drift, Unit::fraction));

template <>
inline constexpr auto fields_of<Comparison> = declare(field("relation", &Comparison::relation),
                                                      field("ratio", &Comparison::ratio),
                                                      field("low", &Comparison::low), field("high", &Comparison::high),
                                                      field("reason", &Comparison::reason));

template <>
inline constexpr auto fields_of<Protocol> =
    declare(field("cache", &Protocol::cache), field("launch", &Protocol::launch),
            field("warmup_ms", &Protocol::warmup_ms, Unit::milliseconds),
            field("warmup_cap_ms", &Protocol::warmup_cap_ms, Unit::milliseconds),
            field("min_ms", &Protocol::min_ms, Unit::milliseconds, Column{"protocol_min_ms"}),
            field("max_ms", &Protocol::max_ms, Unit::milliseconds, Column{"protocol_max_ms"}),
            field("min_samples", &Protocol::min_samples), field("max_samples", &Protocol::max_samples),
            field("target_noise", &Protocol::target_noise, Unit::fraction),
            field("min_sample_us", &Protocol::min_sample_us, Unit::microseconds));

template <>
inline constexpr auto fields_of<RawResource> = declare(field("pass", &RawResource::pass),
                                                       field("name", &RawResource::name, kNeeded),
                                                       field("description", &RawResource::description),
                                                       field("value", &RawResource::value));

template <>
inline constexpr auto fields_of<Resources> =
    declare(field("registers", &Resources::registers), field("spill_bytes", &Resources::spill_bytes, Unit::bytes),
            field("shared_bytes_driver", &Resources::shared_bytes_driver, Unit::bytes),
            field("code_bytes", &Resources::code_bytes, Unit::bytes),
            field("shared_bytes", &Resources::shared_bytes, Unit::bytes),
            field("private_bytes", &Resources::private_bytes, Unit::bytes),
            field("workgroup_invocations", &Resources::workgroup_invocations, Zero::empty_cell),
            field("workgroups", &Resources::workgroups, Zero::empty_cell),
            field("compile_ms", &Resources::compile_ms, Unit::milliseconds, Zero::empty_cell),
            field("compile", &Resources::compile), field("raw", &Resources::raw, kNoColumn));

template <>
inline constexpr auto fields_of<Ceiling> = declare(
    field("kind", &Ceiling::kind, kNeeded), field("type", &Ceiling::type), field("accumulate", &Ceiling::accumulate),
    field("m", &Ceiling::m), field("n", &Ceiling::n), field("k", &Ceiling::k), field("value", &Ceiling::value),
    field("spread", &Ceiling::spread, Unit::fraction), field("why_not", &Ceiling::why_not));

template <>
inline constexpr auto fields_of<Peaks> = declare(field("device", &Peaks::device),
                                                 field("device_uuid", &Peaks::device_uuid),
                                                 field("driver", &Peaks::driver), field("kernels", &Peaks::kernels),
                                                 field("time_utc", &Peaks::time_utc),
                                                 field("ceilings", &Peaks::ceilings, kNeeded));

template <>
inline constexpr auto fields_of<Floor> = declare(
    field("us", &Floor::us, kNeeded, Unit::microseconds, Column{"floor_us"}), field("roof", &Floor::roof, kNeeded),
    field("fraction", &Floor::fraction, Unit::fraction, Column{"floor_fraction"}),
    field("compute_us", &Floor::compute_us, Unit::microseconds, kNoColumn),
    field("memory_us", &Floor::memory_us, Unit::microseconds, kNoColumn),
    field("launch_us", &Floor::launch_us, Unit::microseconds, kNoColumn));

template <>
inline constexpr auto fields_of<LaunchFit> = declare(
    field("workgroups", &LaunchFit::workgroups), field("cores", &LaunchFit::cores),
    field("resident", &LaunchFit::resident), field("occupancy", &LaunchFit::occupancy, Unit::fraction),
    field("occupancy_limit", &LaunchFit::occupancy_limit), field("waves", &LaunchFit::waves),
    field("last_wave", &LaunchFit::last_wave, Unit::fraction), field("balance", &LaunchFit::balance, Unit::fraction),
    field("padding", &LaunchFit::padding, Unit::fraction), field("masked", &LaunchFit::masked, Unit::fraction),
    field("reread", &LaunchFit::reread));

template <>
inline constexpr auto fields_of<Advice> = declare(field("rule", &Advice::rule, kNeeded), field("text", &Advice::text),
                                                  field("parameter", &Advice::parameter),
                                                  field("value", &Advice::value),
                                                  field("gain", &Advice::gain, Unit::fraction));

template <>
inline constexpr auto fields_of<Environment> = declare(field("device", &Environment::device),
                                                       field("program_version", &Environment::program_version),
                                                       field("shader_hash", &Environment::shader_hash),
                                                       field("time_utc", &Environment::time_utc),
                                                       field("host_os", &Environment::host_os),
                                                       field("peaks", &Environment::peaks, kNoColumn));

// Little is needed, so that other programs can write records too.
template <>
inline constexpr auto fields_of<Record> = declare(
    field("problem", &Record::problem, kNeeded), field("variant", &Record::variant, kNeeded),
    field("config", &Record::config), field("config_name", &Record::config_name),
    field("chosen", &Record::chosen, kNoColumn), field("outcome", &Record::outcome), field("message", &Record::message),
    field("verdict", &Record::verdict), field("precision", &Record::precision),
    field("statistics", &Record::statistics), field("tflops", &Record::tflops, Unit::teraflops, Zero::not_measured),
    field("gbps", &Record::gbps, Unit::gigabytes_per_second, Zero::not_measured),
    field("flops", &Record::flops, Unit::flop), field("bytes", &Record::bytes, Unit::bytes),
    field("extra_bytes", &Record::extra_bytes, Unit::bytes), field("floor", &Record::floor),
    field("fit", &Record::fit, kNoColumn), field("advice", &Record::advice, kNoColumn),
    field("scratch_bytes", &Record::scratch_bytes, Unit::bytes), field("resources", &Record::resources),
    field("protocol", &Record::protocol), field("dispatches_per_sample", &Record::dispatches_per_sample),
    field("settled", &Record::settled), field("seed", &Record::seed),
    field("samples_ns", &Record::samples_ns, Unit::nanoseconds, kNoColumn), field("environment", &Record::environment));

// clang-format on

}  // namespace attnscope
