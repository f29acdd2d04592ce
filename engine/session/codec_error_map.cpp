#include "engine/record/json_of.hpp"
#include "engine/session/fields_error_map.hpp"

namespace attnscope {

template struct JsonOf<ErrorMapRequest>;
template struct JsonOf<ErrorElement>;
template struct JsonOf<ErrorMap>;
template struct JsonOf<ErrorMapAnswer>;

}  // namespace attnscope
