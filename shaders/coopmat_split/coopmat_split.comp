#version 460
#extension GL_GOOGLE_include_directive : require
// f32 in two f16 parts doubles every tile and Q: half the rows a subgroup, and Q stays in registers.
#define DEFAULT_SUBGROUPS 8
#define DEFAULT_ROWS 1
#define DEFAULT_BLOCK_N 32
#define DEFAULT_Q_SHARED 0
#define DEFAULT_PREFETCH 2
layout(constant_id = 8) const uint DIM_SPLIT = 1;  // to the preprocessor: DIM_PARTS
#include "common/matrix_flash.glsl"
