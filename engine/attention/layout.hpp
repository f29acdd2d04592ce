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
  uint32_t queries(uint32_t batch) const { return p_.varlen.empty() ? p_.seq_q : p_.varlen[batch]; }
  uint32_t keys(uint32_t batch) const { return p_.varlen.empty() ? p_.seq_kv : p_.varlen[batch]; }
  /// Of Q and of O.
  uint64_t q_row(uint32_t batch, uint32_t head, uint32_t query) const {
    return p_.varlen.empty() ? (uint64_t{batch} * p_.heads_q + head) * p_.seq_q + query
                             : (starts_[batch] + query) * p_.heads_q + head;
  }
  /// Of K and of V, as stored.
  uint64_t kv_row(uint32_t batch, uint32_t head, uint32_t key) const {
    if (p_.page_size == 0) return kv_row_contiguous(batch, head, key);
    const uint64_t page = pages_[batch * p_.pages() + key / p_.page_size];
    return (page * p_.heads_kv + head) * p_.page_size + key % p_.page_size;
  }
  uint64_t kv_row_contiguous(uint32_t batch, uint32_t head, uint32_t key) const {
    return p_.varlen.empty() ? (uint64_t{batch} * p_.heads_kv + head) * p_.seq_kv + key
                             : (starts_[batch] + key) * p_.heads_kv + head;
  }
  /// Where the list of a query begins; only with topk.
  uint64_t list_row(uint32_t batch, uint32_t kv_head, uint32_t query) const {
    return ((uint64_t{batch} * p_.heads_kv + kv_head) * p_.seq_q + query) * p_.topk;
  }
  /// The mask's element of a query and key 0; only with a mask.
  uint64_t mask_row(uint32_t batch, uint32_t query) const {
    return ((p_.mask == MaskKind::batch ? uint64_t{batch} * p_.seq_q : 0) + query) * p_.seq_kv;
  }
  /// A query sees keys first_visible() to visible() - 1, if any: all, by the causal mask the first
  /// query + 1 + (keys - queries), and of those what a window leaves.
  uint32_t visible(uint32_t batch, uint32_t query) const;
  uint32_t first_visible(uint32_t batch, uint32_t query) const;

 private:
  Problem p_;
  std::vector<uint32_t> pages_;
  std::vector<uint64_t> starts_{0};
};

}  // namespace attnscope
