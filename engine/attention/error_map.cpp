#include "engine/attention/error_map.hpp"

#include "engine/attention/layout.hpp"
#include "engine/attention/verdict.hpp"

namespace attnscope {
namespace {

/// Three digits: enough for a colour, and a third of the bytes.
double rounded(double ratio) {
  if (ratio <= 0 || ratio >= kNotANumber) return ratio;
  const double unit = std::pow(10, std::floor(std::log10(ratio)) - 2);
  return std::round(ratio / unit) * unit;
}

class Slice {
 public:
  Slice(const Problem& p, const Reference& judged, const Reference& slice, const Tensor& output)
      : p_(p),
        layout_(p, {}),
        output_(output),
        base_(std::max(allowed_errors(p, judged).max_abs, allowed_errors(p, slice).max_abs)) {}

  double base() const { return base_; }
  uint64_t index(const RowId& id, uint32_t dim) const {
    return layout_.q_row(id.batch, id.head, id.query) * p_.v_dim + dim;
  }
  double allowed(double expected) const { return base_ + storage_rounding(p_.dtype, expected); }
  /// Its error over what is allowed of it, or kNotANumber.
  double ratio(const RowId& id, uint32_t dim, double expected) const {
    const double got = output_.at(index(id, dim));
    return std::isfinite(got) ? std::min(std::abs(got - expected) / allowed(expected), kNotANumber / 2) : kNotANumber;
  }
  ErrorElement element(const RowId& id, uint32_t dim, double expected) const {
    const uint64_t i = index(id, dim);
    ErrorElement e{id.batch, id.head, id.query, dim, 0, expected, allowed(expected), {}};
    const double got = output_.at(i);
    if (std::isfinite(got))
      e.got = got;
    else
      e.what = holds_poison(output_, i) ? "never written" : std::isnan(got) ? "NaN" : "Inf";
    return e;
  }

 private:
  const Problem& p_;
  Layout layout_;
  const Tensor& output_;
  double base_;
};

bool fails(double ratio) { return ratio > 1; }

void keep_lower(std::optional<uint64_t>& least, uint64_t i) {
  if (!least || i < *least) least = i;
}

/// The largest ratio of each head's rows, and the failing element of the lowest index.
void look_everywhere(const Problem& p, const Slice& slice, const Reference& judged, const Tensor& output,
                     std::vector<double>& heads, std::optional<uint64_t>& first) {
  heads.assign(uint64_t{p.batch} * p.heads_q, kUnchecked);
  for (size_t r = 0; r < judged.rows.size(); ++r) {
    const RowId id = row_id(p, judged.rows[r]);
    double& worst = heads[uint64_t{id.batch} * p.heads_q + id.head];
    for (uint32_t c = 0; c < p.v_dim; ++c) {
      const double ratio = slice.ratio(id, c, judged.exact[r * p.v_dim + c]);
      worst = std::max(worst, ratio);
      if (fails(ratio)) keep_lower(first, slice.index(id, c));
    }
  }
  for (uint64_t i = 0; i < output.size(); ++i) {
    if (std::isfinite(output.at(i))) continue;
    const RowId id = element_id(p, i).first;
    heads[uint64_t{id.batch} * p.heads_q + id.head] = kNotANumber;
    keep_lower(first, i);
  }
}

/// What the reference has of an element; 0 where it has not that row.
double expected_of(const Problem& p, const RowId& id, uint32_t dim, std::initializer_list<const Reference*> all) {
  const uint64_t row = (uint64_t{id.batch} * p.heads_q + id.head) * p.seq_q + id.query;
  for (const Reference* r : all) {
    const auto at = std::ranges::lower_bound(r->rows, row);
    if (at != r->rows.end() && *at == row) return r->exact[size_t(at - r->rows.begin()) * p.v_dim + dim];
  }
  return 0;
}

}  // namespace

std::pair<uint32_t, uint32_t> worst_head(const Problem& p, const Reference& judged, const Tensor& output) {
  const Slice slice(p, judged, judged, output);
  std::vector<double> heads;
  std::optional<uint64_t> first;
  look_everywhere(p, slice, judged, output, heads, first);
  const auto at = uint64_t(std::ranges::max_element(heads) - heads.begin());
  return {uint32_t(at / p.heads_q), uint32_t(at % p.heads_q)};
}

ErrorMap make_error_map(const Problem& p, const Reference& judged, const Reference& slice, uint32_t batch,
                        uint32_t head, const Tensor& output, uint32_t cells, uint32_t elements) {
  const Slice look(p, judged, slice, output);
  ErrorMap map;
  map.batch = batch;
  map.head = head;
  map.queries = Layout(p, {}).queries(batch);
  map.dims = p.v_dim;
  map.rows_checked = slice.rows.size();
  map.cell_queries = std::max(1u, (map.queries + cells - 1) / cells);
  map.cell_dims = std::max(1u, (map.dims + cells - 1) / cells);
  map.rows = (map.queries + map.cell_queries - 1) / map.cell_queries;
  map.columns = (map.dims + map.cell_dims - 1) / map.cell_dims;
  map.cells.assign(size_t{map.rows} * map.columns, kUnchecked);
  map.allowed_max_abs = look.base();
  const Verdict verdict = judge(p, slice, output, "");
  map.max_abs = verdict.max_abs;
  map.mean_abs = verdict.mean_abs;
  map.nmse = verdict.nmse;
  map.allowed_nmse = verdict.allowed_nmse;

  double worst = kUnchecked;
  for (size_t r = 0; r < slice.rows.size(); ++r) {
    const RowId id = row_id(p, slice.rows[r]);
    for (uint32_t c = 0; c < p.v_dim; ++c) {
      const double expected = slice.exact[r * p.v_dim + c], ratio = look.ratio(id, c, expected);
      double& cell = map.cells[size_t{id.query / map.cell_queries} * map.columns + c / map.cell_dims];
      cell = std::max(cell, ratio);
      if (fails(ratio)) {
        ++map.failing;
        if (map.first.size() < elements) map.first.push_back(look.element(id, c, expected));
      }
      if (ratio > worst) {
        worst = ratio;
        map.worst = look.element(id, c, expected);
        map.allowed_max_abs = map.worst->allowed;
      }
      if (ratio >= kNotANumber) ++(holds_poison(output, look.index(id, c)) ? map.unwritten : map.not_finite);
    }
  }

  std::optional<uint64_t> first;
  look_everywhere(p, look, judged, output, map.heads, first);
  double& own_head = map.heads[uint64_t{batch} * p.heads_q + head];
  own_head = std::max(own_head, worst);
  if (!map.first.empty()) keep_lower(first, look.index({batch, head, map.first.front().query}, map.first.front().dim));
  if (first) {
    const auto [id, dim] = element_id(p, *first);
    map.first_of_all = look.element(id, dim, expected_of(p, id, dim, {&slice, &judged}));
  }
  if (map.heads.size() > ErrorMap::kMostHeads) map.heads.clear();
  for (std::vector<double>* ratios : {&map.cells, &map.heads})
    for (double& ratio : *ratios) ratio = rounded(ratio);
  return map;
}

}  // namespace attnscope
