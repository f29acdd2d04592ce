// Whether what a worker tells is of what it was asked: a time belongs to what its label says, whoever measured it.
#pragma once

#include <string>

#include "engine/session/session.hpp"

namespace attnscope {

/// What the record is of that was not asked for, in a sentence; "" when it is of just what was. Parameters that the
/// request leaves out may have any value.
std::string not_asked_for(const RunRequest&, const Record&);
/// The same of a trial of one of the configs asked for.
std::string not_asked_for(const Config&, const Trial&);
/// The same of all records of a race, in the order of its entries.
std::string not_asked_for(const RaceRequest&, const RaceResult&);

}  // namespace attnscope
