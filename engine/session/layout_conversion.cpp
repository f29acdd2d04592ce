#include "engine/session/workload.hpp"

namespace attnscope {
namespace {

constexpr uint32_t kBytes = 3;

/// Bits of a number that all of these types have.
uint32_t bits_of(std::optional<double> padding, DType dtype) {
  return !padding || *padding == 0 ? 0 : dtype == DType::f32 ? 0xff800000u : dtype == DType::f16 ? 0xfc00u : 0xff80u;
}

/// Those of a plan's tensors that lie in the buffer of this one.
TensorForms in_buffer(const Plan& plan, uint32_t home) {
  TensorForms forms = plan.forms;
  std::erase_if(forms, [&](const auto& one) { return one.second.home != home; });
  return forms;
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
  if (contains(counts, 0u)) return {};
  if (std::max(count, units(from_form.elements)) > UINT32_MAX - 3)
    return bad_input("A tensor of more than 4,294,967,292 {} cannot be converted.", packed ? "bytes" : "elements");
  if (packed) counts[3] = units(counts[3]);
  std::array<size_t, 4> order{0, 1, 2, 3};
  // What there is one of can be anywhere; first, it takes nothing of an index.
  const auto stride = [&](size_t dim) { return counts[dim] == 1 ? UINT32_MAX : to_form.strides[dim]; };
  std::ranges::sort(order, [&](size_t a, size_t b) { return stride(a) > stride(b); });
  std::array<uint32_t, 21> values{};
  for (size_t n = 0; n < 4; ++n) {
    const size_t dim = order[n];
    const auto wide = [&](uint64_t elements) { return packed && dim == 3 ? elements : units(elements); };
    values[n] = uint32_t(counts[dim]);
    values[4 + n] = uint32_t(wide(from_form.strides[dim]));
    values[8 + n] = counts[dim] == 1 ? UINT32_MAX : uint32_t(wide(to_form.strides[dim]));
  }
  const auto poison_of = [](DType dtype) {
    return dtype_bytes(dtype) == 4 ? poison_word(dtype) : poison_word(dtype) & 0xffffu;
  };
  const std::array<uint32_t, 9> rest{uint32_t(count),
                                     uint32_t(units(from_form.offset)),
                                     uint32_t(units(to_form.offset)),
                                     packed ? kBytes : uint32_t(from_form.dtype),
                                     packed ? kBytes : uint32_t(to_form.dtype),
                                     poison_of(from_form.dtype),
                                     poison_of(to_form.dtype),
                                     to_form.padding && to_form.home == binding ? 0u : 1u,
                                     bits_of(to_form.padding, to_form.dtype)};
  std::ranges::copy(rest, values.begin() + 12);
  return kernels.run({"convert", session::kernels("convert")}, {vulkan::groups_for(count), 1, 1},
                     vulkan::push_of(values), {from.at(0), to.at(1)}, wait);
}

Result<void> need_forms(const Plan& plan, Workload& work, const vulkan::Wait& wait) {
  for (const auto& [binding, form] : plan.forms) {
    if (form.home != binding) continue;
    TensorForms forms = in_buffer(plan, binding);
    if (find_by(work.formed, forms, &FormedTensor::forms)) continue;
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
  if (form == plan.forms.end()) return work.buffer(binding);
  const FormedTensor* formed = find_by(work.formed, in_buffer(plan, form->second.home), &FormedTensor::forms);
  return formed ? formed->buffer : work.buffer(binding);
}

Result<void> bring_home(const Plan& plan, Workload& work, const vulkan::Wait& wait) {
  const auto form = plan.forms.find(binding_o);
  if (form == plan.forms.end()) return {};
  const FormedTensor* formed = find_by(work.formed, in_buffer(plan, binding_o), &FormedTensor::forms);
  if (!formed) return {};
  return convert(*work.kernels, work.problem, binding_o, formed->buffer, form->second, work.buffer(binding_o),
                 own_form(work.problem, binding_o), wait);
}

}  // namespace attnscope
