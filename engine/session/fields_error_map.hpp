// Fields of the request for an error map, and of the map.
#pragma once

#include "engine/record/fields_record.hpp"
#include "engine/session/error_map.hpp"

namespace attnscope {

template <>
inline constexpr auto fields_of<ErrorMapRequest> =
    declare(field("problem", &ErrorMapRequest::problem, kNeeded), field("variant", &ErrorMapRequest::variant, kNeeded),
            field("config", &ErrorMapRequest::config), field("seed", &ErrorMapRequest::seed),
            field("batch", &ErrorMapRequest::batch), field("head", &ErrorMapRequest::head),
            field("worst_head", &ErrorMapRequest::worst_head), field("cells", &ErrorMapRequest::cells),
            field("elements", &ErrorMapRequest::elements));

template <>
inline constexpr auto fields_of<ErrorElement> =
    declare(field("batch", &ErrorElement::batch, kNeeded), field("head", &ErrorElement::head, kNeeded),
            field("query", &ErrorElement::query, kNeeded), field("dim", &ErrorElement::dim, kNeeded),
            field("got", &ErrorElement::got), field("expected", &ErrorElement::expected),
            field("allowed", &ErrorElement::allowed), field("what", &ErrorElement::what));

template <>
inline constexpr auto fields_of<ErrorMap> = declare(
    field("batch", &ErrorMap::batch), field("head", &ErrorMap::head), field("queries", &ErrorMap::queries),
    field("dims", &ErrorMap::dims), field("rows_checked", &ErrorMap::rows_checked),
    field("cell_queries", &ErrorMap::cell_queries), field("cell_dims", &ErrorMap::cell_dims),
    field("rows", &ErrorMap::rows), field("columns", &ErrorMap::columns), field("cells", &ErrorMap::cells),
    field("failing", &ErrorMap::failing), field("unwritten", &ErrorMap::unwritten),
    field("not_finite", &ErrorMap::not_finite), field("max_abs", &ErrorMap::max_abs),
    field("mean_abs", &ErrorMap::mean_abs), field("nmse", &ErrorMap::nmse),
    field("allowed_max_abs", &ErrorMap::allowed_max_abs), field("allowed_nmse", &ErrorMap::allowed_nmse),
    field("worst", &ErrorMap::worst), field("first", &ErrorMap::first), field("first_of_all", &ErrorMap::first_of_all),
    field("exact", &ErrorMap::exact), field("histogram", &ErrorMap::histogram), field("heads", &ErrorMap::heads));

template <>
inline constexpr auto fields_of<ErrorMapAnswer> = declare(field("record", &ErrorMapAnswer::record, kNeeded),
                                                          field("map", &ErrorMapAnswer::map));

}  // namespace attnscope
