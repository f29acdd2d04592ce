// Arithmetic of manifests: muParser over named numbers.
#pragma once

#include "engine/attention/problem.hpp"
#include "engine/device_info.hpp"
#include "engine/number.hpp"

namespace attnscope {

/// Far above what a manifest needs; what is longer or deeper is refused before the parser sees it.
inline constexpr size_t kMaxExpressionChars = 4096;
inline constexpr size_t kMaxExpressionDepth = 64;

/// Names: batch heads_q heads_kv group seq_q seq_kv head_dim v_dim causal scale dtype_bytes dtype (0 f32, 1 f16, 2
/// bf16) total_q total_kv varlen page_size pages (of a sequence), wide_range (0 or 1: inputs beyond
/// what f16 holds) window softcap (0 = none) sinks mask alibi (0 or 1)
/// kvtype ktype vtype (0 as dtype; compare them with the names of types) kv_bytes (of an element of K or V), strides
/// q_batch q_head q_row k_… v_… o_… and k_page v_page mask_batch mask_row (elements; 0 where a layout has no such
/// stride), device: vendor_id device_id driver_id (VkDriverId) unified_memory (0 or 1) subgroup_size min_subgroup_size
/// max_subgroup_size max_shared max_invocations core_count (1 when unknown), has_FEATURE (0 or 1, for each of
/// DeviceInfo::features); the types f32 f16 bf16 (0 1 2, to compare dtype with); then every `let` and parameter, and
/// the pass's constants, by name. Functions: ceil_div(a,b) mod(a,b) min max floor ceil log2 pow2ceil(a), bit_and(a,b)
/// bit_or bit_xor shift_left(a,n) shift_right, !a, and muParser's operators (&& || ==
/// != <= ?:). Numbers are doubles, so integers are exact up to 2^53.
using Names = std::map<std::string, double, std::less<>>;
using NamedExpressions = std::map<std::string, std::string>;
Names problem_names(const Problem&, const DeviceInfo&);
/// Those that a problem alone decides, by members of an exported problem (dispatch.h.in) and those before them.
using NamedText = std::pair<std::string, std::string>;
const std::vector<NamedText>& problem_expressions();

/// The error quotes the expression, and lists the unknown name.
Result<double> evaluate(const std::string& expression, const Names&);
/// The names that an expression mentions; the error is of its syntax.
Result<std::set<std::string>> used_names(const std::string& expression);
/// Those that it comes down to: of a name that itself stands for an expression, by `expression_of`, what that one does.
/// The error is of its syntax, or of one of theirs.
Result<std::set<std::string>> names_below(const std::string& expression,
                                          const std::function<const std::string*(const std::string&)>& expression_of);
/// Adds every entry's value to `names`; entries may use each other in any order. `what` is for the error ("let").
Result<void> resolve(const NamedExpressions& entries, Names& names, const std::string& what);
/// The entries, each after those that it uses. The error is of one that depends on itself, or is no expression.
Result<std::vector<const NamedExpressions::value_type*>> in_order_of_use(const NamedExpressions& entries,
                                                                         const std::string& what);
/// An expression over numbers at fixed places, for searches that evaluate it many thousand times.
class CompiledExpression {
 public:
  /// `place` gives where the number of a name lies, or null for an unknown name; the places outlive this.
  static Result<CompiledExpression> make(const std::string& expression,
                                         const std::function<double*(const std::string&)>& place);
  /// nullopt where evaluate() would be an error.
  std::optional<double> value() const;

 private:
  struct Parser;
  explicit CompiledExpression(std::shared_ptr<Parser> parser) : parser_(std::move(parser)) {}
  std::shared_ptr<Parser> parser_;
};

/// Replaces each {expression} in `text` by its value.
std::string fill_in(const std::string& text, const Names&);

}  // namespace attnscope
