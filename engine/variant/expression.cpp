#include "engine/variant/expression.hpp"
#include "engine/attention/packed_types.hpp"
#include "engine/feature_names.hpp"

#include <pthread.h>

#include <unordered_map>

#include <muParser.h>

namespace attnscope {
namespace {

double ceil_div(double a, double b) { return std::ceil(a / b); }
double modulo(double a, double b) { return a - b * std::floor(a / b); }
double pow2ceil(double a) {
  double power = 1;
  while (power < a && power < 0x1p53) power *= 2;
  return power;
}
/// Of whole numbers that 53 bits hold; anything else has no bits, and the expression no finite value.
template <class F>
double of_bits(double a, double b, F f) {
  const auto whole = [](double x) { return x >= 0 && x < 0x1p53 && x == std::floor(x); };
  return whole(a) && whole(b) ? double(f(uint64_t(a), uint64_t(b))) : NAN;
}
template <class F>
double bits(double a, double b) {
  return of_bits(a, b, F());
}
double shift_left(double a, double n) {
  return of_bits(a, n, [](uint64_t x, uint64_t y) { return std::ldexp(double(x), y < 1024 ? int(y) : 1024); });
}
double shift_right(double a, double n) {
  return of_bits(a, n, [](uint64_t x, uint64_t y) { return y < 64 ? x >> y : 0; });
}
double logical_not(double a) { return a == 0 ? 1 : 0; }
/// Of muParser: a number that begins at `text`, and how far it goes.
int hexadecimal(const char* text, int* position, double* value) {
  uint64_t number = 0;
  if (text[0] != '0' || (text[1] != 'x' && text[1] != 'X')) return 0;
  const auto [end, error] = std::from_chars(text + 2, text + std::strlen(text), number, 16);
  if (error != std::errc()) return 0;
  *position += int(end - text);
  *value = double(number);
  return 1;
}

void define_functions(mu::Parser& parser) {
  parser.AddValIdent(hexadecimal);
  parser.DefineFun("ceil_div", ceil_div);
  parser.DefineFun("mod", modulo);
  parser.DefineFun("pow2ceil", pow2ceil);
  parser.DefineFun("bit_and", bits<std::bit_and<uint64_t>>);
  parser.DefineFun("bit_or", bits<std::bit_or<uint64_t>>);
  parser.DefineFun("bit_xor", bits<std::bit_xor<uint64_t>>);
  parser.DefineFun("shift_left", shift_left);
  parser.DefineFun("shift_right", shift_right);
  parser.DefineFun("floor", static_cast<double (*)(double)>(std::floor));
  parser.DefineFun("ceil", static_cast<double (*)(double)>(std::ceil));
  parser.DefineInfixOprt("!", logical_not);
}

// A parsed expression keeps its bytecode: a search evaluates the same few dozen texts many thousand times.
struct ParsedExpression {
  mu::Parser parser;
  std::map<std::string, double> slots;  ///< the bytecode has their places
  std::string error;
};

double* make_slot(const char* name, void* parsed) {
  return &static_cast<ParsedExpression*>(parsed)->slots.try_emplace(name, 1.0).first->second;
}

// muParser would take a lone '=' for an assignment, and a mistyped comparison for a constant truth.
bool assigns(const std::string& text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '=') continue;
    if (i + 1 < text.size() && text[i + 1] == '=') {
      ++i;
      continue;
    }
    if (i == 0 || (text[i - 1] != '!' && text[i - 1] != '<' && text[i - 1] != '>')) return true;
  }
  return false;
}

// What the parser takes without a word and then has no stack for.
std::string too_complex(const std::string& text) {
  if (text.size() > kMaxExpressionChars)
    return fmt::format("it has {} characters; at most {} are read", text.size(), kMaxExpressionChars);
  size_t depth = 0;
  for (const char c : text) {
    if (c == '(' && ++depth > kMaxExpressionDepth)
      return fmt::format("its parentheses are nested more than {} deep", kMaxExpressionDepth);
    if (c == ')' && depth > 0) --depth;
  }
  return {};
}

Error faulty(const std::string& text, const std::string& why) {
  constexpr size_t kShown = 200;  // enough to find it
  return bad_input("expression \"{}\": {}", text.size() > kShown ? text.substr(0, kShown) + "…" : text, why);
}

using Cache = std::unordered_map<std::string, std::unique_ptr<ParsedExpression>>;

/// The calling thread's. No thread_local: mingw frees the memory of these before it destroys them.
Cache& own_cache() {
  static const pthread_key_t key = [] {
    pthread_key_t made{};
    ::pthread_key_create(&made, [](void* cache) { delete static_cast<Cache*>(cache); });
    return made;
  }();
  if (void* const had = ::pthread_getspecific(key)) return *static_cast<Cache*>(had);
  auto made = std::make_unique<Cache>();
  ::pthread_setspecific(key, made.get());
  return *made.release();
}

ParsedExpression& parsed(const std::string& text) {
  Cache& cache = own_cache();
  // Texts come and go while shaders are edited.
  if (constexpr size_t kKept = 4096; cache.size() >= kKept && !cache.contains(text)) cache.clear();
  auto& entry = cache[text];
  if (entry) return *entry;
  entry = std::make_unique<ParsedExpression>();
  ParsedExpression& p = *entry;
  p.error = too_complex(text);
  if (!p.error.empty()) return p;
  if (assigns(text)) {
    p.error = "'=' assigns; compare with '=='";
    return p;
  }
  try {
    define_functions(p.parser);
    p.parser.SetVarFactory(make_slot, &p);
    p.parser.SetExpr(text);
    p.parser.Eval();
  } catch (const mu::Parser::exception_type& e) {
    p.error = e.GetMsg();
  }
  return p;
}

// Whether f16 matrices of the accumulator's shape exist too, as sums of any product.
bool has_f16_accumulator(const DeviceInfo& device, const MatrixLayout& layout) {
  return std::ranges::any_of(device.matrix_shapes, [&](const MatrixShape& s) {
    return s.scope == "subgroup" && s.m == layout.m && s.n == layout.n && (s.c == "f16" || s.result == "f16");
  });
}

/// Of subgroup scope and 16 x 16 x 16, with operands and sums of these types.
bool has_16x16x16(const DeviceInfo& device, std::string_view operands, std::string_view sum) {
  return std::ranges::any_of(device.matrix_shapes, [&](const MatrixShape& s) {
    return s.scope == "subgroup" && s.m == 16 && s.n == 16 && s.k == 16 && s.a == operands && s.b == operands &&
           s.c == sum && s.result == sum;
  });
}

}  // namespace

Result<std::set<std::string>> used_names(const std::string& expression) {
  const ParsedExpression& p = parsed(expression);
  if (!p.error.empty()) return faulty(expression, p.error);
  std::set<std::string> names;
  for (const auto& [name, slot] : p.slots) names.insert(name);
  return names;
}

Result<std::set<std::string>> names_below(const std::string& expression,
                                          const std::function<const std::string*(const std::string&)>& expression_of) {
  std::set<std::string> seen, below;
  std::vector<const std::string*> todo{&expression};
  while (!todo.empty()) {
    const std::string& text = *todo.back();
    todo.pop_back();
    for (const std::string& name : TRY(used_names(text))) {
      if (!seen.insert(name).second) continue;
      if (const std::string* inner = expression_of(name))
        todo.push_back(inner);
      else
        below.insert(name);
    }
  }
  return below;
}

Result<double> evaluate(const std::string& expression, const Names& names) {
  ParsedExpression& p = parsed(expression);
  if (!p.error.empty()) return faulty(expression, p.error);
  for (auto& [name, slot] : p.slots) {
    const auto found = names.find(name);
    if (found == names.end()) return bad_input("expression \"{}\": unknown name '{}'", expression, name);
    slot = found->second;
  }
  try {
    const double value = p.parser.Eval();
    if (!std::isfinite(value)) return bad_input("expression \"{}\" has no finite value here", expression);
    return value;
  } catch (const mu::Parser::exception_type& e) {
    return bad_input("expression \"{}\": {}", expression, e.GetMsg());
  }
}

Result<std::vector<const NamedExpressions::value_type*>> in_order_of_use(const NamedExpressions& entries,
                                                                         const std::string& what) {
  std::map<std::string, std::set<std::string>> uses;
  for (const auto& [name, text] : entries)
    uses[name] = TRY(within(fmt::format("{} '{}'", what, name), used_names(text)));
  std::vector<const NamedExpressions::value_type*> order;
  while (!uses.empty()) {
    const size_t before = order.size();
    for (const auto& entry : entries) {
      const auto own = uses.find(entry.first);
      if (own == uses.end() || std::ranges::any_of(own->second, [&](const auto& n) { return uses.contains(n); }))
        continue;
      order.push_back(&entry);
      uses.erase(own);
    }
    if (order.size() > before) continue;
    const auto& [name, text] = *entries.find(uses.begin()->first);
    return bad_input("{} '{}': \"{}\" depends on itself", what, name, text);
  }
  return order;
}

Result<void> resolve(const NamedExpressions& entries, Names& names, const std::string& what) {
  for (const auto* entry : TRY(in_order_of_use(entries, what)))
    names[entry->first] = TRY(within(fmt::format("{} '{}'", what, entry->first), evaluate(entry->second, names)));
  return {};
}

struct CompiledExpression::Parser {
  mu::Parser parser;
};

Result<CompiledExpression> CompiledExpression::make(const std::string& text,
                                                    const std::function<double*(const std::string&)>& place) {
  const auto names = TRY(used_names(text));
  auto parser = std::make_shared<Parser>();
  try {
    define_functions(parser->parser);
    for (const std::string& name : names) {
      double* at = place(name);
      if (!at) return bad_input("expression \"{}\": unknown name '{}'", text, name);
      parser->parser.DefineVar(name, at);
    }
    parser->parser.SetExpr(text);
    (void)parser->parser.Eval();  // parses; what it gives now does not matter
  } catch (const mu::Parser::exception_type& e) {
    return bad_input("expression \"{}\": {}", text, e.GetMsg());
  }
  return CompiledExpression(std::move(parser));
}

std::optional<double> CompiledExpression::value() const {
  try {
    const double value = parser_->parser.Eval();
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
  } catch (const mu::Parser::exception_type&) {
    return std::nullopt;
  }
}

std::string fill_in(const std::string& text, const Names& names) {
  std::string out;
  size_t at = 0;
  while (at < text.size()) {
    const size_t open = text.find('{', at);
    const size_t close = open == std::string::npos ? open : text.find('}', open);
    if (close == std::string::npos) break;
    out.append(text, at, open - at);
    const auto value = evaluate(text.substr(open + 1, close - open - 1), names);
    out += value ? grouped(*value) : text.substr(open, close - open + 1);
    at = close + 1;
  }
  return out.append(text, at, std::string::npos);
}

// Strides, in elements. Dense: [batch, heads, seq, dim]. Packed (varlen): [rows, heads, dim], where a sequence starts
// at offsets[b] rows. Paged (K and V): [pages, heads, page_size, dim], page by page as the table says.
const std::vector<NamedText>& problem_expressions() {
  static const std::vector<NamedText> all{
      {"batch", "p_batch"},
      {"heads_q", "p_heads_q"},
      {"heads_kv", "p_heads_kv"},
      {"group", "p_heads_kv != 0 ? floor(p_heads_q / p_heads_kv) : 0"},
      {"seq_q", "p_seq_q"},
      {"seq_kv", "p_seq_kv"},
      {"head_dim", "p_head_dim"},
      {"v_dim", "p_v_dim"},
      {"causal", "p_causal != 0"},
      {"scale", "p_scale != 0 ? p_scale : 1 / sqrt(head_dim)"},
      {"dtype", "p_dtype"},
      {"dtype_bytes", "p_dtype == 0 ? 4 : 2"},
      {"varlen", "p_total_q != 0"},
      {"total_q", "varlen ? p_total_q : batch * seq_q"},
      {"total_kv", "varlen ? p_total_kv : batch * seq_kv"},
      {"page_size", "p_page_size"},
      {"pages", "page_size ? ceil(seq_kv / page_size) : 0"},
      // Problem::windowed(). A window in the mask is nothing that a kernel is told of.
      {"asked_window", "p_mask == 4 ? 0 : p_window"},
      {"window", "asked_window >= (p_causal ? p_seq_kv : max(p_seq_q, p_seq_kv)) ? 0 : asked_window"},
      {"softcap", "p_softcap"},
      {"sinks", "p_sinks != 0"},
      {"mask", "p_mask != 0"},
      {"alibi", "p_mask == 3"},
      {"mask_causal", "p_mask == 4"},
      {"mask_row", "mask ? seq_kv : 0"},
      {"mask_batch", "p_mask == 2 ? seq_q * seq_kv : 0"},
      {"ktype", "p_ktype"},
      {"vtype", "p_vtype"},
      {"kvtype", "ktype == vtype ? ktype : 0 - 1"},
      {"packed_kv", "ktype != 0 || vtype != 0"},
      {"mla", "p_mla != 0"},
      {"topk", "p_topk"},
      {"wide_range", "p_wide_range != 0"},
      {"k_element",
       "ktype == 0 ? dtype_bytes : ktype == 2 ? 1 : (ktype == 1 ? 34 : ktype == 4 ? 20 : ktype == 5 ? 22 : "
       "ktype == 6 ? 24 : 18) / 32"},
      {"v_element",
       "mla ? 0 : vtype == 0 ? dtype_bytes : vtype == 2 ? 1 : (vtype == 1 ? 34 : vtype == 4 ? 20 : vtype == "
       "5 ? 22 : vtype == 6 ? 24 : 18) / 32"},
      // The mean over a row of K and one of V.
      {"kv_bytes", "(head_dim * k_element + v_dim * v_element) / (head_dim + v_dim)"},
      {"v_width", "mla ? head_dim : v_dim"},
      {"q_row", "varlen ? heads_q * head_dim : head_dim"},
      {"q_head", "varlen ? head_dim : seq_q * head_dim"},
      {"q_batch", "varlen ? 0 : heads_q * seq_q * head_dim"},
      {"k_row", "varlen ? heads_kv * head_dim : head_dim"},
      {"k_head", "varlen ? head_dim : (page_size ? page_size : seq_kv) * head_dim"},
      {"k_batch", "varlen || page_size ? 0 : heads_kv * seq_kv * head_dim"},
      {"k_page", "heads_kv * page_size * head_dim"},
      {"v_row", "varlen ? heads_kv * v_width : v_width"},
      {"v_head", "varlen ? v_width : (page_size ? page_size : seq_kv) * v_width"},
      {"v_batch", "varlen || page_size ? 0 : heads_kv * seq_kv * v_width"},
      {"v_page", "heads_kv * page_size * v_width"},
      {"o_row", "varlen ? heads_q * v_dim : v_dim"},
      {"o_head", "varlen ? v_dim : seq_q * v_dim"},
      {"o_batch", "varlen ? 0 : heads_q * seq_q * v_dim"}};
  return all;
}

Names problem_names(const Problem& p, const DeviceInfo& device) {
  const bool packed = !p.varlen.empty();
  const auto& limits = device.limits;
  Names names{{"p_batch", p.batch},
              {"p_heads_q", p.heads_q},
              {"p_heads_kv", p.heads_kv},
              {"p_seq_q", p.seq_q},
              {"p_seq_kv", p.seq_kv},
              {"p_head_dim", p.head_dim},
              {"p_v_dim", p.v_dim},
              {"p_causal", p.causal},
              {"p_scale", p.softmax_scale()},
              {"p_dtype", double(p.dtype)},
              {"p_total_q", packed ? double(p.total_q()) : 0},
              {"p_total_kv", packed ? double(p.total_kv()) : 0},
              {"p_page_size", p.page_size},
              {"p_window", p.window},
              {"p_softcap", p.softcap},
              {"p_sinks", p.sinks},
              {"p_mask", double(p.mask)},
              {"p_ktype", double(p.k_type)},
              {"p_vtype", double(p.v_type)},
              {"p_mla", p.mla},
              {"p_topk", p.topk},
              {"p_wide_range", p.inputs == InputKind::wide}};
  for (const auto& [name, expression] : problem_expressions()) {
    const auto value = evaluate(expression, names);
    names[name] = value ? *value : 0;
  }
  std::erase_if(names, [](const auto& one) {
    return one.first.starts_with("p_") || one.first.ends_with("_element") || one.first == "v_width" ||
           one.first == "asked_window";
  });
  names.merge(Names{
      {"f32", 0},
      {"f16", 1},
      {"bf16", 2},
      {"subgroup_size", limits.subgroup_size},
      {"min_subgroup_size", limits.min_subgroup_size},
      {"max_subgroup_size", limits.max_subgroup_size},
      {"max_shared", limits.max_shared_bytes},
      {"max_invocations", limits.max_workgroup_invocations},
      {"core_count", std::max(1u, limits.core_count)},
      {"vendor_id", device.vendor_id},
      {"device_id", device.device_id},
      {"driver_id", device.driver_id},
      {"unified_memory", device.type == DeviceType::integrated_gpu || device.type == DeviceType::software ? 1 : 0}});
  // mat_m, mat_n, mat_k: 0 without f16 matrices of subgroup scope; others 0 where kernels cannot use the layout.
  const MatrixLayout layout = device.matrix_layout.value_or(MatrixLayout{});
  names["mat_m"] = layout.m;
  names["mat_n"] = layout.n;
  names["mat_k"] = layout.k;
  names["mat_elements"] = layout.elements;
  names["mat_row_shift"] = layout.row_shift;
  names["mat_lane_mask"] = layout.lane_mask;
  names["mat_element_rows"] = layout.element_rows;
  names["mat_element_cols"] = layout.element_cols;
  names["mat_row_lanes"] = layout.row_lanes;
  names["mat_a_like_accumulator"] = layout.a_like_accumulator ? 1 : 0;
  names["mat_half_columns"] = layout.half_columns ? 1 : 0;
  names["mat_f16_accumulator"] = has_f16_accumulator(device, layout) ? 1 : 0;
  names["mat_16x16x16"] = has_16x16x16(device, "f16", "f16") && has_16x16x16(device, "f16", "f32") ? 1 : 0;
  // bf16 matrices that take the place of the f16 ones, of the same shape.
  const bool probed_16 = layout.m == 16 && layout.n == 16 && layout.k == 16;
  names["mat_bf16"] = probed_16 && device.has("coopmat_bfloat16") && has_16x16x16(device, "bf16", "f32") ? 1 : 0;
  for (const PackedType& type : packed_types()) names[std::string(type.name)] = double(type.type);
  for (const std::string_view feature : kFeatureNames)
    names[fmt::format("has_{}", feature)] = device.has(feature) ? 1 : 0;
  return names;
}

}  // namespace attnscope
