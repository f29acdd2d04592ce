#include "engine/session/layout_conversion.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>

#include "engine/attention/tensor.hpp"
#include "engine/session/buffer_ops.hpp"
#include "engine/session/workload.hpp"
#include "engine/variant/plan.hpp"

namespace attnscope {
namespace {

// In integers, so that no device flushes a denormal or keeps a NaN's bits otherwise. Each invocation makes whole words;
// half a word at the end belongs to the guard.
constexpr const char* kConvert = R"(#version 460
layout(local_size_x = 128) in;
layout(set = 0, binding = 0) readonly buffer From { uint from[]; };
layout(set = 0, binding = 1) buffer To { uint to[]; };
// Rows lie as [outer, rows_a, rows_b] in `to` and as [outer, rows_b, rows_a] in `from`.
layout(push_constant) uniform Push {
  uint count, dim, rows_a, rows_b, from_type, to_type, from_poison, to_poison;
};
const uint F32 = 0u, F16 = 1u, BF16 = 2u, BYTES = 3u;  // BYTES: as they are, `dim` of them in a row

uint source_of(uint i) {
  const uint d = i % dim, row = i / dim;
  const uint b = row % rows_b, a = row / rows_b % rows_a, outer = row / rows_b / rows_a;
  return ((outer * rows_b + b) * rows_a + a) * dim + d;
}
uint half_to_float(uint h) {
  const uint sign = (h & 0x8000u) << 16;
  uint exponent = h >> 10 & 31u, mantissa = h & 0x3ffu;
  if (exponent == 31u) return sign | 0x7f800000u | mantissa << 13;
  if (exponent == 0u) {
    if (mantissa == 0u) return sign;
    const uint shift = 10u - uint(findMSB(mantissa));
    mantissa = mantissa << shift & 0x3ffu;
    return sign | (113u - shift) << 23 | mantissa << 13;
  }
  return sign | (exponent + 112u) << 23 | mantissa << 13;
}
uint round_off(uint value, uint bits) {  // nearest even
  const uint half_way = 1u << (bits - 1u), rest = value & (1u << bits) - 1u, kept = value >> bits;
  return kept + (rest > half_way || (rest == half_way && (kept & 1u) == 1u) ? 1u : 0u);
}
uint float_to_half(uint f) {
  const uint sign = f >> 16 & 0x8000u, rest = f & 0x7fffffffu;
  if (rest > 0x7f800000u) return sign | 0x7e00u;
  if (rest >= 0x47800000u) return sign | 0x7c00u;
  if (rest >= 0x38800000u) return sign | round_off(rest - (112u << 23), 13u);
  if (rest < 0x33000000u) return sign;
  const uint mantissa = (rest & 0x7fffffu) | 0x800000u;
  return sign | round_off(mantissa, 126u - (rest >> 23));
}
uint float_to_bfloat(uint f) {
  if ((f & 0x7fffffffu) > 0x7f800000u) return f >> 16 | 0x40u;
  return round_off(f, 16u);
}
uint converted(uint i) {
  const uint at = source_of(i);
  uint bits = from_type == F32 ? from[at] : from[at >> 1] >> (at & 1u) * 16u & 0xffffu;
  if (bits == from_poison) return to_poison;
  if (from_type == to_type) return bits;
  if (from_type == F16) bits = half_to_float(bits);
  if (from_type == BF16) bits <<= 16;
  return to_type == F32 ? bits : to_type == F16 ? float_to_half(bits) : float_to_bfloat(bits);
}
void main() {
  const uint words = to_type == F32 ? count : to_type == BYTES ? (count + 3u) >> 2 : (count >> 1) + (count & 1u);
  for (uint w = gl_GlobalInvocationID.x; w < words; w += gl_NumWorkGroups.x * 128u) {
    if (to_type == F32) {
      to[w] = converted(w);
      continue;
    }
    if (to_type == BYTES) {
      uint word = 0u;
      for (uint i = 4u * w; i < 4u * w + 4u; ++i) {
        const uint at = i < count ? source_of(i) : i;
        word |= bitfieldExtract(i < count ? from[at >> 2] : to[w], int(8u * (at & 3u)), 8) << 8u * (i & 3u);
      }
      to[w] = word;
      continue;
    }
    const uint high = 2u * w + 1u < count ? converted(2u * w + 1u) << 16 : to[w] & 0xffff0000u;
    to[w] = converted(2u * w) | high;
  }
}
)";
constexpr uint64_t kMostWorkgroups = 4096;

constexpr uint32_t kBytes = 3;
uint32_t code(DType dtype) { return dtype == DType::f32 ? 0 : dtype == DType::f16 ? 1 : 2; }

TensorForm own_form(const Problem& p) { return {p.dtype, Order::bhsd}; }

const TensorForm* wanted(const Plan& plan, uint32_t binding) {
  const auto found = plan.forms.find(binding);
  return found == plan.forms.end() ? nullptr : &found->second;
}

const FormedTensor* find(const Workload& work, uint32_t binding, const TensorForm& form) {
  const auto at =
      std::ranges::find_if(work.formed, [&](const FormedTensor& f) { return f.binding == binding && f.form == form; });
  return at == work.formed.end() ? nullptr : &*at;
}

}  // namespace

Result<FormConverter> FormConverter::create(const vulkan::Device& device) {
  auto pipeline = TRY(make_pipeline(device, "convert", kConvert));
  return FormConverter(device, std::move(pipeline));
}

Result<void> FormConverter::operator()(const Problem& p, uint32_t binding, const GuardedBuffer& from,
                                       const TensorForm& from_form, const GuardedBuffer& to, const TensorForm& to_form,
                                       const vulkan::Wait& wait) const {
  const KvType type = packed_as(p, binding);
  const bool packed = type != KvType::as_dtype;
  const uint64_t count = packed ? form_bytes(p, binding, {}) : elements_of(p, binding);
  if (count == 0) return {};
  if (count > UINT32_MAX - 3)
    return bad_input(fmt::format("A tensor of more than 4,294,967,292 {} cannot be had in another form.",
                                 packed ? "bytes" : "elements"));
  const bool kv = binding == binding_k || binding == binding_v;
  const uint32_t heads = kv ? p.heads_kv : p.heads_q;
  const uint32_t rows = kv && p.page_size != 0 ? p.page_size : kv ? p.seq_kv : p.seq_q;
  const uint32_t elements = binding == binding_q || binding == binding_k ? p.head_dim : p.v_dim;
  const auto dim = packed ? static_cast<uint32_t>(kv_bytes(type, p.dtype, elements)) : elements;
  // Where the orders are one, rows are taken as they lie.
  const bool turned = from_form.order != to_form.order;
  const bool to_bshd = to_form.order == Order::bshd;
  const uint32_t rows_a = !turned ? 1 : to_bshd ? rows : heads, rows_b = !turned ? 1 : to_bshd ? heads : rows;
  const auto poison_of = [](DType dtype) {
    return dtype_bytes(dtype) == 4 ? poison_word(dtype) : poison_word(dtype) & 0xffffu;
  };
  const std::array<uint32_t, 8> values{static_cast<uint32_t>(count),
                                       dim,
                                       rows_a,
                                       rows_b,
                                       packed ? kBytes : code(from_form.dtype),
                                       packed ? kBytes : code(to_form.dtype),
                                       poison_of(from_form.dtype),
                                       poison_of(to_form.dtype)};
  std::vector<std::byte> push(sizeof values);
  std::memcpy(push.data(), values.data(), sizeof values);
  const auto groups = static_cast<uint32_t>(std::clamp<uint64_t>((count + 127) / 128, 1, kMostWorkgroups));
  auto execution =
      vulkan::Execution::create(device_, {{pipeline_, {groups, 1, 1}, std::move(push), {from.at(0), to.at(1)}}});
  if (!execution) return execution.error();
  TRY(execution->run(wait));
  return {};
}

Result<void> need_forms(const vulkan::Device& device, const Plan& plan, Workload& work, const vulkan::Wait& wait) {
  for (const auto& [binding, form] : plan.forms) {
    if (find(work, binding, form)) continue;
    if (!work.converter) {
      auto made = TRY(FormConverter::create(device));
      work.converter.emplace(std::move(made));
    }
    const bool output = binding == binding_o;
    const uint32_t word =
        output ? poison_word(form.dtype) : kv_padding_word(packed_as(work.problem, binding), form.dtype);
    auto buffer = TRY(GuardedBuffer::create(device, form_bytes(work.problem, binding, plan.forms), word, wait));
    if (!output)
      TRY((*work.converter)(work.problem, binding, work.buffer(binding), own_form(work.problem), buffer, form, wait));
    work.formed.push_back({binding, form, std::move(buffer)});
  }
  return {};
}

Result<void> refresh_forms(Workload& work, const vulkan::Wait& wait) {
  for (const FormedTensor& f : work.formed)
    if (f.binding != binding_o)
      TRY((*work.converter)(work.problem, f.binding, work.buffer(f.binding), own_form(work.problem), f.buffer, f.form,
                            wait));
  return {};
}

const GuardedBuffer& tensor_for(const Plan& plan, const Workload& work, uint32_t binding) {
  if (plan.problem.mla && binding == binding_v) binding = binding_k;
  const TensorForm* form = wanted(plan, binding);
  const FormedTensor* formed = form ? find(work, binding, *form) : nullptr;
  return formed ? formed->buffer : work.buffer(binding);
}

Result<void> bring_home(const Plan& plan, Workload& work, const vulkan::Wait& wait) {
  const TensorForm* form = wanted(plan, binding_o);
  const FormedTensor* formed = form ? find(work, binding_o, *form) : nullptr;
  if (!formed) return {};
  return (*work.converter)(work.problem, binding_o, formed->buffer, *form, work.buffer(binding_o),
                           own_form(work.problem), wait);
}

}  // namespace attnscope
