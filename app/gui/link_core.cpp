#include "app/gui/link_core.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

namespace attnscope::gui {

void Link::Core::post(News item) {
  std::function<void()> call;
  {
    const std::lock_guard lock(mutex);
    news.push_back(std::move(item));
    call = wake;
  }
  if (call) call();
}

bool Link::Core::newer(const Wish& wish) {
  const std::lock_guard lock(mutex);
  return quit || !jobs.empty() || wished != wish;
}

void Link::Core::loop() {
  while (true) {
    Wish wish;
    std::optional<Job> job;
    {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return quit || (wished && (!jobs.empty() || wished != served)); });
      if (quit) return;
      wish = *wished;
      served.reset();
      cancel = false;
      if (!jobs.empty()) {
        job = std::move(jobs.front());
        jobs.pop_front();
        in_job = true;
      }
    }
    const bool ready = open(wish);
    if (ready) read_variants(wish);
    if (job) {
      if (ready)
        run_job(*job);
      else
        post(JobStep{job->id, job->items.size(), job->items.size(), {}, {}});
      const std::lock_guard lock(mutex);
      in_job = false;
      served.reset();
      continue;
    }
    if (ready && wish.ask) {
      inspect(wish);
      if (legal && wish.run && settled(wish)) {
        run_live(wish);
      }
    }
    // What was left because of something newer is not served: it may be wished for again.
    if (!newer(wish)) served = wish;
  }
}

bool Link::Core::open(const Wish& wish) {
  if (opened && opened->device == wish.device && opened->attempt == wish.attempt) return true;
  if (!session) session = options.session();
  if (!opened) {
    auto devices = session->devices();
    if (!devices) {
      post(Failed{"devices", devices.error(), {}});
      return false;
    }
    post(DevicesKnown{*devices});
  }
  const bool same = opened && opened->device == wish.device;
  if (!same) {
    opened.reset();
    loaded.reset();
    inspected.reset();
    checked.clear();
    auto found = session->open(wish.device);
    if (!found) {
      post(Failed{"open", found.error(), {}});
      return false;
    }
    device = *found;
    post(DeviceOpened{device});
  }
  // Asked anew of the same device, by somebody who may have forgotten all that was told of it.
  if (same) {
    inspected.reset();
    checked.clear();
    post(DeviceOpened{device});
    if (loaded) post(VariantsKnown{variants});
  }
  opened = wish;
  return true;
}

void Link::Core::read_variants(const Wish& wish) {
  if (loaded && loaded->sources == wish.sources) return;
  auto sources = read_variant_sources(options.shader_dirs, options.source_dirs);
  loaded = wish;
  inspected.reset();
  checked.clear();
  if (!sources) return post(Failed{"variants", sources.error(), {}});
  auto infos = session->load_variants(*sources);
  if (!infos) return post(Failed{"variants", infos.error(), {}});
  variants = *infos;
  post(VariantsKnown{variants});
}

void Link::Core::inspect(const Wish& wish) {
  // A newer wish of the same config may have cut the checks short.
  if (inspected == wish.ask && !wish.choose) return check_variants(wish);
  legal = false;
  const Ask& ask = *wish.ask;
  if (wish.choose) {
    inspected.reset();
    auto choice = session->choose_config(ask.problem, ask.variant, "default");
    if (!choice) return post(Failed{"inspect", choice.error(), ask});
    return post(ConfigChosen{ask, *choice});
  }
  auto inspection = session->inspect(ask.problem, ask.variant, ask.config);
  if (!inspection) {
    inspected.reset();
    return post(Failed{"inspect", inspection.error(), ask});
  }
  inspected = ask;
  legal = inspection->why_not.empty();
  post(Inspected{ask, *inspection});
  check_variants(wish);
}

// Cheap next to a run: without a config of its own each variant is asked for its defaults' nearest legal config.
void Link::Core::check_variants(const Wish& wish) {
  for (const VariantInfo& v : variants) {
    if (newer(wish)) return;
    const Problem& problem = wish.ask->problem;
    if (!checked.emplace(v.name, to_text(problem)).second) continue;
    std::string why = !v.error.empty() ? v.error : v.why_not;
    if (why.empty()) {
      auto inspection = session->inspect(problem, v.name, default_config(v));
      if (!inspection)
        why = inspection.error().message;
      else if (!inspection->why_not.empty() && inspection->nearest.empty())
        why = inspection->why_not;
    }
    post(VariantChecked{problem, v.name, why});
  }
}

bool Link::Core::settled(const Wish& wish) {
  std::unique_lock lock(mutex);
  const auto left = std::chrono::duration<double>(wished_at + options.settle_s - steady_seconds());
  changed.wait_for(lock, left, [&] { return quit || !jobs.empty() || wished != wish; });
  return !(quit || !jobs.empty() || wished != wish);
}

}  // namespace attnscope::gui
