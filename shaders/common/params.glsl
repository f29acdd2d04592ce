// What every attention shader is told. Spec constants and push members are bound by name: HEAD_DIM is head_dim, and so
// on. Sizes that code is shaped by are spec constants; lengths and strides are not, so that they cost no new pipeline,
// unless a shader is told to fix them.
#ifndef ATTN_PARAMS_GLSL
#define ATTN_PARAMS_GLSL

layout(constant_id = 100) const uint HEAD_DIM = 64;
layout(constant_id = 101) const uint V_DIM = 64;
layout(constant_id = 102) const bool CAUSAL = false;
layout(constant_id = 103) const uint GROUP = 1;
layout(constant_id = 104) const uint MIN_SUBGROUP_SIZE = 8;

// Strides are in elements. 64 bytes, of the 128 that every device has.
layout(push_constant) uniform Params {
    uint heads_q;
    uint seq_q;
    uint seq_kv;
    uint q_batch, q_head, q_row;
    uint k_batch, k_head, k_row;
    uint v_batch, v_head, v_row;
    uint o_batch, o_head, o_row;
    float scale;
    // What only some problems have (options.glsl).
#ifdef OPTION_WINDOW
    uint window;
#endif
#ifdef OPTION_SOFTCAP
    float softcap;
#endif
#ifdef OPTION_MASK
    uint mask_batch, mask_row;
#endif
#ifdef OPTION_TOPK
    uint topk;
#endif
#if defined(VARLEN) && VARLEN
    uint batch;  // sequences
#endif
}
// With FIXED_SHAPE (a parameter SHAPE of the manifest), lengths and strides are spec constants as well: the pipeline
// serves one problem alone, and the driver folds what they decide. The names then stand for those.
#if defined(FIXED_SHAPE) && FIXED_SHAPE
pushed;
layout(constant_id = 110) const uint HEADS_Q = 0;
layout(constant_id = 111) const uint SEQ_Q = 0;
layout(constant_id = 112) const uint SEQ_KV = 0;
layout(constant_id = 113) const uint Q_BATCH = 0;
layout(constant_id = 114) const uint Q_HEAD = 0;
layout(constant_id = 115) const uint Q_ROW = 0;
layout(constant_id = 116) const uint K_BATCH = 0;
layout(constant_id = 117) const uint K_HEAD = 0;
layout(constant_id = 118) const uint K_ROW = 0;
layout(constant_id = 119) const uint V_BATCH = 0;
layout(constant_id = 120) const uint V_HEAD = 0;
layout(constant_id = 121) const uint V_ROW = 0;
layout(constant_id = 122) const uint O_BATCH = 0;
layout(constant_id = 123) const uint O_HEAD = 0;
layout(constant_id = 124) const uint O_ROW = 0;
#define heads_q HEADS_Q
#define seq_q SEQ_Q
#define seq_kv SEQ_KV
#define q_batch Q_BATCH
#define q_head Q_HEAD
#define q_row Q_ROW
#define k_batch K_BATCH
#define k_head K_HEAD
#define k_row K_ROW
#define v_batch V_BATCH
#define v_head V_HEAD
#define v_row V_ROW
#define o_batch O_BATCH
#define o_head O_HEAD
#define o_row O_ROW
#define scale pushed.scale
#define window pushed.window
#define softcap pushed.softcap
#define mask_batch pushed.mask_batch
#define mask_row pushed.mask_row
#define batch pushed.batch
#else
;
#endif

// The sequence at hand. Packed sequences (varlen) have lengths and a first row of their own; their shaders define these
// before they include this file.
#ifndef LENGTH_Q
#define LENGTH_Q seq_q       // queries
#define LENGTH_KV seq_kv     // keys
#define SEQUENCE_ROW(i) (i)  // its row i, as a row of the (batch, head)
#endif

// First element of row `i` of a (batch, head); K and V take the head that query head `head` shares.
uint q_start(uint b, uint head, uint i) { return b * q_batch + head * q_head + i * q_row; }
uint k_start(uint b, uint head, uint j) { return b * k_batch + head / GROUP * k_head + j * k_row; }
uint v_start(uint b, uint head, uint j) { return b * v_batch + head / GROUP * v_head + j * v_row; }
uint o_start(uint b, uint head, uint i) { return b * o_batch + head * o_head + i * o_row; }

#endif
