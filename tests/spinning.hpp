// A kernel that with ROUNDS = 1000 does not end within hours. Not one endless loop: the software device leaves any
// shader's loops after 65,535 turns in all, so this one has long turns and many workgroups as well.
#pragma once

#include <string>

namespace attnscope {

/// `values`: of ROUNDS, as TOML; `rounds`: its default.
inline std::string spinning_manifest(const std::string& values) {
  return R"(
title = "Spins"
summary = "Counts before it answers."
dtypes = ["f32"]
[[parameter]]
name = "ROUNDS"
meaning = "how long"
values = )" +
         values + R"(
[[pass]]
name = "spin"
shader = "spin.comp"
grid = ["total_q * ROUNDS", "heads_q"]
constants = { WORKGROUP = "1024" }
)";
}
inline std::string spinning_shader(const std::string& rounds) {
  return R"(#version 460
#extension GL_GOOGLE_include_directive : require
#include "common/extensions.glsl"
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint WORKGROUP = 1024;
layout(constant_id = 1) const uint ROUNDS = )" +
         rounds + R"(;
#include "common/bindings.glsl"
OUTPUT(o, BINDING_O)
void main() {
    float x = float(gl_GlobalInvocationID.x);
    for (uint a = 0; a < ROUNDS; ++a)
        for (uint b = 0; b < ROUNDS; ++b)
            [[unroll]] for (uint c = 0; c < 64; ++c)
                x = sin(x + float(a ^ b) + float(c));
    if (gl_GlobalInvocationID.xy == uvec2(0))
        store4_o(0, 0, 4, vec4(x));
}
)";
}

}  // namespace attnscope
