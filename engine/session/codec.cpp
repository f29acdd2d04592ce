#include "engine/session/codec.hpp"

#include "engine/record/json_fields.hpp"

namespace attnscope {

void to_json(Json& j, const VariantInfo& v) {
  j = Json{{"name", v.name}, {"title", v.title}, {"summary", v.summary}, {"system", v.system}, {"hash", v.hash}};
  j["features"] = v.features;
  j["dtypes"] = v.dtypes;
  j["parameters"] = write_json(v.parameters);
  j["constraints"] = write_json(v.constraints);
  j["supports"] = write_json(v.supports);
  j["configs"] = write_json(v.configs);
  j["why_not"] = v.why_not;
  j["error"] = v.error;
  j["shadows"] = v.shadows;
}

void from_json(const Json& j, VariantInfo& v) {
  Fields(j)
      .need("name", v.name)
      .maybe("title", v.title)
      .maybe("summary", v.summary)
      .maybe("system", v.system)
      .maybe("hash", v.hash)
      .maybe("features", v.features)
      .maybe("dtypes", v.dtypes)
      .maybe("parameters", v.parameters)
      .maybe("constraints", v.constraints)
      .maybe("supports", v.supports)
      .maybe("configs", v.configs)
      .maybe("why_not", v.why_not)
      .maybe("error", v.error)
      .maybe("shadows", v.shadows);
}

void to_json(Json& j, const Inspection& i) {
  j = Json{{"why_not", i.why_not}};
  j["choices"] = write_json(i.choices);
  j["nearest"] = write_json(i.nearest);
  j["no_nearest"] = i.no_nearest;
  j["suited"] = i.suited;
  j["shared_bytes"] = i.shared_bytes;
  j["private_bytes"] = i.private_bytes;
  j["scratch_bytes"] = i.scratch_bytes;
  j["grids"] = write_json(i.grids);
  j["local_sizes"] = write_json(i.local_sizes);
  j["flops"] = write_json(i.flops);
  j["bytes"] = write_json(i.bytes);
  j["extra_bytes"] = write_json(i.extra_bytes);
  j["precision"] = i.precision;
}

void from_json(const Json& j, Inspection& i) {
  Fields(j)
      .maybe("why_not", i.why_not)
      .maybe("choices", i.choices)
      .maybe("nearest", i.nearest)
      .maybe("no_nearest", i.no_nearest)
      .maybe("suited", i.suited)
      .maybe("shared_bytes", i.shared_bytes)
      .maybe("private_bytes", i.private_bytes)
      .maybe("scratch_bytes", i.scratch_bytes)
      .maybe("grids", i.grids)
      .maybe("local_sizes", i.local_sizes)
      .maybe("flops", i.flops)
      .maybe("bytes", i.bytes)
      .maybe("extra_bytes", i.extra_bytes)
      .maybe("precision", i.precision);
}

void to_json(Json& j, const RunRequest& r) {
  j = Json{{"problem", r.problem}, {"variant", r.variant}};
  j["config"] = write_json(r.config);
  j["protocol"] = r.protocol;
  j["seed"] = r.seed;
  j["verify"] = r.verify;
  j["measure"] = r.measure;
  j["resources"] = r.resources;
  j["live"] = r.live;
  j["batch_ms"] = write_json(r.batch_ms);
  j["paced"] = r.paced;
}

void from_json(const Json& j, RunRequest& r) {
  Fields(j)
      .need("problem", r.problem)
      .need("variant", r.variant)
      .maybe("config", r.config)
      .maybe("protocol", r.protocol)
      .maybe("seed", r.seed)
      .maybe("verify", r.verify)
      .maybe("measure", r.measure)
      .maybe("resources", r.resources)
      .maybe("live", r.live)
      .maybe("batch_ms", r.batch_ms)
      .maybe("paced", r.paced);
}

EventMessage encode_event(const Event& event) {
  if (const auto* p = std::get_if<Progress>(&event)) return {"progress", Json{{"stage", p->stage}}};
  if (const auto* v = std::get_if<Verdict>(&event)) return {"verdict", Json{{"verdict", *v}}};
  if (const auto* s = std::get_if<SampleBatch>(&event)) return {"samples", Json{{"samples_ns", write_json(s->samples_ns)}}};
  return {"resources", Json{{"resources", std::get<ResourcesReady>(event).resources}}};
}

std::optional<Result<Event>> decode_event(const std::string& method, const Json& params) {
  try {
    if (method == "progress") {
      Progress p;
      Fields(params).need("stage", p.stage);
      return Result<Event>(Event(std::move(p)));
    }
    if (method == "verdict") {
      Verdict v;
      Fields(params).need("verdict", v);
      return Result<Event>(Event(std::move(v)));
    }
    if (method == "samples") {
      SampleBatch s;
      Fields(params).need("samples_ns", s.samples_ns);
      return Result<Event>(Event(std::move(s)));
    }
    if (method == "resources") {
      ResourcesReady r;
      Fields(params).need("resources", r.resources);
      return Result<Event>(Event(std::move(r)));
    }
  } catch (const std::exception& e) {
    return Result<Event>(bad_input(method + ": " + e.what()));
  }
  return std::nullopt;
}

}  // namespace attnscope
