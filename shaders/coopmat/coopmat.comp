#version 460
#extension GL_GOOGLE_include_directive : require
#define DEFAULT_SUBGROUPS 8
#define DEFAULT_ROWS 2
#define DEFAULT_BLOCK_N 32
#define DEFAULT_Q_SHARED 3
#define DEFAULT_PREFETCH 1
#include "common/matrix_flash.glsl"
