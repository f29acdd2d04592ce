// The strategies one by one. Internal to this room; make_strategy is the way in.
#pragma once

#include <memory>

#include "engine/tune/strategy.hpp"

namespace attnscope::tune {

std::unique_ptr<Strategy> make_exhaustive(SearchSpace&);
std::unique_ptr<Strategy> make_random(SearchSpace&, uint64_t seed);
std::unique_ptr<Strategy> make_local(SearchSpace&, uint64_t seed);
std::unique_ptr<Strategy> make_surrogate(SearchSpace&, uint64_t seed);

}  // namespace attnscope::tune
