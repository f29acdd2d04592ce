// Other inputs, made in place and undone by doing the same again, alike to the bit on device and CPU.
#pragma once

#include "engine/attention/tensor.hpp"

namespace attnscope {

enum class InputTensor : uint32_t { q, k, v, sinks, mask, pages, lists };

/// How the 32-bit words of one tensor change: within each row, pairs of words swap places and elements turn their signs
/// as a hash of `seed` says. Also the push constants of the device's kernel, member by member.
struct InputChange {
  enum Kind : uint32_t { plain = 0, blocks = 1, finite_f16 = 2, keys = 3, pages = 4 };
  uint32_t words = 0;        ///< of the tensor, a partial one at the end included
  uint32_t last_mask = ~0u;  ///< bits of the last word that belong to the tensor
  uint32_t row_words = 1;    ///< a row is a whole number of words, or 1: nothing is swapped; of blocks: their bytes
  uint32_t swapping = 0;     ///< words of a row, from its first on, that swap; of blocks: the bytes before the elements
  uint32_t swap = 0;         ///< word w of a row swaps with w ^ swap
  uint32_t signs = 0;        ///< the sign bits of a word's elements; of blocks: their lowest bits
  uint32_t seed = 0;         ///< 0 = nothing changes, whatever the other fields
  /// blocks: some elements have all bits turned, and some scales their sign; finite_f16: what is finite turns, in words
  /// that swap; keys: each key becomes its neighbour, among the first swapping + (row mod signs) keys;
  /// pages: rows are sequences, and also swap with those at their place ^ `signs`
  uint32_t kind = plain;
  uint32_t halving = 0;  ///< the lowest exponent bits of a word's elements: they turn in half of the rows, by a hash
  uint32_t one_of = 1;   ///< of so many rows, or blocks, some words of one change; above 1 half of the pages swap
};

/// Seeds other than 0 change Q, K, V, the mask, sinks, lists of keys, and which pages of a paged cache belong to which
/// sequence, and in what order. Of mask=causal what is hidden stays so. Kept: sequence lengths, and the mask of
/// mask=alibi, which is a function of the place. The distribution of the values stays about that of
/// `InputKind::normal`, `large` and `wide`: in random rows of V, and of K where scores are not large, elements are
/// doubled or halved. Those of blocks turn to the other side of the middle. Of `some_rows` a few words of a few rows
/// change, or some of the pages.
InputChange input_change(const Problem&, InputTensor, uint64_t tensor_bytes, uint32_t seed, bool some_rows = false);
inline bool changes_mask(const Problem& p) { return p.draws_mask() || p.mask == MaskKind::causal; }
/// On the host. Twice is as before.
void change(std::span<std::byte> tensor, const InputChange&);
/// Of `tensors`, bits by InputTensor, or of one of them some rows.
inline constexpr uint32_t kAllTensors = 0x7f, kSomeRows = 0x80;
void change_inputs(const Problem&, Inputs&, uint32_t seed, uint32_t tensors = kAllTensors);
/// Some of the tensors, by `seed`: a kernel may keep what it made of one, and take others for a sign that nothing
/// changed. Two parts of Q, K and V, or of small ones eight, then each of the other tensors that the problem has alone.
std::vector<uint32_t> parts_of_tensors(const Problem&, uint32_t seed);

}  // namespace attnscope
