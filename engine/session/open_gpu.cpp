#include "engine/session/open_gpu.hpp"

#include <fmt/format.h>

namespace attnscope {

Result<OpenGpu> open_gpu(const GpuCatalogue& catalogue, const CatalogueGpu& gpu, const DriverPlaces& places,
                         const WorkerOptions& options) {
  std::string why;
  const auto add = [&](const std::string& reason) {
    if (why.find(reason) == why.npos) why += (why.empty() ? "" : "; ") + reason;
  };
  for (const GpuAttempt& attempt : attempts_for(catalogue, gpu, places)) {
    if (!attempt.missing.empty()) {
      add(attempt.missing);
      continue;
    }
    OpenGpu open;
    open.options = options;
    open.options.environment = attempt.environment;
    open.options.session.compile_only = compile_only_of(gpu);
    open.session = make_worker_session(open.options);
    Result<DeviceInfo> device = open.session->open("");
    if (device) {
      open.device = *device;
      return open;
    }
    if (device.error().kind == ErrorKind::cancelled) return device.error();
    // How the worker ended is of no use here; what the driver said last is.
    const std::string& message = device.error().message;
    const size_t said = message.find("(it last said: ");
    const std::string reason =
        said == message.npos ? message : message.substr(said + 15, message.rfind(')') - said - 15);
    add(fmt::format("the driver here does not know it, and a newer one may ({}, by {})", reason, attempt.way->name));
  }
  return unsupported(fmt::format("{} cannot be had here: {}", gpu.name, why));
}

}  // namespace attnscope
