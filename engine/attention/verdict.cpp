#include "engine/attention/verdict.hpp"

#include "engine/attention/layout.hpp"
#include "engine/attention/parallel.hpp"
#include "engine/number.hpp"

namespace attnscope {
namespace {

uint32_t raw_bits(const Tensor& t, uint64_t i) {
  uint32_t bits = 0;  // of a little-endian host
  std::memcpy(&bits, t.bytes.data() + dtype_bytes(t.dtype) * i, dtype_bytes(t.dtype));
  return bits;
}

/// Every bit of the exponent set: NaN or Inf.
bool not_finite(DType dtype, uint32_t bits) {
  const uint32_t exponent = dtype == DType::f32 ? 0x7f800000u : dtype == DType::f16 ? 0x7c00u : 0x7f80u;
  return (bits & exponent) == exponent;
}

NotFinite element_of(const Problem& p, uint64_t i) {
  const auto [id, dim] = element_id(p, i);
  return {id.batch, id.head, id.query, dim, {}};
}

constexpr uint64_t kNone = ~uint64_t{0};
/// The end of the rows, of `count`, that are judged together from `first` on; the last ones take what is left.
size_t end_of_rows(const Problem& p, size_t first, size_t count) {
  const size_t together = (kRowDims + p.v_dim - 1) / p.v_dim;
  return count - first < 2 * together ? count : first + together;
}
/// Twice the CPU's error, squared, and a little: rounding toward zero, as Vulkan allows, makes just that.
constexpr double kNmseFactor = 5, kMostSlackOfLeast = 4;
/// Of least_nmse(), for one row: errors of many keys even out, and a row of two keys has the error of one of them.
constexpr double kManyKeys = 4, kFewKeys = 12;
constexpr uint32_t kMany = 256;
double row_factor(const Problem& p) {
  const bool alike = (p.inputs == InputKind::normal || p.inputs == InputKind::wide) && p.softcap == 0 && !p.scale &&
                     p.mask == MaskKind::none;
  const Layout layout(p, {});
  uint32_t fewest = p.topk > 0 ? p.topk : kMany;
  for (uint32_t b = 0; b < p.batch; ++b)  // the first query sees the fewest
    fewest = std::min(fewest, layout.visible(b, 0) - std::min(layout.visible(b, 0), layout.first_visible(b, 0)));
  return alike && fewest >= kMany ? kManyKeys : kFewKeys;
}
/// No error as small as that matters, of elements up to kUsual; of larger ones in proportion to the largest.
constexpr double kUnseen = 1e-5, kUsual = 8;

struct Scan {
  uint64_t unwritten = 0, not_finite = 0;
  uint64_t first_unwritten = kNone, first_not_finite = kNone;  ///< element indices
};

Scan scan_all(const Tensor& output) {
  std::atomic<uint64_t> unwritten{0}, bad{0}, first_unwritten{kNone}, first_bad{kNone};
  const auto lower = [](std::atomic<uint64_t>& least, uint64_t i) {
    for (uint64_t seen = least.load(); i < seen && !least.compare_exchange_weak(seen, i);) {
    }
  };
  const uint32_t poison = poison_bits(output.dtype);
  parallel_for(output.size(), 1 << 20, [&](uint64_t begin, uint64_t end) {
    Scan part;
    for (uint64_t i = begin; i < end; ++i) {
      const uint32_t bits = raw_bits(output, i);
      if (!not_finite(output.dtype, bits)) continue;
      if (bits == poison) {
        if (part.unwritten++ == 0) lower(first_unwritten, i);
      } else if (part.not_finite++ == 0) {
        lower(first_bad, i);
      }
    }
    unwritten += part.unwritten;
    bad += part.not_finite;
  });
  return {unwritten, bad, first_unwritten, first_bad};
}

/// Whether what is not finite lies in rows that see no key alone, by their place or as the reference's rows say.
bool in_rows_without_keys(const Problem& p, const Reference& reference, const Tensor& output) {
  const Layout layout(p, {});
  std::set<std::pair<uint32_t, uint32_t>> hidden;  // batch and query
  for (size_t r = 0; p.draws_mask() && r < reference.rows.size(); ++r)
    if (const auto row = std::span(reference.exact).subspan(r * p.v_dim, p.v_dim);
        std::ranges::all_of(row, [](double x) { return x == 0; })) {
      const RowId id = row_id(p, reference.rows[r]);
      hidden.emplace(id.batch, id.query);
    }
  std::atomic<bool> alone{true};
  parallel_for(output.size(), 1 << 20, [&](uint64_t begin, uint64_t end) {
    for (uint64_t i = begin; i < end && alone; ++i) {
      if (!not_finite(output.dtype, raw_bits(output, i))) continue;
      const RowId id = element_id(p, i).first;
      if (layout.first_visible(id.batch, id.query) < layout.visible(id.batch, id.query) &&
          !hidden.contains({id.batch, id.query}))
        alone = false;
    }
  });
  return alone;
}

struct WorstRow {
  RowId id;
  double nmse = 0;
};

/// Fills the errors on the reference's rows; NMSE of those that err by more than `unseen`: V may be zeros alone.
WorstRow compare_rows(const Problem& p, const Reference& reference, const Tensor& output, double unseen, Verdict& v) {
  const Layout layout(p, {});
  WorstRow worst;
  double sum_abs = 0, sum_square = 0, sum_reference = 0;
  uint64_t compared = 0;
  // Of the rows that are judged together, so far.
  double square = 0, reference_square = 0, most_of_a_row = -1;
  RowId most_id{};
  size_t begin = 0;
  for (size_t r = 0; r < reference.rows.size(); ++r) {
    const RowId id = row_id(p, reference.rows[r]);
    const uint64_t first = layout.q_row(id.batch, id.head, id.query) * p.v_dim;
    const double before = square;
    for (uint32_t c = 0; c < p.v_dim; ++c) {
      const double expected = reference.exact[r * p.v_dim + c];
      reference_square += expected * expected;
      const double got = output.at(first + c), error = std::abs(got - expected);
      if (!std::isfinite(got)) continue;
      ++compared;
      sum_abs += error;
      square += error * error;
      if (!v.worst || error > v.max_abs) {
        v.max_abs = error;
        v.worst = Verdict::Worst{id.batch, id.head, id.query, c, got, expected};
      }
    }
    if (square - before > most_of_a_row) {
      most_of_a_row = square - before;
      most_id = id;
    }
    if (r + 1 < end_of_rows(p, begin, reference.rows.size())) continue;
    const double elements = double(r + 1 - begin) * p.v_dim;
    begin = r + 1;
    if (square > elements * unseen * unseen) sum_square += square;
    sum_reference += reference_square;
    const double row_nmse = reference_square > 0 ? square / reference_square : square > 0 ? 1.0 : 0.0;
    if (square > elements * kUnseen * kUnseen && elements >= kRowDims && row_nmse > worst.nmse)
      worst = {most_id, row_nmse};
    square = reference_square = 0;
    most_of_a_row = -1;
  }
  v.mean_abs = compared ? sum_abs / double(compared) : 0;
  // A reference of nothing but zeros (no row sees a key) has no scale to normalise by: any error is then all error.
  v.nmse = sum_reference > 0 ? sum_square / sum_reference : sum_square > 0 ? 1.0 : 0.0;
  return worst;
}

std::string first_rule_broken(const Problem& p, const Verdict& v, const Scan& scan, const RowId& row, bool yardstick,
                              const std::string& overrun, bool without_keys) {
  const uint64_t elements = p.o_elements();
  if (scan.unwritten)
    return fmt::format("{} of {} output elements were never written; the first is at {}.", grouped(scan.unwritten),
                       grouped(elements), element_place(p, scan.first_unwritten));
  if (scan.not_finite)
    return fmt::format("{} of {} output elements are NaN or Inf{}; the first is at {}.", grouped(scan.not_finite),
                       grouped(elements), without_keys ? ", all in rows that see no key, where zeros are expected" : "",
                       element_place(p, scan.first_not_finite));
  if (!overrun.empty()) return fmt::format("Memory beyond the end of {} was written.", overrun);
  if (v.rows_checked == 0) return "No row was compared with the reference.";
  if (!yardstick)
    return "A CPU run at the precision that the variant declares overflows on these inputs, so there is nothing to "
           "judge a result by: declare a wider one ([precision] of the manifest), or leave these problems to other "
           "variants.";
  const auto worst = [&] {
    return fmt::format("worst at batch {}, head {}, query {}, dim {}: got {:.6g}, expected {:.6g}", v.worst->batch,
                       v.worst->head, v.worst->query, v.worst->dim, v.worst->got, v.worst->expected);
  };
  if (!(v.nmse <= v.allowed_nmse))
    return fmt::format("NMSE {:.3g} is over the allowed {:.3g}; {}.", v.nmse, v.allowed_nmse, worst());
  if (v.allowed_row_nmse && !(v.row_nmse <= *v.allowed_row_nmse))
    return fmt::format("NMSE {:.3g} of the row at batch {}, head {}, query {} is over the allowed {:.3g}; {}.",
                       v.row_nmse, row.batch, row.head, row.query, *v.allowed_row_nmse, worst());
  if (!(v.max_abs <= v.allowed_max_abs))
    return fmt::format(
        "Max abs error {:.3g} is over the allowed {:.3g} (2 x that of a CPU run at the same precision + "
        "1e-5 or more{}); {}.",
        v.max_abs, v.allowed_max_abs, p.dtype == DType::f32 ? "" : " + the rounding of what is stored", worst());
  return {};
}

}  // namespace

double storage_rounding(DType dtype, double x) {
  if (dtype == DType::f32 || x == 0) return 0;
  const int fraction = dtype == DType::f16 ? 10 : 7, least = dtype == DType::f16 ? -14 : -126;
  return std::ldexp(0.5, std::max(std::ilogb(x), least) - fraction);
}

bool holds_poison(const Tensor& t, uint64_t i) { return raw_bits(t, i) == poison_bits(t.dtype); }

std::string element_place(const Problem& p, uint64_t i) {
  const NotFinite at = element_of(p, i);
  return fmt::format("{} {}, head {}, query {}, dim {}", p.varlen.empty() ? "batch" : "sequence", at.batch, at.head,
                     at.query, at.dim);
}

double least_nmse(DType dtype) { return dtype == DType::f32 ? 1e-10 : (dtype == DType::f16 ? 0x1p-22 : 0x1p-16) / 3; }

AllowedErrors allowed_errors(const Problem& p, const Reference& reference, double slack) {
  if (std::ranges::any_of(reference.own, [](float own) { return !std::isfinite(own); }))
    return {.finite = false, .max_abs = kUnseen};
  // Of what the CPU's run does not measure.
  const double near = std::min(slack, kMostSlackOfLeast);
  double most = 0, largest = kUsual, square = 0, reference_square = 0, row_nmse = 0;
  const size_t count = reference.rows.size();
  for (size_t r = 0, end = 0; r < count; r = end) {
    end = end_of_rows(p, r, count);
    double own = 0, of = 0, largest_here = 0;
    for (size_t i = r * p.v_dim; i < end * p.v_dim; ++i) {
      const double error = double(reference.own[i]) - reference.exact[i];
      most = std::max(most, std::abs(error));
      largest_here = std::max(largest_here, std::abs(reference.exact[i]));
      own += error * error;
      of += reference.exact[i] * reference.exact[i];
    }
    // Of few rows the CPU's may by chance be little.
    const auto first = reference.rounding.begin() + ptrdiff_t(r);
    const double rounding = *std::max_element(first, first + ptrdiff_t(end - r));
    largest = std::max(largest, largest_here);
    most = std::max(most, std::sqrt(rounding) * largest_here);
    own = std::max(slack * slack * kNmseFactor * own, near * near * rounding * of);
    square += own;
    reference_square += of;
    row_nmse = std::max(row_nmse, own / (of + double(end - r) * p.v_dim * kUnseen * kUnseen));
  }
  double least = near * near * least_nmse(p.dtype);
  // Of a few keys the rounding of P is chance, and may be none in the CPU's run.
  const DType of_p = reference.precision.probabilities;
  if (const double rounded = of_p == DType::f16 ? 0x1p-11 : 0x1p-8; slack > 1 && of_p != DType::f32) {
    most = std::max(most, rounded * largest / slack);
    least = std::max(least, rounded * rounded / 12);
  }
  const double nmse = reference_square > 0 ? square / reference_square : 0;
  const double rows = std::max<double>(1, double(reference.rows.size())), of_row = row_factor(p);
  return {.max_abs = 2 * most + kUnseen * largest / kUsual,
          .nmse = std::max(least * (1 + (of_row - 1) / rows), nmse),
          .row_nmse = std::max(of_row * least, row_nmse)};
}

Verdict judge(const Problem& p, const Reference& reference, const Tensor& output, const std::string& overrun,
              double slack) {
  Verdict v{.rows_checked = reference.rows.size(), .rows_total = reference.total_rows, .guard_intact = overrun.empty()};
  if (output.dtype != p.dtype || output.size() != p.o_elements()) {
    v.reason = fmt::format("The output holds {} elements of {}; the problem has {} of {}.", output.size(),
                           to_text(output.dtype), p.o_elements(), to_text(p.dtype));
    return v;
  }
  const Scan scan = scan_all(output);
  v.unwritten_count = scan.unwritten;
  v.nan_count = scan.not_finite;
  if (scan.not_finite > 0) v.not_finite = element_of(p, scan.first_not_finite);
  const WorstRow row = compare_rows(p, reference, output, slack > 1 ? kUnseen : 0, v);
  const AllowedErrors allowed = allowed_errors(p, reference, slack);
  // How a value near the middle of two is rounded is chance: of a million elements the worst is beyond twice the CPU's.
  v.allowed_max_abs = slack * (allowed.max_abs + (v.worst ? storage_rounding(p.dtype, v.worst->expected) : 0));
  v.allowed_nmse = std::min(allowed.nmse, kMostNmse);
  v.row_nmse = row.nmse;
  if (allowed.finite) v.allowed_row_nmse = std::min(allowed.row_nmse, kMostRowNmse);
  const bool without_keys = scan.not_finite > 0 && in_rows_without_keys(p, reference, output);
  v.reason = first_rule_broken(p, v, scan, row.id, allowed.finite, overrun, without_keys);
  v.pass = v.reason.empty();
  return v;
}

Reference sound_rows(const Problem& p, uint64_t seed, const Reference& r) {
  const auto finite = [&](size_t i) {
    const auto row = std::span(r.own).subspan(i * p.v_dim, p.v_dim);
    return std::ranges::all_of(row, [](float own) { return std::isfinite(own); });
  };
  const bool coarse_k = p.packed_kv() && r.precision.kv == DType::bf16;
  const bool coarse = r.precision.accumulate != DType::f32 || r.precision.scores != DType::f32 || coarse_k;
  constexpr double kHalf = 0x1p-11, kBfloat = 0x1p-9, kFloat = 0x1p-24, kMoves = 0.15;  // of kFloat: rounding
  constexpr double kNear = 0x1p-38;                                                     // of scores as they are drawn
  const double unit = coarse_k || r.precision.accumulate == DType::bf16 ? kBfloat
                      : r.precision.accumulate == DType::f16            ? kHalf
                                                                        : 0;
  Reference sound = rows_where(p, r, [&](size_t i) {
    double square = 0, of = 0;
    for (size_t c = i * p.v_dim; c < (i + 1) * p.v_dim; ++c) {
      square += (r.own[c] - r.exact[c]) * (r.own[c] - r.exact[c]);
      of += r.exact[c] * r.exact[c];
    }
    if (!finite(i) || 4 * square > kMostNmse * of) return false;
    if (r.leads[i] != 0) return true;
    const RowId id = row_id(p, r.rows[i]);
    if (std::sqrt(r.rounding[i]) * (unit / kFloat) > kMoves) return false;
    const bool near = r.rounding[i] < kNear;
    return !(coarse && !near && head_extreme(p, seed, id.batch, id.head / p.group()).points);
  });
  // Of rows that were not computed some may.
  const bool half = r.precision.accumulate == DType::f16 || r.precision.scores == DType::f16;
  // Nor does one run's maximum say how large another's P are.
  const bool all_fit = r.rows.size() == r.total_rows && !std::ranges::count(r.fits, 0);
  sound.overflows = half && !all_fit;
  for (size_t i = 0; i < r.rows.size(); ++i) sound.overflows = sound.overflows || !finite(i);
  return sound;
}

Reference without_overflow(const Problem& p, const Reference& all, Tensor& output) {
  const Layout layout(p, {});
  const auto place = [&](size_t r) {
    const RowId id = row_id(p, all.rows[r]);
    return layout.q_row(id.batch, id.head, id.query);
  };
  std::vector<bool> left_out(p.o_elements() / p.v_dim), fits(left_out.size());
  for (size_t r = 0; r < all.rows.size(); ++r) fits[place(r)] = all.fits[r] != 0;
  for (uint64_t i = 0; i < output.size(); ++i) {
    if (std::isfinite(output.at(i)) || holds_poison(output, i) || fits[i / p.v_dim]) continue;
    left_out[i / p.v_dim] = true;
    output.set(i, 0);
  }
  return rows_where(p, all, [&](size_t r) { return !left_out[place(r)]; });
}

}  // namespace attnscope
