// JSON of the session's own values, as sent between a caller and its worker.
#pragma once

#include <nlohmann/json.hpp>

#include "engine/record/json.hpp"
#include "engine/session/fields_session.hpp"

namespace attnscope {

/// An event as a notification: method "progress", "began", "sampling", "verdict", "samples", "resources",
/// "trial_began", "trial" or "telemetry", its value in the params.
struct EventMessage {
  std::string method;
  Json params;
};
EventMessage encode_event(const Event&);
/// nullopt: a method that is not an event (a heartbeat, or one of a newer worker).
std::optional<Result<Event>> decode_event(const std::string& method, const Json& params);

}  // namespace attnscope
