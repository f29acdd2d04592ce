// The progress and the result of a search as text.
#pragma once

#include "engine/tune/tuner.hpp"

namespace attnscope::search {

/// "312 tried: 60 measured, 250 stopped early (clearly slower), 2 wrong, 41 refused; 100 by an earlier run"
std::string counts_text(const tune::TuneProgress&);
/// "3 not measured, the first of them: max abs error 0.3 is over 0.02", the most frequent reason first.
std::vector<std::string> in_vain(const tune::TuneProgress&);

/// Where the time went: a name, and the share of it from 0 to 1.
struct Share {
  const char* name;
  double share = 0;
};
/// Together 1; none where nothing was measured. In the order of the text below.
std::vector<Share> shares(const tune::TuneProgress&);
/// "40.1 s; of the search 71 % measuring, 12 % verifying, 15 % waiting for compiles, …"
std::string shares_text(const tune::TuneProgress&, double seconds);

/// The remaining time, by the budget of time or of trials, whichever is less; negative = unknown.
double seconds_left(const tune::TuneProgress&, double spent_s, double budget_s);

}  // namespace attnscope::search
