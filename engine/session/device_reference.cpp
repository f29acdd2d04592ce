#include "engine/session/device_reference.hpp"

#include "engine/attention/layout.hpp"
#include "engine/number.hpp"

namespace attnscope {

namespace {

// A workgroup for each row of O: simple enough to be read as its own specification. An element of any storage type is
// taken out of its word, so that no feature is needed.
constexpr const char* kElement = R"(#version 460
float element(uint word, uint i, uint dtype) {
  if (dtype == 0) return uintBitsToFloat(word);
  const uint half_word = (i & 1u) == 0u ? word & 0xffffu : word >> 16;
  return dtype == 1 ? unpackHalf2x16(half_word).x : uintBitsToFloat(half_word << 16);
}
)";
const std::string kAttention = kElement + std::string(R"(
layout(local_size_x = 128) in;
layout(set = 0, binding = 0) readonly buffer Q { uint q[]; };
layout(set = 0, binding = 1) readonly buffer K { uint k[]; };
layout(set = 0, binding = 2) readonly buffer V { uint v[]; };
layout(set = 0, binding = 3) buffer O { float o[]; };
// Of each row of O two: first KV row (paged: KV head), step, end of the keys that it sees, first page; and the first of
// those keys (or where the list begins, whose keys are counted then), the mask's element of key 0, the mask's slope,
// the query head.
layout(set = 0, binding = 4) readonly buffer Rows { uvec4 rows[]; };
layout(set = 0, binding = 5) readonly buffer Pages { uint pages[]; };
layout(set = 0, binding = 6) readonly buffer Sinks { float sinks[]; };
layout(set = 0, binding = 7) readonly buffer Mask { uint mask[]; };
layout(set = 0, binding = 8) readonly buffer Lists { uint lists[]; };
layout(push_constant) uniform Push {
  uint count, head_dim, v_dim, dtype, page_size, heads_kv;
  float scale, softcap;
  uint k_type, v_type, v_row, has_sinks, has_mask, topk;  // v_row: elements from one row of V to the next
};
shared float part[128];
shared float weight[128];
float load_q(uint i) { return element(q[dtype == 0 ? i : i >> 1], i, dtype); }
// Of f8e4m3.
float from_f8(uint bits) {
  const uint exponent = bits >> 3 & 15u, fraction = bits & 7u;
  const float magnitude = exponent == 0 ? float(fraction) / 512.0
                                        : uintBitsToFloat((exponent + 120) << 23 | fraction << 20);
  return (bits & 127u) == 127u ? uintBitsToFloat(0x7fc00000u) : (bits & 128u) != 0 ? -magnitude : magnitude;
}
// By type (KvType): bytes of a block, and where its elements begin; blocks of 32.
const uint BYTES[8] = uint[](0, 34, 1, 18, 20, 22, 24, 18), HEADER[8] = uint[](0, 2, 0, 2, 4, 6, 8, 2);
const int IQ4[16] = int[](-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113);
// Element i of a block, without scale and offset: of a byte, of half a byte, and the byte that holds its fifth bit.
int stored(uint type, uint i, uint byte, uint fifth) {
  if (type == 1) return bitfieldExtract(int(byte), 0, 8);
  const int n = int(byte >> i / 16 * 4 & 15u), high = int(fifth >> i % 8 & 1u) * 16;
  return type == 3 ? n - 8 : type == 5 ? n + high - 16 : type == 6 ? n + high : type == 7 ? IQ4[n] : n;
}
#define LOADER(name)                                                                              \
  uint byte_##name(uint at) { return name[at >> 2] >> (at & 3u) * 8u & 255u; }                    \
  float half_##name(uint at) { return element(name[at >> 2], at >> 1, 1); }                       \
  float load_##name(uint i) {                                                                     \
    const uint type = name##_type, e = i % 32, block = i / 32 * BYTES[type], at = block + HEADER[type]; \
    if (type == 0) return element(name[dtype == 0 ? i : i >> 1], i, dtype);                       \
    if (type == 2) return from_f8(byte_##name(i));                                                \
    const uint fifth = type == 5 || type == 6 ? byte_##name(at - 4 + e / 8) : 0;                  \
    const int n = stored(type, e, byte_##name(at + (type == 1 ? e : e % 16)), fifth);             \
    return float(n) * half_##name(block) + (type == 4 || type == 6 ? half_##name(block + 2) : 0.0); \
  }
LOADER(k)
LOADER(v)
// `place` of a row's keys: of all, or of its list.
uint key_of(uvec4 more, uint place) { return topk == 0 ? place : lists[more.x + place]; }
uint kv_row(uvec4 row, uint key) {
  if (page_size == 0) return row.x + key * row.y;
  return (pages[row.w + key / page_size] * heads_kv + row.x) * page_size + key % page_size;
}
float mask_of(uint i) { return element(mask[i >> 1], i, 1); }
// The hyperbolic tangent; written so that no exponential overflows, and near 0 without a difference of neighbours.
float bounded(float x) {
  const float x2 = x * x;
  if (x2 < 0.1)
    return x * (1.0 + x2 * (-1.0 / 3.0 + x2 * (2.0 / 15.0 + x2 * (-17.0 / 315.0 + x2 * (62.0 / 2835.0)))));
  return sign(x) * (1.0 - 2.0 / (exp(2.0 * min(abs(x), 20.0)) + 1.0));
}
void main() {
  const uint r = gl_WorkGroupID.y * 32768u + gl_WorkGroupID.x, t = gl_LocalInvocationID.x;
  if (r >= count) return;
  const uvec4 row = rows[2 * r], more = rows[2 * r + 1];
  const uint keys = row.z, q_first = r * head_dim, o_first = r * v_dim;
  for (uint c = t; c < v_dim; c += 128u) o[o_first + c] = 0.0;
  float highest = has_sinks != 0 ? sinks[more.w] : -3.0e38, total = has_sinks != 0 ? 1.0 : 0.0;
  for (uint first = topk == 0 ? more.x : 0u; first < keys; first += 128u) {
    const uint key = first + t, here = min(128u, keys - first);
    float score = -3.0e38;
    if (key < keys) {
      const uint k_first = kv_row(row, key_of(more, key)) * head_dim;
      float sum = 0.0;
      for (uint c = 0u; c < head_dim; ++c) sum += load_q(q_first + c) * load_k(k_first + c);
      score = sum * scale;
      if (softcap > 0.0) score = softcap * bounded(score / softcap);
      if (has_mask != 0) score = max(score + uintBitsToFloat(more.z) * mask_of(more.y + key_of(more, key)), -3.0e38);
    }
    part[t] = score;
    barrier();
    for (uint half_way = 64u; half_way > 0u; half_way >>= 1) {
      if (t < half_way) part[t] = max(part[t], part[t + half_way]);
      barrier();
    }
    const float higher = max(highest, part[0]), keep = exp(highest - higher);
    barrier();
    weight[t] = key < keys && score > -3.0e38 ? exp(score - higher) : 0.0;
    part[t] = weight[t];
    barrier();
    for (uint half_way = 64u; half_way > 0u; half_way >>= 1) {
      if (t < half_way) part[t] += part[t + half_way];
      barrier();
    }
    total = total * keep + part[0];
    highest = higher;
    for (uint c = t; c < v_dim; c += 128u) {
      float sum = 0.0;
      for (uint j = 0u; j < here; ++j) sum += weight[j] * load_v(kv_row(row, key_of(more, first + j)) * v_row + c);
      o[o_first + c] = o[o_first + c] * keep + sum;
    }
    barrier();
  }
  if (total > 0.0)
    for (uint c = t; c < v_dim; c += 128u) o[o_first + c] /= total;
}
)");
// An invocation takes whole rows of O. Each workgroup leaves one part; few enough to be put together by the host.
const std::string kDifference = kElement + std::string(R"(
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) readonly buffer Got { uint got[]; };
layout(set = 0, binding = 1) readonly buffer Expected { float expected[]; };
// Largest error beyond the rounding of what is stored, where, not finite, the first; and the largest NMSE of a row.
layout(set = 0, binding = 2) writeonly buffer Parts { uvec4 parts[]; };
layout(push_constant) uniform Push { uint rows, v_dim, dtype; };
shared uvec4 all[256];
shared float nmse[256];
uvec4 both(uvec4 a, uvec4 b) {
  // Floats of one sign order as their bits do.
  const bool second = b.x > a.x;
  return uvec4(second ? b.xy : a.xy, a.z + b.z, min(a.w, b.w));
}
void main() {
  uvec4 mine = uvec4(0u, 0u, 0u, 0xffffffffu);
  float worst = 0.0;
  for (uint row = gl_GlobalInvocationID.x; row < rows; row += gl_NumWorkGroups.x * 256u) {
    float square = 0.0, expected_square = 0.0;
    for (uint i = row * v_dim; i < row * v_dim + v_dim; ++i) {
      const float value = element(got[dtype == 0 ? i : i >> 1], i, dtype), error = abs(value - expected[i]);
      if ((floatBitsToUint(value) & 0x7f800000u) == 0x7f800000u) {
        mine.z += 1u;
        mine.w = min(mine.w, i);
        continue;
      }
      square += error * error;
      expected_square += expected[i] * expected[i];
      // To which side a value near the middle of two is rounded is chance, as storage_rounding() has it.
      const float half_apart = uintBitsToFloat(floatBitsToUint(expected[i]) & 0x7f800000u) *
                               (dtype == 0 ? 0.0 : dtype == 1 ? exp2(-11.0) : exp2(-8.0));
      const float beyond = max(error - half_apart, 0.0);
      if (floatBitsToUint(beyond) > mine.x) mine.xy = uvec2(floatBitsToUint(beyond), i);
    }
    // As judge() has it.
    if (square > 1e-10 * float(v_dim)) worst = max(worst, square / max(expected_square, square));
  }
  const uint t = gl_LocalInvocationID.x;
  all[t] = mine;
  nmse[t] = worst;
  barrier();
  for (uint half_way = 128u; half_way > 0u; half_way >>= 1) {
    if (t < half_way) {
      all[t] = both(all[t], all[t + half_way]);
      nmse[t] = max(nmse[t], nmse[t + half_way]);
    }
    barrier();
  }
  if (t == 0u) {
    parts[2 * gl_WorkGroupID.x] = all[0];
    parts[2 * gl_WorkGroupID.x + 1] = uvec4(floatBitsToUint(nmse[0]));
  }
}
)");

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
        row[0] = p.page_size ? head : static_cast<uint32_t>(layout.kv_row_contiguous(b, head, 0));
        row[1] = p.varlen.empty() ? 1 : p.heads_kv;
        row[2] = p.topk == 0 ? layout.visible(b, i) : std::min(layout.visible(b, i), p.topk);
        row[3] = static_cast<uint32_t>(b * p.pages());
        Part& more = rows[2 * layout.q_row(b, h, i) + 1];
        more[0] = p.topk == 0 ? layout.first_visible(b, i) : static_cast<uint32_t>(layout.list_row(b, head, i));
        more[1] = p.mask == MaskKind::none ? 0 : static_cast<uint32_t>(layout.mask_row(b, i));
        const double slope = p.mask == MaskKind::alibi ? alibi_slope(h, p.heads_q) : 1;
        more[2] = std::bit_cast<uint32_t>(static_cast<float>(slope));
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
  const auto count = static_cast<uint32_t>(rows.size() / 2);
  const std::array<uint32_t, 3> grid{std::min(count, kRowsWide), (count + kRowsWide - 1) / kRowsWide, 1};
  TRY(work.kernels->run(
      {.name = "device_reference", .text = kAttention, .sliceable = true}, grid,
      vulkan::push_of(count, p.head_dim, p.v_dim, static_cast<uint32_t>(p.dtype), p.page_size, p.heads_kv,
                      static_cast<float>(p.softmax_scale()), static_cast<float>(p.softcap),
                      static_cast<uint32_t>(p.k_type), static_cast<uint32_t>(p.v_type), p.mla ? p.head_dim : p.v_dim,
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
  const auto rows = static_cast<uint32_t>(p.o_elements() / p.v_dim);
  const uint32_t groups = std::clamp<uint32_t>((rows + 255) / 256, 1, kMostGroups);
  TRY(work.kernels->run({"difference", kDifference}, {groups, 1, 1},
                        vulkan::push_of(rows, p.v_dim, static_cast<uint32_t>(p.dtype)),
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
  // The CPU's run at this precision is the yardstick of the rows that it has; the others may be a little worse than the
  // worst of those.
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
        "Max abs error {:.3g} of all elements is over the allowed {:.3g}; worst at {}: got {:.6g}, "
        "expected {:.6g}.",
        std::abs(d.got - d.expected), y.allowed + storage_rounding(p.dtype, d.expected), element_place(p, d.worst),
        d.got, d.expected);
  if (d.row_nmse > y.allowed_nmse)
    return fmt::format("NMSE {:.3g} of a row is over the allowed {:.3g}.", d.row_nmse, y.allowed_nmse);
  return std::string();
}

}  // namespace attnscope
