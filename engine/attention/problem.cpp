#include "engine/attention/problem.hpp"

#include <charconv>

#include "engine/attention/packed_types.hpp"
#include "engine/words.hpp"

namespace attnscope {

double Problem::softmax_scale() const { return scale ? *scale : 1.0 / std::sqrt(double(head_dim)); }

uint64_t Problem::total_q() const {
  return varlen.empty() ? uint64_t{batch} * seq_q : std::accumulate(varlen.begin(), varlen.end(), uint64_t{0});
}
uint64_t Problem::total_kv() const {
  return varlen.empty() ? uint64_t{batch} * seq_kv : std::accumulate(varlen.begin(), varlen.end(), uint64_t{0});
}
uint64_t Problem::q_elements() const { return total_q() * heads_q * head_dim; }
uint64_t Problem::k_elements() const {
  return (page_size == 0 ? total_kv() : batch * pages() * page_size) * heads_kv * head_dim;
}
uint64_t Problem::v_elements() const {
  return mla ? 0 : (page_size == 0 ? total_kv() : batch * pages() * page_size) * heads_kv * v_dim;
}
uint64_t Problem::o_elements() const { return total_q() * heads_q * v_dim; }

uint64_t Problem::mask_elements() const {
  return mask == MaskKind::none ? 0 : (mask == MaskKind::batch ? batch : uint64_t{1}) * seq_q * seq_kv;
}
uint64_t Problem::k_bytes() const { return kv_bytes(k_type, dtype, k_elements()); }
uint64_t Problem::v_bytes() const { return kv_bytes(v_type, dtype, v_elements()); }

uint64_t kv_bytes(KvType type, DType dtype, uint64_t elements) {
  if (type == KvType::as_dtype) return elements * dtype_bytes(dtype);
  return elements / packed_type(type).block * packed_type(type).bytes;
}

double alibi_slope(uint32_t head, uint32_t heads) {
  const double n = std::bit_floor(heads);
  return std::exp2(head < n ? -8.0 * (head + 1) / n : -4.0 * (2 * (head - n) + 1) / n);
}

uint32_t dtype_bytes(DType dtype) { return dtype == DType::f32 ? 4 : 2; }

std::string_view to_text(DType dtype) { return word_of(dtype, {"f32", "f16", "bf16"}); }

std::string_view to_text(InputKind kind) { return word_of(kind, {"normal", "large", "onehot", "ramp", "wide"}); }

std::string_view to_text(KvType type) { return type == KvType::as_dtype ? "as_dtype" : packed_type(type).name; }

std::string_view to_text(MaskKind kind) { return word_of(kind, {"none", "shared", "batch", "alibi", "causal"}); }

Result<DType> parse_dtype(std::string_view text) {
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16})
    if (to_text(dtype) == text) return dtype;
  return bad_input("dtype '{}' is not known; it can be f32, f16 or bf16.", text);
}

std::string to_text(const Problem& p) {
  std::string text;
  if (p.varlen.empty()) {
    text = fmt::format("{}x{}x{}x{}", p.batch, p.heads_q, p.seq_kv, p.head_dim);
    if (p.seq_q != p.seq_kv) text += fmt::format(":q={}", p.seq_q);
  } else {
    text = fmt::format("varlen={}:{}x{}", fmt::join(p.varlen, ","), p.heads_q, p.head_dim);
  }
  if (p.heads_kv != p.heads_q) text += fmt::format(":kv={}", p.heads_kv);
  if (p.v_dim != p.head_dim) text += fmt::format(":dv={}", p.v_dim);
  if (p.causal) text += ":causal";
  if (p.window != 0) text += fmt::format(":window={}", p.window);
  if (p.softcap != 0) text += fmt::format(":softcap={}", p.softcap);
  if (p.sinks) text += ":sinks";
  if (p.mask == MaskKind::shared)
    text += ":mask";
  else if (p.mask != MaskKind::none)
    text += fmt::format(":mask={}", to_text(p.mask));
  if (p.scale) text += fmt::format(":scale={}", *p.scale);
  if (p.page_size != 0) text += fmt::format(":page={}", p.page_size);
  if (p.k_type == p.v_type) {
    if (p.packed_kv()) text += fmt::format(":kvtype={}", to_text(p.k_type));
  } else {
    if (p.k_type != KvType::as_dtype) text += fmt::format(":ktype={}", to_text(p.k_type));
    if (p.v_type != KvType::as_dtype) text += fmt::format(":vtype={}", to_text(p.v_type));
  }
  if (p.mla) text += ":mla";
  if (p.topk != 0) text += fmt::format(":topk={}", p.topk);
  if (p.inputs != InputKind::normal) text += fmt::format(":in={}", to_text(p.inputs));
  return text + ":" + std::string(to_text(p.dtype));
}

namespace {

std::string out_of_range(std::string_view field, uint64_t value, uint64_t most) {
  if (value == 0) return fmt::format("{} is 0; it must be at least 1", field);
  if (value > most) return fmt::format("{} is {}; it must be at most {}", field, value, most);
  return {};
}

std::string too_large(std::string_view what, double elements) {
  if (elements <= kMaxElements) return {};
  return fmt::format("{} would have {:.4g} elements; a tensor may have at most 2^40 ({:.0f})", what, elements,
                     kMaxElements);
}

struct Size {
  const char* name;
  uint32_t Problem::*member;
  uint32_t most;
};
/// The sizes as a text gives them: BxHxSxD, or HxD after the lengths.
std::vector<Size> sizes_of(bool packed) {
  if (packed)
    return {{"heads (first field after the lengths)", &Problem::heads_q, kMaxCount},
            {"head_dim (second field after the lengths)", &Problem::head_dim, kMaxHeadDim}};
  return {{"batch (first field)", &Problem::batch, kMaxCount},
          {"heads (second field)", &Problem::heads_q, kMaxCount},
          {"seq (third field)", &Problem::seq_kv, kMaxCount},
          {"head_dim (fourth field)", &Problem::head_dim, kMaxHeadDim}};
}

/// The same of what a problem may ask beyond plain attention.
std::string option_fault(const Problem& p) {
  if (p.window > kMaxCount) return out_of_range("window (keys)", p.window, kMaxCount);
  if (p.softcap != 0 && !(p.softcap >= kMinSoftcap && p.softcap <= kMaxSoftcap))
    return fmt::format("softcap is {}; it must be between {} and {:.0f}, or left out", p.softcap, kMinSoftcap,
                       kMaxSoftcap);
  if (p.mask != MaskKind::none) {
    if (!p.varlen.empty()) return "mask is set with varlen; a mask needs the form BxHxSxD";
    if (p.causal && p.mask == MaskKind::causal) return "causal is set with mask=causal, which says it already";
    const double elements = (p.mask == MaskKind::batch ? p.batch : 1.0) * p.seq_q * p.seq_kv;
    if (std::string bad = too_large("the mask", elements); !bad.empty()) return bad;
  }
  for (const auto& [field, dim, type] :
       {std::tuple{"head_dim", p.head_dim, p.k_type}, {"dv (value head dim)", p.v_dim, p.v_type}})
    if (type != KvType::as_dtype && dim % packed_type(type).block != 0)
      return fmt::format("{} is {}; with {} it must be a multiple of {}", field, dim, to_text(type),
                         packed_type(type).block);
  if (p.inputs == InputKind::wide && (p.dtype == DType::f16 || p.packed_kv() || p.mla))
    return "in is wide with f16, a kvtype or mla; those inputs are beyond what these hold (f16 ends at 65,504)";
  if (p.mla && (p.v_dim > p.head_dim || p.head_dim % 8 != 0 || p.v_dim % 8 != 0))
    return fmt::format(
        "dv is {} and head_dim is {}; with mla, where V is the first dv elements of K's rows, both must be "
        "multiples of 8 and dv at most head_dim",
        p.v_dim, p.head_dim);
  if (p.mla && p.k_type != p.v_type) return "ktype and vtype differ; with mla V lies in K's rows, so use kvtype";
  if (p.topk != 0) {
    if (!p.varlen.empty()) return "topk is set with varlen; lists of keys need the form BxHxSxD";
    if (p.window != 0) return "topk is set with window; a list says which keys a query sees";
    if (p.topk > p.seq_kv)
      return fmt::format("topk is {}; it must be at most the number of keys, {}", p.topk, p.seq_kv);
    return too_large("the lists of topk", double(p.batch) * p.heads_kv * p.seq_q * p.topk);
  }
  return {};
}

/// What is wrong with a Problem, as "field is value; it must be ...", or empty.
std::string fault(const Problem& p) {
  const bool packed = !p.varlen.empty();
  std::vector<Size> sizes = sizes_of(packed);
  if (!packed) sizes.push_back({"q (query rows)", &Problem::seq_q, kMaxCount});
  sizes.push_back({"kv (K/V heads)", &Problem::heads_kv, kMaxCount});
  sizes.push_back({"dv (value head dim)", &Problem::v_dim, kMaxHeadDim});
  std::string bad;
  for (const auto& [name, member, most] : sizes)
    if (bad = out_of_range(name, p.*member, most); !bad.empty()) return bad;
  for (size_t i = 0; i < p.varlen.size(); ++i)
    if (bad = out_of_range(fmt::format("length {} of varlen", i + 1), p.varlen[i], kMaxCount); !bad.empty()) return bad;
  if (p.heads_q % p.heads_kv != 0)
    return fmt::format("heads is {} and kv (K/V heads) is {}; heads must be a multiple of kv", p.heads_q, p.heads_kv);
  if (packed) {
    const uint32_t longest = *std::ranges::max_element(p.varlen);
    if (p.batch != p.varlen.size())
      return fmt::format("batch is {}; with varlen it must be the number of sequences, {}", p.batch, p.varlen.size());
    if (p.seq_q != longest || p.seq_kv != longest)
      return fmt::format("q is {} and seq is {}; with varlen both must be the longest length, {}", p.seq_q, p.seq_kv,
                         longest);
    if (p.page_size != 0) return "page (rows a page) is set with varlen; a paged cache needs the form BxHxSxD";
  }
  if (p.page_size > kMaxHeadDim)
    return fmt::format("page (rows a page) is {}; it must be at most {}", p.page_size, kMaxHeadDim);
  if (p.scale && !(*p.scale >= 1e-6 && *p.scale <= 1e6))
    return fmt::format("scale is {}; it must be between 1e-06 and 1e+06", *p.scale);
  if (bad = option_fault(p); !bad.empty()) return bad;
  const double queries = packed ? double(p.total_q()) : double(p.batch) * p.seq_q;
  const double keys = packed        ? double(p.total_kv())
                      : p.page_size ? double(p.batch) * double(p.pages()) * p.page_size
                                    : double(p.batch) * p.seq_kv;
  for (const auto& [name, elements] : {std::pair{"Q", queries * p.heads_q * p.head_dim},
                                       {"K", keys * p.heads_kv * p.head_dim},
                                       {"V", keys * p.heads_kv * p.v_dim},
                                       {"O", queries * p.heads_q * p.v_dim}})
    if (bad = too_large(name, elements); !bad.empty()) return bad;
  return {};
}

Error problem_error(std::string_view text, std::string_view what) { return bad_input("problem '{}': {}.", text, what); }

/// Digits only. The most that is kept is enough for fault() to refuse it with the number as written.
std::optional<std::string> read_count(std::string_view field, std::string_view text, uint32_t& out) {
  if (text.empty()) return fmt::format("{} is empty; it must be a whole number", field);
  uint64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return fmt::format("{} is '{}'; it must be a whole number", field, text);
    value = std::min<uint64_t>(value * 10 + uint64_t(c - '0'), uint64_t{1} << 40);
  }
  if (value > std::numeric_limits<uint32_t>::max())
    return fmt::format("{} is {}; it must be at most {}", field, text, kMaxCount);
  out = uint32_t(value);
  return std::nullopt;
}

std::optional<std::string> read_number(std::string_view field, std::string_view text, double& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(out))
    return fmt::format("{} is '{}'; it must be a number", field, text);
  return std::nullopt;
}

/// Where zero is what leaving the option out means.
std::optional<std::string> not_zero(std::string_view field, double value) {
  if (value != 0) return std::nullopt;
  return fmt::format("{} is 0; it must be more, or left out", field);
}

constexpr std::string_view kOptions =
    "q=ROWS, kv=HEADS, dv=DIM, causal, window=KEYS, softcap=X, sinks, mask, mask=batch|alibi|causal, scale=X, "
    "page=ROWS, kvtype=TYPE, ktype=TYPE, vtype=TYPE, mla, topk=KEYS, in=normal|large|onehot|ramp|wide, f32, f16, bf16";

/// `out` becomes the one of `words` that the text says; false where it says none.
template <class Enum>
bool read_word(std::string_view text, std::initializer_list<Enum> words, Enum& out) {
  for (const Enum word : words)
    if (to_text(word) == text) {
      out = word;
      return true;
    }
  return false;
}

struct Flag {
  std::string_view name;
  bool Problem::*member;
};
constexpr Flag kFlags[] = {{"causal", &Problem::causal}, {"sinks", &Problem::sinks}, {"mla", &Problem::mla}};
struct Count {
  std::string_view key, field;
  uint32_t Problem::*member;
  bool or_left_out;  ///< and so not 0
};
constexpr Count kCounts[] = {
    {"q", "q (query rows)", &Problem::seq_q, false},       {"kv", "kv (K/V heads)", &Problem::heads_kv, false},
    {"dv", "dv (value head dim)", &Problem::v_dim, false}, {"page", "page (rows a page)", &Problem::page_size, true},
    {"window", "window (keys)", &Problem::window, true},   {"topk", "topk (keys of a list)", &Problem::topk, true}};

/// Reads one option into `p`; the text of what is wrong, if something is.
std::optional<std::string> read_option(std::string_view option, Problem& p) {
  const size_t equals = option.find('=');
  const std::string_view key = option.substr(0, equals);
  const std::string_view value = equals == std::string_view::npos ? "" : option.substr(equals + 1);
  const auto flag = std::ranges::find(kFlags, option, &Flag::name);
  const auto count = std::ranges::find(kCounts, key, &Count::key);
  if (flag != std::end(kFlags)) {
    p.*flag->member = true;
    return std::nullopt;
  }
  if (equals == std::string_view::npos) {
    if (option == "mask") {
      p.mask = MaskKind::shared;
      return std::nullopt;
    }
    if (const auto dtype = parse_dtype(option)) {
      p.dtype = *dtype;
      return std::nullopt;
    }
  } else if (key == "q" && !p.varlen.empty()) {
    return "q= is set with varlen; there each sequence has as many queries as keys";
  } else if (count != std::end(kCounts)) {
    const auto bad = read_count(count->field, value, p.*count->member);
    return bad || !count->or_left_out ? bad : not_zero(count->field, p.*count->member);
  } else if (key == "scale") {
    return read_number("scale", value, p.scale.emplace());
  } else if (key == "softcap") {
    const auto bad = read_number("softcap", value, p.softcap);
    return bad ? bad : not_zero("softcap", p.softcap);
  } else if (key == "mask") {
    if (read_word(value, {MaskKind::batch, MaskKind::alibi, MaskKind::causal}, p.mask)) return std::nullopt;
    return fmt::format("mask is '{}'; it can be batch, alibi or causal, or without a value one mask for all", value);
  } else if (key == "kvtype" || key == "ktype" || key == "vtype") {
    std::string known;
    for (const PackedType& type : packed_types()) {
      known += (known.empty() ? "" : ", ") + std::string(type.name);
      if (type.name != value) continue;
      if (key != "vtype") p.k_type = type.type;
      if (key != "ktype") p.v_type = type.type;
      return std::nullopt;
    }
    return fmt::format("{} is '{}'; it can be one of {}, or be left out", key, value, known);
  } else if (key == "in") {
    if (read_word(value, {InputKind::normal, InputKind::large, InputKind::one_hot, InputKind::ramp, InputKind::wide},
                  p.inputs))
      return std::nullopt;
    return fmt::format("in is '{}'; it can be normal, large, onehot, ramp or wide", value);
  }
  return fmt::format("option '{}' is not known; the options are {}", option, kOptions);
}

/// 1 + 2 + ... + n; 0 for what is not positive.
double sum_to(double n) { return n > 0 ? n * (n + 1) / 2 : 0; }

/// Keys that the queries of one sequence see, summed. Query i ends before key i + reach + keys - queries, with reach 1
/// under a causal mask and the window without one, and begins `window` keys before its own.
double pairs_of(const Problem& p, double queries, double keys) {
  const double off = keys - queries;
  // The last keys in place of those of a list: as many.
  const uint32_t window = p.topk != 0 ? p.topk : p.window;
  if (p.topk != 0 && !p.sees_no_future()) return queries * p.topk;
  if (window == 0) {
    if (!p.sees_no_future()) return queries * keys;
    // Query i sees i + 1 + (keys - queries) keys, none when that is not positive.
    return keys <= queries ? keys * (keys + 1) / 2 : queries * (off + 1) + queries * (queries - 1) / 2;
  }
  const auto ends_to = [&](double n) { return n <= keys ? sum_to(n) : sum_to(keys) + (n - keys) * keys; };
  const double reach = p.sees_no_future() ? 1 : window;
  const double ends = ends_to(keys - 1 + reach) - ends_to(off - 1 + reach);
  return ends - (sum_to(keys - window) - sum_to(off - window));
}

/// Keys that any query of one sequence sees; of lists at most so many.
double keys_read(const Problem& p, double queries, double keys) {
  return p.topk != 0 ? std::min(keys, queries * p.topk) : p.window == 0 ? keys : std::min(keys, queries + p.window - 1);
}

template <class F>
double sum_over_sequences(const Problem& p, const F& of) {
  if (p.varlen.empty()) return p.batch * of(double(p.seq_q), double(p.seq_kv));
  double sum = 0;
  for (const uint32_t length : p.varlen) sum += of(double(length), double(length));
  return sum;
}

}  // namespace

Result<void> check_problem(const Problem& p) {
  if (const std::string bad = fault(p); !bad.empty()) return problem_error(to_text(p), bad);
  return {};
}

Result<Problem> parse_problem(std::string_view text) {
  const auto parts = split(text, ':');
  Problem p;
  constexpr std::string_view kLengths = "varlen=";
  const bool packed = parts[0].starts_with(kLengths);
  if (packed)
    for (const auto part : split(parts[0].substr(kLengths.size()), ',')) {
      p.varlen.push_back(0);
      if (const auto bad = read_count(fmt::format("length {} of varlen", p.varlen.size()), part, p.varlen.back()))
        return problem_error(text, *bad);
    }
  size_t next = packed ? 1 : 0;
  const auto sizes = next < parts.size() ? split(parts[next++], 'x') : std::vector<std::string_view>{};
  const std::vector<Size> fields = sizes_of(packed);
  if (sizes.size() != fields.size())
    return problem_error(
        text, packed ? "after the lengths comes HxD (heads x head dim), as in varlen=37,512,90:8x64:f16"
                     : "it is not of the form BxHxSxD (batch x heads x sequence x head dim), as in 2x8x512x64:f16, "
                       "nor varlen=LENGTHS:HxD, as in varlen=37,512,90:8x64:f16");
  for (size_t i = 0; i < fields.size(); ++i)
    if (const auto bad = read_count(fields[i].name, sizes[i], p.*fields[i].member)) return problem_error(text, *bad);
  if (packed) {
    p.batch = uint32_t(p.varlen.size());
    p.seq_kv = *std::ranges::max_element(p.varlen);
  }
  p.seq_q = p.seq_kv;
  p.heads_kv = p.heads_q;
  p.v_dim = p.head_dim;
  std::vector<std::string_view> seen;
  for (; next < parts.size(); ++next) {
    const std::string_view option = parts[next];
    // The three dtypes are one choice.
    const std::string_view key = parse_dtype(option) ? "dtype" : option.substr(0, option.find('='));
    const auto given = [&](std::string_view other) { return contains(seen, other); };
    if (given(key)) return problem_error(text, fmt::format("{} is given twice", key));
    if ((key == "kvtype" && (given("ktype") || given("vtype"))) ||
        ((key == "ktype" || key == "vtype") && given("kvtype")))
      return problem_error(text, "kvtype, which is of K and V, is given with ktype or vtype");
    seen.push_back(key);
    if (const auto bad = read_option(option, p)) return problem_error(text, *bad);
  }
  if (const std::string bad = fault(p); !bad.empty()) return problem_error(text, bad);
  return p;
}

double problem_pairs(const Problem& p) {
  return p.heads_q * sum_over_sequences(p, [&](double queries, double keys) { return pairs_of(p, queries, keys); });
}

double problem_flops(const Problem& p) { return 2.0 * (double(p.head_dim) + p.v_dim) * problem_pairs(p); }

double problem_bytes(const Problem& p) {
  const double queries = double(p.total_q()) * p.heads_q, dims = double(p.head_dim) + p.v_dim;
  const double keys = p.heads_kv * sum_over_sequences(p, [&](double q, double kv) { return keys_read(p, q, kv); });
  const double key_bytes =
      double(kv_bytes(p.k_type, p.dtype, p.head_dim)) + (p.mla ? 0.0 : double(kv_bytes(p.v_type, p.dtype, p.v_dim)));
  double bytes = queries * dims * dtype_bytes(p.dtype) + keys * key_bytes + 4.0 * double(p.list_elements());
  if (p.mask != MaskKind::none) bytes += 2 * pairs_of(p, p.seq_q, p.seq_kv) * (p.mask == MaskKind::batch ? p.batch : 1);
  if (p.sinks) bytes += 4.0 * p.heads_q;
  return bytes;
}

}  // namespace attnscope
