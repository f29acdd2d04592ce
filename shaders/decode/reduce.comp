#version 460
#extension GL_GOOGLE_include_directive : require
#include "common/extensions.glsl"
#include "common/add_splits.glsl"
