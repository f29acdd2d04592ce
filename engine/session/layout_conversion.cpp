#include "engine/session/workload.hpp"

#include "engine/attention/tensor.hpp"
#include "engine/variant/plan.hpp"

namespace attnscope {
namespace {

// In integers, so that no device flushes a denormal or keeps a NaN's bits otherwise. Each invocation makes whole words;
// half a word at the end belongs to the guard.
constexpr const char* kConvert = R"(#version 460
layout(local_size_x = 128) in;
layout(set = 0, binding = 0) readonly buffer From { uint from[]; };
layout(set = 0, binding = 1) buffer To { uint to[]; };
// By dimension, that of the largest stride in `to` first.
layout(push_constant) uniform Push {
  uvec4 counts, from_strides, to_strides;
  uint count, from_offset, to_offset, from_type, to_type, from_poison, to_poison, keep, padding;
};
const uint F32 = 0u, F16 = 1u, BF16 = 2u, BYTES = 3u;  // BYTES: as they are
const uint NONE = 0xffffffffu;                         // no element lies there

uint source_of(uint i) {
  if (i < to_offset) return NONE;
  uint rest = i - to_offset, at = from_offset;
  for (int n = 0; n < 4; ++n) {
    const uint c = rest / to_strides[n];
    if (c >= counts[n]) return NONE;
    rest -= c * to_strides[n];
    at += c * from_strides[n];
  }
  return rest == 0u ? at : NONE;
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
uint converted(uint i, uint before) {
  const uint at = source_of(i);
  if (at == NONE) return keep != 0u ? before : padding;
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
    const uint before = to[w];
    if (to_type == F32) {
      to[w] = converted(w, before);
      continue;
    }
    if (to_type == BYTES) {
      uint word = before;
      for (uint i = 0u; i < 4u; ++i) {
        const uint at = 4u * w + i < count ? source_of(4u * w + i) : NONE;
        if (at == NONE && keep == 0u && 4u * w + i < count) word = bitfieldInsert(word, 0u, int(8u * i), 8);
        if (at != NONE) word = bitfieldInsert(word, from[at >> 2] >> 8u * (at & 3u), int(8u * i), 8);
      }
      to[w] = word;
      continue;
    }
    const uint high = 2u * w + 1u < count ? converted(2u * w + 1u, before >> 16) << 16 : before & 0xffff0000u;
    to[w] = converted(2u * w, before & 0xffffu) | high;
  }
}
)";

constexpr uint32_t kBytes = 3;

/// Bits of a number that all of these types have.
uint32_t bits_of(std::optional<double> padding, DType dtype) {
  if (!padding || *padding == 0) return 0;
  return dtype == DType::f32 ? 0xff800000u : dtype == DType::f16 ? 0xfc00u : 0xff80u;
}

/// Those of a plan's tensors that lie in the buffer of this one.
TensorForms in_buffer(const Plan& plan, uint32_t home) {
  TensorForms forms = plan.forms;
  std::erase_if(forms, [&](const auto& one) { return one.second.home != home; });
  return forms;
}

const FormedTensor* find(const Workload& work, const TensorForms& forms) {
  const auto at = std::ranges::find_if(work.formed, [&](const FormedTensor& f) { return f.forms == forms; });
  return at == work.formed.end() ? nullptr : &*at;
}

/// The tensors of a buffer made from the problem's own; the one whose buffer it is comes first, with what pads it.
Result<void> fill(Workload& work, const FormedTensor& made, const vulkan::Wait& wait) {
  const Problem& p = work.problem;
  const auto one = [&](uint32_t binding, const TensorForm& form) {
    return convert(*work.kernels, p, binding, work.buffer(binding), own_form(p, binding), made.buffer, form, wait);
  };
  TRY(one(made.binding, made.forms.at(made.binding)));
  for (const auto& [binding, form] : made.forms)
    if (binding != made.binding) TRY(one(binding, form));
  return {};
}

}  // namespace

Result<void> convert(vulkan::Kernels& kernels, const Problem& p, uint32_t binding, const GuardedBuffer& from,
                     const TensorForm& from_form, const GuardedBuffer& to, const TensorForm& to_form,
                     const vulkan::Wait& wait) {
  const bool packed = is_packed(p, binding);
  // Of packed tensors a unit is a byte.
  const auto units = [&](uint64_t elements) {
    return packed ? stored_bytes(p, binding, from_form.dtype, elements) : elements;
  };
  const uint64_t count = units(to_form.elements);
  PerDim counts = counts_of(p, binding);
  if (std::ranges::find(counts, 0u) != counts.end()) return {};
  if (std::max(count, units(from_form.elements)) > UINT32_MAX - 3)
    return bad_input(
        fmt::format("A tensor of more than 4,294,967,292 {} cannot be converted.", packed ? "bytes" : "elements"));
  if (packed) counts[3] = units(counts[3]);
  std::array<size_t, 4> order{0, 1, 2, 3};
  // What there is one of can be anywhere; first, it takes nothing of an index.
  const auto stride = [&](size_t dim) { return counts[dim] == 1 ? UINT32_MAX : to_form.strides[dim]; };
  std::ranges::sort(order, [&](size_t a, size_t b) { return stride(a) > stride(b); });
  std::array<uint32_t, 21> values{};
  for (size_t n = 0; n < 4; ++n) {
    const size_t dim = order[n];
    const auto wide = [&](uint64_t elements) { return packed && dim == 3 ? elements : units(elements); };
    values[n] = static_cast<uint32_t>(counts[dim]);
    values[4 + n] = static_cast<uint32_t>(wide(from_form.strides[dim]));
    values[8 + n] = counts[dim] == 1 ? UINT32_MAX : static_cast<uint32_t>(wide(to_form.strides[dim]));
  }
  const auto poison_of = [](DType dtype) {
    return dtype_bytes(dtype) == 4 ? poison_word(dtype) : poison_word(dtype) & 0xffffu;
  };
  const std::array<uint32_t, 9> rest{static_cast<uint32_t>(count),
                                     static_cast<uint32_t>(units(from_form.offset)),
                                     static_cast<uint32_t>(units(to_form.offset)),
                                     packed ? kBytes : uint32_t(from_form.dtype),
                                     packed ? kBytes : uint32_t(to_form.dtype),
                                     poison_of(from_form.dtype),
                                     poison_of(to_form.dtype),
                                     to_form.padding && to_form.home == binding ? 0u : 1u,
                                     bits_of(to_form.padding, to_form.dtype)};
  std::ranges::copy(rest, values.begin() + 12);
  return kernels.run({"convert", kConvert}, {vulkan::groups_for(count), 1, 1}, vulkan::push_of(values),
                     {from.at(0), to.at(1)}, wait);
}

Result<void> need_forms(const Plan& plan, Workload& work, const vulkan::Wait& wait) {
  for (const auto& [binding, form] : plan.forms) {
    if (form.home != binding) continue;
    TensorForms forms = in_buffer(plan, binding);
    if (find(work, forms)) continue;
    const bool output = binding == binding_o;
    const uint32_t word = output ? poison_word(form.dtype)
                          : is_packed(work.problem, binding)
                              ? kv_padding_word(packed_as(work.problem, binding), form.dtype)
                              : padding_word(form.dtype);
    auto buffer =
        TRY(GuardedBuffer::create(work.kernels->device(), form_bytes(work.problem, binding, plan.forms), word, wait,
                                  false, std::ranges::any_of(forms, [](auto& f) { return f.second.addressed; })));
    FormedTensor made{binding, std::move(forms), std::move(buffer)};
    if (!output) TRY(fill(work, made, wait));
    work.formed.push_back(std::move(made));
  }
  return {};
}

Result<void> refresh_forms(Workload& work, const vulkan::Wait& wait) {
  for (const FormedTensor& f : work.formed)
    if (f.binding != binding_o) TRY(fill(work, f, wait));
  return {};
}

const GuardedBuffer& tensor_for(const Plan& plan, const Workload& work, uint32_t binding) {
  if (plan.problem.mla && binding == binding_v) binding = binding_k;
  const auto form = plan.forms.find(binding);
  const FormedTensor* formed = form == plan.forms.end() ? nullptr : find(work, in_buffer(plan, form->second.home));
  return formed ? formed->buffer : work.buffer(binding);
}

Result<void> bring_home(const Plan& plan, Workload& work, const vulkan::Wait& wait) {
  const auto form = plan.forms.find(binding_o);
  const FormedTensor* formed = form == plan.forms.end() ? nullptr : find(work, in_buffer(plan, binding_o));
  if (!formed) return {};
  return convert(*work.kernels, work.problem, binding_o, formed->buffer, form->second, work.buffer(binding_o),
                 own_form(work.problem, binding_o), wait);
}

}  // namespace attnscope
