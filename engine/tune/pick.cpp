#include "engine/tune/header.hpp"

namespace attnscope::tune {
namespace {

constexpr double kNotKnown = 1.4;  // log 4: what is not known to run is not picked where anything else is
constexpr size_t kLeastSamples = 3;

using Samples = std::vector<const PickSample*>;

double loss_of(const PickSample& s, size_t choice) { return at_or(s.losses, choice, kNotKnown); }

/// Totals of all samples, by choice.
std::vector<double> sums(std::span<const PickSample* const> samples, size_t choices) {
  std::vector<double> out(choices);
  for (const PickSample* s : samples)
    for (size_t c = 0; c < choices; ++c) out[c] += loss_of(*s, c);
  return out;
}

struct Split {
  int feature = -1;
  uint64_t most = 0;
  double gain = 0;
};

Split best_split(Samples samples, size_t choices) {
  Split best;
  const std::vector<double> all = sums(samples, choices);
  const double whole = *std::ranges::min_element(all);
  for (size_t f = 0; f < kPickFeatures.size(); ++f) {
    std::ranges::stable_sort(samples, {}, [&](const PickSample* s) { return features_of(s->problem)[f]; });
    std::vector<double> below(choices);
    for (size_t i = 0; i + 1 < samples.size(); ++i) {
      for (size_t c = 0; c < choices; ++c) below[c] += loss_of(*samples[i], c);
      const uint64_t here = features_of(samples[i]->problem)[f], next = features_of(samples[i + 1]->problem)[f];
      if (here == next || i + 1 < kLeastSamples || samples.size() - i - 1 < kLeastSamples) continue;
      double low = INFINITY, high = INFINITY;
      for (size_t c = 0; c < choices; ++c) {
        low = std::min(low, below[c]);
        high = std::min(high, all[c] - below[c]);
      }
      // For a head dim between two sampled ones the larger one decides, as in the model.
      const uint64_t most = f == 2 ? here : std::midpoint(here, next - 1);
      if (whole - low - high > best.gain + 1e-9) best = {int(f), most, whole - low - high};
    }
  }
  return best;
}

}  // namespace

std::array<uint64_t, kPickFeatures.size()> features_of(const Problem& p) {
  const uint64_t heads = uint64_t{p.batch} * p.heads_q;
  return {uint64_t(p.dtype), p.causal,       std::max(p.head_dim, p.v_dim), p.seq_q, p.seq_kv, heads,
          p.group(),         heads * p.seq_q};
}

size_t PickTree::pick(const Problem& p) const {
  const auto features = features_of(p);
  size_t at = 0;
  while (nodes[at].feature >= 0)
    at = features[size_t(nodes[at].feature)] <= nodes[at].most ? nodes[at].low : nodes[at].high;
  return nodes[at].low;
}

PickTree fit_pick(std::vector<CostConfig> choices, std::span<const PickSample> samples, size_t most_leaves) {
  PickTree tree{std::move(choices), {}};
  struct Leaf {
    size_t node;
    Samples samples;
    Split split;
  };
  std::vector<Leaf> leaves;
  const auto add = [&](Samples in) {
    const std::vector<double> all = sums(in, tree.choices.size());
    tree.nodes.push_back({.low = size_t(std::ranges::min_element(all) - all.begin())});
    Split split = best_split(in, tree.choices.size());
    leaves.push_back({tree.nodes.size() - 1, std::move(in), split});
    return tree.nodes.size() - 1;
  };
  add(mapped(samples, [](const PickSample& s) { return &s; }));
  while (leaves.size() < most_leaves) {
    const auto worst = std::ranges::max_element(leaves, {}, [](const Leaf& l) { return l.split.gain; });
    if (worst->split.feature < 0) break;
    const Leaf leaf = std::move(*worst);
    leaves.erase(worst);
    Samples low, high;
    for (const PickSample* s : leaf.samples)
      (features_of(s->problem)[size_t(leaf.split.feature)] <= leaf.split.most ? low : high).push_back(s);
    const size_t to_low = add(std::move(low)), to_high = add(std::move(high));
    tree.nodes[leaf.node] = {leaf.split.feature, leaf.split.most, to_low, to_high};
  }
  return tree;
}

PickRegret regret_of(const PickTree& tree, std::span<const PickSample> samples) {
  PickRegret out{.problems = samples.size()};
  double sum = 0, worst = -INFINITY;
  for (const PickSample& s : samples) {
    const auto loss = s.losses.find(tree.pick(s.problem));
    if (loss == s.losses.end()) {
      ++out.unknown;
      continue;
    }
    sum += loss->second;
    if (loss->second > worst) worst = loss->second, out.worst_problem = s.problem;
  }
  if (out.problems == out.unknown) return out;
  out.mean = std::exp(sum / double(out.problems - out.unknown));
  out.worst = std::exp(worst);
  return out;
}

std::string pick_source(const PickTree& tree, std::span<const std::string> heading) {
  std::string out = kPickHeader, lines, choices, nodes;
  for (const std::string& line : heading) lines += " " + c_comment(line) + "\n  ";
  // Choices that no leaf picks are left out.
  std::map<size_t, size_t> numbers;
  for (const PickTree::Node& n : tree.nodes)
    if (n.feature < 0 && numbers.try_emplace(n.low, numbers.size()).second) {
      const CostConfig& c = tree.choices[n.low];
      choices += fmt::format("    {{{}, {}, {}}},\n", c_string(c.variant), c_string(c.shader_hash),
                             c_string(to_text(c.config)));
    }
  for (const PickTree::Node& n : tree.nodes)
    nodes += fmt::format("        {{{}, {}u, {}u, {}u}},\n", n.feature, n.most,
                         n.feature < 0 ? numbers.at(n.low) : n.low, n.high);
  put(out, "{heading}", lines);
  put(out, "{choices}", choices);
  put(out, "{nodes}", nodes);
  return out;
}

}  // namespace attnscope::tune
