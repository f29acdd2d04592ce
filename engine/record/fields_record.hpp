// Fields of a record and its parts. A field whose row names no column is one of the CSV under its own name.
#pragma once

#include "engine/record/comparisons.hpp"
#include "engine/record/fields.hpp"
#include "engine/variant/plan.hpp"

namespace attnscope {

FIELDS(VariantSource, FIELD(name, kNeeded), FIELD(files, kNeeded), FIELD(common), FIELD(shadows), FIELD(unreadable),
       FIELD(outside));
FIELDS(Parameter, FIELD(name, kNeeded), FIELD(meaning), FIELD(values, kNeeded),
       field("default", &Parameter::default_value, kNeeded));
FIELDS(ConstraintDecl, FIELD(require, kNeeded), FIELD(because, kNeeded));
FIELDS(NamedConfig, FIELD(name, kNeeded), FIELD(purpose), FIELD(values), FIELD(suits));
FIELDS(ParameterChoices, FIELD(name, kNeeded), FIELD(why_not, kNeeded));
FIELDS(MatrixShape, FIELD(m, kNeeded), FIELD(n, kNeeded), FIELD(k, kNeeded), FIELD(a, kNeeded), FIELD(b, kNeeded),
       FIELD(c, kNeeded), FIELD(result, kNeeded), FIELD(scope, kNeeded));
FIELDS(MatrixLayout, FIELD(m, kNeeded), FIELD(n, kNeeded), FIELD(k, kNeeded), FIELD(elements, kNeeded),
       FIELD(row_shift, kNeeded), FIELD(lane_mask, kNeeded), FIELD(element_rows, kNeeded), FIELD(element_cols, kNeeded),
       FIELD(row_lanes), FIELD(a_like_accumulator, kNeeded), FIELD(half_columns));
FIELDS(CompileOnly, FIELD(name, kNeeded), FIELD(core_count), FIELD(matrix_layout));
FIELDS(DeviceLimits, FIELD(max_shared_bytes), FIELD(max_workgroup_invocations), FIELD(max_workgroup_size),
       FIELD(max_workgroup_count), FIELD(max_storage_buffer_bytes), FIELD(max_allocation_bytes),
       FIELD(max_push_constant_bytes), FIELD(max_storage_buffers), FIELD(max_workgroup_subgroups), FIELD(subgroup_size),
       FIELD(min_subgroup_size), FIELD(max_subgroup_size), FIELD(timestamp_period_ns), FIELD(timestamp_valid_bits),
       FIELD(device_memory_bytes), FIELD(core_count), FIELD(warps_per_core), FIELD(coopmat2_reserved_shared_bytes));
FIELDS(DeviceInfo, FIELD(index, kNoColumn), FIELD(name, kNeeded, Column{"device"}), FIELD(type, kNoColumn),
       FIELD(use, kNoColumn), FIELD(vendor_id, kNoColumn), FIELD(device_id, kNoColumn), FIELD(driver_id, kNoColumn),
       FIELD(driver), FIELD(api_version, kNoColumn), FIELD(pipeline_uuid, kNoColumn), FIELD(device_uuid, kNoColumn),
       FIELD(limits, kNoColumn), FIELD(features, kNoColumn), FIELD(matrix_shapes, kNoColumn),
       FIELD(matrix_layout, kNoColumn), FIELD(unsuitable, kNoColumn));
FIELDS(Precision, FIELD(accumulate), FIELD(probabilities), FIELD(scores), FIELD(f16_pairs),
       FIELD(kv, Column{"kv_operands"}));
FIELDS(Verdict::Worst, FIELD(batch, Column{"worst_batch"}), FIELD(head, Column{"worst_head"}),
       FIELD(query, Column{"worst_query"}), FIELD(dim, Column{"worst_dim"}), FIELD(got, Column{"worst_got"}),
       FIELD(expected, Column{"worst_expected"}));
FIELDS(NotFinite, FIELD(batch), FIELD(head), FIELD(query), FIELD(dim), FIELD(key));
FIELDS(Verdict, FIELD(pass, kNeeded), FIELD(reason), FIELD(rows_checked), FIELD(rows_total), FIELD(all_on_device),
       FIELD(nan_count), FIELD(unwritten_count), FIELD(guard_intact), FIELD(max_abs), FIELD(mean_abs), FIELD(nmse),
       FIELD(allowed_max_abs), FIELD(allowed_nmse), FIELD(row_nmse, kNoColumn), FIELD(allowed_row_nmse, kNoColumn),
       FIELD(worst), FIELD(not_finite, kNoColumn));
FIELDS(Statistics, FIELD(count, Column{"samples"}), FIELD(median, kNeeded, Column{"median_ns"}),
       FIELD(min, Column{"min_ns"}), FIELD(max, Column{"max_ns"}), FIELD(mean, Column{"mean_ns"}),
       FIELD(p20, Column{"p20_ns"}), FIELD(p80, Column{"p80_ns"}), FIELD(stddev, Column{"stddev_ns"}), FIELD(noise),
       FIELD(drift));
FIELDS(Comparison, FIELD(relation), FIELD(ratio), FIELD(low), FIELD(high), FIELD(reason));
FIELDS(Protocol, FIELD(cache), FIELD(launch), FIELD(warmup_ms), FIELD(warmup_cap_ms),
       FIELD(min_ms, Column{"protocol_min_ms"}), FIELD(max_ms, Column{"protocol_max_ms"}), FIELD(min_samples),
       FIELD(max_samples), FIELD(target_noise), FIELD(min_sample_us));
FIELDS(RawResource, FIELD(pass), FIELD(name, kNeeded), FIELD(description), FIELD(value));
FIELDS(Resources, FIELD(registers), FIELD(spills), FIELD(spill_bytes), FIELD(stack_bytes), FIELD(subgroups),
       FIELD(cycles), FIELD(shared_bytes_driver), FIELD(code_bytes), FIELD(shared_bytes), FIELD(private_bytes),
       FIELD(workgroup_invocations, Zero::empty_cell), FIELD(workgroups, Zero::empty_cell),
       FIELD(compile_ms, Zero::empty_cell), FIELD(compile), FIELD(may_spill, kNoColumn), FIELD(mix, kNoColumn),
       FIELD(raw, kNoColumn));
FIELDS(Ceiling, FIELD(kind, kNeeded), FIELD(type), FIELD(accumulate), FIELD(m), FIELD(n), FIELD(k), FIELD(value),
       FIELD(spread), FIELD(why_not));
FIELDS(Peaks, FIELD(device), FIELD(device_uuid), FIELD(driver), FIELD(kernels), FIELD(time_utc),
       FIELD(ceilings, kNeeded));
FIELDS(Floor, FIELD(us, kNeeded, Column{"floor_us"}), FIELD(roof, kNeeded), FIELD(fraction, Column{"floor_fraction"}),
       FIELD(compute_us, kNoColumn), FIELD(memory_us, kNoColumn), FIELD(launch_us, kNoColumn));
FIELDS(PredictedTime, FIELD(ns, kNeeded, Column{"predicted_ns"}), FIELD(model, Column{"predicted_by"}));
FIELDS(LaunchFit, FIELD(workgroups), FIELD(cores), FIELD(resident), FIELD(occupancy), FIELD(occupancy_limit),
       FIELD(waves), FIELD(last_wave), FIELD(balance), FIELD(padding), FIELD(masked), FIELD(reread));
FIELDS(Advice, FIELD(rule, kNeeded), FIELD(text), FIELD(parameter), FIELD(value), FIELD(gain));
FIELDS(Telemetry, FIELD(source), FIELD(seconds), FIELD(readings), FIELD(watts), FIELD(joules), FIELD(clock_mhz),
       FIELD(memory_clock_mhz), FIELD(celsius), FIELD(throttled));
FIELDS(Environment, FIELD(device), FIELD(program_version), FIELD(shader_hash), FIELD(time_utc), FIELD(host_os),
       FIELD(peaks, kNoColumn), FIELD(telemetry, kNoColumn));

// Little is needed, so that other programs can write records too.
FIELDS(Record, FIELD(problem, kNeeded), FIELD(variant, kNeeded), FIELD(config), FIELD(config_name),
       FIELD(chosen, kNoColumn), FIELD(outcome), FIELD(message), FIELD(verdict), FIELD(precision), FIELD(statistics),
       FIELD(predicted), FIELD(tflops, Zero::not_measured), FIELD(gbps, Zero::not_measured), FIELD(flops), FIELD(bytes),
       FIELD(extra_bytes), FIELD(floor), FIELD(fit, kNoColumn), FIELD(advice, kNoColumn), FIELD(scratch_bytes),
       FIELD(resources), FIELD(protocol), FIELD(dispatches_per_sample), FIELD(settled), FIELD(seed),
       FIELD(samples_ns, kNoColumn), FIELD(environment));
FIELDS(ComparedSide, FIELD(variant, kNeeded), FIELD(config), FIELD(config_name), FIELD(shader_hash), FIELD(outcome),
       FIELD(message), FIELD(median_ns), FIELD(samples));
FIELDS(RowComparison, FIELD(problem, kNeeded), FIELD(device), FIELD(cache), FIELD(launch), FIELD(a, kNeeded),
       FIELD(b, kNeeded), FIELD(comparison), FIELD(interleaved));

}  // namespace attnscope
