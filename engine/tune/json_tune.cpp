// The one place where JSON of the tuner's values is made.
#include "engine/record/json_of.hpp"
#include "engine/tune/fields_tune.hpp"

namespace attnscope {

template struct JsonOfEach<tune::JournalKey, Trial, tune::TunedConstant, tune::TunedPush, tune::TunedPass,
                           tune::TunedEntry, tune::CostConfig, tune::CostProblem, tune::CostModel>;

}  // namespace attnscope
