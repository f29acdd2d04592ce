#include "app/cli/gpus.hpp"

#include "app/cli/interrupt.hpp"
#include "app/cli/places.hpp"
#include "engine/session/compiled.hpp"

namespace attnscope::cli {

Result<GpuCatalogue> gpu_catalogue() {
  const Result<std::filesystem::path> data = data_dir();
  if (!data) return data.error();
  return load_gpus(*data);
}

Result<OpenGpu> open_gpu(const CommonOptions& o, const GpuCatalogue& catalogue, const CatalogueGpu& gpu) {
  const Result<std::filesystem::path> data = data_dir();
  if (!data) return data.error();
  WorkerOptions worker;
  if (o.deadline_s) worker.deadline_s = worker.software_deadline_s = *o.deadline_s;
  worker.session = session_options(o);
  worker.cancel = &interrupted();
  return attnscope::open_gpu(catalogue, gpu, driver_places(*data), worker);
}

namespace {

Result<OpenDevice> open_named_gpu(const CommonOptions& o, std::string_view name) {
  if (o.in_process || !o.workers.empty())
    return bad_input("--device gpu: needs a worker of its own here, so it excludes --in-process and --worker");
  const Result<GpuCatalogue> catalogue = gpu_catalogue();
  if (!catalogue) return catalogue.error();
  const Result<std::vector<const CatalogueGpu*>> found = find_gpus(*catalogue, name);
  if (!found) return about("--device", o.device, found.error());
  if (found->size() != 1) return about("--device", o.device, bad_input("one GPU is needed"));
  Result<OpenGpu> open = open_gpu(o, *catalogue, *found->front());
  if (!open) return open.error();
  return OpenDevice{std::move(open->session), open->device, [options = open->options]() {
                      std::unique_ptr<Session> session = make_worker_session(options);
                      const Result<DeviceInfo> device = session->open("");
                      return device ? Result<std::unique_ptr<Session>>(std::move(session)) : device.error();
                    }};
}

}  // namespace

Result<std::vector<OpenDevice>> open_devices(const CommonOptions& o) {
  std::vector<OpenDevice> all;
  if (o.device.starts_with(kGpuPrefix)) {
    Result<OpenDevice> gpu = open_named_gpu(o, std::string_view(o.device).substr(kGpuPrefix.size()));
    if (!gpu) return gpu.error();
    all.push_back(std::move(*gpu));
  } else {
    Result<std::vector<std::unique_ptr<Session>>> sessions = make_sessions(o);
    if (!sessions) return sessions.error();
    for (size_t i = 0; i < sessions->size(); ++i) {
      OpenDevice open;
      open.session = std::move((*sessions)[i]);
      Result<DeviceInfo> device = open.session->open(o.device);
      if (!device) {
        Error error = o.device.empty() ? device.error() : about("--device", o.device, device.error());
        return o.workers.empty() ? error : about("--worker", o.workers[i], error);
      }
      open.device = *device;
      open.more = [o, i]() -> Result<std::unique_ptr<Session>> {
        Result<std::vector<std::unique_ptr<Session>>> again = make_sessions(o);
        if (!again) return again.error();
        const Result<DeviceInfo> same = again->at(i)->open(o.device);
        return same ? Result<std::unique_ptr<Session>>(std::move(again->at(i))) : same.error();
      };
      all.push_back(std::move(open));
    }
  }
  for (const OpenDevice& open : all)
    if (const std::string why = o.executes ? why_not_run(open.device) : ""; !why.empty()) return unsupported(why);
  return all;
}

}  // namespace attnscope::cli
