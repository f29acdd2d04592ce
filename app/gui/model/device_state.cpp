#include "app/gui/model/device_state.hpp"

#include <algorithm>

#include "engine/words.hpp"

namespace attnscope::gui {
namespace {

constexpr size_t kChecksKept = 20000;  ///< far more problems than a person asks for in a day

}  // namespace

void DeviceState::list_devices(size_t worker, const std::vector<DeviceInfo>& infos) {
  std::erase_if(devices, [&](const DeviceEntry& d) { return d.worker == worker; });
  for (const DeviceInfo& info : infos) devices.push_back({worker, info});
  std::stable_sort(devices.begin(), devices.end(),
                   [](const DeviceEntry& a, const DeviceEntry& b) { return a.worker < b.worker; });
}

void DeviceState::open(const std::optional<DeviceInfo>& info) {
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

void DeviceState::list_variants(const std::vector<VariantInfo>& infos) {
  variants = infos;
  variants_known = true;
  variants_failure.clear();
  checked_.clear();
  ++version_;
  ++variants_version_;
  inspection_.reset();
  around_.reset();
}

void DeviceState::check(const std::string& variant_name, const Problem& problem, const WhyNot& reason) {
  if (checked_.size() > kChecksKept) checked_.clear();
  WhyNot& known = checked_[{variant_name, to_text(problem)}];
  // What serves is what was assumed: nothing to be shown anew.
  if (known != reason) ++version_;
  known = reason;
}

int DeviceState::shader_number(const std::string& of, const std::string& hash) const {
  const auto found = numbers_.find({of, hash});
  return found == numbers_.end() ? 0 : found->second;
}

void DeviceState::number_shader(const std::string& of, const std::string& hash, int number) {
  int& known = numbers_[{of, hash}];
  if (known != number) ++version_;
  known = number;
}

void DeviceState::inspect(const Selection& selection, const Inspection& inspection) {
  inspection_ = inspection;
  inspected_ = selection;
}

void DeviceState::look(const Selection& selection, const NeighbourPlans& around) {
  around_ = around;
  looked_at_ = selection;
}

const NeighbourPlans* DeviceState::surroundings(const Selection& selection) const {
  return around_ && looked_at_ == selection ? &*around_ : nullptr;
}

const VariantInfo* DeviceState::variant(const std::string& name) const {
  for (const VariantInfo& v : variants)
    if (v.name == name) return &v;
  return nullptr;
}

std::string DeviceState::why_not(const std::string& name, const Problem& problem) const {
  const VariantInfo* v = variant(name);
  return v ? why_not(*v, to_text(problem)).text : "There is no such variant.";
}

WhyNot DeviceState::why_not(const VariantInfo& v, const std::string& problem) const {
  if (!v.error.empty()) return {v.error, true};
  if (!v.why_not.empty()) return {v.why_not, false};
  const auto known = checked_.find({v.name, problem});
  return known == checked_.end() ? WhyNot{} : known->second;
}

const Inspection* DeviceState::inspection(const Selection& selection) const {
  return inspection_ && inspected_ == selection ? &*inspection_ : nullptr;
}

std::string DeviceState::why_not_value(const Selection& selection, const std::string& parameter,
                                       size_t candidate) const {
  if (!inspection_ || inspected_.variant != selection.variant) return "";
  for (const ParameterChoices& c : inspection_->choices)
    if (c.name == parameter && candidate < c.why_not.size()) return c.why_not[candidate];
  return "";
}

namespace {

int rank_of(const std::string& name, const std::string& wanted) {
  if (name == wanted) return 0;
  if (name.starts_with(wanted)) return 1;
  return name.find(wanted) != std::string::npos ? 2 : 3;
}

}  // namespace

void Catalogue::step(const DeviceState& known, const Problem& problem, const std::string& chosen,
                     const std::string& filter) {
  rows_({known.version(), problem, chosen, filter}, [&] { return listed(known, problem, chosen, filter); });
}

Catalogue::Rows Catalogue::listed(const DeviceState& known, const Problem& problem, const std::string& chosen,
                                  const std::string& filter) {
  Rows out;
  const std::string wanted = lower_case(filter), text = to_text(problem);
  std::vector<Row> running;
  for (size_t i = 0; i < known.variants.size(); ++i) {
    const VariantInfo& v = known.variants[i];
    if (!wanted.empty() &&
        lower_case(v.name + " " + v.title + " " + v.summary + " " + v.system).find(wanted) == std::string::npos)
      continue;
    Row row{i, known.why_not(v, text)};
    if (row.why.broken)
      out.open.push_back(std::move(row));
    else if (row.why.text.empty() || v.name == chosen)
      running.push_back(std::move(row));
    else
      out.folded.push_back(std::move(row));
  }
  out.open.insert(out.open.end(), std::make_move_iterator(running.begin()), std::make_move_iterator(running.end()));
  if (wanted.empty()) return out;
  // Who searches has a name in mind: before what is broken, and before what only has the word in its description.
  for (std::vector<Row>* rows : {&out.open, &out.folded})
    std::stable_sort(rows->begin(), rows->end(), [&](const Row& a, const Row& b) {
      return rank_of(lower_case(known.variants[a.variant].name), wanted) <
             rank_of(lower_case(known.variants[b.variant].name), wanted);
    });
  return out;
}

}  // namespace attnscope::gui
