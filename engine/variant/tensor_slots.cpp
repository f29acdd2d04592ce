#include "engine/variant/tensor_slots.hpp"

#include "engine/attention/packed_types.hpp"
#include "engine/variant/planner.hpp"

namespace attnscope {

const Role* find_role(std::string_view name) { return find_by(kRoles, name, &Role::name); }

const Role* find_role(uint32_t binding) { return find_by(kRoles, binding, &Role::binding); }

PerDim counts_of(const Problem& p, uint32_t binding) {
  const bool kv = binding == binding_k || binding == binding_v;
  const uint64_t heads = kv ? p.heads_kv : p.heads_q;
  const uint64_t dim = binding == binding_q || binding == binding_k ? p.head_dim : p.v_dim;
  if (binding == binding_mask) return {p.mask == MaskKind::batch ? p.batch : 1u, 1, p.seq_q, p.seq_kv};
  if (!p.varlen.empty()) return {1, heads, kv ? p.total_kv() : p.total_q(), dim};
  if (kv && p.page_size != 0) return {p.batch * p.pages(), heads, p.page_size, dim};
  return {p.batch, heads, kv ? p.seq_kv : p.seq_q, dim};
}

TensorForm dense_form(const Problem& p, uint32_t binding, DType dtype, std::string_view layout) {
  const PerDim counts = counts_of(p, binding);
  TensorForm form{.dtype = dtype, .home = binding};
  form.elements = 1;
  for (auto c = layout.rbegin(); c != layout.rend(); ++c) {
    const size_t dim = kDims.find(*c);
    form.strides[dim] = form.elements;
    form.elements *= counts[dim];
  }
  return form;
}

TensorForm own_form(const Problem& p, uint32_t binding) {
  // The rows of packed sequences have their heads beside each other.
  return dense_form(p, binding, binding == binding_mask ? DType::f16 : p.dtype,
                    p.varlen.empty() || binding == binding_mask ? kDims : "bshd");
}

KvType packed_as(const Problem& p, uint32_t binding) {
  return binding == binding_k ? p.k_type : binding == binding_v ? p.v_type : KvType::as_dtype;
}

bool is_packed(const Problem& p, uint32_t binding) { return packed_as(p, binding) != KvType::as_dtype; }

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

uint64_t stored_bytes(const Problem& p, uint32_t binding, DType dtype, uint64_t elements) {
  return is_packed(p, binding) ? kv_bytes(packed_as(p, binding), p.dtype, elements) : elements * dtype_bytes(dtype);
}

uint64_t form_bytes(const Problem& p, uint32_t binding, const TensorForms& forms) {
  const TensorForm form = forms.contains(binding) ? forms.at(binding) : own_form(p, binding);
  return form.home == binding ? stored_bytes(p, binding, form.dtype, form.elements) : 0;
}

double form_extra_bytes(const Problem& p, const TensorForms& forms) {
  double extra = 0;
  for (const auto& [binding, form] : forms) {
    const TensorForm own = own_form(p, binding);
    extra += double(own.elements) * (double(dtype_bytes(form.dtype)) - double(dtype_bytes(own.dtype)));
  }
  return extra;
}

namespace {

/// Elements of a block of a packed type at most; of others any number would do.
constexpr uint64_t kBlock = 32;
constexpr std::array<std::string_view, 4> kStrideNames{"batch", "head", "row", "col"};

Result<DType> stored_type(const Problem& p, const Role& role, const std::string& type, const Names& names) {
  const TensorForm own = own_form(p, role.binding);
  if (type.empty()) return own.dtype;
  const DType dtype = TRY(type_of(type, names, fmt::format("tensors: type of {}", role.name)));
  // What is stored must be what the reference computes from.
  const bool exact = role.binding == binding_mask && dtype == DType::bf16 && p.mask_fits_bf16();
  if (dtype != own.dtype && !exact &&
      (is_packed(p, role.binding) || (role.binding != binding_o && dtype != DType::f32)))
    return bad_input("{} is stored as {} for this kernel, which cannot hold the problem's {} exactly", role.text,
                     to_text(dtype),
                     is_packed(p, role.binding) ? to_text(packed_as(p, role.binding)) : to_text(own.dtype));
  return dtype;
}

/// The error is of elements that lie on each other, or in no order that a conversion can follow.
Result<void> check_form(const Problem& p, const Role& role, const TensorForm& form, const PerDim& counts) {
  std::array<size_t, 4> order{0, 1, 2, 3};
  std::ranges::sort(order, [&](size_t a, size_t b) { return form.strides[a] < form.strides[b]; });
  uint64_t inner = 1;
  for (const size_t dim : order) {
    if (counts[dim] <= 1) continue;
    if (form.strides[dim] < inner)
      return bad_input("tensors: {}: a stride of {} elements is less than the {} of what lies within it", role.name,
                       form.strides[dim], inner);
    inner += (counts[dim] - 1) * form.strides[dim];
  }
  if (!is_packed(p, role.binding)) return {};
  bool whole = form.strides[3] == 1 && form.offset % kBlock == 0 && form.elements % kBlock == 0;
  for (size_t dim = 0; dim < 3; ++dim) whole = whole && (counts[dim] <= 1 || form.strides[dim] % kBlock == 0);
  if (whole || stored_bytes(p, role.binding, form.dtype, kBlock) == kBlock) return {};
  return bad_input("tensors: {}: rows of {} lie as whole blocks of {} elements", role.name,
                   to_text(packed_as(p, role.binding)), kBlock);
}

Result<TensorForm> form_of(const Problem& p, const Role& role, const TensorDecl& decl, Names& names) {
  const std::string prefix = std::string(role.name) + "_";
  const PerDim counts = counts_of(p, role.binding);
  TensorForm form{.home = decl.in.empty() ? role.binding : find_role(decl.in)->binding, .padding = decl.padding};
  form.dtype = TRY(stored_type(p, role, decl.type, names));
  const bool one_order = !p.varlen.empty() && role.binding != binding_mask;
  const bool paged = p.page_size != 0 && (role.binding == binding_k || role.binding == binding_v);
  const std::string layout = one_order ? "bshd" : decl.layout;
  uint64_t stride = 1;
  for (auto c = layout.rbegin(); c != layout.rend(); ++c) {
    const size_t dim = kDims.find(*c);
    // A stride may be said in terms of the dense one, and of those within it.
    const std::string name = prefix + std::string(dim == 0 && paged ? "page" : kStrideNames[dim]);
    names[name] = double(stride);
    if (const std::string& given = decl.strides[dim]; !given.empty())
      stride = TRY(whole_number(given, names, fmt::format("tensors: {}: strides.{}", role.name, kStrideNames[dim])));
    form.strides[dim] = stride;
    names[name] = dim == 0 && (one_order || (role.binding == binding_mask && counts[0] == 1)) ? 0 : double(stride);
    stride *= counts[dim];
  }
  if (!decl.offset.empty())
    form.offset = TRY(whole_number(decl.offset, names, fmt::format("tensors: {}: offset", role.name)));
  names[prefix + "offset"] = double(form.offset);
  form.elements = form.offset + 1;
  for (size_t dim = 0; dim < 4; ++dim) form.elements += (counts[dim] - 1) * form.strides[dim];
  // In a buffer of its own also what pads the last of it.
  if (decl.in.empty()) form.elements = std::max(form.elements, form.offset + stride);
  TRY(check_form(p, role, form, counts));
  return form;
}

}  // namespace

Result<TensorForms> tensor_forms(const Manifest& m, const Problem& p, Names& names) {
  TensorForms forms;
  for (const auto& [name, decl] : m.tensors) {
    const Role& role = *find_role(name);
    if (!has_tensor(p, role.binding) || (p.mla && role.binding == binding_v)) continue;
    forms[role.binding] = TRY(form_of(p, role, decl, names));
  }
  for (auto& [binding, form] : TensorForms(forms)) {
    if (form.home == binding) continue;
    TensorForm& home = forms.emplace(form.home, own_form(p, form.home)).first->second;
    if (home.home != form.home || home.dtype != form.dtype || is_packed(p, binding) || is_packed(p, form.home))
      return bad_input("tensors: {} cannot lie in the buffer of {}, which has another type or none of its own",
                       find_role(binding)->name, find_role(form.home)->name);
    home.elements = std::max(home.elements, form.elements);
  }
  std::erase_if(forms, [&](const auto& one) {
    return one.second == own_form(p, one.first) && std::ranges::none_of(forms, [&](const auto& other) {
             return other.first != one.first && other.second.home == one.first;
           });
  });
  return forms;
}

Names variant_names(const Manifest& m, const Problem& p, const DeviceInfo& device, Result<TensorForms>* out) {
  Names names = problem_names(p, device);
  const Result<TensorForms> forms = tensor_forms(m, p, names);
  if (out) *out = forms;
  if (m.tensors.empty()) return names;
  for (const Role& role : kRoles) {
    if (!role.formed) continue;
    const bool own = !forms || !forms->contains(role.binding);
    const DType dtype = own ? own_form(p, role.binding).dtype : forms->at(role.binding).dtype;
    const std::string prefix = std::string(role.name) + "_";
    const double bytes = double(stored_bytes(p, role.binding, dtype, kBlock)) / double(kBlock);
    // With mla V is K.
    if (p.mla && role.binding == binding_v)
      for (const char* stride : {"batch", "head", "row", "col", "page", "offset"})
        if (const auto at = names.find(fmt::format("k_{}", stride)); at != names.end())
          names[prefix + stride] = at->second;
    names[prefix + "bytes"] = bytes;
    for (const auto& [name, value] : {std::pair{"col", 1.0}, {"offset", 0.0}, {"head", 0.0}})
      names.emplace(prefix + name, value);
    for (const char* stride : {"batch", "head", "row", "col", "page", "offset"})
      if (const auto at = names.find(prefix + stride); at != names.end())
        names[prefix + stride + "_bytes"] = bytes * at->second;
  }
  return names;
}

Result<std::vector<Slot>> slots_of(const Manifest& m, const PassDecl& pass, const Reflection& reflection,
                                   const Names& names, const std::string& shader) {
  const Bindings& given = pass.bindings.empty() ? m.bindings : pass.bindings;
  const auto named = [&](uint32_t place, const std::vector<Bound>& all) -> Result<Slot> {
    for (const Bound& one : all) {
      const double holds = one.when.empty() ? 1 : TRY(evaluate(one.when, names));
      if (holds == 0) continue;
      const Role* role = find_role(one.name);
      return role ? Slot{place, role->binding, {}} : Slot{place, std::nullopt, one.name};
    }
    return Slot{place, std::nullopt, std::string(kDummy)};
  };
  std::vector<Slot> slots;
  for (const uint32_t place : reflection.storage_bindings) {
    if (const auto it = given.find(place); it != given.end()) {
      slots.push_back(TRY(named(place, it->second)));
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
          "{} has a buffer on {}, to which 'bindings' binds nothing (a buffer that is not used may be bound to '{}')",
          shader, place_text(place), kDummy);
    const Role* role = find_role(place);
    if (!role)
      return bad_input(
          "{} uses {}, which is neither Q, K, V, O, offsets or pages (0 to 5) nor a [[scratch]] of the "
          "manifest; where the shader has bindings of its own, [bindings] says what is where",
          shader, place_text(place));
    slots.push_back({place, role->binding, {}});
  }
  return slots;
}

std::string unused_binding(const PassDecl& pass, const Reflection& reflection, const std::string& shader) {
  for (const auto& [place, bound] : pass.bindings)
    if (bound.front().when.empty() && !contains(reflection.storage_bindings, place))
      return fmt::format("'bindings' has {} on {}, where {} has no buffer that it uses: leave it out",
                         bound.front().name, place_text(place), shader);
  return {};
}

}  // namespace attnscope
