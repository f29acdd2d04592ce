#version 460
#extension GL_GOOGLE_include_directive : require
#include "common/extensions.glsl"
#extension GL_KHR_shader_subgroup_vote : require

// The same without a second pass: of the workgroups that share query rows, the one that ends last adds the splits.
#define MERGED 1
#include "split.glsl"
