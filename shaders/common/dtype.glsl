// Storage types. The host defines one of DTYPE_F32, DTYPE_F16, DTYPE_BF16; all arithmetic is in float.
//   STORE, STORE4               one element and four neighbours, as they lie in a buffer
//   from_store, to_store        element <-> float
//   from_store4, to_store4      four elements <-> vec4
//   rounded(x)                  x as it would be after a store and a load
#ifndef ATTN_DTYPE_GLSL
#define ATTN_DTYPE_GLSL

#if defined(DTYPE_F32)

#define STORE float
#define STORE4 vec4
float from_store(float x) { return x; }
vec4 from_store4(vec4 x) { return x; }
float to_store(float x) { return x; }
vec4 to_store4(vec4 x) { return x; }
float rounded(float x) { return x; }

#elif defined(DTYPE_F16)

#define STORE float16_t
#define STORE4 f16vec4
#define from_store(x) float(x)
#define from_store4(x) vec4(x)
#define to_store(x) float16_t(x)
#define to_store4(x) f16vec4(x)
float rounded(float x) { return unpackHalf2x16(packHalf2x16(vec2(x, 0.0))).x; }

#elif defined(DTYPE_BF16)

// The upper half of a float, kept as bits; four of them as two words.
#define STORE uint16_t
#define STORE4 uvec2
// Round to nearest even; a NaN stays one even when its payload lies in the lost bits.
uint bfloat_bits(float x) {
    uint u = floatBitsToUint(x);
    return (u & 0x7fffffffu) > 0x7f800000u ? (u >> 16) | 0x40u : (u + 0x7fffu + ((u >> 16) & 1u)) >> 16;
}
#define from_store(x) uintBitsToFloat(uint(x) << 16)
#define to_store(x) uint16_t(bfloat_bits(x))
vec4 from_store4(uvec2 x) {
    return uintBitsToFloat(uvec4(x.x << 16, x.x & 0xffff0000u, x.y << 16, x.y & 0xffff0000u));
}
uvec2 to_store4(vec4 x) {
    return uvec2(bfloat_bits(x.x) | bfloat_bits(x.y) << 16, bfloat_bits(x.z) | bfloat_bits(x.w) << 16);
}
float rounded(float x) { return uintBitsToFloat(bfloat_bits(x) << 16); }

#else
#error "the host defines one of DTYPE_F32, DTYPE_F16, DTYPE_BF16"
#endif

#endif
