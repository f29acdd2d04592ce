#include "engine/attention/reference.hpp"

#include <random>

#include "engine/attention/layout.hpp"
#include "engine/attention/parallel.hpp"
#include "engine/attention/rounded.hpp"

namespace attnscope {
namespace {

constexpr uint32_t kBlock = 256;  ///< keys whose scores are summed side by side: they fit the first-level cache

/// K and V of one head as floats. K is [block][dim][kBlock]: the loop over a block's keys runs over neighbours.
struct Head {
  uint32_t keys = 0;
  std::vector<float> k, v, k_square, v_most;  ///< of each key the sum of K's squares, the largest |V|
};

struct Sums {
  double operator()(double x) const { return x; }
};
float rounded(DType type, float x) {
  return type == DType::f32 ? x : type == DType::f16 ? Rounded<DType::f16>()(x) : Rounded<DType::bf16>()(x);
}

/// What two f16 numbers hold of x: its rounded value, and the rounded rest.
float as_f16_pair(float x) {
  const float high = rounded(DType::f16, x);
  return high + rounded(DType::f16, x - high);
}

/// What a row's softmax is of, beside Q K^T.
struct RowTerms {
  uint32_t first = 0, visible = 0;  ///< keys first .. visible - 1
  double scale = 1, softcap = 0;
  std::vector<float> mask = {};  ///< of each key, or empty
  double slope = 1;              ///< of the mask
  std::optional<float> sink = {};
};

/// The scores of keys first .. visible - 1, from their products on.
template <class Real>
void finish_scores(const RowTerms& row, std::vector<Real>& scores) {
  const Real scale = Real(row.scale), cap = Real(row.softcap), slope = Real(row.slope);
  for (uint32_t j = row.first; j < row.visible; ++j) {
    Real& s = scores[j];
    s *= scale;
    if (row.softcap != 0) s = cap * std::tanh(s / cap);
    if (!row.mask.empty()) s += slope * Real(row.mask[j]);
  }
}

/// One output row in arithmetic of type Real, each operation passed through `round`.
template <class Real, class Round, class RoundP>
void attend(const Head& head, const RowTerms& row, const std::vector<float>& q, Round round, RoundP round_p,
            std::vector<Real>& scores, Real* out, uint32_t v_dim, std::vector<Real>* products = nullptr) {
  const uint32_t dim = uint32_t(q.size()), visible = row.visible;
  std::fill(out, out + v_dim, Real(0));
  if (row.first >= visible) return;
  scores.assign((visible + kBlock - 1) / kBlock * kBlock, Real(0));
  for (uint32_t start = row.first / kBlock * kBlock; start < visible; start += kBlock) {
    const float* k = head.k.data() + size_t{start} * dim;
    Real* s = scores.data() + start;
    for (uint32_t c = 0; c < dim; ++c, k += kBlock) {
      const Real qc = Real(q[c]);
      for (uint32_t j = 0; j < kBlock; ++j) s[j] = Real(round(s[j] + qc * Real(k[j])));
    }
  }
  if (products) *products = scores;
  finish_scores(row, scores);
  constexpr Real kNone = -std::numeric_limits<Real>::infinity();
  Real highest = row.sink ? Real(*row.sink) : kNone;
  for (uint32_t j = row.first; j < visible; ++j) highest = std::max(highest, scores[j]);
  // The mask may have left no key.
  if (highest == kNone) return;
  Real sum = row.sink ? std::exp(Real(*row.sink) - highest) : Real(0);
  for (uint32_t j = row.first; j < visible; ++j) {
    const Real p = std::exp(scores[j] - highest);
    sum += p;
    scores[j] = Real(round_p(p));
  }
  for (uint32_t j = row.first; j < visible; ++j) {
    const Real p = scores[j];
    const float* v = head.v.data() + size_t{j} * v_dim;
    for (uint32_t c = 0; c < v_dim; ++c) out[c] = Real(round(out[c] + p * Real(v[c])));
  }
  for (uint32_t c = 0; c < v_dim; ++c) out[c] /= sum;
}

/// Natural units; further off a mask is in the size of each of the sums that start with it.
constexpr double kFarMask = 64;

/// A key whose score is so many natural units below the first's, beyond what rounding moves both, adds nothing.
constexpr double kNothing = 25;

/// A quarter of what f16 holds: a mask is added to scores, which may be in base 2.
constexpr double kFitsHalf = 16384;

/// What P may be up to, where a kernel raises its maximum seldom: in the end, and of keys with a V above kLargeV; of
/// others before keys that lead are met, where more would leave out all rows of many keys.
constexpr double kMostP = 256, kMostEarlyP = 8, kLargeV = 16;

/// Twice the rounding of scores in the coarsest type that is declared for them, in proportion; 0: f32.
double score_rounding(const Precision& p) {
  const auto has = [&](DType type) { return p.accumulate == type || p.scores == type || p.kv == type; };
  return has(DType::bf16) ? 0x1p-8 : has(DType::f16) ? 0x1p-11 : 0;
}

/// The products of all keys of the head have to fit, since a mask's -Inf makes NaN of Inf. The maximum that a kernel
/// subtracts may be that of any of the keys, as long as it has not met the others: by each the sums of P and of P |V|.
bool fits_half(const Head& head, const RowTerms& row, double q_square, std::vector<double> scores) {
  double k_square = 1;
  for (const float x : head.k_square) k_square = std::max(k_square, double(x));
  if (!(std::sqrt(std::max(q_square, 1.0) * k_square) * std::max(row.scale, 1.0) < kFitsHalf)) return false;
  finish_scores(row, scores);
  std::vector<uint32_t> order;
  for (uint32_t j = row.first; j < row.visible; ++j) {
    if (!std::isfinite(scores[j])) continue;
    // A kernel may add the mask before it scales.
    if (!row.mask.empty() && !(std::abs(row.slope * row.mask[j]) < kFitsHalf * std::min(row.scale, 1.0))) return false;
    order.push_back(j);
  }
  std::ranges::sort(order, {}, [&](uint32_t j) { return scores[j]; });
  double sum = 0, early = 0, below = -INFINITY;
  for (const uint32_t j : order) {
    const double most = std::max(1.0f, head.v_most[j]), less = std::exp(below - scores[j]);
    sum = sum * less + most;
    early = early * less + most * (most > kLargeV ? kMostP : kMostEarlyP);
    below = scores[j];
    if (!(early < 2 * kFitsHalf)) return false;
  }
  return kMostP * sum < 2 * kFitsHalf;
}

struct Rounding {
  double square = 0;  ///< Reference::rounding
  uint8_t leads = 0;  ///< Reference::leads
  uint8_t fits = 0;   ///< Reference::fits
};

/// The sums on the way to a score of n products of either sign have sizes of |q| |k| sqrt(i / n), what is left of them
/// in the end, `products`, grows with i, and a far mask to which a kernel may add them all is in each. Rounding each to
/// f32 puts the score off by 0.4 x 2^-24 sqrt(|q|^2 |k|^2 + products^2 n / 3 + mask^2 n) at most, and its weight in
/// proportion by as much; a softcap and other masks are rounded once. 2.4 times that, the mean by the weights `p`.
Rounding rounding_of(const Head& head, const RowTerms& row, const std::vector<float>& q, const std::vector<double>& p,
                     const std::vector<double>& products, double coarse) {
  const double q_square = std::inner_product(q.begin(), q.end(), q.begin(), 0.0), n = double(q.size());
  double sum = 0, weight = 0, largest = 0;
  for (uint32_t j = row.first; j < row.visible; ++j) {
    const double term = row.mask.empty() ? 0 : row.slope * row.mask[j];
    const double square = q_square * head.k_square[j] + products[j] * products[j] * n / 3;
    const double size =
        std::sqrt(row.scale * row.scale * square + term * term * (std::abs(term) < kFarMask ? 1 : n)) + row.softcap;
    if (p[j] > 0) sum += p[j] * size * size;
    weight += p[j];
    if (std::isfinite(size)) largest = std::max(largest, size);
  }
  Rounding out{.square = weight > 0 ? sum / weight * 0x1p-48 : 0};
  if (coarse == 0 || row.first >= row.visible) return out;
  out.fits = fits_half(head, row, q_square, products);
  if (row.sink) return out;
  // Of two keys each may be off.
  const double nothing = std::exp(-kNothing - 2 * coarse * largest);
  out.leads =
      std::count_if(p.begin() + row.first, p.begin() + row.visible, [&](double x) { return x >= nothing; }) == 1;
  return out;
}

void attend_own(const Precision& precision, DType output, const Head& head, const RowTerms& row,
                const std::vector<float>& q, std::vector<float>& scores, float* out, uint32_t v_dim) {
  const auto round_p = [&](float p) {
    const float r = rounded(precision.probabilities, p);
    return precision.f16_pairs ? as_f16_pair(r) : r;
  };
  const auto with = [&](auto round) { attend<float>(head, row, q, round, round_p, scores, out, v_dim); };
  if (precision.accumulate == DType::f32) with(Rounded<DType::f32>());
  if (precision.accumulate == DType::f16) with(Rounded<DType::f16>());
  if (precision.accumulate == DType::bf16) with(Rounded<DType::bf16>());
  for (uint32_t c = 0; c < v_dim; ++c) out[c] = rounded(output, out[c]);
}

void sort_once(std::vector<uint64_t>& rows) {
  std::ranges::sort(rows);
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
}

/// The rows to compute: all, or by the budget a sample of every head.
std::vector<uint64_t> choose_rows(const Problem& p, const Layout& layout, uint64_t seed, double max_flops,
                                  Heads which) {
  const uint64_t heads = uint64_t{p.batch} * p.heads_q;
  const double flops = problem_flops(p);
  const bool all = flops <= max_flops;
  const double row_flops = flops / (double(p.total_q()) * p.heads_q);
  const double each = all ? 0 : std::clamp(max_flops / (row_flops * double(heads)), 4.0, 4096.0);
  std::vector<uint64_t> rows;
  std::mt19937_64 random(seed);
  if (const double fit = std::max(max_flops / row_flops, 4.0);
      which == Heads::some && !all && fit < 4.0 * double(heads)) {
    while (double(rows.size()) < fit) {
      const uint64_t h = random() % heads;
      rows.push_back(h * p.seq_q + random() % layout.queries(uint32_t(h / p.heads_q)));
    }
    sort_once(rows);
    return rows;
  }
  for (uint64_t h = 0; h < heads; ++h) {
    const uint64_t n = layout.queries(uint32_t(h / p.heads_q)), first = h * p.seq_q;
    if (all || double(n) <= each) {
      for (uint64_t i = 0; i < n; ++i) rows.push_back(first + i);
      continue;
    }
    std::vector<uint64_t> picked{first, first + n - 1};
    while (double(picked.size()) < each) picked.push_back(first + random() % n);
    sort_once(picked);
    rows.insert(rows.end(), picked.begin(), picked.end());
  }
  return rows;
}

/// Rows of one (batch, K/V head): its query heads are neighbours in Reference::rows.
struct Group {
  uint32_t batch = 0, kv_head = 0;
  size_t begin = 0, end = 0;
};

class Computation {
 public:
  Computation(const Problem& p, const Inputs& in, const Layout& layout, const Cancel* cancel, Reference& out)
      : p_(p), in_(in), layout_(layout), cancel_(cancel), out_(out) {}

  bool cancelled() const { return cancel_ && cancel_->load(std::memory_order_relaxed); }

  void run(const Group& group, unsigned threads) const {
    if (cancelled()) return;
    const bool converted = out_.precision.f16_pairs || out_.precision.kv != DType::f32;
    // With lists each row has keys of its own.
    const bool listed = p_.topk != 0;
    const Head whole = listed ? Head() : load_head(group, layout_.keys(group.batch), nullptr, threads);
    const Head whole_operands = converted ? as_operands(whole) : Head();
    const auto attend_rows = [&](uint64_t begin, uint64_t end) {
      std::vector<float> q(p_.head_dim), own_scores;
      std::vector<double> exact_scores, products;
      for (uint64_t i = group.begin + begin; i < group.begin + end && !cancelled(); ++i) {
        const RowId id = row_id(p_, out_.rows[i]);
        const uint64_t q_first = layout_.q_row(id.batch, id.head, id.query) * p_.head_dim;
        for (uint32_t c = 0; c < p_.head_dim; ++c) q[c] = in_.q.at(q_first + c);
        RowTerms row = terms_of(id);
        Head own, own_operands;
        if (listed) {
          own = load_head(group, row.visible, list_of(id), 1);
          if (converted) own_operands = as_operands(own);
        }
        const Head& head = listed ? own : whole;
        const Head& own_head = !converted ? head : listed ? own_operands : whole_operands;
        attend<double>(head, row, q, Sums(), Sums(), exact_scores, out_.exact.data() + i * p_.v_dim, p_.v_dim,
                       &products);
        const Rounding rounding = rounding_of(head, row, q, exact_scores, products, score_rounding(out_.precision));
        out_.rounding[i] = rounding.square;
        out_.leads[i] = rounding.leads;
        out_.fits[i] = rounding.fits;
        if (const DType scores = out_.precision.scores; scores != DType::f32) {
          for (float& x : q) x = rounded(scores, x * float(row.scale));
          row.scale = 1;
        }
        if (out_.precision.f16_pairs) std::transform(q.begin(), q.end(), q.begin(), as_f16_pair);
        attend_own(out_.precision, p_.dtype, own_head, row, q, own_scores, out_.own.data() + i * p_.v_dim, p_.v_dim);
      }
    };
    parallel_for(group.end - group.begin, 1, attend_rows, threads);
  }

 private:
  Head as_operands(Head head) const {
    const Precision& precision = out_.precision;
    const auto operand = [&](float x) { return precision.f16_pairs ? as_f16_pair(x) : rounded(precision.kv, x); };
    std::transform(head.k.begin(), head.k.end(), head.k.begin(), operand);
    std::transform(head.v.begin(), head.v.end(), head.v.begin(), operand);
    return head;
  }

  const uint32_t* list_of(const RowId& id) const {
    return in_.lists.data() + layout_.list_row(id.batch, id.head / p_.group(), id.query);
  }

  RowTerms terms_of(const RowId& id) const {
    RowTerms row{layout_.first_visible(id.batch, id.query), layout_.visible(id.batch, id.query), p_.softmax_scale(),
                 p_.softcap};
    if (p_.topk != 0) row.visible = std::min(row.visible, p_.topk);
    if (p_.sinks) row.sink = in_.sinks[id.head];
    if (p_.mask == MaskKind::none) return row;
    if (p_.mask == MaskKind::alibi) row.slope = alibi_slope(id.head, p_.heads_q);
    const uint64_t first = layout_.mask_row(id.batch, id.query);
    row.mask.resize(p_.seq_kv);
    for (uint32_t j = row.first; j < row.visible; ++j)
      row.mask[j] = in_.mask.at(first + (p_.topk != 0 ? list_of(id)[j] : j));
    return row;
  }

  /// The first `keys` keys, or those of a list.
  Head load_head(const Group& group, uint32_t keys, const uint32_t* list, unsigned threads) const {
    Head head;
    head.keys = keys;
    const uint32_t dim = p_.head_dim, blocks = (head.keys + kBlock - 1) / kBlock;
    head.k.assign(size_t{blocks} * kBlock * dim, 0.0f);
    head.v.resize(size_t{head.keys} * p_.v_dim);
    head.k_square.resize(head.keys);
    head.v_most.resize(head.keys);
    const auto load_blocks = [&](uint64_t begin, uint64_t end) {
      const uint32_t last = uint32_t(std::min<uint64_t>(head.keys, end * kBlock));
      std::vector<float> k_row(dim);
      for (uint32_t j = uint32_t(begin) * kBlock; j < last; ++j) {
        const uint64_t row = layout_.kv_row(group.batch, group.kv_head, list ? list[j] : j);
        float* k = head.k.data() + size_t{j / kBlock} * kBlock * dim + j % kBlock;
        in_.k.read(row * dim, dim, k_row.data());
        for (uint32_t c = 0; c < dim; ++c) k[size_t{c} * kBlock] = k_row[c];
        head.k_square[j] = std::inner_product(k_row.begin(), k_row.end(), k_row.begin(), 0.0f);
        const auto v = std::span(head.v).subspan(size_t{j} * p_.v_dim, p_.v_dim);
        in_.values(p_).read(row * (p_.mla ? dim : p_.v_dim), p_.v_dim, v.data());
        for (const float x : v) head.v_most[j] = std::max(head.v_most[j], std::abs(x));
      }
    };
    parallel_for(blocks, 1, load_blocks, threads);
    return head;
  }

  const Problem& p_;
  const Inputs& in_;
  const Layout& layout_;
  const Cancel* cancel_;
  Reference& out_;
};

}  // namespace

std::string to_text(const Precision& p) {
  std::string text(to_text(p.accumulate));
  if (p.f16_pairs) text += " of pairs of f16";
  if (p.probabilities != DType::f32) text += ", P in " + std::string(to_text(p.probabilities));
  if (p.scores != DType::f32) text += ", scores in " + std::string(to_text(p.scores));
  if (p.kv != DType::f32) text += ", K and V in " + std::string(to_text(p.kv));
  return text;
}

std::vector<uint64_t> rows_of_head(const Problem& p, uint32_t batch, uint32_t head, uint64_t seed, double max_flops,
                                   const std::vector<uint64_t>& also) {
  const Layout layout(p, {});
  const uint64_t n = layout.queries(batch), first = (uint64_t{batch} * p.heads_q + head) * p.seq_q;
  const double row_flops = problem_flops(p) / (double(p.total_q()) * p.heads_q);
  const double fit = std::clamp(max_flops / std::max(row_flops, 1.0), 2.0, double(n));
  std::vector<uint64_t> rows;
  const auto blocks = uint64_t(fit);
  if (blocks >= n) {
    for (uint64_t i = 0; i < n; ++i) rows.push_back(first + i);
    return rows;
  }
  // A random row of each block: no pattern of tiles falls between them for good.
  std::mt19937_64 random(seed);
  for (uint64_t k = 0; k < blocks; ++k) {
    const uint64_t begin = n * k / blocks, end = n * (k + 1) / blocks;
    rows.push_back(first + begin + random() % (end - begin));
  }
  rows.insert(rows.end(), {first, first + n - 1});
  for (const uint64_t row : also)
    if (row >= first && row < first + n) rows.push_back(row);
  sort_once(rows);
  return rows;
}

Reference make_reference(const Problem& p, const Inputs& in, const Precision& precision, uint64_t seed,
                         double max_flops, const Cancel* cancel, Heads heads) {
  return make_reference_of(p, in, precision, choose_rows(p, Layout(p, in.page_table), seed, max_flops, heads), cancel);
}

Reference make_reference_of(const Problem& p, const Inputs& in, const Precision& precision, std::vector<uint64_t> rows,
                            const Cancel* cancel) {
  const Layout layout(p, in.page_table);
  Reference out;
  out.precision = precision;
  out.total_rows = p.total_q() * p.heads_q;
  out.rows = std::move(rows);
  out.exact.resize(out.rows.size() * p.v_dim);
  out.own.resize(out.rows.size() * p.v_dim);
  out.rounding.resize(out.rows.size());
  out.leads.resize(out.rows.size());
  out.fits.resize(out.rows.size());

  std::vector<Group> groups;
  for (size_t i = 0; i < out.rows.size(); ++i) {
    const RowId id = row_id(p, out.rows[i]);
    const uint32_t kv_head = id.head / p.group();
    if (groups.empty() || groups.back().batch != id.batch || groups.back().kv_head != kv_head)
      groups.push_back({id.batch, kv_head, i, i});
    groups.back().end = i + 1;
  }
  const Computation compute(p, in, layout, cancel, out);
  // Many heads: one a thread. Few: one after the other, each on all threads.
  if (groups.size() >= 2 * size_t{worker_threads()})
    parallel_for(groups.size(), 1, [&](uint64_t begin, uint64_t) { compute.run(groups[begin], 1); });
  else
    for (const Group& group : groups) compute.run(group, worker_threads());
  return compute.cancelled() ? rows_where(p, out, [](size_t) { return false; }) : out;
}

Reference rows_where(const Problem& p, const Reference& all, const std::function<bool(size_t)>& keep) {
  Reference part;
  part.total_rows = all.total_rows;
  part.overflows = all.overflows;
  part.precision = all.precision;
  for (size_t i = 0; i < all.rows.size(); ++i) {
    if (!keep(i)) continue;
    part.rows.push_back(all.rows[i]);
    part.rounding.push_back(all.rounding[i]);
    part.leads.push_back(all.leads[i]);
    part.fits.push_back(all.fits[i]);
    const auto first = ptrdiff_t(i * p.v_dim), end = first + ptrdiff_t(p.v_dim);
    part.exact.insert(part.exact.end(), all.exact.begin() + first, all.exact.begin() + end);
    part.own.insert(part.own.end(), all.own.begin() + first, all.own.begin() + end);
  }
  return part;
}

}  // namespace attnscope
