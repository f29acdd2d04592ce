#include "engine/record/record.hpp"

namespace attnscope {

std::string_view to_text(Outcome outcome) {
  switch (outcome) {
    case Outcome::measured: return "measured";
    case Outcome::verified: return "verified";
    case Outcome::failed_verdict: return "failed";
    case Outcome::refused: return "refused";
    case Outcome::cancelled: return "cancelled";
    case Outcome::error: break;
  }
  return "error";
}

std::string_view to_text(Compile compile) {
  switch (compile) {
    case Compile::not_asked: break;
    case Compile::measured: return "measured";
    case Compile::cached: return "cached";
    case Compile::in_first_dispatch: return "within the first dispatch";
  }
  return "not asked";
}

}  // namespace attnscope
