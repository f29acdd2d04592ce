// A model of what configs cost on one device: times of the named configs on problems of a fixed set (`attnscope
// calibrate`), from which the time on any other problem is predicted. `auto` takes the least predicted.
#pragma once

#include <array>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "engine/variant/work.hpp"

namespace attnscope::tune {

struct CostConfig {
  std::string variant, shader_hash;
  Config config;
  bool operator==(const CostConfig&) const = default;
};
/// What was measured on one problem. Each row: index into CostModel::configs, passes, workgroups, steps, most steps
/// (ConfigWork), median in microseconds, parts (ConfigWork).
struct CostProblem {
  Problem problem;
  std::vector<std::array<double, 7>> rows;
  bool operator==(const CostProblem&) const = default;
};
struct CostModel {
  std::string device, driver, time_utc, program_version;
  uint32_t cores = 0;
  std::vector<CostConfig> configs;
  std::vector<CostProblem> problems;
  bool operator==(const CostModel&) const = default;

  /// Of a problem that is there already, the rows are added to its own.
  void add(const Problem&, const std::string& variant, const std::string& shader_hash, const ConfigWork&, double us);
  /// Takes out a variant's configs of other sources than `shader_hash`, and what was measured of them. Returns how
  /// many.
  size_t drop_older(const std::string& variant, const std::string& shader_hash);
};

struct Prediction {
  std::string variant;
  std::string name;  ///< ConfigWork's
  Config config;
  double us = 0;
  bool operator==(const Prediction&) const = default;
};
/// The least first, but for the best of the variant that ranks highest, which is first unless prefill by another takes
/// 10 % less. For each config that was calibrated at this head dim (else the next larger one) with as many or as
/// few queries, and that came near the best on the problems most like this one: its times there are fitted by
///   launch + most steps + turns x steps + turns + bytes beyond the cache + bytes of partial sums + turns x steps x
///   rows
/// with factors >= 0, by least squares of the logarithm, near problems counting more; `turns` are workgroups a core.
/// `ranks` are of Session::rank_variants(). Empty where the model does not reach: masks,
/// windows, softcap, sinks, packed or paged K and V, packed sequences; f32 where none was calibrated; and where the
/// variant that ranks highest is not in it, such as one that changed since.
std::vector<Prediction> predict(const CostModel&, const Problem&, std::span<const VariantRank> ranks);

/// The model of a device of this name, of this driver where there is one; nullptr: there is none.
const CostModel* find_model(std::span<const CostModel>, const std::string& device, const std::string& driver);

std::string model_to_json(const CostModel&);
/// Of any version.
bool is_model(std::string_view text);
Result<CostModel> model_from_json(std::string_view text, std::string_view what);
/// Every .json of a folder, by name; what is no model is left alone and noted.
std::vector<CostModel> load_models(const std::filesystem::path& folder, std::vector<std::string>& notes);
/// Its file in a folder of models: one for each device and driver.
std::filesystem::path model_file(const std::filesystem::path& folder, const CostModel&);

}  // namespace attnscope::tune
