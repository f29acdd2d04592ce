// The packed types of K and V. A type is a row of this table with its codec (packed_types.cpp), one decode function for
// kernels (shaders/common/packed_types.glsl) and one in the engine's own (engine/session/kernels/attention.comp).
#pragma once

#include "engine/attention/problem.hpp"

namespace attnscope {

/// Blocks of `block` elements lie along the head dim, in `bytes` bytes: first `header` of f16 scales and high bits.
struct PackedType {
  KvType type;
  std::string_view name;
  uint32_t block, bytes, header, bits;
  void (*pack)(const float* values, std::byte* out);
  void (*unpack)(const std::byte* in, float* values);
};

/// In the order of KvType, from its second on.
std::span<const PackedType> packed_types();
/// Not of as_dtype.
const PackedType& packed_type(KvType);

}  // namespace attnscope
