#version 460
#extension GL_KHR_shader_subgroup_basic : require
#if SHUFFLE
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#endif
#if ARITHMETIC
#extension GL_KHR_shader_subgroup_arithmetic : require
#endif
#if CLUSTERED
#extension GL_KHR_shader_subgroup_clustered : require
#endif
#if VOTE
#extension GL_KHR_shader_subgroup_vote : require
#endif
#if BALLOT
#extension GL_KHR_shader_subgroup_ballot : require
#endif
#include "check.glsl"

// Who an invocation is, then what an operation gives it: ten words each.
void main() {
    uint at = gl_LocalInvocationIndex * 10, lane = gl_SubgroupInvocationID;
    uint mine = given[gl_LocalInvocationIndex];
    put(at, gl_SubgroupID);
    put(at + 1, lane);
    put(at + 2, gl_SubgroupSize);
    put(at + 3, gl_NumSubgroups);
#if SHUFFLE
    put(at + 4, subgroupShuffle(mine, gl_SubgroupSize - 1 - lane));
    put(at + 5, subgroupShuffleXor(mine, 1));
    put(at + 6, subgroupShuffleXor(mine, gl_SubgroupSize / 2));
    put(at + 7, subgroupShuffleUp(mine, 1));
    put(at + 8, subgroupShuffleDown(mine, 1));
    put(at + 9, floatBitsToUint(subgroupShuffleXor(uintBitsToFloat(mine), 1)));
#elif ARITHMETIC
    put(at + 4, subgroupAdd(mine));
    put(at + 5, subgroupMax(mine));
    put(at + 6, subgroupMin(mine));
    put(at + 7, subgroupInclusiveAdd(mine));
    put(at + 8, subgroupExclusiveAdd(mine));
    put(at + 9, uint(subgroupMax(float(mine))));
#elif CLUSTERED
    put(at + 4, subgroupClusteredAdd(mine, 4));
    put(at + 5, subgroupClusteredMax(mine, 4));
#elif VOTE
    put(at + 4, uint(subgroupAll(lane < gl_SubgroupSize)));
    put(at + 5, uint(subgroupAny(lane == 0)));
    put(at + 6, uint(subgroupAll(lane == 0)));
    put(at + 7, uint(subgroupAny(lane >= gl_SubgroupSize)));
#elif BALLOT
    put(at + 4, subgroupBroadcastFirst(mine));
    put(at + 5, subgroupBallotBitCount(subgroupBallot((mine & 1) != 0)));
    put(at + 6, subgroupBallotExclusiveBitCount(subgroupBallot((mine & 1) != 0)));
#endif
}
