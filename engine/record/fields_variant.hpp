// Fields of a variant's parts that travel: its sources, parameters, constraints and named configs.
#pragma once

#include "engine/record/fields.hpp"
#include "engine/variant/plan.hpp"

namespace attnscope {

// clang-format off: one row a line

template <>
inline constexpr auto fields_of<VariantSource> = declare(field("name", &VariantSource::name, kNeeded),
                                                         field("files", &VariantSource::files, kNeeded),
                                                         field("common", &VariantSource::common),
                                                         field("shadows", &VariantSource::shadows),
                                                         field("unreadable", &VariantSource::unreadable),
                                                         field("outside", &VariantSource::outside));

template <>
inline constexpr auto fields_of<Parameter> = declare(field("name", &Parameter::name, kNeeded),
                                                     field("meaning", &Parameter::meaning),
                                                     field("values", &Parameter::values, kNeeded),
                                                     field("default", &Parameter::default_value, kNeeded));

template <>
inline constexpr auto fields_of<ConstraintDecl> = declare(field("require", &ConstraintDecl::require, kNeeded),
                                                          field("because", &ConstraintDecl::because, kNeeded));

template <>
inline constexpr auto fields_of<NamedConfig> = declare(field("name", &NamedConfig::name, kNeeded),
                                                       field("purpose", &NamedConfig::purpose),
                                                       field("values", &NamedConfig::values),
                                                       field("suits", &NamedConfig::suits));

template <>
inline constexpr auto fields_of<ParameterChoices> = declare(field("name", &ParameterChoices::name, kNeeded),
                                                            field("why_not", &ParameterChoices::why_not, kNeeded));

// clang-format on

}  // namespace attnscope
