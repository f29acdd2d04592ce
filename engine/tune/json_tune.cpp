// The one place where JSON of the tuner's values is made.
#include "engine/record/json_of.hpp"
#include "engine/tune/fields_tune.hpp"

namespace attnscope {

template struct JsonOf<tune::JournalKey>;
template struct JsonOf<tune::JournalLine>;
template struct JsonOf<tune::TunedConstant>;
template struct JsonOf<tune::TunedPush>;
template struct JsonOf<tune::TunedPass>;
template struct JsonOf<tune::TunedEntry>;
template struct JsonOf<tune::CostConfig>;
template struct JsonOf<tune::CostProblem>;
template struct JsonOf<tune::CostModel>;

}  // namespace attnscope
