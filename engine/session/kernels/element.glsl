// An element of any storage type is taken out of its word, so that no feature is needed.
float element(uint word, uint i, uint dtype) {
  if (dtype == 0) return uintBitsToFloat(word);
  const uint half_word = (i & 1u) == 0u ? word & 0xffffu : word >> 16;
  return dtype == 1 ? unpackHalf2x16(half_word).x : uintBitsToFloat(half_word << 16);
}
