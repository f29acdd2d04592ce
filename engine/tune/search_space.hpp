// The configs of one variant as points of a search: which are known to be legal, which were proposed.
#pragma once

#include <unordered_map>

#include "engine/variant/variant.hpp"

namespace attnscope::tune {

/// A config by its index in the product of the candidates (ConfigProduct).
using Point = uint64_t;

class SearchSpace {
 public:
  explicit SearchSpace(std::vector<Parameter> parameters);
  SearchSpace(const SearchSpace&) = delete;
  SearchSpace& operator=(const SearchSpace&) = delete;

  uint64_t size() const { return product_.size(); }
  Config config(Point point) const { return product_.at(point); }
  /// nullopt: a parameter is missing or unknown, or a value is not a candidate.
  std::optional<Point> point(const Config&) const;

  void add_legal(const std::vector<Config>&);
  /// All legal configs have been added: others are not proposed any more.
  void set_complete() { complete_ = true; }
  bool complete() const { return complete_; }
  /// In the order added.
  const std::vector<Point>& legal() const { return legal_; }
  /// Whether proposing it makes sense: not known to be illegal, and not proposed before.
  bool open(Point) const;
  /// From now on it is not open.
  void set_proposed(Point);
  uint64_t open_legal() const { return open_legal_; }

  /// Visits each point that differs in one parameter, small steps first, then in two by one step; until false.
  void neighbours(Point, const std::function<bool(Point)>& visit) const;
  /// Each parameter's value as a number from 0 to 1, for models: its place among the candidates by logarithm.
  std::vector<double> place(Point) const;

 private:
  std::vector<size_t> digits(Point) const;
  Point at(const std::vector<size_t>& digits) const;

  std::vector<Parameter> parameters_;
  ConfigProduct product_;
  struct Flags {
    bool legal = false, proposed = false;
  };
  std::unordered_map<Point, Flags> known_;
  std::vector<Point> legal_;
  uint64_t open_legal_ = 0;
  bool complete_ = false;
};

/// 0 and 0: until nothing is left to try.
struct Budget {
  double seconds = 0;   ///< of searching; 0 = no limit
  uint64_t trials = 0;  ///< those that an earlier process made count; refused ones do not; 0 = no limit
  bool operator==(const Budget&) const = default;
};

/// "60s", "2m", "1h", or "60" in seconds: up to a year; the error says so.
Result<double> parse_duration(const std::string& text);
/// "60s", "2m", "1h": a time to search in; "200": a number of configs; the error says so.
Result<Budget> parse_budget(const std::string& text);

// Strategies choose the next configs of a variant to try. No device, no clock: told the same, they ask for the same.

struct Observation {
  Point point = 0;
  double median_ns = 0;  ///< 0: it has no time (wrong, broken)
  bool refused = false;  ///< it cannot run: says nothing of the configs around it
};

class Strategy {
 public:
  virtual ~Strategy() = default;
  /// At most `count` open points to try next; fewer, or none: there is nothing more in what is known so far.
  virtual std::vector<Point> ask(size_t count) = 0;
  /// In any order, also of points that it never asked for: seeds, what an earlier process left.
  virtual void tell(const Observation&) = 0;
};

enum class StrategyKind { surrogate, random, exhaustive };
std::string_view name_of(StrategyKind);
/// The error lists the names.
Result<StrategyKind> parse_strategy(std::string_view);

/// `space` outlives it, and may get to know more in the meantime.
std::unique_ptr<Strategy> make_strategy(StrategyKind, SearchSpace& space, uint64_t seed);

}  // namespace attnscope::tune
