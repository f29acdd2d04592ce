#version 460
#extension GL_GOOGLE_include_directive : require
#include "common/extensions.glsl"
#extension GL_KHR_shader_subgroup_vote : require
#define MERGED 0
#include "split.glsl"
