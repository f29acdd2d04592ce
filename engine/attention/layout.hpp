// Where a row of Q, K, V or O lies in its tensor: dense, packed (varlen) or paged.
#pragma once

#include "engine/attention/problem.hpp"

namespace attnscope {

/// Query row r of the reference: r = (batch * heads_q + head) * seq_q + query.
struct RowId {
  uint32_t batch = 0, head = 0, query = 0;
  bool operator==(const RowId&) const = default;
};
RowId row_id(const Problem&, uint64_t r);
/// The row and dim of element i of O; with varlen `batch` is the sequence.
std::pair<RowId, uint32_t> element_id(const Problem&, uint64_t i);

/// Row indices; multiply by head_dim or v_dim for the first element.
class Layout {
 public:
  /// `page_table` may be empty for a contiguous cache; it is copied, so that a Layout stands alone.
  Layout(const Problem&, std::vector<uint32_t> page_table);
  uint32_t queries(uint32_t batch) const { return varlen_ ? lengths_[batch] : seq_q_; }
  uint32_t keys(uint32_t batch) const { return varlen_ ? lengths_[batch] : seq_kv_; }
  /// Of Q and of O.
  uint64_t q_row(uint32_t batch, uint32_t head, uint32_t query) const {
    return varlen_ ? (starts_[batch] + query) * heads_q_ + head : (uint64_t{batch} * heads_q_ + head) * seq_q_ + query;
  }
  /// Of K and of V, as stored.
  uint64_t kv_row(uint32_t batch, uint32_t head, uint32_t key) const {
    if (page_size_ == 0) return kv_row_contiguous(batch, head, key);
    const uint64_t page = pages_[batch * pages_each_ + key / page_size_];
    return (page * heads_kv_ + head) * page_size_ + key % page_size_;
  }
  uint64_t kv_row_contiguous(uint32_t batch, uint32_t head, uint32_t key) const {
    return varlen_ ? (starts_[batch] + key) * heads_kv_ + head : (uint64_t{batch} * heads_kv_ + head) * seq_kv_ + key;
  }
  /// Where the list of a query begins; only with topk.
  uint64_t list_row(uint32_t batch, uint32_t kv_head, uint32_t query) const {
    return ((uint64_t{batch} * heads_kv_ + kv_head) * seq_q_ + query) * topk_;
  }
  /// The mask's element of a query and key 0; only with a mask.
  uint64_t mask_row(uint32_t batch, uint32_t query) const {
    return ((mask_ == MaskKind::batch ? uint64_t{batch} * seq_q_ : 0) + query) * seq_kv_;
  }
  /// A query sees keys first_visible() to visible() - 1, if any: all, by the causal mask the first
  /// query + 1 + (keys - queries), and of those what a window leaves.
  uint32_t visible(uint32_t batch, uint32_t query) const;
  uint32_t first_visible(uint32_t batch, uint32_t query) const;

 private:
  bool varlen_, causal_;
  uint32_t window_;
  MaskKind mask_;
  uint32_t heads_q_, heads_kv_, seq_q_, seq_kv_, page_size_, topk_;
  uint64_t pages_each_;
  std::vector<uint32_t> lengths_, pages_;
  std::vector<uint64_t> starts_;
};

}  // namespace attnscope
