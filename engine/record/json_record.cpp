// JSON of a record and its parts.
#include "engine/record/json_fields.hpp"

namespace attnscope {

namespace {

/// For numbers that are 0 when not measured: absent is said, not shown as a zero.
Json measured(double x) { return x > 0 ? write_json(x) : Json(nullptr); }

}  // namespace

void to_json(Json& j, const RawResource& x) {
  j = Json{{"pass", x.pass}, {"name", x.name}, {"description", x.description}, {"value", write_json(x.value)}};
}
void from_json(const Json& j, RawResource& x) {
  Fields(j).maybe("pass", x.pass).need("name", x.name).maybe("description", x.description).maybe("value", x.value);
}

void to_json(Json& j, const Resources& x) {
  j = Json{{"registers", write_json(x.registers)},
           {"spill_bytes", write_json(x.spill_bytes)},
           {"shared_bytes_driver", write_json(x.shared_bytes_driver)},
           {"code_bytes", write_json(x.code_bytes)},
           {"shared_bytes", x.shared_bytes},
           {"private_bytes", x.private_bytes},
           {"workgroup_invocations", x.workgroup_invocations},
           {"workgroups", x.workgroups},
           {"compile_ms", write_json(x.compile_ms)},
           {"compile", to_text(x.compile)},
           {"raw", write_json(x.raw)}};
}
void from_json(const Json& j, Resources& x) {
  Fields(j)
      .maybe("registers", x.registers)
      .maybe("spill_bytes", x.spill_bytes)
      .maybe("shared_bytes_driver", x.shared_bytes_driver)
      .maybe("code_bytes", x.code_bytes)
      .maybe("shared_bytes", x.shared_bytes)
      .maybe("private_bytes", x.private_bytes)
      .maybe("workgroup_invocations", x.workgroup_invocations)
      .maybe("workgroups", x.workgroups)
      .maybe("compile_ms", x.compile_ms)
      .maybe_enum("compile", x.compile,
                  std::array{Compile::not_asked, Compile::measured, Compile::cached, Compile::in_first_dispatch})
      .maybe("raw", x.raw);
  // Older files have a number here whatever answered, most often a driver's cache.
  if (x.compile != Compile::measured) x.compile_ms.reset();
}

void to_json(Json& j, const Environment& x) {
  j = Json{{"device", x.device},
           {"program_version", x.program_version},
           {"shader_hash", x.shader_hash},
           {"time_utc", x.time_utc},
           {"host_os", x.host_os}};
}
void from_json(const Json& j, Environment& x) {
  Fields(j)
      .maybe("device", x.device)
      .maybe("program_version", x.program_version)
      .maybe("shader_hash", x.shader_hash)
      .maybe("time_utc", x.time_utc)
      .maybe("host_os", x.host_os);
}

void to_json(Json& j, const Record& x) {
  j = Json{{"problem", x.problem},
           {"variant", x.variant},
           {"config", write_json(x.config)},
           {"config_name", x.config_name},
           {"outcome", to_text(x.outcome)},
           {"message", x.message},
           {"verdict", write_json(x.verdict)},
           {"precision", x.precision},
           {"statistics", write_json(x.statistics)},
           {"tflops", measured(x.tflops)},
           {"gbps", measured(x.gbps)},
           {"flops", write_json(x.flops)},
           {"bytes", write_json(x.bytes)},
           {"extra_bytes", write_json(x.extra_bytes)},
           {"scratch_bytes", x.scratch_bytes},
           {"resources", x.resources},
           {"protocol", x.protocol},
           {"dispatches_per_sample", x.dispatches_per_sample},
           {"settled", x.settled},
           {"seed", x.seed},
           {"samples_ns", write_json(x.samples_ns)},
           {"environment", x.environment}};
}
void from_json(const Json& j, Record& x) {
  Fields(j)
      .need("problem", x.problem)
      .need("variant", x.variant)
      .maybe("config", x.config)
      .maybe("config_name", x.config_name)
      .maybe_enum("outcome", x.outcome,
                  std::array{Outcome::measured, Outcome::verified, Outcome::failed_verdict, Outcome::refused,
                             Outcome::cancelled, Outcome::error})
      .maybe("message", x.message)
      .maybe("verdict", x.verdict)
      .maybe("precision", x.precision)
      .maybe("statistics", x.statistics)
      .maybe("tflops", x.tflops)
      .maybe("gbps", x.gbps)
      .maybe("flops", x.flops)
      .maybe("bytes", x.bytes)
      .maybe("extra_bytes", x.extra_bytes)
      .maybe("scratch_bytes", x.scratch_bytes)
      .maybe("resources", x.resources)
      .maybe("protocol", x.protocol)
      .maybe("dispatches_per_sample", x.dispatches_per_sample)
      .maybe("settled", x.settled)
      .maybe("seed", x.seed)
      .maybe("samples_ns", x.samples_ns)
      .maybe("environment", x.environment);
}

}  // namespace attnscope
