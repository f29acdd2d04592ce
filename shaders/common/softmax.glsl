// Online softmax (Milakov and Gimelshein 2018): a running maximum m and sum l of one row; earlier sums are rescaled
// when m moves. Define SOFTMAX_BASE_2 to keep scores in base 2, with log2(e) folded into the scale.
#ifndef ATTN_SOFTMAX_GLSL
#define ATTN_SOFTMAX_GLSL

#include "common/params.glsl"

#define MINUS_INFINITY uintBitsToFloat(0xff800000u)

#ifdef SOFTMAX_BASE_2
#define SCORE_UNIT 1.4426950408889634
#define softmax_exp exp2
#else
#define SCORE_UNIT 1.0
#define softmax_exp exp
#endif

// What a product of Q and K is multiplied by. With a softcap that is not a score yet: softcapped() of options.glsl.
#if defined(OPTION_SOFTCAP)
float score_scale() { return scale / softcap; }
#elif defined(SOFTMAX_BASE_2)
float score_scale() { return scale * 1.4426950408889634; }
#else
float score_scale() { return scale; }
#endif

// The score of a product of Q and K, or with a softcap of one that softcap_tanh() changed, over the product. Where
// scores are capped together (options.glsl) they lack SCORE_SHIFT, which maxima need beside a sink and in the end.
#if defined(SOFTCAP_TOGETHER) && SOFTCAP_TOGETHER
float product_factor() { return 2.0 * softcap * SCORE_UNIT; }
#define SCORE_SHIFT (softcap * SCORE_UNIT)
#else
#define SOFTCAP_TOGETHER 0
#if defined(OPTION_SOFTCAP)
float product_factor() { return scale * SCORE_UNIT; }
#else
float product_factor() { return score_scale(); }
#endif
#endif

// What to subtract from scores: m itself, but 0 for a row that has seen no key, where -inf - -inf would be NaN.
float softmax_origin(float m) { return m == MINUS_INFINITY ? 0.0 : m; }

// m becomes the maximum of itself and `score`; returns the factor for everything summed so far (0 at the first key).
float softmax_raise(inout float m, float score) {
    float raised = max(m, score);
    float factor = softmax_exp(m - softmax_origin(raised));
    m = raised;
    return factor;
}

// 1 / l; 0 for a row that saw no key, whose output is zero by definition.
float softmax_norm(float l) { return l > 0.0 ? 1.0 / l : 0.0; }

#endif
