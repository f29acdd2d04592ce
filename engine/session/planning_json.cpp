#include "engine/session/planning_json.hpp"

#include "engine/record/json_fields.hpp"

namespace attnscope {

void to_json(Json& j, const ConfigChoice& c) {
  j = Json{{"config", write_json(c.config)}, {"name", c.name}, {"how", to_text(c.how)}, {"because", c.because}};
}
void from_json(const Json& j, ConfigChoice& c) {
  using How = ConfigChoice::How;
  Fields(j)
      .need("config", c.config)
      .maybe("name", c.name)
      .maybe_enum("how", c.how, std::array{How::as_asked, How::suited, How::nearest})
      .maybe("because", c.because);
}

void to_json(Json& j, const SpaceRequest& r) {
  j = Json{{"first", r.first},
           {"budget_candidates", r.budget_candidates},
           {"budget_ms", write_json(r.budget_ms)},
           {"max_legal", r.max_legal},
           {"keep_refused", r.keep_refused}};
}
void from_json(const Json& j, SpaceRequest& r) {
  Fields(j)
      .maybe("first", r.first)
      .maybe("budget_candidates", r.budget_candidates)
      .maybe("budget_ms", r.budget_ms)
      .maybe("max_legal", r.max_legal)
      .maybe("keep_refused", r.keep_refused);
}

void to_json(Json& j, const PrunedReason& r) {
  j = Json{{"reason", r.reason}, {"count", r.count}, {"example", r.example}, {"config", write_json(r.config)}};
}
void from_json(const Json& j, PrunedReason& r) {
  Fields(j).need("reason", r.reason).need("count", r.count).maybe("example", r.example).maybe("config", r.config);
}

void to_json(Json& j, const RefusedConfig& r) { j = Json{{"config", write_json(r.config)}, {"why_not", r.why_not}}; }
void from_json(const Json& j, RefusedConfig& r) { Fields(j).need("config", r.config).maybe("why_not", r.why_not); }

void to_json(Json& j, const SpaceBatch& b) {
  j = Json{{"size", b.size}, {"first", b.first}, {"next", b.next}, {"done", b.done}};
  j["legal"] = write_json(b.legal);
  j["pruned"] = write_json(b.pruned);
  j["refused"] = write_json(b.refused);
}
void from_json(const Json& j, SpaceBatch& b) {
  Fields(j)
      .need("size", b.size)
      .maybe("first", b.first)
      .need("next", b.next)
      .need("done", b.done)
      .maybe("legal", b.legal)
      .maybe("pruned", b.pruned)
      .maybe("refused", b.refused);
}

}  // namespace attnscope
