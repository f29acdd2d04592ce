// Fields of a variant's parts that travel: its sources, parameters, constraints and named configs.
#pragma once

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

}  // namespace attnscope
