// Which variants compete for a problem, and what each is tried with first.
#pragma once

#include "engine/search/search.hpp"

namespace attnscope::search {

struct Competitor {
  const VariantInfo* info = nullptr;
  tune::ArmRequest arm;
};
/// Of the variants asked for, those that can serve the problem; the pointers are into `place`.
Result<std::vector<Competitor>> competitors(const SearchRequest&, const Place& place, const TunedTables&);

}  // namespace attnscope::search
