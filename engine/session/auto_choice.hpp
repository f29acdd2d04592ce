// The one policy of which variant and config "auto" stands for on a problem, for the command line and the window.
#pragma once

#include "engine/session/session.hpp"
#include "engine/tune/cache.hpp"

namespace attnscope {

inline constexpr std::string_view kAutoVariant = "auto";

struct AutoChoice {
  enum class From {
    tuned,    ///< the tuning cache
    model,    ///< the least time that a model of the device predicts (engine/tune/cost_model.hpp)
    manifest  ///< the highest `rank` that can run
  };
  std::string variant;
  Config config;
  std::string config_name;  ///< "default", a named config's, or ""
  From from = From::manifest;
  /// "auto: decode, tuned for 1x32x8192x128:q=1:kv=8:f16"
  std::string because;
  std::string remark;  ///< why another config than the variant's own choice stands in; "" = none does
};

/// The fastest that the tuning cache has for this problem, that is legal here and known to be no slower than the
/// untuned choice (no_better_than_untuned()); else choose_untuned(). The error says why each variant cannot serve.
Result<AutoChoice> choose_auto(Session&, const DeviceInfo&, std::span<const VariantInfo>, const tune::TunedTables&,
                               const Problem&, CacheMode = CacheMode::hot, LaunchMode = LaunchMode::isolated);
/// Where nothing is tuned: the legal config that a model of the device predicts to be fastest; else the variant of the
/// highest rank with a legal config, with its "default". The error is the same.
Result<AutoChoice> choose_untuned(Session&, const DeviceInfo&, std::span<const tune::CostModel>, const Problem&);

/// The prediction of a model of the device, for a RunRequest. Asks the session once for each new problem.
class Predictor {
 public:
  /// Of the config with the variant's defaults for what it leaves out; nullopt: no model knows it.
  std::optional<PredictedTime> of(Session&, const DeviceInfo&, std::span<const tune::CostModel>, const VariantInfo&,
                                  const Problem&, const Config&);
  /// Other models, another device, or the variants were loaded anew.
  void clear() { problem_.reset(); }

 private:
  std::optional<Problem> problem_;
  tune::PredictedConfigs known_;
};

}  // namespace attnscope
