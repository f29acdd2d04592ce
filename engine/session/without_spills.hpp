// The config without spills that is nearest to one that spills.
#pragma once

#include "engine/session/session.hpp"

namespace attnscope {

/// By legal steps of one parameter each, towards smaller private arrays: the fewest steps, then the smallest arrays.
/// nullopt where there is none among so many configs or within half a minute, cancelled, or where the driver does not
/// report spills.
std::optional<Record> nearest_without_spills(Session&, const Record& spilled, const std::atomic<bool>& cancel,
                                             size_t most_compiles = 24);

/// Whether the driver says that it spilled.
bool spills(const Resources&);
/// The values of `to` that `from` has not.
Config changed_values(const Config& from, const Config& to);

}  // namespace attnscope
