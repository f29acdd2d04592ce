#include "engine/session/session.hpp"

namespace attnscope {

Result<ConfigChoice> Session::choose_config(const Problem&, const std::string&, const std::string&) {
  return internal_error("This session chooses no configs.");
}

Result<SpaceBatch> Session::plan_space(const Problem&, const std::string&, const SpaceRequest&,
                                       const std::atomic<bool>&) {
  return internal_error("This session plans no config spaces.");
}

Result<TrialsReport> Session::trials(const TrialsRequest&, const EventSink&, const std::atomic<bool>&) {
  return internal_error("This session makes no trials.");
}

Result<RaceResult> Session::race(const RaceRequest&, const EventSink&, const std::atomic<bool>&) {
  return internal_error("This session races nothing.");
}

}  // namespace attnscope
