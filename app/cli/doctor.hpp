// The effect of a driver's fault on the variants.
#pragma once

#include "engine/session/session.hpp"

namespace attnscope::cli {

/// Variants that would run on the device and rely on what the check found to fail, by what their manifests need.
std::vector<std::string> ruled_out(const CheckResult&, const std::vector<VariantInfo>&);

}  // namespace attnscope::cli
