// What the checks share: words in, words out. With FAULT the second word is wrong.
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint SIZE = 32;
layout(set = 0, binding = 0) readonly buffer Given { uint given[]; };
layout(set = 0, binding = 1) buffer Found { uint found[]; };

void put(uint i, uint word) {
#if FAULT
    if (i == 1) word ^= 0x41000000u;
#endif
    found[i] = word;
}
void put(uint i, float x) { put(i, floatBitsToUint(x)); }
