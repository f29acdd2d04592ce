#version 460
#extension GL_GOOGLE_include_directive : require
#include "common/extensions.glsl"
#define MERGED 0
#include "split.glsl"
