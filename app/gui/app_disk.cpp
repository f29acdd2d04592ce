// The app and the disk: files that are watched, texts that are saved, variants that are copied.
#include <chrono>

#include <fmt/format.h>

#include "app/gui/app.hpp"

namespace attnscope::gui {
namespace {

template <class T>
bool ready(const std::future<T>& f) {
  return f.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

}  // namespace

void App::on_news(const std::function<void()>& wake) {
  wake_ = wake;
  links_.on_news(wake);
  watch_.reset();  // begun anew with the next turn, to wake the same
}

void App::watch_files() {
  if (!layout_.watch) {
    watch_.reset();
    return;
  }
  if (!watch_) {
    const bool again = bench_.known.variants_known;
    watch_ = std::make_unique<Watch>(options_.shader_dirs, options_.source_dirs, wake_);
    // What changed while nobody watched is read now.
    if (again) bench_.reload_shaders();
  }
  bench_.sources_changed(watch_->take());
}

/// Nobody keeps the edits of a window without settings.
bool App::may_close() {
  if (!settings_path_.empty() || bench_.editor.unsaved().empty()) return true;
  drafts_.ask_quit = true;
  return false;
}

void App::start_disk(const Requests& r) {
  for (const SaveRequest& save : r.save_texts)
    writing_.push_back(std::async(std::launch::async, [save] { return save_file(save); }));
  if (!r.new_variant || copying_) return;
  const LoadedVariant* from = bench_.editor.variant(bench_.asked.ask.variant);
  if (!from || options_.new_variants.empty()) return;
  copying_ = Copying{*r.new_variant, std::async(std::launch::async,
                                                [folder = from->folder, into = options_.new_variants,
                                                 name = *r.new_variant] { return copy_variant(folder, into, name); })};
}

void App::finish_disk() {
  for (auto it = writing_.begin(); it != writing_.end();) {
    if (!ready(*it)) {
      ++it;
      continue;
    }
    const SaveOutcome out = it->get();
    it = writing_.erase(it);
    bench_.editor.saved(out);
    if (!out.error.empty()) bench_.say(Level::error, out.error);
    if (out.theirs)
      bench_.say(Level::warning,
                 fmt::format("'{}' was not saved: somebody else changed it meanwhile.", out.request.path.string()));
    if (!out.error.empty() || out.theirs) continue;
    const std::vector<std::string> names = bench_.variants_with(out.request.path.string());
    bench_.saving(names);
    if (watch_)
      watch_->look(names);
    else
      bench_.sources_changed(names);
  }
  if (!copying_ || !ready(copying_->done)) return;
  const Result<std::filesystem::path> made = copying_->done.get();
  const std::string name = copying_->name;
  copying_.reset();
  if (!made) {
    drafts_.new_variant_error = made.error().message;
    drafts_.naming = true;
    return bench_.say(Level::error, made.error().message);
  }
  bench_.say(Level::good, fmt::format("Made {}.", made->string()));
  drafts_.new_variant_error.clear();
  bench_.take_new_variant(name);
  if (watch_)
    watch_->look({name});
  else
    bench_.sources_changed({name});
}

}  // namespace attnscope::gui
