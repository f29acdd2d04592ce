#include "engine/tune/cost_model.hpp"

#include "engine/input/file.hpp"
#include "engine/record/json_fields.hpp"
#include "engine/record/results.hpp"
#include "engine/tune/fields_tune.hpp"
#include "engine/tune/random.hpp"

namespace attnscope::tune {
namespace {

namespace fs = std::filesystem;

// Found by leaving out each problem of an H200's model (docs/performance.md, "Choosing").
constexpr double kCachedMb = 40;     // K and V up to here are read from a cache
constexpr double kFarFrom = 3;       // times the best: what is slower counts less
constexpr double kFarWeight = 0.03;  // of problems far from this one
// A config is put back by exp(kDoubt / times on near problems): few times fit anything.
constexpr double kDoubt = 0.1, kLeastNear = 0.1;
/// Log of how much more than the mean an option is held to cost a config that was not measured with it.
constexpr double kUntold = 0.05;
/// Where few problems with several options are near, these are held to cost what each costs alone. A problem without
/// one of them counts less.
constexpr double kFewTogether = 0.5, kMissingOption = 0.5;
constexpr uint32_t kFewQueries = 16;
/// A problem of so many times the key tiles measured takes at least that share of what those would one after the other.
constexpr double kBeyond = 2, kBeyondShare = 0.85;
/// Workgroups that differ in steps fill the last turn of the cores in part: it counts for this share of what it lacks.
constexpr double kUnevenTurn = 0.3;

constexpr size_t kTerms = 7;
using Terms = std::array<double, kTerms>;
constexpr size_t kTilesTerm = 2;  ///< turns x key tiles, of few queries in parts of turns
constexpr size_t kTurnsTerm = 3;

bool few_queries(const Problem& p) { return p.seq_q <= kFewQueries; }
/// Log of how far behind the best, on near problems, a config may be to be looked at.
double most_behind(const Problem& p) { return few_queries(p) ? 0.35 : p.dtype == DType::f32 ? 1 : 0.5; }
/// Options that cost some configs more than others, each a bit. Few queries hide a softcap behind their bytes, have
/// fits of their own with packed K and V, and with a window cost what they cost on as many keys as they see (as_seen).
enum Option : size_t { kWindow, kSoftcap, kMask, kAlibi, kPacked, kOptions };
unsigned options_of(const Problem& p) {
  const bool many = !few_queries(p);
  return unsigned(p.windowed() && many) << kWindow | unsigned(p.softcap != 0 && many) << kSoftcap |
         unsigned(p.mask != MaskKind::none && p.mask != MaskKind::alibi) << kMask |
         unsigned(p.mask == MaskKind::alibi) << kAlibi | unsigned(p.packed_kv() && many) << kPacked;
}
Problem as_seen(Problem p) {
  if (few_queries(p) && p.windowed()) {
    p.seq_kv = std::min(p.seq_kv, p.window + p.seq_q - 1);
    p.window = 0;
  }
  return p;
}
/// Whether fits may have both in them: few queries spend their time on reading K and V, packed ones in other ways.
bool fit_together(const Problem& a, const Problem& b) {
  return alike(a, b) && (!few_queries(a) || a.packed_kv() == b.packed_kv());
}
/// What all configs pay alike is left out.
bool reaches(const Problem& p) { return !p.mla && p.topk == 0 && p.varlen.empty(); }
/// Those whose order of configs is not the plain problem's, so that nothing is said without times of them.
constexpr unsigned kNeedTimes = 1u << kMask | 1u << kAlibi | 1u << kPacked;

double best_us(const CostProblem& p) {
  return (*std::ranges::min_element(p.rows, {}, [](const auto& row) { return row[5]; }))[5];
}

double kv_mb(const Problem& p) { return double(p.k_bytes() + p.v_bytes()) / 1e6; }
/// Of K and V, what does not stay in a cache.
double uncached_mb(const Problem& p) { return std::max(0.0, kv_mb(p) - kCachedMb); }

Terms terms_of(const Problem& p, uint32_t cores, double workgroups, double steps, double most, double parts) {
  const double a_core = workgroups / std::max(1u, cores);
  const double whole_turns = std::max(1.0, std::ceil(a_core - 1e-9));
  const double turns = most > steps * 1.001 && a_core > 1 ? std::lerp(a_core, whole_turns, kUnevenTurn) : whole_turns;
  const double rows = double(p.batch) * p.heads_q * p.seq_q;
  const double sums = rows * p.v_dim / 1e6 * parts;
  if (few_queries(p)) {
    // A core holds several workgroups of some of these kernels, so turns need not be whole.
    const double shares = std::max(1.0, a_core);
    return {1, turns * steps, shares * steps, shares, uncached_mb(p), sums, kv_mb(p) * p.group() * p.seq_q};
  }
  return {1, most, turns * steps, turns, uncached_mb(p), sums, turns * steps * std::min(rows / workgroups, 512.0) / 64};
}

/// Query rows of a workgroup, times the splits.
double rows_each(const Problem& p, double workgroups, double parts) {
  return double(p.batch) * p.heads_q * p.seq_q * std::max(1.0, parts) / workgroups;
}

double unlike(double weight, double x, double y) { return std::pow(weight * std::log2(x / y), 2); }
/// How unlike the sizes of two problems are, squared.
double unlike_sizes(const Problem& a, const Problem& b) {
  const auto rows = [](const Problem& p) { return double(p.batch) * p.heads_q * p.seq_q; };
  // Of few queries the rows of a KV head, also in tiles of a matrix: from one to two a kernel's registers double.
  const auto kv_rows = [](const Problem& p) { return double(p.group()) * p.seq_q; };
  return unlike(0.25, rows(a), rows(b)) + unlike(0.4, a.seq_kv, b.seq_kv) + unlike(0.4, a.seq_q, b.seq_q) +
         (few_queries(a)
              ? unlike(2, std::ceil(kv_rows(a) / 16), std::ceil(kv_rows(b) / 16)) + unlike(1, kv_rows(a), kv_rows(b))
              : 0);
}
bool masked(const Problem& p) { return p.causal && p.seq_q > 8; }
/// The same of the problems.
double unlikeness(const Problem& a, const Problem& b) {
  return unlike_sizes(a, b) + (masked(a) != masked(b) ? 8 : 0) + (a.dtype != b.dtype ? 2 : 0) +
         (a.k_type != b.k_type ? 2 : 0) + (a.v_type != b.v_type ? 2 : 0);
}
/// The same where only what an option costs matters. A window costs the more of a short time, the less it leaves.
double unlikeness_of_options(const Problem& a, const Problem& b) {
  const auto in_window = [](const Problem& p) { return double(std::min(p.window, p.seq_kv)); };
  return unlike_sizes(a, b) + (a.windowed() && b.windowed() ? unlike(0.4, in_window(a), in_window(b)) : 0) +
         (masked(a) != masked(b) ? 4 : 0) + (a.dtype != b.dtype ? 1 : 0) +
         std::pow(1.5 * std::log2(double(width(a)) / width(b)), 2);
}

struct Row {
  Terms terms;
  double us = 0, weight = 0;
};

/// Least squares with factors that are not negative (coordinate descent on the normal equations: Franc, Hlavac, Navara
/// 2005, "Sequential Coordinate-Wise Algorithm for the Non-negative Least Squares Problem").
Terms solve(std::span<const Row> rows, std::span<const double> scale, std::span<const double> goal) {
  std::array<Terms, kTerms> g{};
  Terms gradient{};
  for (size_t r = 0; r < rows.size(); ++r)
    for (size_t i = 0; i < kTerms; ++i) {
      const double a = rows[r].terms[i] * scale[r];
      gradient[i] -= a * goal[r];
      for (size_t j = 0; j < kTerms; ++j) g[i][j] += a * rows[r].terms[j] * scale[r];
    }
  for (size_t i = 0; i < kTerms; ++i) g[i][i] = g[i][i] * 1.001 + 1e-30;
  Terms x{};
  constexpr int kRounds = 60;
  for (int round = 0; round < kRounds; ++round)
    for (size_t i = 0; i < kTerms; ++i) {
      const double moved = std::max(0.0, x[i] - gradient[i] / g[i][i]) - x[i];
      if (moved == 0) continue;
      x[i] += moved;
      for (size_t j = 0; j < kTerms; ++j) gradient[j] += g[i][j] * moved;
    }
  return x;
}

double value(const Terms& factors, const Terms& terms) {
  double sum = 0;
  for (size_t i = 0; i < kTerms; ++i) sum += factors[i] * terms[i];
  return sum;
}

/// Gauss-Newton steps of the sum of weight^2 x log(predicted / us)^2.
Terms fit(std::span<const Row> rows) {
  std::vector<double> at = mapped(rows, &Row::us), scale(rows.size()), goal(rows.size());
  Terms x{};
  constexpr int kSteps = 4;
  for (int step = 0; step < kSteps; ++step) {
    for (size_t r = 0; r < rows.size(); ++r) {
      scale[r] = rows[r].weight / at[r];
      goal[r] = rows[r].weight * (1 + std::clamp(std::log(rows[r].us / at[r]), -1.0, 1.0));
    }
    x = solve(rows, scale, goal);
    for (size_t r = 0; r < rows.size(); ++r) at[r] = std::max(0.02 * rows[r].us, value(x, rows[r].terms));
  }
  return x;
}

/// A turn takes at least what one took, at the least, that had no more key tiles; 0 where there is none. (One that sees
/// less than a tile reads its queries and writes its output all the same.)
double least_of_turns(std::span<const Row> rows, const Terms& terms) {
  const double tiles = std::max(1.0, terms[kTilesTerm] / terms[kTurnsTerm]);
  double least = INFINITY;
  for (const Row& r : rows)
    if (r.terms[kTilesTerm] <= r.terms[kTurnsTerm] * tiles) least = std::min(least, r.us / r.terms[kTurnsTerm]);
  return std::isfinite(least) ? terms[kTurnsTerm] * least : 0;
}

/// Of those that have a rank, can serve the problem and say what their configs have to do; nullptr: none does.
const VariantRank* ranks_highest(std::span<const VariantRank> ranks) {
  const VariantRank* first = nullptr;
  for (const VariantRank& rank : ranks)
    if (rank.rank > 0 && rank.why_not.empty() && !rank.configs.empty() && (first == nullptr || rank.rank > first->rank))
      first = &rank;
  return first;
}

constexpr const char* kModelMark = "attnscope_model";
constexpr int kModelVersion = 2;

}  // namespace

Problem without_options(Problem p) {
  p.window = 0;
  p.softcap = 0;
  p.mask = MaskKind::none;
  p.k_type = p.v_type = KvType::as_dtype;
  return p;
}

uint32_t width(const Problem& p) { return std::max(p.head_dim, p.v_dim); }

bool alike(const Problem& a, const Problem& b) {
  return reaches(a) && reaches(b) && few_queries(a) == few_queries(b) &&
         (a.dtype == DType::f32) == (b.dtype == DType::f32);
}

void CostModel::add(const Problem& problem, const std::string& variant, const std::string& shader_hash,
                    const ConfigWork& work, double us) {
  const CostConfig config{variant, shader_hash, work.config};
  auto c = std::ranges::find(configs, config);
  if (c == configs.end()) c = configs.insert(configs.end(), config);
  auto p = std::ranges::find(problems, problem, &CostProblem::problem);
  if (p == problems.end()) p = problems.insert(problems.end(), {problem, {}});
  std::erase_if(p->rows, [&](const auto& row) { return row[0] == double(c - configs.begin()); });
  p->rows.push_back({double(c - configs.begin()), double(work.passes), double(work.workgroups), work.steps,
                     work.most_steps, us, work.parts});
}

size_t CostModel::drop_older(const std::string& variant, const std::string& shader_hash) {
  std::vector<double> now(configs.size(), -1);  // index of each that stays
  std::vector<CostConfig> kept;
  for (size_t c = 0; c < configs.size(); ++c) {
    if (configs[c].variant == variant && configs[c].shader_hash != shader_hash) continue;
    now[c] = double(kept.size());
    kept.push_back(configs[c]);
  }
  const size_t dropped = configs.size() - kept.size();
  if (dropped == 0) return 0;
  configs = std::move(kept);
  for (CostProblem& p : problems) {
    std::erase_if(p.rows, [&](const auto& row) { return now[size_t(row[0])] < 0; });
    for (auto& row : p.rows) row[0] = now[size_t(row[0])];
  }
  std::erase_if(problems, [](const CostProblem& p) { return p.rows.empty(); });
  return dropped;
}

std::vector<Prediction> predict(const CostModel& model, const Problem& asked, std::span<const VariantRank> ranks,
                                uint32_t cores) {
  if (!reaches(asked)) return {};
  const Problem problem = as_seen(asked);
  // The least width at which the model has times enough of the variant that ranks highest.
  const VariantRank* first = ranks_highest(ranks);
  std::vector<char> of_first;  // by config of the model
  for (const CostConfig& c : model.configs)
    of_first.push_back(first == nullptr ||
                       (c.variant == first->variant && std::ranges::any_of(first->configs, [&](const ConfigWork& work) {
                          return work.config == c.config;
                        })));
  std::map<uint32_t, std::map<double, size_t>> times;  // by width and config
  for (const CostProblem& p : model.problems)
    if (fit_together(p.problem, problem) && width(p.problem) >= width(problem) && options_of(p.problem) == 0)
      for (const auto& row : p.rows) times[width(p.problem)][row[0]] += size_t(of_first[size_t(row[0])]);
  const auto known_width = std::ranges::find_if(times, [](const auto& of_width) {
    return std::ranges::any_of(of_width.second, [](const auto& config) { return config.second >= kLeastRows; });
  });
  if (known_width == times.end()) return {};
  const uint32_t dim = known_width->first;
  struct ConfigFit {
    std::vector<Row> rows;
    double behind = 0, weights = 0, near = 0;
    double measured_us = 0;                 ///< on this very problem
    double most_tiles = 0, most_us = 0;     ///< of the fitted problem with the most key tiles a core, and its time
    double most_rows = 0;                   ///< query rows of a workgroup, of any fitted problem
    std::array<double, kOptions> slower{};  ///< log of the time with the option over that without, weighted
    double together = 0;                    ///< log of the time with several over what they cost alone, weighted
  };
  std::vector<ConfigFit> known(model.configs.size());
  const unsigned options = options_of(problem);
  std::vector<const CostProblem*> plain, with_option;
  // Of any width, those without options, by sizes.
  std::multimap<std::array<uint32_t, 4>, const CostProblem*> without_any;
  const auto sizes = [](const Problem& p) { return std::array{p.heads_q, p.seq_q, p.seq_kv, p.head_dim}; };
  double nearest = INFINITY;  // far from all, the nearest count most all the same
  double fastest = 0;         // rate of reading K and V, in MB/us; more queries are bound by arithmetic
  for (const CostProblem& p : model.problems) {
    if (!alike(p.problem, problem) || p.rows.empty()) continue;
    const Problem seen = as_seen(p.problem);
    if (few_queries(problem)) fastest = std::max(fastest, uncached_mb(seen) / best_us(p));
    if (p.problem == asked && (cores == 0 || cores == model.cores))
      for (const auto& row : p.rows) known[size_t(row[0])].measured_us = row[5];
    const unsigned its = options_of(p.problem);
    if (its == 0 && options != 0) without_any.emplace(sizes(p.problem), &p);
    if (its == 0 && width(p.problem) == dim && fit_together(p.problem, problem)) {
      plain.push_back(&p);
      nearest = std::min(nearest, unlikeness(problem, seen));
    } else if (its != 0 && (its & ~options) == 0) {
      with_option.push_back(&p);
    }
  }
  // What options cost together is told beside what each costs alone.
  std::stable_partition(with_option.begin(), with_option.end(),
                        [](const CostProblem* p) { return std::has_single_bit(options_of(p->problem)); });
  for (const CostProblem* p : plain) {
    const Problem seen = as_seen(p->problem);
    const double best = best_us(*p);
    const double near = std::exp(-(unlikeness(problem, seen) - nearest) / 2);
    for (const auto& [c, passes, workgroups, steps, most, us, parts] : p->rows) {
      ConfigFit& k = known[size_t(c)];
      const double behind = std::log(us / best);
      const double far = std::max(0.0, behind - std::log(kFarFrom));
      k.rows.push_back({terms_of(seen, model.cores, workgroups, steps, most, parts), us,
                        std::sqrt(near + kFarWeight) / (1 + far / 2)});
      k.behind += (near + 1e-6) * behind;
      k.weights += near + 1e-6;
      k.near += near;
      k.most_rows = std::max(k.most_rows, rows_each(seen, workgroups, parts));
      if (const double tiles = k.rows.back().terms[kTilesTerm]; tiles > k.most_tiles)
        k.most_tiles = tiles, k.most_us = us;
    }
  }
  std::vector<std::optional<Terms>> fitted(known.size());
  const auto plain_us = [&](size_t c, const Terms& terms) {
    if (!fitted[c]) fitted[c] = fit(known[c].rows);
    return value(*fitted[c], terms);
  };
  unsigned told = 0;                       // options of which there are times
  std::array<double, kOptions> weights{};  // of the problems that have it alone
  double mixed = kFewTogether;             // of those that have several
  const auto slower_by = [&](const ConfigFit& k, unsigned of) {
    double sum = 0;
    for (size_t o = 0; o < kOptions; ++o)
      if ((of & told & 1u << o) != 0) sum += k.slower[o] / weights[o];
    return sum;
  };
  for (const CostProblem* p : with_option) {
    const Problem seen = as_seen(p->problem);
    const unsigned its = options_of(p->problem);
    const bool alone = std::has_single_bit(its);
    const auto option = size_t(std::countr_zero(its));
    // Beside the fit, or where that is of others beside the measured problem without the option.
    const bool fits = width(p->problem) == dim && fit_together(p->problem, problem);
    std::map<size_t, double> without;
    if (const Problem twin = without_options(seen); !fits)
      for (auto [at, end] = without_any.equal_range(sizes(twin)); at != end; ++at)
        if (at->second->problem == twin)
          for (const auto& row : at->second->rows) without[size_t(row[0])] = row[5];
    std::map<size_t, double> slower;  // log of the time over that without, by config
    for (const auto& [c, passes, workgroups, steps, most, us, parts] : p->rows) {
      if (fits && known[size_t(c)].rows.size() >= kLeastRows)
        without[size_t(c)] = plain_us(size_t(c), terms_of(seen, model.cores, workgroups, steps, most, parts));
      if (without[size_t(c)] > 0)
        slower[size_t(c)] = std::log(us / without[size_t(c)]) - (alone ? 0 : slower_by(known[size_t(c)], its));
    }
    if (slower.empty()) continue;
    double mean = 0;
    for (const auto& [c, log] : slower) mean += log / double(slower.size());
    const double weight =
        std::exp(-unlikeness_of_options(problem, seen) / 2 - kMissingOption * std::popcount(options & ~its)) + 1e-6;
    for (size_t c = 0; c < known.size(); ++c)
      (alone ? known[c].slower[option] : known[c].together) +=
          weight * (slower.contains(c) ? slower[c] : mean + (alone ? kUntold : 0));
    (alone ? weights[option] : mixed) += weight;
    if (alone) told |= its;
  }
  const bool predictable = (options & kNeedTimes & ~told) == 0;
  std::vector<std::pair<double, Prediction>> ordered;  // by the time with its doubt
  for (const VariantRank& rank : ranks) {
    if (!rank.why_not.empty()) continue;
    for (const ConfigWork& work : rank.configs) {
      const auto found = std::ranges::find_if(
          model.configs, [&](const CostConfig& x) { return x.variant == rank.variant && x.config == work.config; });
      if (found == model.configs.end()) continue;
      const auto c = size_t(found - model.configs.begin());
      const bool older = !rank.shader_hash.empty() && rank.shader_hash != found->shader_hash;
      const ConfigFit& k = known[c];
      double us = k.measured_us, doubt = 1;
      if (us == 0) {
        const double slower = slower_by(k, options) + k.together / mixed;
        // What an option costs the others more may bring a config that is far behind to the front.
        const double limit = most_behind(problem) * (told != 0 ? 1.5 : 1);
        if (!predictable || k.rows.size() < kLeastRows || k.behind > limit * k.weights) continue;
        const Terms terms = terms_of(problem, cores != 0 ? cores : model.cores, double(work.workgroups), work.steps,
                                     work.most_steps, work.parts);
        us = plain_us(c, terms);
        if (const double beyond = terms[kTilesTerm] / k.most_tiles; beyond > kBeyond)
          us = std::max(us, kBeyondShare * beyond * k.most_us);
        if (!few_queries(problem)) us = std::max(us, least_of_turns(k.rows, terms));
        // A config whose workgroups take more rows here than in any fit takes as many times as long.
        us *= std::max(1.0, rows_each(problem, double(work.workgroups), work.parts) / k.most_rows);
        if (fastest > 0) us = std::max(us, uncached_mb(problem) / fastest);
        us *= std::exp(slower);
        doubt = std::exp(kDoubt / (k.near + kLeastNear));
      }
      if (us > 0 && std::isfinite(us))
        ordered.push_back({us * doubt, {rank.variant, work.name, work.config, us, older}});
    }
  }
  std::ranges::stable_sort(ordered, {}, &std::pair<double, Prediction>::first);
  return mapped(ordered, [](auto& of) { return std::move(of.second); });
}

bool tells_times(const CostModel& model, const Problem& problem) {
  return (options_of(problem) & 1u << kSoftcap) == 0 || std::ranges::any_of(model.problems, [&](const CostProblem& p) {
           return alike(p.problem, problem) && options_of(p.problem) == 1u << kSoftcap;
         });
}

CostModel empty_model(const DeviceInfo& device) {
  CostModel model;
  model.device = device.name;
  model.driver = device.driver;
  model.cores = std::max(1u, device.limits.core_count);
  model.vendor_id = device.vendor_id;
  model.subgroup_size = device.limits.subgroup_size;
  if (const auto& l = device.matrix_layout) model.matrix = fmt::format("{}x{}x{}", l->m, l->n, l->k);
  return model;
}

const CostModel* find_model(std::span<const CostModel> models, const DeviceInfo& device) {
  const CostModel asked = empty_model(device);
  const CostModel* found = nullptr;
  std::tuple<bool, bool, double> least;  // of another device, of another driver, how unlike in cores
  for (const CostModel& m : models) {
    const bool other = m.device != asked.device;
    if (other && (m.vendor_id == 0 || m.vendor_id != asked.vendor_id || m.subgroup_size != asked.subgroup_size ||
                  m.matrix != asked.matrix))
      continue;
    const std::tuple is(other, m.driver != asked.driver, std::abs(std::log(double(m.cores) / asked.cores)));
    if (found == nullptr || is < least) found = &m, least = is;
  }
  return found;
}

std::string model_differs(const CostModel& model, const DeviceInfo& device) {
  if (model.device != device.name) return "of " + model.device;
  return model.driver == device.driver ? "" : "with driver " + model.driver;
}

PredictedConfigs predict(std::span<const CostModel> models, const DeviceInfo& device, const Problem& problem,
                         std::span<const VariantRank> ranks) {
  const CostModel* model = find_model(models, device);
  if (model == nullptr || !tells_times(*model, problem)) return {};
  const std::string differs = model_differs(*model, device);
  return {model->time_utc + (differs.empty() ? "" : ", " + differs),
          predict(*model, problem, ranks, device.limits.core_count)};
}

std::optional<PredictedTime> PredictedConfigs::time_of(const std::string& variant, const Config& config) const {
  const auto at =
      std::ranges::find_if(all, [&](const Prediction& p) { return p.variant == variant && p.config == config; });
  return at == all.end() || at->older ? std::nullopt : std::optional(PredictedTime{1e3 * at->us, model});
}

std::vector<LeaveOneOut> leave_one_out(CostModel model) {
  std::vector<LeaveOneOut> groups{{.group = "prefill"}, {.group = "decoding"}, {.group = "f32"}, {.group = "options"}};
  const auto group_of = [](const Problem& p) -> size_t {
    return options_of(p) != 0 ? 3 : p.dtype == DType::f32 ? 2 : few_queries(p) ? 1 : 0;
  };
  // In place of the manifests' ranks, which a model does not have: how often a variant is the fastest in its group.
  std::array<std::map<std::string, double>, 4> fastest;
  for (const CostProblem& p : model.problems)
    if (!p.rows.empty())
      ++fastest[group_of(p.problem)]
               [model.configs[size_t((*std::ranges::min_element(p.rows, {}, [](auto& row) { return row[5]; }))[0])]
                    .variant];
  for (CostProblem& p : model.problems) {
    if (p.rows.empty()) continue;
    const auto rows = std::exchange(p.rows, {});
    std::map<std::string, VariantRank> ranks;
    for (const auto& [c, passes, workgroups, steps, most, us, parts] : rows) {
      const CostConfig& config = model.configs[size_t(c)];
      ranks[config.variant].variant = config.variant;
      ranks[config.variant].rank = fastest[group_of(p.problem)][config.variant];
      ranks[config.variant].configs.push_back(
          {{}, config.config, uint32_t(passes), uint64_t(workgroups), steps, most, parts});
    }
    const std::vector<Prediction> predicted =
        predict(model, p.problem, mapped(ranks, &std::pair<const std::string, VariantRank>::second));
    if (!predicted.empty()) {
      const CostConfig choice{predicted.front().variant, {}, predicted.front().config};
      double best = INFINITY, chosen = INFINITY;
      for (const auto& row : rows) {
        const CostConfig& config = model.configs[size_t(row[0])];
        best = std::min(best, row[5]);
        if (config.variant == choice.variant && config.config == choice.config) chosen = std::min(chosen, row[5]);
      }
      LeaveOneOut& g = groups[group_of(p.problem)];
      const double ratio = chosen / best;
      g.mean = std::exp((std::log(g.mean) * double(g.problems) + std::log(ratio)) / double(g.problems + 1));
      ++g.problems;
      if (ratio >= g.worst) g.worst = ratio, g.worst_problem = p.problem;
    }
    p.rows = rows;
  }
  std::erase_if(groups, [](const LeaveOneOut& g) { return g.problems == 0; });
  return groups;
}

std::string model_to_json(const CostModel& model) {
  Json json{{kModelMark, kModelVersion}};
  json.update(encode(model));
  // A problem a line.
  std::string out = "{\n";
  for (const auto& [key, part] : json.items()) {
    if (out.size() > 2) out += ",\n";
    out += Json(key).dump() + ": ";
    if (!part.is_array()) {
      out += part.dump();
      continue;
    }
    out += "[";
    for (size_t i = 0; i < part.size(); ++i) out += (i == 0 ? "\n  " : ",\n  ") + part[i].dump();
    out += "\n]";
  }
  return out + "\n}\n";
}

bool is_model(std::string_view text) {
  const auto json = parse_json(text, "it");
  return json && json->is_object() && json->contains(kModelMark);
}

Result<CostModel> model_from_json(std::string_view text, std::string_view what) {
  const Json json = TRY(parse_json(text, what));
  if (!json.is_object() || !json.contains(kModelMark))
    return bad_input("{} is not a model of a device (it has no \"{}\").", what, kModelMark);
  if (json.at(kModelMark) != kModelVersion)
    return bad_input("{} has version {} of the format; this attnscope reads {}.", what, json.at(kModelMark).dump(),
                     kModelVersion);
  CostModel model = TRY(decode<CostModel>(json, what));
  const auto likely = [](double x) { return x > 1e-9 && x < 1e15; };
  for (const CostProblem& p : model.problems)
    for (const auto& row : p.rows)
      if (!(row[0] >= 0 && row[0] < double(model.configs.size()) && row[0] == std::floor(row[0])) ||
          !std::all_of(row.begin() + 1, row.end() - 1, likely) || !(row[6] == 0 || likely(row[6])))
        return bad_input("{}: {} has an invalid row.", what, to_text(p.problem));
  return model;
}

std::vector<CostModel> load_models(const fs::path& folder, std::vector<std::string>& notes) {
  std::vector<CostModel> out;
  std::error_code none;
  for (const fs::path& file : files_in(folder, ".json", none)) {
    const Result<std::string> text = read_text(file);
    Result<CostModel> model = text ? model_from_json(*text, file.string()) : Result<CostModel>(text.error());
    if (model)
      out.push_back(std::move(*model));
    else
      notes.push_back(model.error().message + " It is not used.");
  }
  return out;
}

fs::path model_file(const fs::path& folder, const CostModel& model) {
  return folder / fmt::format("{:016x}.json", hash_text(model.device + "\n" + model.driver));
}

}  // namespace attnscope::tune
