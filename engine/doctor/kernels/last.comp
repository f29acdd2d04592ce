#version 460
#include "check.glsl"

// The last word that an index reaches.
void main() {
    uint last = uint(found.length()) - 1;
#if FAULT
    --last;
#endif
    found[last] = given[0];
}
