// How many configs a search that was not begun would try, and how long that takes: plain numbers from what is known.
#pragma once

#include "app/gui/workbench/workbench.hpp"

namespace attnscope::gui {

struct Estimate {
  uint64_t configs = 0;  ///< that were not tried yet
  bool at_most = false;  ///< not all of the space was decided on: fewer of it may run
  bool about = false;    ///< by the share of those that can run among some that were drawn
  double seconds = -1;   ///< of all of them; negative = nobody knows
  double within = 0;     ///< seconds that are given, and too few for all; 0 = all have the time
};

/// Every legal config of one variant, as far as the budget allows.
Estimate estimate_of(const Workbench&, const std::string& variant, const tune::Budget& = {});
/// The same of the fastest variant after each variant's default, of all that would compete. As long as none is the
/// fastest, it may be the one with the largest space.
Estimate estimate_of_sweep(const Workbench&, const tune::Budget& = {});
/// What the form of a tuning run asks for; nullopt where its budget is none.
std::optional<Estimate> estimate_of_tuning(const Workbench&);
/// "about 40 s": until a problem has its first time, at the rate of the run that is shown or was before it. "" where
/// that is less than 5 s or not known.
std::string wait_text(const Workbench&, const Problem&);
/// "480 configs, about 3 min", "at most 1,204 configs, up to 8 min", "at most 1,204 configs, 60 s at most",
/// "480 configs; how long, the first trials tell"; "all were tried".
std::string text_of(const Estimate&);
/// "40 s", "12 min", "1.5 h".
std::string span_text(double seconds);

}  // namespace attnscope::gui
