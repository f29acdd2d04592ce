// Products of bf16 matrices, of which the language that is compiled here has no type (GL_EXT_bfloat16): SPIR-V's own,
// by number (SPV_KHR_bfloat16, SPV_KHR_cooperative_matrix).
//
// Everywhere else an operand is a matrix of float16_t that carries bf16's bits: it is loaded, kept and filled by
// element as one, and turned into what it means at the product alone.
#ifndef ATTN_MATRIX_BF16_GLSL
#define ATTN_MATRIX_BF16_GLSL

#extension GL_EXT_spirv_intrinsics : require

// Named, since the compiler writes a literal itself into the instruction, and what a name stands for as a constant.
const uint BF16_SCOPE = gl_ScopeSubgroup, BF16_SIZE = 16, BF16_USE_A = 0, BF16_USE_B = 1;
#define BF16 spirv_type(extensions = ["SPV_KHR_bfloat16"], capabilities = [5116, 5118], id = 22, 16, 0)
#define BF16_A spirv_type(id = 4456, BF16, BF16_SCOPE, BF16_SIZE, BF16_SIZE, BF16_USE_A)
#define BF16_B spirv_type(id = 4456, BF16, BF16_SCOPE, BF16_SIZE, BF16_SIZE, BF16_USE_B)
spirv_instruction(id = 124) BF16_A bf16_bits_a(MATRIX_A bits);
spirv_instruction(id = 124) BF16_B bf16_bits_b(MATRIX_B bits);
spirv_instruction(id = 4459) MATRIX_C bf16_multiply_add(BF16_A a, BF16_B b, MATRIX_C c);
#define MULTIPLY_ADD(a, b, c) bf16_multiply_add(bf16_bits_a(a), bf16_bits_b(b), c)

#endif
