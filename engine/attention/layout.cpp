#include "engine/attention/layout.hpp"

#include <algorithm>
#include <utility>

namespace attnscope {

RowId row_id(const Problem& p, uint64_t r) {
  const uint64_t head = r / p.seq_q;
  return {uint32_t(head / p.heads_q), uint32_t(head % p.heads_q), uint32_t(r % p.seq_q)};
}

Layout::Layout(const Problem& p, std::vector<uint32_t> page_table)
    : varlen_(!p.varlen.empty()),
      causal_(p.causal),
      heads_q_(p.heads_q),
      heads_kv_(p.heads_kv),
      seq_q_(p.seq_q),
      seq_kv_(p.seq_kv),
      page_size_(p.page_size),
      pages_each_(p.pages()),
      lengths_(p.varlen),
      pages_(std::move(page_table)),
      starts_(1, 0) {
  for (const uint32_t length : lengths_) starts_.push_back(starts_.back() + length);
}

uint32_t Layout::visible(uint32_t batch, uint32_t query) const {
  const int64_t n = keys(batch);
  if (!causal_) return uint32_t(n);
  return uint32_t(std::clamp<int64_t>(int64_t{query} + 1 + n - queries(batch), 0, n));
}

}  // namespace attnscope
