// The strategies by name, and the exhaustive one.
#include "engine/tune/strategy.hpp"

namespace attnscope::tune {

namespace {

/// In the order in which the space was walked.
class Exhaustive final : public Strategy {
 public:
  explicit Exhaustive(SearchSpace& space) : space_(space) {}
  std::vector<Point> ask(size_t count) override {
    std::vector<Point> out;
    for (; next_ < space_.legal().size() && out.size() < count; ++next_)
      if (const Point p = space_.legal()[next_]; space_.open(p)) {
        space_.set_proposed(p);
        out.push_back(p);
      }
    return out;
  }
  void tell(const Observation&) override {}

 private:
  SearchSpace& space_;
  size_t next_ = 0;
};

}  // namespace

std::string_view name_of(StrategyKind kind) { return word_of(kind, {"surrogate", "random", "exhaustive"}); }

Result<StrategyKind> parse_strategy(std::string_view text) {
  constexpr std::array kinds{StrategyKind::surrogate, StrategyKind::random, StrategyKind::exhaustive};
  if (const auto* kind = find_by(kinds, text, name_of)) return *kind;
  return bad_input(fmt::format("there is no strategy '{}'; there are: {}", text, joined(kinds, ", ", name_of)));
}

std::unique_ptr<Strategy> make_strategy(StrategyKind kind, SearchSpace& space, uint64_t seed) {
  if (kind == StrategyKind::exhaustive) return std::make_unique<Exhaustive>(space);
  return make_surrogate(space, seed, kind == StrategyKind::surrogate);
}

}  // namespace attnscope::tune
