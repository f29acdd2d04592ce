#include "app/gui/state/known.hpp"

#include <algorithm>

namespace attnscope::gui {
namespace {

constexpr size_t kChecksKept = 20000;  ///< far more problems than a person asks for in a day

}  // namespace

void Known::list_devices(size_t worker, const std::vector<DeviceInfo>& infos) {
  std::erase_if(devices, [&](const DeviceEntry& d) { return d.worker == worker; });
  for (const DeviceInfo& info : infos) devices.push_back({worker, info});
  std::stable_sort(devices.begin(), devices.end(),
                   [](const DeviceEntry& a, const DeviceEntry& b) { return a.worker < b.worker; });
}

void Known::open(const std::optional<DeviceInfo>& info) {
  peaks.reset();
  peaks_stage.clear();
  device = info;
  device_failure.clear();
  variants_known = false;
  checked_.clear();
  ++version_;
  inspection_.reset();
  around_.reset();
}

void Known::list_variants(const std::vector<VariantInfo>& infos) {
  variants = infos;
  variants_known = true;
  variants_failure.clear();
  checked_.clear();
  ++version_;
  ++variants_version_;
  inspection_.reset();
  around_.reset();
}

void Known::check(const std::string& variant_name, const Problem& problem, const WhyNot& reason) {
  if (checked_.size() > kChecksKept) checked_.clear();
  WhyNot& known = checked_[{variant_name, to_text(problem)}];
  // What serves is what was assumed: nothing to be shown anew.
  if (known != reason) ++version_;
  known = reason;
}

int Known::shader_number(const std::string& of, const std::string& hash) const {
  const auto found = numbers_.find({of, hash});
  return found == numbers_.end() ? 0 : found->second;
}

void Known::number_shader(const std::string& of, const std::string& hash, int number) {
  int& known = numbers_[{of, hash}];
  if (known != number) ++version_;
  known = number;
}

void Known::inspect(const Ask& ask, const Inspection& inspection) {
  inspection_ = inspection;
  inspected_ = ask;
}

void Known::look(const Ask& ask, const Surroundings& around) {
  around_ = around;
  looked_at_ = ask;
}

const Surroundings* Known::surroundings(const Ask& ask) const {
  return around_ && looked_at_ == ask ? &*around_ : nullptr;
}

const VariantInfo* Known::variant(const std::string& name) const {
  for (const VariantInfo& v : variants)
    if (v.name == name) return &v;
  return nullptr;
}

std::string Known::why_not(const std::string& name, const Problem& problem) const {
  const VariantInfo* v = variant(name);
  return v ? why_not(*v, to_text(problem)).text : "There is no such variant.";
}

WhyNot Known::why_not(const VariantInfo& v, const std::string& problem) const {
  if (!v.error.empty()) return {v.error, true};
  if (!v.why_not.empty()) return {v.why_not, false};
  const auto known = checked_.find({v.name, problem});
  return known == checked_.end() ? WhyNot{} : known->second;
}

const Inspection* Known::inspection(const Ask& ask) const {
  return inspection_ && inspected_ == ask ? &*inspection_ : nullptr;
}

std::string Known::why_not_value(const Ask& ask, const std::string& parameter, size_t candidate) const {
  if (!inspection_ || inspected_.variant != ask.variant) return "";
  for (const ParameterChoices& c : inspection_->choices)
    if (c.name == parameter && candidate < c.why_not.size()) return c.why_not[candidate];
  return "";
}

}  // namespace attnscope::gui
