#include "app/cli/random_problem.hpp"

#include "engine/attention/packed_types.hpp"

namespace attnscope::cli {
namespace {

/// What the variant takes beyond plain attention, each now and then. Nothing is drawn for one that takes nothing.
void add_options(Random& r, const VariantInfo& variant, Problem& p) {
  const auto takes = [&](std::string_view option) { return contains(variant.options, option); };
  if (takes("window") && r.chance(25)) p.window = r.chance(20) ? 1 : r.between(1, p.seq_kv + 20);
  if (takes("softcap") && r.chance(20)) p.softcap = r.pick(std::vector<double>{50, 30, 20, 5, 1});
  if (takes("sinks") && r.chance(25)) p.sinks = true;
  if (p.varlen.empty() && takes("mask") && r.chance(25))
    p.mask = takes("alibi") && r.chance(40)
                 ? MaskKind::alibi
                 : r.pick(p.causal ? std::vector{MaskKind::shared, MaskKind::batch}
                                   : std::vector{MaskKind::shared, MaskKind::batch, MaskKind::causal});
  if (takes("packed_kv") && r.chance(35)) {
    const auto any = [&] { return KvType(r.between(r.chance(10) ? 0 : 1, uint32_t(packed_types().size()))); };
    p.k_type = any();
    p.v_type = r.chance(60) ? p.k_type : any();
  }
  p.mla = takes("mla") && r.chance(10);
  if (p.mla) {
    p.v_type = p.k_type;
    p.head_dim = std::max(p.head_dim, p.v_dim) + r.pick(std::vector<uint32_t>{0, 8, 64});
  }
  for (const auto& [dim, type] : {std::pair{&p.head_dim, p.k_type}, {&p.v_dim, p.v_type}}) {
    const uint32_t block = std::max(p.mla ? 8u : 1u, type == KvType::as_dtype ? 1 : packed_type(type).block);
    *dim = (*dim + block - 1) / block * block;
  }
  if (p.varlen.empty() && p.window == 0 && takes("topk") && r.chance(15)) p.topk = r.between(1, p.seq_kv);
}

constexpr double kMostFlops = 2.5e12, kMostBytes = 3e9;

/// Evenly by logarithm; every other one a multiple of 64.
uint32_t length(Random& r, uint32_t low, uint32_t high) {
  const auto any = uint32_t(double(low) * std::pow(double(high) / low, r.unit()));
  return r.chance(50) ? std::max(64u, any / 64 * 64) : std::max(1u, any);
}

Problem draw(Random& r) {
  Problem p;
  const uint32_t kind = r.between(1, 100);
  p.heads_q = r.pick(std::vector<uint32_t>{4, 8, 12, 14, 16, 20, 24, 28, 32, 40, 48, 64});
  p.heads_kv =
      p.heads_q / r.pick(filtered(std::array{1u, 1u, 2u, 4u, 7u, 8u}, [&](uint32_t g) { return p.heads_q % g == 0; }));
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

Problem random_problem(Random& r, const VariantInfo& variant) {
  Problem p;
  std::vector<DType> types;
  for (const std::string& name : variant.dtypes)
    if (Result<DType> t = parse_dtype(name)) types.push_back(*t);
  if (!types.empty()) p.dtype = r.pick(types);
  p.batch = r.between(1, 3);
  const uint32_t group = r.pick(std::vector<uint32_t>{1, 1, 1, 2, 3, 4, 7});
  p.heads_kv = r.between(1, 3);
  p.heads_q = p.heads_kv * group;
  p.head_dim = r.pick(std::vector<uint32_t>{16, 32, 40, 64, 64, 72, 80, 96, 112, 128, 128, 192, 256});
  if (r.chance(10)) p.head_dim = r.between(1, 200);
  p.v_dim = r.chance(85) ? p.head_dim : r.pick(std::vector<uint32_t>{32, 64, 80, 128});
  p.seq_q = r.chance(10) ? 1 : r.between(1, 130);
  p.seq_kv = r.chance(60) ? p.seq_q : r.chance(10) ? 1 : r.between(1, 200);
  p.causal = r.chance(35);
  switch (r.between(0, 11)) {
    case 0:  // wide heads, few rows
    case 1:
      p.batch = 1;
      p.head_dim = p.v_dim = r.pick(std::vector<uint32_t>{512, 768, 1024, 2048, 4096});
      p.seq_q = r.between(1, 24);
      p.seq_kv = r.between(1, 40);
      break;
    case 2:  // decoding
    case 3:
      p.batch = r.between(1, 2);
      p.seq_q = r.between(1, 8);
      p.seq_kv = r.between(200, 3000);
      p.head_dim = p.v_dim = r.pick(std::vector<uint32_t>{64, 128});
      break;
    case 4: {  // packed sequences
      const uint32_t sequences = r.between(1, 4);
      for (uint32_t i = 0; i < sequences; ++i) p.varlen.push_back(r.between(1, 120));
      p.batch = sequences;
      p.seq_q = p.seq_kv = *std::ranges::max_element(p.varlen);
      break;
    }
    case 5:  // a paged cache
      p.page_size = r.pick(std::vector<uint32_t>{16, 32, 64});
      p.seq_q = r.between(1, 8);
      p.seq_kv = r.between(1, 500);
      break;
    case 6: p.inputs = InputKind::large; break;
    case 7: p.inputs = InputKind::one_hot; break;
    case 8: p.inputs = InputKind::ramp; break;
    default: break;
  }
  if (r.chance(5)) p.scale = 0.25;
  add_options(r, variant, p);
  return p;
}

Problem draw_problem(Random& r, double most_flops) {
  const double limit = most_flops > 0 ? most_flops : kMostFlops;
  for (;;) {
    Problem p = draw(r);
    const double flops = 4.0 * p.batch * p.heads_q * p.seq_q * double(p.seq_kv) * p.head_dim;
    const double bytes = 4.0 * p.batch * p.head_dim * (double(p.heads_q) * p.seq_q + double(p.heads_kv) * p.seq_kv);
    if (flops <= (p.dtype == DType::f32 ? limit / 4 : limit) && bytes <= kMostBytes) return p;
  }
}

}  // namespace attnscope::cli
