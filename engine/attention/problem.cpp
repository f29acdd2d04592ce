#include "engine/attention/problem.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

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
  return (page_size == 0 ? total_kv() : batch * pages() * page_size) * heads_kv * v_dim;
}
uint64_t Problem::o_elements() const { return total_q() * heads_q * v_dim; }

uint32_t dtype_bytes(DType dtype) { return dtype == DType::f32 ? 4 : 2; }

std::string_view to_text(DType dtype) {
  switch (dtype) {
    case DType::f32: return "f32";
    case DType::f16: return "f16";
    case DType::bf16: break;
  }
  return "bf16";
}

std::string_view to_text(InputKind kind) {
  switch (kind) {
    case InputKind::normal: return "normal";
    case InputKind::large: return "large";
    case InputKind::one_hot: return "onehot";
    case InputKind::ramp: break;
  }
  return "ramp";
}

Result<DType> parse_dtype(std::string_view text) {
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16})
    if (to_text(dtype) == text) return dtype;
  return bad_input(fmt::format("dtype '{}' is not known; it can be f32, f16 or bf16.", text));
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
  if (p.scale) text += fmt::format(":scale={}", *p.scale);
  if (p.page_size != 0) text += fmt::format(":page={}", p.page_size);
  if (p.inputs != InputKind::normal) text += fmt::format(":in={}", to_text(p.inputs));
  return text + ":" + std::string(to_text(p.dtype));
}

namespace {

std::string out_of_range(std::string_view field, uint64_t value, uint64_t most) {
  if (value == 0) return fmt::format("{} is 0; it must be at least 1", field);
  if (value > most) return fmt::format("{} is {}; it must be at most {}", field, value, most);
  return {};
}

/// What is wrong with a Problem, as "field is value; it must be ...", or empty.
std::string fault(const Problem& p) {
  const bool packed = !p.varlen.empty();
  const auto first_of = [](std::initializer_list<std::string> faults) {
    for (const auto& f : faults)
      if (!f.empty()) return f;
    return std::string();
  };
  std::string bad = first_of({
      packed ? "" : out_of_range("batch (first field)", p.batch, kMaxCount),
      out_of_range(packed ? "heads (first field after the lengths)" : "heads (second field)", p.heads_q, kMaxCount),
      packed ? "" : out_of_range("seq (third field)", p.seq_kv, kMaxCount),
      out_of_range(packed ? "head_dim (second field after the lengths)" : "head_dim (fourth field)", p.head_dim,
                   kMaxHeadDim),
      packed ? "" : out_of_range("q (query rows)", p.seq_q, kMaxCount),
      out_of_range("kv (K/V heads)", p.heads_kv, kMaxCount),
      out_of_range("dv (value head dim)", p.v_dim, kMaxHeadDim),
  });
  if (!bad.empty()) return bad;
  for (size_t i = 0; i < p.varlen.size(); ++i)
    if (bad = out_of_range(fmt::format("length {} of varlen", i + 1), p.varlen[i], kMaxCount); !bad.empty()) return bad;
  if (p.heads_q % p.heads_kv != 0)
    return fmt::format("heads is {} and kv (K/V heads) is {}; heads must be a multiple of kv", p.heads_q, p.heads_kv);
  if (packed) {
    const uint32_t longest = *std::max_element(p.varlen.begin(), p.varlen.end());
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
  const double queries = packed ? double(p.total_q()) : double(p.batch) * p.seq_q;
  const double keys = packed        ? double(p.total_kv())
                      : p.page_size ? double(p.batch) * double(p.pages()) * p.page_size
                                    : double(p.batch) * p.seq_kv;
  struct Size {
    const char* name;
    double elements;
  };
  for (const Size& s : {Size{"Q", queries * p.heads_q * p.head_dim}, Size{"K", keys * p.heads_kv * p.head_dim},
                        Size{"V", keys * p.heads_kv * p.v_dim}, Size{"O", queries * p.heads_q * p.v_dim}})
    if (s.elements > kMaxElements)
      return fmt::format("{} would have {:.4g} elements; a tensor may have at most 2^40 ({:.0f})", s.name, s.elements,
                         kMaxElements);
  return {};
}

Error problem_error(std::string_view text, std::string_view what) {
  return bad_input(fmt::format("problem '{}': {}.", text, what));
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (size_t start = 0;;) {
    const size_t end = text.find(separator, start);
    parts.push_back(text.substr(start, end - start));
    if (end == std::string_view::npos) return parts;
    start = end + 1;
  }
}

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

std::optional<std::string> read_scale(std::string_view text, std::optional<double>& out) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    return fmt::format("scale is '{}'; it must be a number", text);
  out = value;
  return std::nullopt;
}

constexpr std::string_view kOptions =
    "q=ROWS, kv=HEADS, dv=DIM, causal, scale=X, page=ROWS, in=normal|large|onehot|ramp, f32, f16, bf16";

/// Reads one option into `p`; the text of what is wrong, if something is.
std::optional<std::string> read_option(std::string_view option, Problem& p) {
  const size_t equals = option.find('=');
  const std::string_view key = option.substr(0, equals);
  const std::string_view value = equals == std::string_view::npos ? "" : option.substr(equals + 1);
  if (equals == std::string_view::npos) {
    if (option == "causal") {
      p.causal = true;
      return std::nullopt;
    }
    if (const auto dtype = parse_dtype(option)) {
      p.dtype = *dtype;
      return std::nullopt;
    }
  } else if (key == "q") {
    if (!p.varlen.empty()) return "q= is set with varlen; there each sequence has as many queries as keys";
    return read_count("q (query rows)", value, p.seq_q);
  } else if (key == "kv") {
    return read_count("kv (K/V heads)", value, p.heads_kv);
  } else if (key == "dv") {
    return read_count("dv (value head dim)", value, p.v_dim);
  } else if (key == "page") {
    const auto bad = read_count("page (rows a page)", value, p.page_size);
    return !bad && p.page_size == 0 ? "page (rows a page) is 0; it must be at least 1, or left out" : bad;
  } else if (key == "scale") {
    return read_scale(value, p.scale);
  } else if (key == "in") {
    for (const auto kind : {InputKind::normal, InputKind::large, InputKind::one_hot, InputKind::ramp})
      if (to_text(kind) == value) {
        p.inputs = kind;
        return std::nullopt;
      }
    return fmt::format("in is '{}'; it can be normal, large, onehot or ramp", value);
  }
  return fmt::format("option '{}' is not known; the options are {}", option, kOptions);
}

}  // namespace

Result<void> check_problem(const Problem& p) {
  if (const std::string bad = fault(p); !bad.empty()) return problem_error(to_text(p), bad);
  return {};
}

Result<Problem> parse_problem(std::string_view text) {
  const auto parts = split(text, ':');
  Problem p;
  size_t next = 1;
  if (constexpr std::string_view prefix = "varlen="; parts[0].starts_with(prefix)) {
    for (const auto part : split(parts[0].substr(prefix.size()), ',')) {
      p.varlen.push_back(0);
      if (const auto bad = read_count(fmt::format("length {} of varlen", p.varlen.size()), part, p.varlen.back()))
        return problem_error(text, *bad);
    }
    const auto sizes = parts.size() > 1 ? split(parts[1], 'x') : std::vector<std::string_view>{};
    if (sizes.size() != 2)
      return problem_error(text, "after the lengths comes HxD (heads x head dim), as in varlen=37,512,90:8x64:f16");
    if (const auto bad = read_count("heads (first field after the lengths)", sizes[0], p.heads_q))
      return problem_error(text, *bad);
    if (const auto bad = read_count("head_dim (second field after the lengths)", sizes[1], p.head_dim))
      return problem_error(text, *bad);
    p.batch = uint32_t(p.varlen.size());
    p.seq_q = p.seq_kv = *std::max_element(p.varlen.begin(), p.varlen.end());
    next = 2;
  } else {
    const auto sizes = split(parts[0], 'x');
    if (sizes.size() != 4)
      return problem_error(text,
                           "it is not of the form BxHxSxD (batch x heads x sequence x head dim), as in 2x8x512x64:f16, "
                           "nor varlen=LENGTHS:HxD, as in varlen=37,512,90:8x64:f16");
    const std::array<std::pair<const char*, uint32_t*>, 4> fields{{{"batch (first field)", &p.batch},
                                                                   {"heads (second field)", &p.heads_q},
                                                                   {"seq (third field)", &p.seq_kv},
                                                                   {"head_dim (fourth field)", &p.head_dim}}};
    for (size_t i = 0; i < fields.size(); ++i)
      if (const auto bad = read_count(fields[i].first, sizes[i], *fields[i].second)) return problem_error(text, *bad);
    p.seq_q = p.seq_kv;
  }
  p.heads_kv = p.heads_q;
  p.v_dim = p.head_dim;
  std::vector<std::string_view> seen;
  for (; next < parts.size(); ++next) {
    const std::string_view option = parts[next];
    // The three dtypes are one choice.
    const std::string_view key = parse_dtype(option) ? "dtype" : option.substr(0, option.find('='));
    if (std::find(seen.begin(), seen.end(), key) != seen.end())
      return problem_error(text, fmt::format("{} is given twice", key));
    seen.push_back(key);
    if (const auto bad = read_option(option, p)) return problem_error(text, *bad);
  }
  if (const std::string bad = fault(p); !bad.empty()) return problem_error(text, bad);
  return p;
}

double problem_pairs(const Problem& p) {
  const auto pairs = [causal = p.causal](double queries, double keys) {
    if (!causal) return queries * keys;
    // Query i sees i + 1 + (keys - queries) keys, none when that is not positive.
    if (keys <= queries) return keys * (keys + 1) / 2;
    return queries * (keys - queries + 1) + queries * (queries - 1) / 2;
  };
  double sum = 0;
  if (p.varlen.empty()) sum = p.batch * pairs(p.seq_q, p.seq_kv);
  for (const uint32_t length : p.varlen) sum += pairs(length, length);
  return sum * p.heads_q;
}

double problem_flops(const Problem& p) { return 2.0 * (double(p.head_dim) + p.v_dim) * problem_pairs(p); }

double problem_bytes(const Problem& p) {
  const double queries = double(p.total_q()) * p.heads_q, keys = double(p.total_kv()) * p.heads_kv;
  return (queries + keys) * (double(p.head_dim) + p.v_dim) * dtype_bytes(p.dtype);
}

}  // namespace attnscope
