// What a problem may ask beyond plain attention. The host defines OPTION_WINDOW, OPTION_SOFTCAP, OPTION_SINKS,
// OPTION_MASK, OPTION_ALIBI, OPTION_MLA and OPTION_TOPK for the problems that do; without them this file gives nothing,
// and no kernel has a trace of it.
//   softcapped(s)               with a softcap, the score of a product that was multiplied by score_scale()
//   mask_term(b, head, i, j)    with a mask, what it adds to a score; MINUS_INFINITY where the query sees no key j
//   mask_start(b, i)            element of the mask where query i's row begins, for mask_at(start + j), which is
//   mask_at(e)                  element e alone, and mask_factor(head), what it is multiplied by
//   sink_weight(head, origin)   with sinks, what the head's adds to a row's sum l: exp(sink - origin), origin as in
//                               softmax_origin(m). Infinity far above the scores, which makes softmax_norm() 0
//   KEY_COUNT                   keys that a query may see: all, or with topk those of its list
//   listed_key(b, head, i, j)   the j-th of those, in the cache even where the list has no more
// All in the base of softmax.glsl. The window is visible_keys(), first_visible_key() of mask.glsl.
#ifndef ATTN_OPTIONS_GLSL
#define ATTN_OPTIONS_GLSL

#include "common/softmax.glsl"

#define BINDING_SINKS 6
#define BINDING_MASK 7
#define BINDING_LISTS 32

#ifdef OPTION_TOPK
layout(set = 0, binding = BINDING_LISTS, std430) readonly buffer KeyLists { uint key_lists[]; };
#define KEY_COUNT topk
uint listed_key(uint b, uint head, uint i, uint j) {
    return min(key_lists[((b * (heads_q / GROUP) + head / GROUP) * seq_q + i) * topk + j], seq_kv - 1u);
}
#else
#define KEY_COUNT seq_kv
#define listed_key(b, head, i, j) (j)
#endif

#ifdef OPTION_SOFTCAP
const float SOFTCAP_NEAR = 0.18;
// tanh(x * reach) / reach where abs(x * reach) < SOFTCAP_NEAR; what follows in the series is below an f32's rounding.
float softcap_near(float x, float reach) {
    const float x2 = x * x, r2 = reach * reach;
    return x * (1.0 + x2 * (r2 * (-1.0 / 3.0) + x2 * (r2 * r2 * (2.0 / 15.0) + x2 * (r2 * r2 * r2 * (-17.0 / 315.0)))));
}
// tanh as a quotient of polynomials, fitted for the least relative error up to 9, where an f32's tanh is 1: 2e-8, and
// in f32 3.4e-7. (The built-in may overflow on its way. 1 - 2 / (exp(2x) + 1) loses digits near 0, where most scores
// are.)
float softcap_tanh(float x) {
    const float y = clamp(x, -9.0, 9.0), z = y * y;
    const float p =
        fma(fma(fma(fma(1.33546569e-8, z, 2.06090783e-5), z, 3.49558784e-3), z, 0.133810254), z, 0.999999979);
    const float q = fma(fma(fma(fma(7.77655622e-7, z, 3.28563438e-4), z, 0.025876981), z, 0.46714341), z, 1.0);
    return y * p / q;
}
// tanh(x * reach) / reach. By an exponential it is off by up to 2e-7 / reach: where the cap is no more than some
// hundreds, less than what operands of 16 bits lose.
float softcapped_product(float x, float reach) {
#if defined(SOFTCAP_BY_EXP) && SOFTCAP_BY_EXP
    return fma(-2.0 / reach, 1.0 / (exp2(x * (reach * 2.885390082)) + 1.0), 1.0 / reach);
#else
    return softcap_tanh(x * reach) * (1.0 / reach);
#endif
}
#if SOFTCAP_TOGETHER
// Of four products half of the tanh less a half (SCORE_SHIFT), -1 / (exp(2x) + 1). The four share a quotient
// (docs/performance.md). The limit keeps their product from overflowing.
vec4 softcapped_products(vec4 x, float reach) {
    const vec4 e = exp2(min(x * (reach * 2.885390082), vec4(30.0))) + 1.0;
    const vec2 pairs = vec2(e.x * e.y, e.z * e.w);
    const vec2 over = pairs.yx * (-1.0 / (pairs.x * pairs.y));
    return vec4(e.yx * over.x, e.wz * over.y);
}
#endif
float softcapped(float s) { return softcap * SCORE_UNIT * softcap_tanh(s); }
#endif

#ifdef OPTION_SINKS
layout(set = 0, binding = BINDING_SINKS, std430) readonly buffer Sinks { float sinks[]; };
float sink_weight(uint head, float origin) { return softmax_exp(sinks[head] * SCORE_UNIT - origin); }
#endif

#ifdef OPTION_MASK
// Halves, two a word: no 16-bit storage is needed.
layout(set = 0, binding = BINDING_MASK, std430) readonly buffer MaskWords { uint mask_words[]; };
#ifdef OPTION_ALIBI
// The slope of a head: powers of two down to 2^-8 for the first 2^k heads, and between them for the others.
float mask_slope(uint head) {
    uint n = 1u << findMSB(heads_q);
    return exp2(head < n ? -8.0 * float(head + 1u) / float(n) : -4.0 * float(2u * (head - n) + 1u) / float(n));
}
#else
float mask_slope(uint head) { return 1.0; }
#endif
uint mask_start(uint b, uint i) { return b * mask_batch + i * mask_row; }
float mask_at(uint e) {
    vec2 pair = unpackHalf2x16(mask_words[e >> 1]);
    return e % 2u == 0u ? pair.x : pair.y;
}
float mask_factor(uint head) { return mask_slope(head) * SCORE_UNIT; }
float mask_term(uint b, uint head, uint i, uint j) { return mask_at(mask_start(b, i) + j) * mask_factor(head); }
#endif

#endif
