// A model of what configs cost on one device (`attnscope calibrate`), by which `auto` predicts the fastest.
#pragma once

#include "engine/record/record.hpp"

namespace attnscope::tune {

struct CostConfig {
  std::string variant, shader_hash;
  Config config;
  bool operator==(const CostConfig&) const = default;
};
/// What was measured on one problem. Each row, one a config: index into CostModel::configs, passes, workgroups, steps,
/// most steps (ConfigWork), median in microseconds, parts (ConfigWork).
struct CostProblem {
  Problem problem;
  std::vector<std::array<double, 7>> rows;
  bool operator==(const CostProblem&) const = default;
};
struct CostModel {
  std::string device, driver, time_utc, program_version;
  uint32_t cores = 0;
  // What makes devices related: what is fast on one is likely to be on the other.
  uint32_t vendor_id = 0, subgroup_size = 0;
  std::string matrix;  ///< m, n, k of MatrixLayout, "16x16x16"; "" = no matrices
  std::vector<CostConfig> configs;
  std::vector<CostProblem> problems;
  bool operator==(const CostModel&) const = default;

  /// In place of an earlier time of the config on the problem.
  void add(const Problem&, const std::string& variant, const std::string& shader_hash, const ConfigWork&, double us);
  /// Takes out a variant's configs of other sources than `shader_hash`. Returns how many.
  size_t drop_older(const std::string& variant, const std::string& shader_hash);
};

/// Times that a prediction of a config needs, on problems that are alike and of one head dim.
constexpr size_t kLeastRows = 4;
/// Whether times on the one help to predict the other: both with as many or as few queries, both f32 or not.
bool alike(const Problem&, const Problem&);
/// The larger of head_dim and v_dim, by which models tell head dims apart.
uint32_t width(const Problem&);

struct Prediction {
  std::string variant;
  std::string name;  ///< ConfigWork's
  Config config;
  double us = 0;
  bool older = false;  ///< from times of other sources of the variant: it orders configs, and nobody is shown its time
  bool operator==(const Prediction&) const = default;
};
/// The likeliest to be the fastest first: by the time, and by how many times on near problems speak for it. For
/// each config that was calibrated at this head dim (else the next larger one at which the variant that ranks
/// highest was) with as many or as few queries, and that came near the best on the problems most like this one: its
/// times there are fitted by
///   launch + most steps + turns x steps + turns + bytes beyond the cache + bytes of partial sums + turns x steps x
///   rows (few queries: the scores)
/// with factors >= 0, by least squares of the logarithm, near problems counting more; `turns` are workgroups a
/// core. A window, a softcap, a mask and packed K and V each multiply that by what they cost the config, or the other
/// configs, on problems that have that option alone, at this head dim or the nearest; several also by what they cost
/// together beyond that. Of few queries a softcap costs nothing, those with packed K and V have fits of their own, and
/// those with a window count the keys that they see. What was measured on this very problem is predicted as it was.
/// `ranks` are of Session::rank_variants(). Empty where the model does not reach: packed sequences, lists of keys,
/// latent caches; masks, packed K and V and f32 where none was calibrated; and where it has no times enough of the
/// variant that ranks highest. `cores`: of the device that is asked about; 0 = of the model's own.
std::vector<Prediction> predict(const CostModel&, const Problem&, std::span<const VariantRank> ranks,
                                uint32_t cores = 0);

/// The problem with no window, softcap, mask or packed K and V.
Problem without_options(Problem);
/// False with a softcap of which the model has no times: then predictions tell the order of configs alone.
bool tells_times(const CostModel&, const Problem&);

CostModel empty_model(const DeviceInfo&);
/// The model of a device of this name, if possible of this driver; else of the related one nearest in cores.
const CostModel* find_model(std::span<const CostModel>, const DeviceInfo&);
/// "of DEVICE", "with driver DRIVER", or "" where the model is of this device and driver.
std::string model_differs(const CostModel&, const DeviceInfo&);

/// The predictions of a device's model, or of a related one's, for a problem; none where it tells no times.
struct PredictedConfigs {
  std::string model;            ///< as of PredictedTime
  std::vector<Prediction> all;  ///< as predict() orders them; none where there is no model, or it does not reach
  /// nullopt: it does not know the config, which has a value for every parameter.
  std::optional<PredictedTime> time_of(const std::string& variant, const Config&) const;
};
PredictedConfigs predict(std::span<const CostModel>, const DeviceInfo&, const Problem&,
                         std::span<const VariantRank> ranks);

/// How well a model chooses: each of its problems left out in turn, the time of the predicted config over the best.
struct LeaveOneOut {
  std::string group;    ///< "prefill", "decoding" (few queries), "f32", "options" (of any)
  size_t problems = 0;  ///< those on which the rest predicts anything
  double mean = 1;      ///< geometric
  double worst = 1;
  Problem worst_problem = {};
};
/// A row for each group that has a problem, in this order.
std::vector<LeaveOneOut> leave_one_out(CostModel);

std::string model_to_json(const CostModel&);
/// True for any version.
bool is_model(std::string_view text);
Result<CostModel> model_from_json(std::string_view text, std::string_view what);
/// Every .json of a folder, by name; what is not a model is left alone and noted.
std::vector<CostModel> load_models(const std::filesystem::path& folder, std::vector<std::string>& notes);
std::filesystem::path model_file(const std::filesystem::path& folder, const CostModel&);

}  // namespace attnscope::tune
