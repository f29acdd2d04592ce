// What a record is held to when it is read from outside: what ours are by how they are made (run.hpp).
#pragma once

#include <string>

#include "engine/record/json.hpp"
#include "engine/record/record.hpp"

namespace attnscope {

/// Which of its times is below zero, as a path and a reason such as "samples_ns[3]: a time of -5 ns cannot be"; ""
/// where none is. 0 can be: a timer may have steps longer than a kernel.
std::string impossible_time(const Record&);
/// What is wrong or was refused has no time, whatever the file says, and a verdict outranks the outcome beside it.
void heed_verdict(Record&);
/// Both, of a record that was just read (json.hpp). Throws a JsonError.
void mend_older(const Json&, Record&);

}  // namespace attnscope
