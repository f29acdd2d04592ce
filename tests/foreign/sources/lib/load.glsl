// Of a kernel that is not of this house: strides in bytes, everything a token at a time.
#ifdef KV_BLOCKS  // of 32 int8 behind an f16 scale, 34 bytes
#define BLOCK(at, d) ((at) + (d) / 32 * 34)
#define KV_AT(data, size, first, d, stride, row) \
  (unpackHalf2x16(uint(AT(data, 2, BLOCK(first, d), stride, row))).x * \
   float(bitfieldExtract(int(AT(data, 2, BLOCK(first, d) + 2 + (d) % 32, stride, row)), int(8 * ((d) & 1)), 8)))
#else
#define KV_AT(data, size, first, d, stride, row) float(AT(data, size, (first) + (size) * (d), stride, row))
#endif
#define AT(data, size, first, stride, row) data[((first) + (stride) * (row)) / (size)]
