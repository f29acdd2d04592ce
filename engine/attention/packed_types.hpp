// The packed types of K and V. A type is a row of this table with its codec (packed_types.cpp), one decode function for
// kernels (shaders/common/packed_types.glsl) and one in the engine's own (engine/session/kernels/attention.comp).
#pragma once

#include "engine/attention/problem.hpp"

namespace attnscope {

/// Blocks lie along the head dim and never straddle rows: `block` elements in `bytes` bytes, of which the first
/// `header` hold f16 scales and high bits, the others elements of 4 or 8 bits.
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
