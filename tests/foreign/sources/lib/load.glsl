// Of a kernel that is not of this house: strides in bytes, everything a token at a time.
#define AT(data, size, first, stride, row) data[((first) + (stride) * (row)) / (size)]
