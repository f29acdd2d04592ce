#include "app/cli/random_problem.hpp"

#include <algorithm>

namespace attnscope::cli {

uint64_t Random::next() {
  uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

uint32_t Random::between(uint32_t low, uint32_t high) { return low + static_cast<uint32_t>(next() % (high - low + 1)); }

namespace {

/// What the variant takes beyond plain attention, each now and then. Nothing is drawn for a variant that takes nothing:
/// its problems stay those of earlier versions.
void add_options(Random& r, const VariantInfo& variant, Problem& p) {
  const auto takes = [&](std::string_view option) {
    return std::find(variant.options.begin(), variant.options.end(), option) != variant.options.end();
  };
  if (takes("window") && r.chance(25)) p.window = r.chance(20) ? 1 : r.between(1, p.seq_kv + 20);
  if (takes("softcap") && r.chance(20)) p.softcap = r.pick(std::vector<double>{50, 30, 20, 5, 1});
  if (takes("sinks") && r.chance(25)) p.sinks = true;
  if (p.varlen.empty() && takes("mask") && r.chance(25))
    p.mask = takes("alibi") && r.chance(40)
                 ? MaskKind::alibi
                 : r.pick(p.causal ? std::vector{MaskKind::shared, MaskKind::batch}
                                   : std::vector{MaskKind::shared, MaskKind::batch, MaskKind::causal});
  if (takes("f8e4m3") && r.chance(15)) p.kv_type = KvType::f8e4m3;
  if (takes("q8_0") && r.chance(20)) {
    p.kv_type = KvType::q8_0;
    for (uint32_t* dim : {&p.head_dim, &p.v_dim}) *dim = (*dim + kQ8Block - 1) / kQ8Block * kQ8Block;
  }
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
      p.seq_q = p.seq_kv = *std::max_element(p.varlen.begin(), p.varlen.end());
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

Config random_config(Random& r, const VariantInfo& variant) {
  Config config;
  for (const Parameter& p : variant.parameters) config[p.name] = r.pick(p.values);
  return config;
}

}  // namespace attnscope::cli
