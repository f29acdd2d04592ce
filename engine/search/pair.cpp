#include "engine/search/pair.hpp"

namespace attnscope::search {

RaceRequest pair_request(const Problem& problem) {
  RaceRequest request;
  request.problem = problem;
  request.protocol.min_ms = 400;
  request.protocol.max_ms = 1500;
  request.protocol.min_samples = 32;
  request.protocol.target_noise = 0.001;
  // Two clocks that take turns every 40 ms hide 1 % from turns of 5 ms, and not from these (paired_test.cpp).
  request.turn_ms = 2;
  return request;
}

VariantSource renamed(VariantSource source, const std::string& name) {
  source.name = name;
  source.shadows.clear();
  return source;
}

}  // namespace attnscope::search
