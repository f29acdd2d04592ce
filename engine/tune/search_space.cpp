#include "engine/tune/search_space.hpp"

#include "engine/tune/random.hpp"

namespace attnscope::tune {

SearchSpace::SearchSpace(std::vector<Parameter> parameters)
    : parameters_(std::move(parameters)), product_(parameters_) {}

std::optional<Point> SearchSpace::point(const Config& config) const {
  if (config.size() != parameters_.size()) return std::nullopt;
  std::vector<size_t> place(parameters_.size());
  for (size_t p = 0; p < parameters_.size(); ++p) {
    const auto given = config.find(parameters_[p].name);
    if (given == config.end()) return std::nullopt;
    const auto& values = parameters_[p].values;
    const auto it = std::ranges::find(values, given->second);
    if (it == values.end()) return std::nullopt;
    place[p] = size_t(it - values.begin());
  }
  return at(place);
}

void SearchSpace::add_legal(const std::vector<Config>& configs) {
  for (const Config& config : configs) {
    const std::optional<Point> p = point(config);
    if (!p) continue;
    Flags& known = known_[*p];
    if (known.legal) continue;
    known.legal = true;  // one that a seed proposed before it was walked past is legal all the same
    legal_.push_back(*p);
    if (!known.proposed) ++open_legal_;
  }
}

bool SearchSpace::open(Point point) const {
  const auto it = known_.find(point);
  if (it != known_.end() && it->second.proposed) return false;
  return (it != known_.end() && it->second.legal) || (!complete_ && point < size());
}

void SearchSpace::set_proposed(Point point) {
  Flags& known = known_[point];
  if (known.legal && !known.proposed) --open_legal_;
  known.proposed = true;
}

void SearchSpace::neighbours(Point from, const std::function<bool(Point)>& visit) const {
  const std::vector<size_t> here = digits(from);
  std::vector<size_t> there = here;
  size_t longest = 0;
  for (const Parameter& p : parameters_) longest = std::max(longest, p.values.size());
  const auto moved = [&](size_t p, int64_t step) {
    const int64_t to = int64_t(here[p]) + step;
    if (to < 0 || to >= int64_t(parameters_[p].values.size())) return false;
    there[p] = size_t(to);
    return true;
  };
  for (int64_t step = 1; step < int64_t(longest); ++step)
    for (size_t p = 0; p < here.size(); ++p)
      for (const int64_t s : {step, -step}) {
        const bool go = !moved(p, s) || visit(at(there));
        there[p] = here[p];
        if (!go) return;
      }
  for (size_t a = 0; a < here.size(); ++a)
    for (size_t b = a + 1; b < here.size(); ++b)
      for (const int64_t s : {1, -1})
        for (const int64_t t : {1, -1}) {
          const bool go = !moved(a, s) || !moved(b, t) || visit(at(there));
          there[a] = here[a];
          there[b] = here[b];
          if (!go) return;
        }
}

std::vector<double> SearchSpace::place(Point point) const {
  std::vector<double> out;
  const std::vector<size_t> here = digits(point);
  for (size_t p = 0; p < here.size(); ++p) {
    const auto& values = parameters_[p].values;
    if (values.size() < 2) continue;
    // Zero is most often "off", one step below the least.
    const bool has_zero = values.front() <= 0;
    const auto level = [&](size_t i) {
      const double v = double(values[i] - (has_zero ? values.front() : 0));
      return std::log2(has_zero ? v + 1 : v);
    };
    const double low = level(0), high = level(values.size() - 1);
    out.push_back(high > low ? (level(here[p]) - low) / (high - low) : 0);
  }
  return out;
}

std::vector<size_t> SearchSpace::digits(Point point) const {
  std::vector<size_t> out(parameters_.size());
  for (size_t p = 0; p < out.size(); ++p) out[p] = product_.digit(point, p);
  return out;
}

Point SearchSpace::at(const std::vector<size_t>& place) const {
  Point point = 0;
  for (size_t p = 0; p < place.size(); ++p) point += place[p] * product_.stride(p);
  return point;
}

namespace {

/// In seconds; 0: the text does not end with one.
double unit_of(const std::string& text) {
  return text.ends_with('s') ? 1 : text.ends_with('m') ? 60 : text.ends_with('h') ? 3600 : 0;
}

}  // namespace

Result<double> parse_duration(const std::string& text) {
  const double unit = unit_of(text), scale = std::max(unit, 1.0);
  const Result<double> number = parse_number<double>(text.substr(0, text.size() - (unit > 0 ? 1 : 0)),
                                                     NumberRange<double>{0, 31'536'000 / scale});
  if (!number) return bad_input("'{}' is not a time of up to a year, such as 60s, 5m, 1h, or 60 in seconds", text);
  return *number * scale;
}

Result<Budget> parse_budget(const std::string& text) {
  const auto wrong = [&] {
    return bad_input("'{}': a budget is a time to search in (60s, 5m, 1h) or a number of configs to try (200)", text);
  };
  if (unit_of(text) == 0) {
    const Result<uint64_t> count = parse_number<uint64_t>(text, NumberRange<uint64_t>{1, 100'000'000});
    return count ? Result<Budget>(Budget{.trials = *count}) : wrong();
  }
  const Result<double> seconds = parse_duration(text);
  return seconds && *seconds >= 0.001 ? Result<Budget>(Budget{.seconds = *seconds}) : wrong();
}

}  // namespace attnscope::tune
