// What the manifests say of which variant to take.
#pragma once

#include <string>

#include "engine/variant/work.hpp"

namespace attnscope {

/// A variant on a problem, as its manifest ranks it.
struct VariantRank {
  std::string variant;
  double rank = 0;                    ///< of its manifest; the highest that can run is the one to take
  std::string why_not;                ///< why it cannot serve the problem at all; "" when it can
  std::vector<ConfigWork> configs{};  ///< those that a model may choose from (work_of_named_configs())
  bool operator==(const VariantRank&) const = default;
};

/// `rank` is 0 where the manifest has none, or none with a finite value here.
VariantRank rank_of(const Variant&, const Problem&, const DeviceInfo&);

}  // namespace attnscope
