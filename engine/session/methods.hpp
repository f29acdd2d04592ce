// The methods of the worker's protocol, for both of its sides: which function of a Session each is, and how its
// messages name what that takes and gives.
#pragma once

#include <tuple>

#include "engine/session/session.hpp"

namespace attnscope {

/// aside: may be answered while something is measured; set_up: what is asked aside waits for it; measure: it does not.
enum class MethodKind { set_up, measure, aside };

template <class Function>
struct Method {
  Function function;
  MethodKind kind;
  std::string_view name;
  const char* result;                     ///< the field of the answer
  std::array<const char*, 3> parameters;  ///< in the order of the function, which has the types
};
template <class Function>
Method(Function, MethodKind, const char*, const char*, std::array<const char*, 3>) -> Method<Function>;

/// No two of one type: a method is found by its function's.
inline constexpr std::tuple kMethods{
    Method{&Session::devices, MethodKind::aside, "devices", "devices", {}},
    Method{&Session::open, MethodKind::set_up, "open", "device", {"selector"}},
    Method{&Session::load_variants, MethodKind::set_up, "load_variants", "variants", {"sources"}},
    Method{&Session::inspect, MethodKind::aside, "inspect", "inspection", {"problem", "variant", "config"}},
    Method{&Session::choose_config, MethodKind::aside, "choose_config", "choice", {"problem", "variant", "text"}},
    Method{&Session::rank_variants, MethodKind::aside, "rank_variants", "ranks", {"problem"}},
    Method{&Session::plan_space, MethodKind::aside, "plan_space", "batch", {"problem", "variant", "request"}},
    Method{&Session::plan_neighbours,
           MethodKind::aside,
           "plan_neighbours",
           "neighbours",
           {"problem", "variant", "config"}},
    Method{&Session::shader_texts, MethodKind::aside, "shader_texts", "texts", {"request"}},
    Method{&Session::peaks, MethodKind::measure, "peaks", "answer", {"request"}},
    Method{&Session::check, MethodKind::measure, "check", "result", {"request"}},
    Method{&Session::error_map, MethodKind::measure, "error_map", "answer", {"request"}},
    Method{&Session::run, MethodKind::measure, "run", "record", {"request"}},
    Method{&Session::trials, MethodKind::measure, "trials", "report", {"request"}},
    Method{&Session::race, MethodKind::measure, "race", "result", {"request"}}};

/// Calls visit(method); false: there is none of this name.
template <class Visit>
bool with_method(std::string_view name, const Visit& visit) {
  return std::apply([&](const auto&... m) { return ((name == m.name && (visit(m), true)) || ...); }, kMethods);
}

}  // namespace attnscope
