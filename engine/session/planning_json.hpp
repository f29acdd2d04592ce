// JSON of what planning answers beside a run: which config stands for a text, and batches of a config space.
#pragma once

#include "engine/record/json.hpp"
#include "engine/variant/choose.hpp"
#include "engine/variant/space.hpp"

namespace attnscope {

void to_json(Json&, const ConfigChoice&);
void to_json(Json&, const SpaceRequest&);
void to_json(Json&, const PrunedReason&);
void to_json(Json&, const RefusedConfig&);
void to_json(Json&, const SpaceBatch&);
void from_json(const Json&, ConfigChoice&);
void from_json(const Json&, SpaceRequest&);
void from_json(const Json&, PrunedReason&);
void from_json(const Json&, RefusedConfig&);
void from_json(const Json&, SpaceBatch&);

}  // namespace attnscope
