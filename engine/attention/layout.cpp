#include "engine/attention/layout.hpp"

namespace attnscope {

RowId row_id(const Problem& p, uint64_t r) {
  const uint64_t head = r / p.seq_q;
  return {uint32_t(head / p.heads_q), uint32_t(head % p.heads_q), uint32_t(r % p.seq_q)};
}

std::pair<RowId, uint32_t> element_id(const Problem& p, uint64_t i) {
  const uint64_t row = i / p.v_dim;
  const auto dim = uint32_t(i % p.v_dim);
  if (p.varlen.empty()) return {row_id(p, row), dim};
  uint64_t query = row / p.heads_q;
  uint32_t sequence = 0;
  while (query >= p.varlen[sequence]) query -= p.varlen[sequence++];
  return {{sequence, uint32_t(row % p.heads_q), uint32_t(query)}, dim};
}

Layout::Layout(const Problem& p, std::vector<uint32_t> page_table) : p_(p), pages_(std::move(page_table)) {
  for (const uint32_t length : p_.varlen) starts_.push_back(starts_.back() + length);
}

uint32_t Layout::visible(uint32_t batch, uint32_t query) const {
  const int64_t n = keys(batch);
  if (!p_.sees_no_future() && p_.window == 0) return uint32_t(n);
  const int64_t reach = p_.sees_no_future() ? 1 : p_.window;
  return uint32_t(std::clamp<int64_t>(int64_t{query} + reach + n - queries(batch), 0, n));
}

uint32_t Layout::first_visible(uint32_t batch, uint32_t query) const {
  if (p_.window == 0) return 0;
  return uint32_t(std::max<int64_t>(int64_t{query} + 1 + keys(batch) - queries(batch) - p_.window, 0));
}

}  // namespace attnscope
