#include "app/cli/problem_space.hpp"

#include <algorithm>
#include <cmath>

namespace attnscope::cli {
namespace {

constexpr double kMostFlops = 2.5e12, kMostBytes = 3e9;

/// Evenly by logarithm; every other one a multiple of 64.
uint32_t length(Random& r, uint32_t low, uint32_t high) {
  const double share = double(r.next() >> 11) * 0x1p-53;
  const auto any = uint32_t(double(low) * std::pow(double(high) / low, share));
  return r.chance(50) ? std::max(64u, any / 64 * 64) : std::max(1u, any);
}

Problem draw(Random& r) {
  Problem p;
  const uint32_t kind = r.between(1, 100);
  p.heads_q = r.pick(std::vector<uint32_t>{4, 8, 12, 14, 16, 20, 24, 28, 32, 40, 48, 64});
  std::vector<uint32_t> groups;
  for (const uint32_t g : {1u, 1u, 2u, 4u, 7u, 8u})
    if (p.heads_q % g == 0) groups.push_back(g);
  p.heads_kv = p.heads_q / r.pick(groups);
  p.head_dim = p.v_dim = r.pick(std::vector<uint32_t>{32, 40, 64, 64, 72, 80, 96, 112, 128, 128, 128, 160, 192, 256});
  p.batch = r.pick(std::vector<uint32_t>{1, 1, 1, 2, 4, 8});
  p.dtype = r.chance(25) ? DType::bf16 : DType::f16;
  if (kind <= 60) {
    p.seq_q = p.seq_kv = length(r, 128, 16384);
    p.causal = r.chance(50);
    if (kind > 50) p.dtype = DType::f32;
  } else if (kind <= 70) {
    p.seq_q = length(r, 64, 8192);
    p.seq_kv = length(r, 32, 4096);
  } else {
    p.seq_kv = length(r, 512, 131072);
    p.batch = r.pick(std::vector<uint32_t>{1, 1, 2, 4, 8, 16, 32, 64});
    p.seq_q = r.pick(std::vector<uint32_t>{1, 1, 1, 1, 2, 4, 8});
    p.causal = p.seq_q > 1;
  }
  return p;
}

}  // namespace

Problem draw_problem(Random& r, double most_flops) {
  const double limit = most_flops > 0 ? most_flops : kMostFlops;
  for (;;) {
    const Problem p = draw(r);
    const double flops = 4.0 * p.batch * p.heads_q * p.seq_q * double(p.seq_kv) * p.head_dim;
    const double bytes = 4.0 * p.batch * p.head_dim * (double(p.heads_q) * p.seq_q + double(p.heads_kv) * p.seq_kv);
    if (flops <= (p.dtype == DType::f32 ? limit / 4 : limit) && bytes <= kMostBytes) return p;
  }
}

}  // namespace attnscope::cli
