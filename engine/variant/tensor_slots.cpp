#include "engine/variant/tensor_slots.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/attention/packed_types.hpp"
#include "engine/variant/expression.hpp"
#include "engine/variant/manifest.hpp"

namespace attnscope {
namespace {

/// The problem's own type, and the order that a kernel of ours expects.
TensorForm own_form(const Problem& p) { return {p.dtype, Order::bhsd}; }

struct Dims {
  double heads, dim;
};
Dims dims_of(const Problem& p, uint32_t binding) {
  const bool kv = binding == binding_k || binding == binding_v;
  return {static_cast<double>(kv ? p.heads_kv : p.heads_q),
          static_cast<double>(binding == binding_q || binding == binding_k ? p.head_dim : p.v_dim)};
}

const TensorForm* form_in(const TensorForms& forms, uint32_t binding) {
  const auto found = forms.find(binding);
  return found == forms.end() ? nullptr : &found->second;
}

}  // namespace

const Role* find_role(std::string_view name) {
  const auto found = std::ranges::find_if(kRoles, [&](const Role& r) { return r.name == name; });
  return found == kRoles.end() ? nullptr : &*found;
}

const Role* find_role(uint32_t binding) {
  const auto found = std::ranges::find_if(kRoles, [&](const Role& r) { return r.binding == binding; });
  return found == kRoles.end() ? nullptr : &*found;
}

Result<TensorForms> tensor_forms(const Manifest& m, const Problem& p, const Names& of_problem) {
  TensorForms forms;
  for (const auto& [name, decl] : m.tensors) {
    const Role& role = *find_role(name);
    const auto value = evaluate(decl.type, of_problem);
    if (!value) return bad_input(fmt::format("tensors: type of {}: {}", name, value.error().message));
    TensorForm form{p.dtype, decl.order};
    bool known = false;
    for (const DType dtype : {DType::f32, DType::f16, DType::bf16})
      if (*value == static_cast<double>(dtype)) {
        form.dtype = dtype;
        known = true;
      }
    if (!known)
      return bad_input(fmt::format("tensors: type of {}: \"{}\" is {}, not one of f32, f16, bf16", name, decl.type,
                                   grouped(*value)));
    // What is stored must be what the reference computes from.
    const KvType packed = packed_as(p, role.binding);
    if (form.dtype != p.dtype &&
        (packed != KvType::as_dtype || (role.binding != binding_o && form.dtype != DType::f32)))
      return bad_input(fmt::format("{} is stored as {} for this kernel, which cannot hold the problem's {} exactly",
                                   role.text, to_text(form.dtype),
                                   packed != KvType::as_dtype ? to_text(packed) : to_text(p.dtype)));
    // Packed sequences lie as [row, head, dim] in either order.
    if (!p.varlen.empty()) form.order = Order::bhsd;
    if (form != own_form(p)) forms[role.binding] = form;
  }
  if (p.mla) {
    const auto k = forms.find(binding_k), v = forms.find(binding_v);
    if (v != forms.end() && (k == forms.end() || k->second != v->second))
      return bad_input("V is to be stored in another form than K for this kernel; with mla V is K");
    forms.erase(binding_v);
  }
  return forms;
}

uint64_t elements_of(const Problem& p, uint32_t binding) {
  switch (binding) {
    case binding_q: return p.q_elements();
    case binding_k: return p.k_elements();
    case binding_v: return p.v_elements();
    case binding_o: return p.o_elements();
    default: return 0;
  }
}

KvType packed_as(const Problem& p, uint32_t binding) {
  return binding == binding_k ? p.k_type : binding == binding_v ? p.v_type : KvType::as_dtype;
}

bool has_tensor(const Problem& p, uint32_t binding) {
  switch (binding) {
    case binding_sinks: return p.sinks;
    case binding_mask: return p.mask != MaskKind::none;
    case binding_offsets: return !p.varlen.empty();
    case binding_pages: return p.page_size != 0;
    case binding_lists: return p.topk != 0;
    default: return true;
  }
}

uint64_t form_bytes(const Problem& p, uint32_t binding, const TensorForms& forms) {
  if (packed_as(p, binding) != KvType::as_dtype) return binding == binding_k ? p.k_bytes() : p.v_bytes();
  const TensorForm* form = form_in(forms, binding);
  return elements_of(p, binding) * dtype_bytes(form ? form->dtype : p.dtype);
}

double form_extra_bytes(const Problem& p, const TensorForms& forms) {
  double extra = 0;
  for (const auto& [binding, form] : forms)
    extra += static_cast<double>(elements_of(p, binding)) *
             (static_cast<double>(dtype_bytes(form.dtype)) - static_cast<double>(dtype_bytes(p.dtype)));
  return extra;
}

Names variant_names(const Manifest& m, const Problem& p, const DeviceInfo& device) {
  Names names = problem_names(p, device);
  if (m.tensors.empty()) return names;
  const Result<TensorForms> forms = tensor_forms(m, p, names);
  for (const Role& role : kRoles) {
    if (!role.formed) continue;
    // With mla V is K.
    const uint32_t binding = p.mla && role.binding == binding_v ? uint32_t{binding_k} : role.binding;
    const TensorForm* form = forms ? form_in(*forms, binding) : nullptr;
    const std::string prefix = std::string(role.name) + "_";
    if (form && form->order == Order::bshd) {
      const Dims d = dims_of(p, binding);
      names[prefix + "row"] = d.heads * d.dim;
      names[prefix + "head"] = d.dim;
    }
    const KvType packed = packed_as(p, role.binding);
    const double bytes = packed != KvType::as_dtype
                             ? static_cast<double>(packed_type(packed).bytes) / packed_type(packed).block
                             : dtype_bytes(form ? form->dtype : p.dtype);
    names[prefix + "bytes"] = bytes;
    for (const char* stride : {"batch", "head", "row", "page"})
      if (const auto at = names.find(prefix + stride); at != names.end())
        names[prefix + stride + "_bytes"] = bytes * at->second;
  }
  return names;
}

Result<std::vector<Slot>> slots_of(const Manifest& m, const PassDecl& pass, const Reflection& reflection,
                                   const std::string& shader) {
  const Bindings& given = pass.bindings.empty() ? m.bindings : pass.bindings;
  const auto named = [&](uint32_t place, const std::string& name) -> Slot {
    const Role* role = find_role(name);
    return role ? Slot{place, role->binding, {}} : Slot{place, std::nullopt, name};
  };
  std::vector<Slot> slots;
  for (const uint32_t place : reflection.storage_bindings) {
    if (const auto it = given.find(place); it != given.end()) {
      slots.push_back(named(place, it->second));
      continue;
    }
    const auto scratch = std::ranges::find_if(
        m.scratch, [&](const ScratchDecl& s) { return pass.bindings.empty() && s.binding == place; });
    if (scratch != m.scratch.end()) {
      slots.push_back({place, std::nullopt, scratch->name});
      continue;
    }
    if (!given.empty())
      return bad_input(
          fmt::format("{} has a buffer on {}, to which 'bindings' binds nothing (a buffer that is not "
                      "used may be bound to '{}')",
                      shader, place_text(place), kDummy));
    const Role* role = find_role(place);
    if (!role)
      return bad_input(
          fmt::format("{} uses {}, which is neither Q, K, V, O, offsets or pages (0 to 5) nor a [[scratch]] of the "
                      "manifest; where the shader has bindings of its own, [bindings] says what is where",
                      shader, place_text(place)));
    slots.push_back({place, role->binding, {}});
  }
  return slots;
}

std::string unused_binding(const PassDecl& pass, const Reflection& reflection, const std::string& shader) {
  const auto& places = reflection.storage_bindings;
  for (const auto& [place, name] : pass.bindings)
    if (std::ranges::find(places, place) == places.end())
      return fmt::format("'bindings' has {} on {}, where {} has no buffer that it uses", name, place_text(place),
                         shader);
  return {};
}

}  // namespace attnscope
