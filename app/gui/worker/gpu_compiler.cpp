#include "app/gui/worker/gpu_compiler.hpp"

#include "engine/platform/system.hpp"
#include "engine/session/open_gpu.hpp"

namespace attnscope::gui {

namespace {

Result<OpenGpu> open_named(const GpuCompiler::Places& places, const std::string& name,
                           const std::atomic<bool>& cancel) {
  const GpuCatalogue catalogue = TRY(load_gpus(places.data));
  const CatalogueGpu* gpu = find_by(catalogue.gpus, name, &CatalogueGpu::name);
  if (!gpu) return unsupported("The catalogue of GPUs has none of this name.");
  WorkerOptions worker;
  worker.command = places.worker;
  if (places.deadline_s) worker.deadline_s = worker.software_deadline_s = *places.deadline_s;
  worker.session = places.session;
  worker.cancel = &cancel;
  worker.cancel_ends_all = true;
  return open_gpu(catalogue, *gpu, driver_places(places.data), worker);
}

/// The request's version of its variant, on a session that has loaded `variants`; "" or why it is not there.
std::string load(Session& session, const GpuCompiler::Places& places, const GpuRequest& request,
                 std::vector<VariantInfo>& variants) {
  const auto has = [&] {
    return std::ranges::any_of(
        variants, [&](const auto& v) { return v.name == request.selection.variant && v.hash == request.hash; });
  };
  if (has()) return "";
  const auto sources = read_variant_sources(places.shaders, places.sources);
  if (!sources) return sources.error().message;
  auto loaded = session.load_variants(*sources);
  if (!loaded) return loaded.error().message;
  variants = std::move(*loaded);
  return has() ? "" : "Its shaders were changed meanwhile.";
}

}  // namespace

std::vector<OfferedGpu> offered_gpus(const std::filesystem::path& data) {
  std::vector<OfferedGpu> offered;
  const Result<GpuCatalogue> catalogue = load_gpus(data);
  if (!catalogue) return offered;
  for (const CatalogueGpu& gpu : catalogue->gpus) {
    const std::vector<GpuAttempt> attempts = attempts_for(*catalogue, gpu, driver_places(data));
    const bool can = find_by(attempts, "", &GpuAttempt::missing) != nullptr;
    offered.push_back({gpu.name, can || attempts.empty() ? "" : attempts.front().missing});
  }
  std::stable_partition(offered.begin(), offered.end(), [](const OfferedGpu& g) { return g.missing.empty(); });
  return offered;
}

GpuCompiler::GpuCompiler(Places places, std::function<void()> wake)
    : places_(std::move(places)), wake_(std::move(wake)) {}

GpuCompiler::~GpuCompiler() {
  choose({});
  for (const auto& gpu : leaving_) gpu->thread.join();
}

void GpuCompiler::choose(const std::vector<std::string>& gpus) {
  std::erase_if(leaving_, [](const std::unique_ptr<Gpu>& gpu) {
    if (gpu->ended) gpu->thread.join();
    return gpu->ended.load();
  });
  const std::lock_guard lock(mutex_);
  for (auto it = gpus_.begin(); it != gpus_.end();) {
    if (contains(gpus, (*it)->name)) {
      ++it;
      continue;
    }
    (*it)->cancel = (*it)->busy = true;
    leaving_.push_back(std::move(*it));
    it = gpus_.erase(it);
    changed_.notify_all();
  }
  for (const std::string& name : gpus) {
    if (std::ranges::any_of(gpus_, [&](const auto& g) { return g->name == name; })) continue;
    Gpu& gpu = *gpus_.emplace_back(std::make_unique<Gpu>());
    gpu.name = name;
    gpu.thread = std::thread([this, &gpu] {
      work(gpu);
      gpu.ended = true;
    });
  }
}

void GpuCompiler::want(const GpuRequest& request) {
  const std::lock_guard lock(mutex_);
  if (wanted_ == request) return;
  wanted_ = request;
  for (const auto& gpu : gpus_) gpu->busy = true;
  changed_.notify_all();
}

void GpuCompiler::work(Gpu& gpu) {
  lower_thread_priority();
  Result<OpenGpu> open = open_named(places_, gpu.name, gpu.cancel);
  std::vector<VariantInfo> variants;
  std::optional<GpuRequest> done;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return gpu.cancel || (wanted_ && wanted_ != done); });
      if (gpu.cancel) return;
      gpu.busy = false;
      done = wanted_;
    }
    GpuAnswer answer{gpu.name, *done, {}, open ? "" : open.error().message};
    if (open) answer.why = load(*open->session, places_, answer.of, variants);
    if (answer.why.empty()) {
      RunRequest run;
      ask(run, answer.of.selection);
      run.verify = run.measure = false;
      const Result<Record> record = open->session->run(run, {}, gpu.cancel);
      if (!record)
        answer.why = record.error().message;
      else if (record->outcome == Outcome::compiled)
        answer.resources = record->resources;
      else
        answer.why = record->message;
    }
    if (gpu.cancel) return;
    tell(answer);
    if (!answer.resources || !spills(*answer.resources)) continue;
    Record record;
    ask(record, answer.of.selection);
    const std::optional<Record> found = nearest_without_spills(*open->session, record, gpu.busy);
    if (gpu.busy) done.reset();  // looked for again, should this be what is wanted still
    if (gpu.busy || !found) continue;
    answer.without_spills = found->config;
    tell(std::move(answer));
  }
}

}  // namespace attnscope::gui
