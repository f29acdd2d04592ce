// Which tensor each of a shader's buffers is, where, and in which form, of kernels written for another engine.
#pragma once

#include "engine/shader/module.hpp"
#include "engine/variant/expression.hpp"

namespace attnscope {

/// The tensors of a problem, by the bindings of set 0 of our kernels (shaders/common/bindings.glsl).
enum Binding : uint32_t {
  binding_q = 0,
  binding_k = 1,
  binding_v = 2,
  binding_o = 3,
  binding_offsets = 4,
  binding_pages = 5,
  binding_sinks = 6,  ///< only where the problem has them, as the mask
  binding_mask = 7,
  binding_lists = 32  ///< beyond the scratch buffers
};

/// What a manifest calls a tensor. A new one is a line here.
struct Role {
  std::string_view name;
  uint32_t binding;       ///< a Binding
  std::string_view text;  ///< for a person
  bool formed;            ///< it has a type and a layout that a manifest may choose
};
inline constexpr std::array kRoles{
    Role{"q", binding_q, "Q", true},
    Role{"k", binding_k, "K", true},
    Role{"v", binding_v, "V", true},
    Role{"o", binding_o, "O", true},
    Role{"offsets", binding_offsets, "the offsets", false},
    Role{"pages", binding_pages, "the page table", false},
    Role{"sinks", binding_sinks, "the sinks", false},
    Role{"mask", binding_mask, "the mask", true},
    Role{"lists", binding_lists, "the lists of keys", false},
};
const Role* find_role(std::string_view name);
const Role* find_role(uint32_t binding);
/// A buffer that a shader declares and nothing is in, as a manifest calls it.
inline constexpr std::string_view kDummy = "dummy";
inline constexpr uint64_t kDummyBytes = 256;

/// Dimensions of a tensor: batch (or page), head, row (of the mask a query's), and the element of a row.
inline constexpr std::string_view kDims = "bhsd";
using PerDim = std::array<uint64_t, 4>;
/// Where a tensor's elements lie in a buffer.
struct TensorForm {
  DType dtype = DType::f32;
  PerDim strides{};                    ///< in elements
  uint64_t offset = 0;                 ///< of the first element
  uint64_t elements = 0;               ///< of the whole buffer
  uint32_t home = binding_q;           ///< a Binding: whose buffer that is
  std::optional<double> padding = {};  ///< what lies between the elements; nothing = NaN
  bool addressed = false;              ///< a pass is given its address
  bool operator==(const TensorForm&) const = default;
};
/// By Binding; those that are not here are as the problem has them.
using TensorForms = std::map<uint32_t, TensorForm>;
/// How many there are along each dimension.
PerDim counts_of(const Problem&, uint32_t binding);
/// Dense, with the dimensions in this order, the outermost first.
TensorForm dense_form(const Problem&, uint32_t binding, DType, std::string_view layout = kDims);
/// As the problem has it, and a kernel of ours expects it.
TensorForm own_form(const Problem&, uint32_t binding);

/// One buffer of a pass: a tensor of the problem, else a scratch buffer.
struct Slot {
  uint32_t place = 0;              ///< place_of(set, binding)
  std::optional<uint32_t> tensor;  ///< a Binding
  std::string scratch;             ///< its name, where it is no tensor
  bool operator==(const Slot&) const = default;
};

// What stands in a manifest; manifest_foreign.cpp reads it.

/// A role, a scratch buffer or kDummy, and where that is bound (expression; "" = always).
struct Bound {
  std::string name, when;
  bool operator==(const Bound&) const = default;
};
/// By place: the first whose `when` holds; else a dummy.
using Bindings = std::map<uint32_t, std::vector<Bound>>;
struct TensorDecl {
  std::string type;                      ///< an expression of f32, f16, bf16, dtype; "" = as the problem has it
  std::string layout{kDims};             ///< a permutation of kDims, the outermost first
  std::array<std::string, 4> strides{};  ///< expressions; "" = dense
  std::string offset, in;                ///< expression; the role in whose buffer it lies, "" = its own
  std::optional<double> padding = {};
  bool operator==(const TensorDecl&) const = default;
};
/// A preprocessor define that is text: `of[pick]`, or not defined where that is nothing.
struct TextDefine {
  std::string pick;  ///< expression; "" = the first
  std::vector<std::optional<std::string>> of;
  bool operator==(const TextDefine&) const = default;
};
enum class PushType { as_declared, uint32, int32, float32, uint64, address };
struct PushValue {
  std::string value;  ///< expression; of an address the name of a tensor or a scratch buffer
  PushType type = PushType::as_declared;
  bool shared = false;  ///< the manifest has it for all passes that have such a member
  bool operator==(const PushValue&) const = default;
};
/// Members of a block of push constants or uniforms, by name or by offset.
struct PushDecl {
  std::map<std::string, PushValue> named;
  std::map<uint32_t, PushValue> placed;
  bool operator==(const PushDecl&) const = default;
  bool empty() const { return named.empty() && placed.empty(); }
};

struct Manifest;
struct PassDecl;

/// Of K or V: as_dtype, or whole rows of its own blocks, in whatever order.
KvType packed_as(const Problem&, uint32_t binding);
bool is_packed(const Problem&, uint32_t binding);
/// Whether this problem has the tensor. With mla V is K, bound and laid out as K is.
bool has_tensor(const Problem&, uint32_t binding);
/// Bytes of so many elements of a tensor: as the blocks of its kvtype, else of this type.
uint64_t stored_bytes(const Problem&, uint32_t binding, DType, uint64_t elements);
/// Of the buffer in which a tensor lies; 0 where that is another's.
uint64_t form_bytes(const Problem&, uint32_t binding, const TensorForms&);
/// What the forms move beyond what the problem's own would, each tensor once.
double form_extra_bytes(const Problem&, const TensorForms&);

/// A slot for each of the module's buffers. The error is of the first that nothing is bound to.
Result<std::vector<Slot>> slots_of(const Manifest&, const PassDecl&, const Reflection&, const Names&,
                                   const std::string& shader);
/// What the pass's own bindings name that the module has no buffer for, as a sentence; "" = nothing.
std::string unused_binding(const PassDecl&, const Reflection&, const std::string& shader);

/// Forms of a problem's tensors as the manifest wants them, their strides in `of_problem`; the error names the tensor.
Result<TensorForms> tensor_forms(const Manifest&, const Problem&, Names& of_problem);

/// problem_names(), with strides as the forms have them, for a manifest with tensors also in bytes: q_bytes (of an
/// element, or its mean in a block), q_batch_bytes and so on. `forms` gets what tensor_forms() says.
Names variant_names(const Manifest&, const Problem&, const DeviceInfo&, Result<TensorForms>* forms = nullptr);

}  // namespace attnscope
