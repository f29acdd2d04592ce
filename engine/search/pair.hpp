// Two configs held against each other, taken in turn: what `bench --ab` measures, and the window before and after a
// change of a shader.
#pragma once

#include "engine/session/session.hpp"

namespace attnscope::search {

/// The second one's variant beside the first, where both have the same name ("tiled@B").
inline constexpr std::string_view kOfB = "@B";

/// A race of two configs without its entries. Each is measured for as many turns as it takes to tell half a percent:
/// some 200.
RaceRequest pair_request(const Problem&);

/// A variant's source under another name, as the second side of a pair.
VariantSource renamed(VariantSource, const std::string& name);

}  // namespace attnscope::search
