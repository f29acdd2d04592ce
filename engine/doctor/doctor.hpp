// A battery of small programs that show whether a driver does what variants rely on.
#pragma once

#include "engine/doctor/check.hpp"
#include "engine/vulkan/kernels.hpp"

namespace attnscope::doctor {

extern const vulkan::KernelTexts kernels;

/// Names of all checks, in the order in which a person reads them: one a matrix shape.
std::vector<std::string> checks_of(const DeviceInfo&);
/// The result of a check that ended its worker, or lost the device.
CheckResult failed(const DeviceInfo&, const std::string& name, const std::string& why);
/// Runs one; `fault`: its shader is wrong on purpose. An Error is of an unknown name, a lost device, or a cancel.
Result<CheckResult> examine(const vulkan::Device&, const std::string& check, bool fault, const vulkan::Wait&);

}  // namespace attnscope::doctor
