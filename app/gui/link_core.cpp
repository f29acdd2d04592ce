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
  return quit || (!jobs.empty() && !measures()) || wished != wish;
}

void Link::Core::loop() {
  while (true) {
    Wish wish;
    std::optional<Job> job;
    {
      std::unique_lock lock(mutex);
      const auto next_job = [&] { return !jobs.empty() && !measures(); };
      changed.wait(lock, [&] { return quit || (wished && (next_job() || again || wished != served)); });
      if (quit) return;
      wish = *wished;
      served.reset();
      again = cancel = false;
      if (next_job()) {
        job = std::move(jobs.front());
        jobs.pop_front();
        in_job = true;
      }
    }
    const bool ready = open(wish);
    if (ready) read_variants(wish);
    if (ready)
      ready_to_search();
    else
      end_search("The device is not open.");
    if (job) {
      if (!ready)
        post(end_of(*job, "The device is not open."));
      else if (job->errors)
        map_errors(*job);
      else
        run_job(*job);
      const std::lock_guard lock(mutex);
      in_job = false;
      served.reset();
      changed.notify_all();
      continue;
    }
    if (ready) read_peaks(wish);
    // Who asked for something else meanwhile asks for it again.
    if (lost_over && !was_lost(wish)) lost_over.reset();
    if (ready && wish.ask) {
      inspect(wish);
      if (legal && (wish.run || wish.closer) && settled(wish)) {
        look_around(wish);
        if (wish.run && !was_lost(wish) && !newer(wish)) run_live(wish);
      }
    }
    // What was left because of something newer is not served: it may be wished for again, and may have been by now,
    // with the very same words; then the cancel alone tells.
    if (!newer(wish) && !cancel) served = wish;
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
    end_search("Another device was opened.");
    opened.reset();
    loaded.reset();
    inspected.reset();
    around.reset();
    peaks_asked = false;
    checked.clear();
    auto found = session->open(wish.device);
    if (!found) {
      post(Failed{"open", found.error(), {}});
      return false;
    }
    device = *found;
    post(DeviceOpened{device, session->machine()});
  }
  // Asked anew of the same device, by somebody who may have forgotten all that was told of it.
  if (same) {
    inspected.reset();
    around.reset();
    peaks_asked = false;
    tuned_told.reset();
    checked.clear();
    post(DeviceOpened{device, session->machine()});
    if (loaded) post(VariantsKnown{variants, loaded->sources, texts});
  }
  opened = wish;
  return true;
}

void Link::Core::read_variants(const Wish& wish) {
  if (loaded && loaded->sources == wish.sources) return;
  end_search("The shaders were read again.");
  auto read = read_variant_sources(options.shader_dirs, options.source_dirs);
  loaded = wish;
  inspected.reset();
  around.reset();
  tuned_told.reset();
  checked.clear();
  if (!read) return post(Failed{"variants", read.error(), {}});
  {
    const std::lock_guard lock(mutex);
    sources = std::make_shared<const std::vector<VariantSource>>(*read);
  }
  auto infos = session->load_variants(*read);
  if (!infos) return post(Failed{"variants", infos.error(), {}});
  variants = *infos;
  texts =
      std::make_shared<const std::vector<LoadedVariant>>(loaded_texts(*read, options.shader_dirs, options.source_dirs));
  post(VariantsKnown{variants, wish.sources, texts});
}

void Link::Core::inspect(const Wish& wish) {
  look_up_tuned(wish);
  // A newer wish of the same config may have cut the checks short.
  if (inspected == wish.ask && !wish.choose) return check_variants(wish);
  legal = false;
  const Ask& ask = *wish.ask;
  if (wish.choose && wish.automatic) {
    inspected.reset();
    const tune::TunedTables tuned = search::load_tables(options.tuning.tuned, options.tuning.shipped);
    auto choice = choose_auto(*session, device, variants, tuned, ask.problem, wish.modes.cache, wish.modes.launch);
    if (choice) {
      std::string remark = choice->remark;
      return post(AutoChosen{ask.problem, std::move(*choice), std::move(remark)});
    }
    // What stands there already then says for itself why it cannot run.
    const auto stands = session->choose_config(ask.problem, ask.variant, "default");
    if (!stands) return post(Failed{"inspect", choice.error(), ask});
    AutoChoice kept{
        ask.variant, stands->config, stands->name, AutoChoice::From::manifest, "auto: " + choice.error().message, {}};
    return post(AutoChosen{ask.problem, std::move(kept), {}});
  }
  if (wish.choose) {
    inspected.reset();
    if (auto tuned = tuned_for(ask.problem, ask.variant, wish.modes))
      return post(
          ConfigChosen{ask, {tuned->entry.config, {}, ConfigChoice::How::suited, tune::describe(*tuned)}, true});
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
    bool broken = false;
    if (why.empty()) {
      auto inspection = session->inspect(problem, v.name, default_config(v));
      if (!inspection)
        why = inspection.error().message;
      else if (!inspection->why_not.empty() && inspection->nearest.empty())
        why = inspection->why_not, broken = inspection->broken;
    }
    post(VariantChecked{problem, v.name, why, broken});
  }
}

void Link::Core::look_around(const Wish& wish) {
  if (!wish.closer || around == wish.ask) return;
  const Ask& ask = *wish.ask;
  auto found = session->look_around(ask.problem, ask.variant, ask.config);
  if (!found) return post(Failed{"look around", found.error(), ask});
  around = ask;
  post(LookedAround{ask, std::move(*found)});
}

void Link::Core::read_peaks(const Wish& wish) {
  const bool measure = wish.peaks > peaks_done;
  if (peaks_asked && !measure) return;
  PeaksRequest request;
  request.measure = measure;
  const auto stage = [&](const Event& event) {
    if (const auto* progress = std::get_if<Progress>(&event)) post(PeaksKnown{{}, progress->stage, ""});
  };
  auto answer = session->peaks(request, measure ? EventSink(stage) : EventSink([](const Event&) {}), cancel);
  peaks_asked = true;
  if (!answer) {
    post(PeaksKnown{});
    // What was broken off by something newer is asked for still.
    if (answer.error().kind == ErrorKind::cancelled) return;
    peaks_done = wish.peaks;
    return post(Failed{"peaks", answer.error(), {}});
  }
  peaks_done = wish.peaks;
  post(PeaksKnown{answer->peaks, "", answer->note});
}

bool Link::Core::settled(const Wish& wish) {
  std::unique_lock lock(mutex);
  const auto left = std::chrono::duration<double>(wished_at + options.settle_s - steady_seconds());
  const auto other = [&] { return quit || !jobs.empty() || wished != wish || measures(); };
  changed.wait_for(lock, left, other);
  sampling = !other();
  return sampling;
}

}  // namespace attnscope::gui
