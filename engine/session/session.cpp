#include "engine/session/session.hpp"

namespace attnscope {

Result<ConfigChoice> Session::choose_config(const Problem&, const std::string&, const std::string&) {
  return internal_error("This session chooses no configs.");
}

Result<SpaceBatch> Session::plan_space(const Problem&, const std::string&, const SpaceRequest&,
                                       const std::atomic<bool>&) {
  return internal_error("This session plans no config spaces.");
}

}  // namespace attnscope
