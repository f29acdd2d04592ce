#include "engine/attention/packed_types.hpp"

#include "engine/attention/tensor.hpp"

namespace attnscope {
namespace {

constexpr uint32_t kPackedBlock = 32, kPackedHalf = kPackedBlock / 2;

void put_half(std::byte* at, float value) {
  const uint16_t half = float_to_half(value);
  std::memcpy(at, &half, sizeof half);
}
float get_half(const std::byte* at) {
  uint16_t half = 0;
  std::memcpy(&half, at, sizeof half);
  return half_to_float(half);
}
float inverse(float x) { return x != 0 ? 1 / x : 0; }

/// The value of the largest magnitude, sign and all; the first of those.
float furthest(const float* x) {
  return *std::max_element(x, x + kPackedBlock, [](float a, float b) { return std::fabs(a) < std::fabs(b); });
}

/// Element e < 16 is the lower half of byte e, element 16 + e its upper half.
void put_nibble(std::byte* bytes, uint32_t e, uint32_t value) {
  const std::byte half{uint8_t(value & 15u)};
  std::byte& byte = bytes[e % kPackedHalf];
  byte = e < kPackedHalf ? half : byte | half << 4;
}
uint32_t get_nibble(const std::byte* bytes, uint32_t e) {
  return std::to_integer<uint32_t>(bytes[e % kPackedHalf]) >> (e < kPackedHalf ? 0 : 4) & 15u;
}
/// Fifth bits are one word, bit e of element e.
void put_fifth(std::byte* word, uint32_t e, uint32_t value) {
  word[e / 8] |= std::byte{uint8_t((value >> 4 & 1u) << e % 8)};
}
uint32_t get_fifth(const std::byte* word, uint32_t e) {
  return (std::to_integer<uint32_t>(word[e / 8]) >> e % 8 & 1u) << 4;
}

void pack_q8_0(const float* x, std::byte* out) {
  const float scale = std::fabs(furthest(x)) / 127, factor = inverse(scale);
  put_half(out, scale);
  for (uint32_t e = 0; e < kPackedBlock; ++e) out[2 + e] = static_cast<std::byte>(int8_t(std::round(x[e] * factor)));
}
void unpack_q8_0(const std::byte* in, float* x) {
  const float scale = get_half(in);
  for (uint32_t e = 0; e < kPackedBlock; ++e) x[e] = scale * float(int8_t(in[2 + e]));
}

void pack_f8e4m3(const float* x, std::byte* out) { *out = std::byte{float_to_f8e4m3(*x)}; }
void unpack_f8e4m3(const std::byte* in, float* x) { *x = f8e4m3_to_float(std::to_integer<uint8_t>(*in)); }

/// q4_0 and q5_0: (n - middle) * scale, where n = 0 is the value of the largest magnitude.
template <uint32_t bits>
void pack_centred(const float* x, std::byte* out) {
  constexpr float kMiddle = 1 << (bits - 1), kMost = 2 * kMiddle - 1;
  const float scale = furthest(x) / -kMiddle, factor = inverse(scale);
  constexpr uint32_t kHeader = bits == 5 ? 6 : 2;
  put_half(out, scale);
  std::fill(out + 2, out + kHeader, std::byte{0});
  for (uint32_t e = 0; e < kPackedBlock; ++e) {
    const auto n = uint32_t(std::clamp(std::floor(x[e] * factor + kMiddle + 0.5f), 0.0f, kMost));
    put_nibble(out + kHeader, e, n);
    if (bits == 5) put_fifth(out + 2, e, n);
  }
}
template <uint32_t bits>
void unpack_centred(const std::byte* in, float* x) {
  const float scale = get_half(in);
  for (uint32_t e = 0; e < kPackedBlock; ++e) {
    const uint32_t n = get_nibble(in + (bits == 5 ? 6 : 2), e) | (bits == 5 ? get_fifth(in + 2, e) : 0);
    x[e] = scale * (float(n) - (1 << (bits - 1)));
  }
}

/// q4_1 and q5_1: n * scale + least.
template <uint32_t bits>
void pack_from_least(const float* x, std::byte* out) {
  const auto [least, most] = std::minmax_element(x, x + kPackedBlock);
  constexpr float kMost = (1 << bits) - 1;
  const float scale = (*most - *least) / kMost, factor = inverse(scale);
  constexpr uint32_t kHeader = bits == 5 ? 8 : 4;
  put_half(out, scale);
  put_half(out + 2, *least);
  std::fill(out + 4, out + kHeader, std::byte{0});
  for (uint32_t e = 0; e < kPackedBlock; ++e) {
    const auto n = uint32_t(std::min(std::floor((x[e] - *least) * factor + 0.5f), kMost));
    put_nibble(out + kHeader, e, n);
    if (bits == 5) put_fifth(out + 4, e, n);
  }
}
template <uint32_t bits>
void unpack_from_least(const std::byte* in, float* x) {
  const float scale = get_half(in), least = get_half(in + 2);
  for (uint32_t e = 0; e < kPackedBlock; ++e) {
    const uint32_t n = get_nibble(in + (bits == 5 ? 8 : 4), e) | (bits == 5 ? get_fifth(in + 4, e) : 0);
    x[e] = float(n) * scale + least;
  }
}

constexpr std::array<int, 16> kIq4Values{-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};

void pack_iq4_nl(const float* x, std::byte* out) {
  const float scale = furthest(x) / -127, factor = inverse(scale);
  put_half(out, scale);
  for (uint32_t e = 0; e < kPackedBlock; ++e) {
    const auto nearer = [value = x[e] * factor](int a, int b) {
      return std::fabs(value - float(a)) < std::fabs(value - float(b));
    };
    const auto nearest = std::ranges::min_element(kIq4Values, nearer);
    put_nibble(out + 2, e, uint32_t(nearest - kIq4Values.begin()));
  }
}
void unpack_iq4_nl(const std::byte* in, float* x) {
  const float scale = get_half(in);
  for (uint32_t e = 0; e < kPackedBlock; ++e) x[e] = scale * float(kIq4Values[get_nibble(in + 2, e)]);
}

// Those of blocks are laid out as ggml has them.
constexpr std::array kTypes{
    PackedType{KvType::q8_0, "q8_0", 32, 34, 2, 8, pack_q8_0, unpack_q8_0},
    PackedType{KvType::f8e4m3, "f8e4m3", 1, 1, 0, 8, pack_f8e4m3, unpack_f8e4m3},
    PackedType{KvType::q4_0, "q4_0", 32, 18, 2, 4, pack_centred<4>, unpack_centred<4>},
    PackedType{KvType::q4_1, "q4_1", 32, 20, 4, 4, pack_from_least<4>, unpack_from_least<4>},
    PackedType{KvType::q5_0, "q5_0", 32, 22, 6, 4, pack_centred<5>, unpack_centred<5>},
    PackedType{KvType::q5_1, "q5_1", 32, 24, 8, 4, pack_from_least<5>, unpack_from_least<5>},
    PackedType{KvType::iq4_nl, "iq4_nl", 32, 18, 2, 4, pack_iq4_nl, unpack_iq4_nl},
};

}  // namespace

std::span<const PackedType> packed_types() { return kTypes; }

const PackedType& packed_type(KvType type) { return kTypes.at(size_t(type) - 1); }

}  // namespace attnscope
