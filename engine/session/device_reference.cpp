#include "engine/session/judge.hpp"

#include "engine/attention/layout.hpp"

namespace attnscope {
namespace {

vulkan::KernelSource kernel_of(const char* name, const char* file, bool sliceable = false) {
  return {.name = name,
          .text = session::kernels(file),
          .sliceable = sliceable,
          .includes = {{"element.glsl", std::string(session::kernels("element"))}}};
}

constexpr uint32_t kRowsWide = 32768;  ///< as in the kernel: no device allows fewer than 65,535 workgroups a dimension
constexpr uint32_t kMostGroups = 512;  ///< two parts each in Kernels::results()
using Part = std::array<uint32_t, 4>;

/// For each row of O where its keys are, in two parts.
std::vector<Part> rows_of(const Problem& p) {
  const Layout layout(p, {});
  std::vector<Part> rows(2 * p.o_elements() / p.v_dim);
  for (uint32_t b = 0; b < p.batch; ++b)
    for (uint32_t h = 0; h < p.heads_q; ++h)
      for (uint32_t i = 0; i < layout.queries(b); ++i) {
        const uint32_t head = h / p.group();
        Part& row = rows[2 * layout.q_row(b, h, i)];
        row[0] = p.page_size ? head : uint32_t(layout.kv_row_contiguous(b, head, 0));
        row[1] = p.varlen.empty() ? 1 : p.heads_kv;
        row[2] = p.topk == 0 ? layout.visible(b, i) : std::min(layout.visible(b, i), p.topk);
        row[3] = uint32_t(b * p.pages());
        Part& more = rows[2 * layout.q_row(b, h, i) + 1];
        more[0] = p.topk == 0 ? layout.first_visible(b, i) : uint32_t(layout.list_row(b, head, i));
        more[1] = p.mask == MaskKind::none ? 0 : uint32_t(layout.mask_row(b, i));
        const double slope = p.mask == MaskKind::alibi ? alibi_slope(h, p.heads_q) : 1;
        more[2] = std::bit_cast<uint32_t>(float(slope));
        more[3] = h;
      }
  return rows;
}

}  // namespace

double device_reference_cost_s(const DeviceInfo& device, const Problem& p) {
  const uint64_t most =
      std::max({p.q_elements(), p.k_elements(), p.v_elements(), p.o_elements(), p.mask_elements(), p.list_elements()});
  if (most > std::numeric_limits<uint32_t>::max() || p.o_elements() * 4 > device.limits.max_storage_buffer_bytes)
    return std::numeric_limits<double>::infinity();
  // On the low side of what so plain a kernel can be expected to reach: an estimate, never shown.
  const double cores = device.limits.core_count > 0 ? device.limits.core_count : 8;
  const double rate = device.type == DeviceType::software ? 5e8 : 4e9 * cores;
  return problem_flops(p) / rate;
}

Result<vulkan::Buffer> compute_on_device(const Workload& work, const vulkan::Wait& wait) {
  const vulkan::Device& device = work.kernels->device();
  const Problem& p = work.problem;
  const std::vector<Part> rows = rows_of(p);
  auto row_buffer = TRY(vulkan::Buffer::create(device, rows.size() * sizeof(Part), true));
  TRY(row_buffer.upload(std::as_bytes(std::span(rows)), 0, wait));
  auto out = TRY(vulkan::Buffer::create(device, p.o_elements() * 4, true));
  // Where there are none, the binding wants something.
  const auto optional = [&](bool there, uint32_t binding, uint32_t place) {
    return there ? work.buffer(binding).at(place) : vulkan::BoundBuffer{place, row_buffer, 0, 0};
  };
  const auto count = uint32_t(rows.size() / 2);
  const std::array<uint32_t, 3> grid{std::min(count, kRowsWide), (count + kRowsWide - 1) / kRowsWide, 1};
  TRY(work.kernels->run(
      kernel_of("device_reference", "attention", true), grid,
      vulkan::push_of(count, p.head_dim, p.v_dim, uint32_t(p.dtype), p.page_size, p.heads_kv, float(p.softmax_scale()),
                      float(p.softcap), uint32_t(p.k_type), uint32_t(p.v_type), p.mla ? p.head_dim : p.v_dim,
                      p.sinks ? 1u : 0u, p.mask == MaskKind::none ? 0u : 1u, p.topk),
      {work.buffer(binding_q).at(0),
       work.buffer(binding_k).at(1),
       work.buffer(binding_v).at(2),
       {3, out, 0, 0},
       {4, row_buffer, 0, 0},
       optional(p.page_size != 0, binding_pages, 5),
       optional(p.sinks, binding_sinks, 6),
       optional(p.mask_elements() != 0, binding_mask, 7),
       optional(p.topk != 0, binding_lists, 8)},
      wait));
  return out;
}

Result<double> error_of(const vulkan::Buffer& computed, const Problem& p, const Reference& reference,
                        const vulkan::Wait& wait) {
  const auto got = TRY(computed.contents<float>(wait));
  const Layout layout(p, {});
  double worst = 0;
  for (size_t r = 0; r < reference.rows.size(); ++r) {
    const RowId id = row_id(p, reference.rows[r]);
    const uint64_t first = layout.q_row(id.batch, id.head, id.query) * p.v_dim;
    for (uint32_t c = 0; c < p.v_dim; ++c) {
      const double error = std::abs(double(got[first + c]) - reference.exact[r * p.v_dim + c]);
      if (!(error <= worst)) worst = error;  // a NaN stays
    }
  }
  return worst;
}

Result<Difference> compare_elements(const Workload& work, const vulkan::Buffer& expected, double allowed,
                                    const vulkan::Wait& wait) {
  const Problem& p = work.problem;
  const GuardedBuffer& output = work.buffer(binding_o);
  const vulkan::Buffer results = TRY(work.kernels->results());
  const auto rows = uint32_t(p.o_elements() / p.v_dim);
  const uint32_t groups = std::clamp<uint32_t>((rows + 255) / 256, 1, kMostGroups);
  TRY(work.kernels->run(kernel_of("difference", "difference"), {groups, 1, 1},
                        vulkan::push_of(rows, p.v_dim, uint32_t(p.dtype)),
                        {output.at(0), {1, expected, 0, 0}, {2, results, 0, 0}}, wait));
  std::vector<Part> parts(2 * size_t{groups});
  TRY(results.download(std::as_writable_bytes(std::span(parts)), 0, wait));
  Difference all;
  uint32_t first = std::numeric_limits<uint32_t>::max();
  for (size_t g = 0; g < groups; ++g) {
    const Part& part = parts[2 * g];
    all.row_nmse = std::max(all.row_nmse, double(std::bit_cast<float>(parts[2 * g + 1][0])));
    all.not_finite += part[2];
    first = std::min(first, part[3]);
    if (const double error = std::bit_cast<float>(part[0]); error > all.max_abs) {
      all.max_abs = error;
      all.worst = part[1];
    }
  }
  if (all.not_finite) all.first_not_finite = first;
  if (all.max_abs > allowed) {
    float want = 0;
    TRY(expected.download(std::as_writable_bytes(std::span(&want, 1)), all.worst * 4, wait));
    all.expected = want;
    const uint64_t size = dtype_bytes(p.dtype);
    auto got = TRY(output.element(all.worst * size, size, wait));
    Tensor one{p.dtype, std::move(got)};
    all.got = one.at(0);
  }
  return all;
}

Result<Yardstick> make_yardstick(Workload& work, InputSet set, const std::shared_ptr<const Reference>& rows,
                                 double most_s, const vulkan::Wait& wait) {
  Yardstick y;
  if (device_reference_cost_s(work.kernels->device().info(), work.problem) > most_s) return y;
  auto& known = work.computed[size_t(set)];
  if (!known) {
    auto computed = TRY(compute_on_device(work, wait));
    auto error = TRY(error_of(computed, work.problem, *rows, wait));
    known = Workload::DeviceResult{std::move(computed), error};
  }
  // The yardstick is the CPU's run at this precision; rows that it lacks may be a little worse than its worst.
  const AllowedErrors allowed = allowed_errors(work.problem, *rows);
  if (!allowed.finite || !(known->error <= allowed.max_abs)) return y;
  y.allowed = 2 * allowed.max_abs + known->error;
  // Of f32 these are as inexact as what they judge.
  const bool rough = rows->rows.size() < rows->total_rows || work.problem.dtype == DType::f32;
  y.allowed_nmse = work.problem.v_dim < kRowDims ? std::numeric_limits<double>::infinity()
                                                 : at_most_a_row((rough ? 4 : 1) * allowed.row_nmse);
  y.elements = known->o;
  return y;
}

Result<std::string> wrong_element(const Workload& work, const Yardstick& y, const vulkan::Wait& wait) {
  const Problem& p = work.problem;
  const Difference d = TRY(compare_elements(work, *y.elements, y.allowed, wait));
  if (d.not_finite)
    return fmt::format("{} of {} output elements were never written, or are NaN or Inf; the first is at {}.",
                       grouped(d.not_finite), grouped(p.o_elements()), element_place(p, d.first_not_finite));
  if (d.max_abs > y.allowed)
    return fmt::format(
        "Max abs error {:.3g} of all elements is over the allowed {:.3g}; worst at {}: got {:.6g}, expected {:.6g}.",
        std::abs(d.got - d.expected), y.allowed + storage_rounding(p.dtype, d.expected), element_place(p, d.worst),
        d.got, d.expected);
  if (d.row_nmse > y.allowed_nmse)
    return fmt::format("NMSE {:.3g} of a row is over the allowed {:.3g}.", d.row_nmse, y.allowed_nmse);
  return std::string();
}

}  // namespace attnscope
