// Who owns what. A workgroup is KV_SPLIT teams; a team is a grid of TILE_Y x LANES threads over a BLOCK_M x BLOCK_N
// tile of scores. A thread owns THREAD_M rows and THREAD_N columns of the scores, and of the output the same rows with
// OUT_VECTORS groups of four dims. Rows and columns come in fours, so that operands are read as vec4:
//   rows 4 (ty + g TILE_Y) + 0..3,  columns 4 (tx + h LANES) + 0..3,  dims 4 (tx + c LANES) + 0..3
//
// Neighbouring threads differ in ty first (two rows), then in tx: a quarter of a 32-wide subgroup then reads four
// distinct vectors of one operand and two of the other, which costs shared memory the fewest passes.
#ifndef SIMT_GRID_GLSL
#define SIMT_GRID_GLSL

const uint LANES = BLOCK_N / THREAD_N;
const uint TILE_Y = BLOCK_M / THREAD_M;
const uint TEAM = TILE_Y * LANES;
const uint ROW_FOURS = THREAD_M / 4u;
const uint COLUMN_FOURS = THREAD_N / 4u;
const uint OUT_VECTORS = (V_DIM + 4u * LANES - 1u) / (4u * LANES);
const uint OUT_ROW = OUT_VECTORS * LANES;  // a padded row of V or O, in vec4
// The threads of a row sit in one subgroup, whatever size the device picks; else they meet in shared memory.
const bool ROW_IN_SUBGROUP = 2u * LANES <= MIN_SUBGROUP_SIZE;

uint tx, ty, team, member;  // place in the grid, which team, index in the team
uint batch_at, head_at;

void grid_begin(uint b, uint head) {
    uint thread = gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID;
    team = thread / TEAM;
    member = thread % TEAM;
    ty = (member & 1u) | (member / (2u * LANES)) << 1;
    tx = (member >> 1) % LANES;
    batch_at = b;
    head_at = head;
}

uint tile_row(uint r) { return 4u * (ty + r / 4u * TILE_Y) + r % 4u; }
uint tile_column(uint h) { return 4u * (tx + h * LANES); }

#endif
