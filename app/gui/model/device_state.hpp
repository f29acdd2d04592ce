// What the workers told of their devices and variants, and of the config that is asked for.
#pragma once

#include "app/gui/worker/memo.hpp"
#include "app/gui/worker/selection.hpp"

namespace attnscope::gui {

/// Where the typed words stand in a text, whatever their case: begin and length; nullopt: it has not all of them.
std::optional<std::vector<std::pair<size_t, size_t>>> find_words(std::string_view typed, std::string_view text);

struct DeviceEntry {
  size_t worker = 0;
  DeviceInfo info;
};

/// Why a variant cannot run; both empty when it can.
struct WhyNot {
  std::string text;
  bool broken = false;  ///< wherever it runs: it did not load, or does not compile
  bool operator==(const WhyNot&) const = default;
};

class DeviceState {
 public:
  std::vector<std::string> workers;  ///< names; "" = this machine
  std::vector<DeviceEntry> devices;  ///< in the order of their workers
  std::optional<DeviceInfo> device;  ///< the open one
  std::string machine;               ///< Session::machine() of its worker
  std::string device_failure;
  bool variants_known = false;
  std::vector<VariantInfo> variants;
  std::string variants_failure;
  std::optional<Peaks> peaks;  ///< of the open device
  std::string peaks_stage;     ///< the ceiling being measured; "" when none is

  bool software() const { return device && device->type == DeviceType::software; }
  void list_devices(size_t worker, const std::vector<DeviceInfo>& infos) {
    std::erase_if(devices, [&](const DeviceEntry& d) { return d.worker == worker; });
    for (const DeviceInfo& info : infos) devices.push_back({worker, info});
    std::ranges::stable_sort(devices, {}, &DeviceEntry::worker);
  }
  /// Forgets what was known of another device; nullopt: none is open yet.
  void open(const std::optional<DeviceInfo>& info) {
    peaks.reset();
    peaks_stage.clear();
    device = info;
    device_failure.clear();
    variants_known = false;
    forget();
  }
  void list_variants(const std::vector<VariantInfo>& infos) {
    variants = infos;
    for (const VariantInfo& v : infos)
      if (v.error.empty()) loaded_[v.name] = v;
    variants_known = true;
    variants_failure.clear();
    ++variants_version_;
    forget();
  }
  /// The version of a variant's shaders, counted from 1, as it was loaded first; 0 = not known.
  int shader_number(const std::string& of, const std::string& hash) const {
    return at_or(numbers_, std::pair(of, hash));
  }
  void number_shader(const std::string& of, const std::string& hash, int number) {
    int& known = numbers_[{of, hash}];
    if (known != number) ++version_;
    known = number;
  }
  void check(const std::string& variant_name, const Problem& problem, const WhyNot& reason) {
    constexpr size_t kChecksKept = 20000;  // far more problems than a person asks for in a day
    if (checked_.size() > kChecksKept) checked_.clear();
    WhyNot& known = checked_[{variant_name, to_text(problem)}];
    // What serves is what was assumed: nothing to be shown anew.
    if (known != reason) ++version_;
    known = reason;
  }
  void inspect(const Selection& selection, const Inspection& inspection) { inspection_ = {selection, inspection}; }
  void look(const Selection& selection, const NeighbourPlans& around) { around_ = {selection, around}; }

  const VariantInfo* variant(const std::string& name) const { return find_by(variants, name, &VariantInfo::name); }
  /// As it loaded last: what its configs are called.
  const VariantInfo* loaded(const std::string& name) const { return find_at(loaded_, name); }
  /// Why a listed variant cannot serve the problem, in its text form; empty when it can, or is not known yet.
  WhyNot why_not(const VariantInfo& v, const std::string& problem) const {
    if (!v.error.empty()) return {v.error, true};
    if (!v.why_not.empty()) return {v.why_not, false};
    return checked(v.name, problem);
  }
  /// The same of just one config (named_config()), where a worker was asked.
  WhyNot checked(const std::string& name, const std::string& problem) const {
    return at_or(checked_, std::pair(name, problem));
  }
  /// The inspection when it is of just this.
  const Inspection* inspection(const Selection& selection) const {
    return inspection_ && inspection_->first == selection ? &inspection_->second : nullptr;
  }
  const NeighbourPlans* surroundings(const Selection& selection) const {
    return around_ && around_->first == selection ? &around_->second : nullptr;
  }
  /// Why a candidate cannot be chosen with the rest as asked, by the newest answer there is; "" when it can.
  std::string why_not_value(const Selection& selection, const std::string& parameter, size_t candidate) const {
    if (!inspection_ || inspection_->first.variant != selection.variant) return "";
    for (const ParameterChoices& c : inspection_->second.choices)
      if (c.name == parameter && candidate < c.why_not.size()) return c.why_not[candidate];
    return "";
  }
  void forget_inspection() { inspection_.reset(); }
  /// Raised by all that is told of variants, and by what is told of the list of them alone.
  uint64_t version() const { return version_; }
  uint64_t variants_version() const { return variants_version_; }

 private:
  void forget() {
    checked_.clear();
    ++version_;
    inspection_.reset();
    around_.reset();
  }
  std::map<std::string, VariantInfo> loaded_;
  std::map<std::pair<std::string, std::string>, int> numbers_;  ///< of shaders, by variant and hash
  std::optional<std::pair<Selection, Inspection>> inspection_;
  std::optional<std::pair<Selection, NeighbourPlans>> around_;
  uint64_t version_ = 0, variants_version_ = 0;
  std::map<std::pair<std::string, std::string>, WhyNot> checked_;  ///< by variant and problem
};

/// The list of variants as it is shown: which, in what order, and what is folded away.
class Catalogue {
 public:
  struct Row {
    size_t variant = 0;  ///< index into Known::variants
    WhyNot why;          ///< why it cannot run here, or at all; empty when it can
  };

  /// Made anew when any of these changed. `filter`: words of a name, title, summary or system; "" = all.
  void step(const DeviceState& known, const Problem& problem, const std::string& chosen, const std::string& filter) {
    rows_({known.version(), problem, chosen, filter}, [&] { return listed(known, problem, chosen, filter); });
  }
  /// What did not load or compile, then what can run; the chosen one is among them even when it cannot.
  const std::vector<Row>& open() const { return rows_.value().open; }
  /// The rest: what cannot run on this device or this problem.
  const std::vector<Row>& folded() const { return rows_.value().folded; }

 private:
  struct Rows {
    std::vector<Row> open, folded;
  };
  static Rows listed(const DeviceState&, const Problem&, const std::string& chosen, const std::string& filter);
  Memo<std::tuple<uint64_t, Problem, std::string, std::string>, Rows> rows_;
};

inline Catalogue::Rows Catalogue::listed(const DeviceState& known, const Problem& problem, const std::string& chosen,
                                         const std::string& filter) {
  Rows out;
  const std::string text = to_text(problem);
  std::vector<Row> running;
  for (size_t i = 0; i < known.variants.size(); ++i) {
    const VariantInfo& v = known.variants[i];
    if (!find_words(filter, fmt::format("{} {} {} {}", v.name, v.title, v.summary, v.system))) continue;
    Row row{i, known.why_not(v, text)};
    if (row.why.broken)
      out.open.push_back(std::move(row));
    else if (row.why.text.empty() || v.name == chosen)
      running.push_back(std::move(row));
    else
      out.folded.push_back(std::move(row));
  }
  // Who types a name means that one; then those that begin so.
  std::ranges::stable_sort(running, {}, [&](const Row& r) {
    const std::string& name = known.variants[r.variant].name;
    return filter.empty() || name == filter ? 0 : name.starts_with(filter) ? 1 : 2;
  });
  out.open.insert(out.open.end(), std::make_move_iterator(running.begin()), std::make_move_iterator(running.end()));
  return out;
}

}  // namespace attnscope::gui
