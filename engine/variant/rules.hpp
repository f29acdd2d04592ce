// The lets and constraints of a manifest, compiled for one problem and device: what a search over configs asks many
// thousand times, at about a microsecond each.
#pragma once

#include "engine/variant/expression.hpp"
#include "engine/variant/variant.hpp"

namespace attnscope {

class Rules {
 public:
  /// `known`: the names of problem and device. What does not compile is left to the planner, which says why.
  Rules(const Variant&, const Names& known);
  Rules(const Rules&) = delete;
  Rules& operator=(const Rules&) = delete;

  /// Gives parameter `p` (an index into Variant::parameters) a value. All begin at their first candidate.
  void set(size_t p, int64_t value);
  void set(const Config&);
  /// The first constraint, as an index into the manifest's, that is unmet (or has no finite value).
  std::optional<size_t> unmet();
  /// The same among those whose last parameter is `level` - 1: what setting that parameter decides. Level 0: those that
  /// no parameter can change.
  std::optional<size_t> unmet_at(size_t level);
  /// One more than the last parameter that the expression depends on, through lets too; 0 when no parameter can change
  /// it. `own`: further named expressions, such as a pass's constants.
  size_t level_of(const std::string& expression, const std::map<std::string, std::string>& own = {}) const;
  /// The values of all parameters and lets; false when a let has none.
  bool add_values(Names&);

 private:
  struct Let {
    std::string name;
    std::optional<CompiledExpression> value;
    std::vector<size_t> uses;  ///< other lets, by index
    size_t level = 0;
    uint64_t parameters = 0;  ///< bit p % 64: depends on parameter p, directly or not
    bool fresh = false, finite = false;
  };
  struct Constraint {
    std::optional<CompiledExpression> require;
    std::vector<size_t> uses;
    size_t level = 0;
  };
  struct Needs {
    std::vector<size_t> lets;
    size_t level = 0;
    uint64_t parameters = 0;
  };
  Needs needs_of(const std::string& expression) const;
  std::optional<CompiledExpression> compile(const std::string& expression);
  bool refresh(size_t let);
  bool met(const Constraint&);

  const Variant& variant_;
  Names places_;  ///< a map: the compiled expressions keep addresses
  std::vector<double*> parameters_;
  std::vector<Let> lets_;  ///< those it uses come first
  std::vector<double*> let_places_;
  std::vector<Constraint> constraints_;
};

}  // namespace attnscope
