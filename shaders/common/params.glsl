// What every attention shader is told. Spec constants and push members are bound by name: HEAD_DIM is head_dim, and so on.
// Sizes that code is shaped by are spec constants; lengths and strides are not, so that they cost no new pipeline.
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
};

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
