// The workbench's verbs around edited shaders: what is read again when, versions, before against after.
#include <algorithm>

#include <fmt/format.h>

#include "app/gui/workbench.hpp"
#include "engine/record/same_device.hpp"

namespace attnscope::gui {

void Workbench::sources_changed(const std::vector<std::string>& names) {
  if (names.empty()) return;
  const bool from_here = std::any_of(names.begin(), names.end(), [&](const auto& n) { return changing_.contains(n); });
  const std::string list =
      names.size() > 4 ? fmt::format("{} variants", names.size()) : fmt::format("{}", fmt::join(names, ", "));
  if (searched.measuring() && !from_here) {
    if (waiting_.empty())
      say(Level::info,
          fmt::format("Changed on disk: {}. They are read when the search is over; F5 reads them now.", list));
    waiting_.insert(names.begin(), names.end());
    return;
  }
  const bool mine = std::find(names.begin(), names.end(), asked.ask.variant) != names.end();
  // Who edits a variant wants to see that one.
  if (mine && automatic_) end_automatic();
  if (mine) lost_.reset();
  changing_.insert(names.begin(), names.end());
  ++sources_;
  known.forget_inspection();
  say(Level::info, fmt::format("Changed on disk: {}. Reading the shader folders again.", list));
}

void Workbench::saving(const std::vector<std::string>& names) { changing_.insert(names.begin(), names.end()); }

std::vector<std::string> Workbench::variants_with(const std::string& path) const {
  std::vector<std::string> out;
  for (const VariantInfo& v : known.variants)
    if (const LoadedVariant* of = editor.variant(v.name);
        of && std::any_of(of->files.begin(), of->files.end(), [&](const LoadedFile& f) { return f.path == path; }))
      out.push_back(v.name);
  return out;
}

void Workbench::take_new_variant(const std::string& name) {
  new_variant_ = name;
  last_config_[name] = asked.ask.config;
}

std::string Workbench::version_name(const std::string& variant, const std::string& hash) const {
  const int number = editor.versions.number(variant, hash);
  return number == 0 || editor.versions.of(variant).size() < 2 ? variant : fmt::format("{} #{}", variant, number);
}

void Workbench::note_versions(const VariantsKnown& news) {
  if (news.sources >= sources_) changing_.clear();
  if (!news.texts) return;
  editor.loaded(*news.texts, news.variants);
  for (const VariantInfo& v : news.variants) {
    const std::vector<Version>& all = editor.versions.of(v.name);
    if (all.size() < 2) continue;
    for (const Version& of : all) known.number_shader(v.name, of.hash, of.number);
  }
  if (!new_variant_.empty() && known.variant(new_variant_)) set_variant(std::exchange(new_variant_, {}));
}

void Workbench::step_editor() {
  if (!waiting_.empty() && !searched.measuring()) {
    const std::set<std::string> names = std::exchange(waiting_, {});
    sources_changed({names.begin(), names.end()});
  }
  const VariantInfo* v = current_variant();
  VersionsView::Of of{asked.ask, asked.modes, "", v && v->error.empty() ? v->hash : ""};
  if (known.device) of.device = device_key(*known.device);
  versions_.step(editor.versions, tried, of);
}

std::optional<Job> Workbench::race_version(const std::string& hash) {
  const auto no = [this](const std::string& why) -> std::optional<Job> {
    say(Level::warning, why);
    return std::nullopt;
  };
  const VariantInfo* v = current_variant();
  if (!v || !v->error.empty() || !known.device)
    return no("The variant that is shown does not load: there is nothing to compare.");
  if (searched.measuring() || across.job.running || before_after_.running || best_race_.running)
    return no("Something else is being measured: cancel it first, or wait for it.");
  const Version* before = editor.versions.find(v->name, hash);
  const Version* after = editor.versions.find(v->name, v->hash);
  if (!before || !after || before == after || before->texts.empty() || after->texts.empty())
    return no("The texts of that version are not kept any more.");
  Job job{.id = next_job_++, .items = {}, .quiet = quiet()};
  job.versions =
      Job::Versions{asked.ask, asked.modes, source_of(v->name, before->texts), source_of(v->name, after->texts)};
  before_after_ = {job.id,       true,        "start",        asked.ask,     asked.modes, known.device->name,
                   before->hash, after->hash, before->number, after->number, {},          {}};
  return job;
}

void Workbench::on(const VersionsRaced& news) {
  if (news.job != before_after_.id) return;
  before_after_.stage = news.stage;
  if (!news.stage.empty()) return;
  before_after_.running = false;
  before_after_.error = news.error;
  if (!news.outcome) {
    say(Level::warning, fmt::format("{} could not be compared with its version #{}: {}", before_after_.ask.variant,
                                    before_after_.before, news.error));
    return;
  }
  before_after_.row = news.outcome->row;
  const RowComparison& row = *before_after_.row;
  const std::string ratio = ratio_text(row);
  const std::string who = fmt::format("{} #{} against #{} on {}", before_after_.ask.variant, before_after_.after,
                                      before_after_.before, to_text(before_after_.ask.problem));
  if (const std::string why = before_after_.no_time(); !why.empty())
    say(Level::warning, fmt::format("{} could not be compared: {}.", who, why));
  else
    say(row.comparison.relation == Relation::slower ? Level::warning : Level::info,
        fmt::format("{}: {}{}", who, to_text(row.comparison.relation), ratio.empty() ? "" : " " + ratio));
}

bool Workbench::pin_version(const VersionsView::Row& row) {
  if (row.current) {
    if (!timed()) return false;
    pin();
    return true;
  }
  if (!row.record || row.record->samples_ns.empty() || row.record->outcome != Outcome::measured) return false;
  say(Level::info, fmt::format("Pinned {} #{} on {}.", row.record->variant, row.number, to_text(row.record->problem)));
  pins.add(*row.record);
  return true;
}

}  // namespace attnscope::gui
