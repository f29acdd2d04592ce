// How many configs a search that was not begun would try, and how long that takes: plain numbers from what is known.
#pragma once

#include <optional>
#include <string>

#include "app/gui/workbench/workbench.hpp"

namespace attnscope::gui {

struct Estimate {
  uint64_t configs = 0;  ///< that were not tried yet
  bool at_most = false;  ///< not all of the space was decided on: fewer of it may run
  bool about = false;    ///< by the share of those that can run, of what was decided on
  bool by_time = false;  ///< so many in the time that is given; 0 = nobody knows how many
  uint64_t of = 0;       ///< with by_time: configs there are without a limit, `of_at_most` or just so many
  bool of_at_most = false;
  double seconds = -1;  ///< negative = nobody knows
  std::string variant;  ///< whose space it is; "" = several, or not known yet
};

/// Every legal config of one variant, as far as the budget allows.
Estimate estimate_of(const Workbench&, const std::string& variant, const tune::Budget& = {});
/// The same of the fastest variant after each variant's default, of all that would compete. As long as none is the
/// fastest, it may be the one with the largest space.
Estimate estimate_of_sweep(const Workbench&, const tune::Budget& = {});
/// What the form of a tuning run asks for; nullopt where its budget is none.
std::optional<Estimate> estimate_of_tuning(const Workbench&);
/// "480 configs, about 3 min", "at most 1,204 configs, up to 8 min", "about 150 of at most 1,204 configs in 60 s", "as
/// many of 480 configs as 60 s allow", "480 configs; how long, the first trials tell"; "all were tried".
std::string text_of(const Estimate&);
/// "40 s", "12 min", "1.5 h".
std::string span_text(double seconds);

}  // namespace attnscope::gui
