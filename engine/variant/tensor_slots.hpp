// Which tensor each of a shader's buffers is, where the shader expects it, and in which form: what the manifest of a
// kernel that was written for another engine says.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/attention/problem.hpp"
#include "engine/result.hpp"
#include "engine/shader/module.hpp"
#include "engine/variant/expression.hpp"

namespace attnscope {

/// The tensors of a problem, numbered by the bindings of set 0 at which a kernel of ours has them
/// (shaders/common/bindings.glsl).
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
    Role{"mask", binding_mask, "the mask", false},
    Role{"lists", binding_lists, "the lists of keys", false},
};
const Role* find_role(std::string_view name);
const Role* find_role(uint32_t binding);
/// A buffer that a shader declares and nothing is in, as a manifest calls it.
inline constexpr std::string_view kDummy = "dummy";
inline constexpr uint64_t kDummyBytes = 256;

/// The order of a tensor's dimensions, outermost first: batch, heads, sequence, dim or batch, sequence, heads, dim. Of
/// a paged cache batch is the page and sequence the row in it; packed sequences have one order alone.
enum class Order { bhsd, bshd };
struct TensorForm {
  DType dtype = DType::f32;
  Order order = Order::bhsd;
  bool operator==(const TensorForm&) const = default;
};
/// By Binding; those that are not here are as the problem has them.
using TensorForms = std::map<uint32_t, TensorForm>;

/// One buffer of a pass: a tensor of the problem, else a scratch buffer.
struct Slot {
  uint32_t place = 0;              ///< place_of(set, binding)
  std::optional<uint32_t> tensor;  ///< a Binding
  std::string scratch;             ///< its name, where it is no tensor
  bool operator==(const Slot&) const = default;
};

// What stands in a manifest; manifest_foreign.cpp reads it.

/// Names of roles, of scratch buffers or kDummy, by place.
using Bindings = std::map<uint32_t, std::string>;
struct TensorDecl {
  std::string type = "dtype";  ///< an expression of f32, f16, bf16, dtype
  Order order = Order::bhsd;
  bool operator==(const TensorDecl&) const = default;
};
/// A preprocessor define that is text: `of[pick]`, or not defined where that is nothing.
struct TextDefine {
  std::string pick;  ///< expression; "" = the first
  std::vector<std::optional<std::string>> of;
  bool operator==(const TextDefine&) const = default;
};
enum class PushType { as_declared, uint32, int32, float32, uint64 };
struct PushValue {
  std::string value;  ///< expression
  PushType type = PushType::as_declared;
  bool shared = false;  ///< the manifest has it for all passes that have such a member
  bool operator==(const PushValue&) const = default;
};
/// Push constants by the member's name, or by their offset in the block.
struct PushDecl {
  std::map<std::string, PushValue> named;
  std::map<uint32_t, PushValue> placed;
  bool operator==(const PushDecl&) const = default;
  bool empty() const { return named.empty() && placed.empty(); }
};

// What it comes to.

struct Manifest;
struct PassDecl;

/// Bytes of a tensor in this form; elements as the problem stores them.
uint64_t elements_of(const Problem&, uint32_t binding);
/// Of K or V: as_dtype, or whole rows of its own blocks, in whatever order.
KvType packed_as(const Problem&, uint32_t binding);
/// Whether this problem has the tensor. With mla V is K, bound and laid out as K is.
bool has_tensor(const Problem&, uint32_t binding);
uint64_t form_bytes(const Problem&, uint32_t binding, const TensorForms&);
/// What the forms move beyond what the problem's own would, each tensor once.
double form_extra_bytes(const Problem&, const TensorForms&);

/// A slot for each of the module's buffers. The error is of the first that nothing is bound to.
Result<std::vector<Slot>> slots_of(const Manifest&, const PassDecl&, const Reflection&, const std::string& shader);
/// What the pass's own bindings name that the module has no buffer for, as a sentence; "" = nothing.
std::string unused_binding(const PassDecl&, const Reflection&, const std::string& shader);

/// Forms of a problem's tensors as the manifest wants them; the error names the tensor that cannot be had so.
Result<TensorForms> tensor_forms(const Manifest&, const Problem&, const Names& of_problem);

/// problem_names(), with strides as the forms have them, and where the manifest speaks of tensors also in bytes:
/// q_bytes (of an element, or the mean of one in a block of kvtype) q_batch_bytes q_head_bytes q_row_bytes and so on.
Names variant_names(const Manifest&, const Problem&, const DeviceInfo&);

}  // namespace attnscope
