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

}  // namespace attnscope
