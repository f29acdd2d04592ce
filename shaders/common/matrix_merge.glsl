// Part of main: the upper half of the teams joins the lower half, until one is left, whose output o, maxima m and sums
// l are then those of all keys. A lane's share of a matrix is the same in every subgroup, so maxima and sums travel by
// lane, and the output through the staging area.
if (KEY_SPLIT > 1) [[unroll]] for (uint joined = 2; joined <= KEY_SPLIT; joined *= 2) {
    const uint stay = KEY_SPLIT / joined;
    const uint place = (team & (stay - 1)) * TEAM + seat;
    barrier();
    if (team >= stay && team < 2 * stay)
        [[unroll]] for (uint r = 0; r < ROWS; ++r) {
            [[unroll]] for (uint c = 0; c < CLASSES; ++c)
                team_softmax[((place * ROWS + r) * CLASSES + c) * SUBGROUP + gl_SubgroupInvocationID] =
                    vec2(m[r][c], l[r][c]);
            [[unroll]] for (uint d = 0; d < WIDTH; ++d)
                coopMatStore(o[r][d], stage, (place * ROWS + r) * MAT_M * LO + d * MAT_N / 4, LO, BY_ROW);
        }
    barrier();
    if (team < stay)
        [[unroll]] for (uint r = 0; r < ROWS; ++r) {
            float mine[CLASSES], theirs[CLASSES];
            [[unroll]] for (uint c = 0; c < CLASSES; ++c) {
                vec2 other = team_softmax[((place * ROWS + r) * CLASSES + c) * SUBGROUP + gl_SubgroupInvocationID];
                float top = max(m[r][c], other.x);
                mine[c] = exp2(m[r][c] - top);
                theirs[c] = exp2(other.x - top);
                m[r][c] = top;
                l[r][c] = l[r][c] * mine[c] + other.y * theirs[c];
            }
            [[unroll]] for (uint d = 0; d < WIDTH; ++d) {
                MATRIX_C other;
                coopMatLoad(other, stage, (place * ROWS + r) * MAT_M * LO + d * MAT_N / 4, LO, BY_ROW);
                [[unroll]] for (uint i = 0; i < MAT_ELEMENTS; ++i)
                    o[r][d][i] = o[r][d][i] * mine[i >> MAT_ROW_SHIFT] + other[i] * theirs[i >> MAT_ROW_SHIFT];
            }
        }
}
