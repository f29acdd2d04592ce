#include "app/gui/state/captions.hpp"

#include <algorithm>
#include <chrono>

#include "app/gui/state/labels.hpp"

namespace attnscope::gui {
namespace {

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

const std::string& found(const std::map<uint64_t, std::string>& names, uint64_t id) {
  static const std::string none;
  const auto at = names.find(id);
  return at == names.end() ? none : at->second;
}

std::string longest_of(const std::vector<std::string>& names) {
  const auto at = std::max_element(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    return display_width(a) < display_width(b);
  });
  return at == names.end() ? "" : *at;
}

std::vector<std::string> problems_of(const std::vector<const Record*>& records) {
  std::vector<std::string> out;
  for (const Record* r : records) out.push_back(to_text(r->problem));
  return out;
}

}  // namespace

void Captions::step(const Record& asked, uint64_t asked_version, const Pins& pins, const Tried& tried,
                    const Known& known, double now) {
  constexpr double kShare = 0.01;
  if (const std::array of{pins.version(), known.variants_version(), asked_version}; pins_due_(of, now)) {
    const double began = seconds();
    name_pins(asked, pins, known);
    pins_due_ = {of, now + (seconds() - began) / kShare};
  }
  if (const std::array of{tried.version(), known.variants_version(), uint64_t{0}}; tried_due_(of, now)) {
    const double began = seconds();
    name_tried(tried, known);
    tried_due_ = {of, now + (seconds() - began) / kShare};
  }
}

void Captions::name_pins(const Record& asked, const Pins& pins, const Known& known) {
  std::vector<const Record*> records;
  for (const Pin& p : pins.all()) records.push_back(p.record.get());
  // Live samples of a run that is pinned too are no second take of it.
  const Pin* same = pins.same(asked);
  if (!same) records.push_back(&asked);
  const std::vector<std::string> names = labels_of(records, known);
  pins_.clear();
  for (size_t i = 0; i < pins.all().size(); ++i) pins_[pins.all()[i].id] = names[i];
  longest_ = longest_of(names);
  const std::vector<std::string> problems = problems_of(records);
  longest_problem_ = longest_of(problems);
  one_problem_ = std::all_of(problems.begin(), problems.end(), [&](const auto& p) { return p == problems.front(); });
  asked_ = same ? pins_[same->id] : names.back();
}

void Captions::name_tried(const Tried& tried, const Known& known) {
  std::vector<const Record*> records;
  for (const Tried::Entry& e : tried.entries()) records.push_back(e.record.get());
  const std::vector<std::string> names = labels_of(records, known);
  tried_.clear();
  ++tried_named_;
  for (size_t i = 0; i < names.size(); ++i) tried_[tried.entries()[i].number] = names[i];
  longest_tried_ = longest_of(names);
  longest_tried_problem_ = longest_of(problems_of(records));
}

void Captions::choose_units(const Pins& pins, const Standing* standing) {
  const double live = standing ? standing->live.tflops + standing->live.gbps : 0;
  if (units_of_pins_ == pins.version() && units_live_ == live) return;
  units_of_pins_ = pins.version();
  units_live_ = live;
  std::vector<double> flops, bytes;
  const auto add = [&](const Record& r) {
    flops.push_back(r.tflops * 1e12);
    bytes.push_back(r.gbps * 1e9);
  };
  for (const Pin& p : pins.all()) add(*p.record);
  if (standing) add(standing->live);
  flops_ = choose_rate_unit(flops, "FLOP/s");
  bytes_ = choose_rate_unit(bytes, "B/s");
}

const std::string& Captions::pin(uint64_t id) const { return found(pins_, id); }
const std::string& Captions::tried(uint64_t number) const { return found(tried_, number); }

}  // namespace attnscope::gui
