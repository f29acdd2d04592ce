#include "engine/session/open_gpu.hpp"

#include "engine/session/connection.hpp"

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
    // Not how the worker ended, but the driver's last message.
    const std::string& message = device.error().message;
    const size_t found = message.find(kLastOutput), begin = found + kLastOutput.size();
    const std::string reason = found == message.npos ? message : message.substr(begin, message.rfind(')') - begin);
    add(fmt::format("the driver here does not know it, and a newer one may ({}, by {})", reason, attempt.way->name));
  }
  return unsupported(fmt::format("{} cannot be opened here: {}", gpu.name, why));
}

}  // namespace attnscope
