// The one policy of which config stands for a text on a problem.
#pragma once

#include "engine/variant/plan.hpp"
#include "engine/words.hpp"

namespace attnscope {

struct ConfigChoice {
  enum class How {
    as_asked,  ///< it is what the text says, legal or not
    suited,    ///< a named config made for such problems stands in for the defaults
    nearest    ///< the defaults are not legal, and this is the legal config nearest to them
  };
  Config config;
  std::string name;  ///< "default", the manifest's named config, or ""
  How how = How::as_asked;
  /// Why another one stands in; or, as asked, why none could, and whether there is none or none was found in time.
  std::string because;
};
constexpr std::string_view to_text(ConfigChoice::How how) { return word_of(how, {"as_asked", "suited", "nearest"}); }

/// Named configs and values are taken as they are: whoever names one wants that one and no other. "default" (or "") is
/// the first named config that suits the problem and is legal, else the defaults, else the legal config nearest to
/// them. The error is the text's.
Result<ConfigChoice> choose_config(const Variant&, const Problem&, std::string_view text, const DeviceInfo&, Compiler&);

}  // namespace attnscope
