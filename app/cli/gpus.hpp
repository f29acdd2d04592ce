// GPUs that nobody here owns, on the command line: `--device gpu:NAME` and `compile --gpu NAMES`.
#pragma once

#include <string_view>

#include "app/cli/options.hpp"
#include "engine/session/open_gpu.hpp"

namespace attnscope::cli {

/// What a --device that is compiled for alone begins with; its name follows.
inline constexpr std::string_view kGpuPrefix = "gpu:";

Result<GpuCatalogue> gpu_catalogue();
/// By the options of a command.
Result<OpenGpu> open_gpu(const CommonOptions&, const GpuCatalogue&, const CatalogueGpu&);

/// A device that is open, with no variants. `more` makes another session of the same device.
struct OpenDevice {
  std::unique_ptr<Session> session;
  DeviceInfo device;
  std::function<Result<std::unique_ptr<Session>>()> more;
};
/// What --device and --worker say, opened: one for each --worker, or one. The error of a device on which nothing can be
/// executed, unless the command executes nothing.
Result<std::vector<OpenDevice>> open_devices(const CommonOptions&);

}  // namespace attnscope::cli
