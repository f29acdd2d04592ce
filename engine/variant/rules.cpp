#include "engine/variant/planner.hpp"

namespace attnscope {
namespace {

uint64_t bit(size_t parameter) { return uint64_t{1} << (parameter % 64); }

}  // namespace

Rules::Rules(const Variant& variant, const Names& known) : variant_(variant), places_(known) {
  for (const Parameter& p : variant.parameters) {
    double& place = places_[p.name];
    place = double(p.values.front());
    parameters_.push_back(&place);
  }
  const auto& entries = variant.manifest.let;
  // Loading made sure that there is such an order.
  const auto order = in_order_of_use(entries, "let");
  if (!order) return;
  for (const auto& [name, text] : entries) places_.emplace(name, 1);
  for (const auto* let : *order) {
    Needs needs = needs_of(let->second);
    lets_.push_back({let->first, compile(let->second), std::move(needs.lets), needs.level, needs.parameters});
    let_places_.push_back(&places_.find(let->first)->second);
  }
  for (const ConstraintDecl& c : variant.manifest.constraints) {
    Needs needs = needs_of(c.require);
    constraints_.push_back({compile(c.require), std::move(needs.lets), needs.level});
  }
}

Rules::Needs Rules::needs_of(const std::string& expression) const {
  Needs needs;
  const auto used = used_names(expression);
  if (!used) return needs;
  for (const std::string& name : *used) {
    for (size_t p = 0; p < variant_.parameters.size(); ++p)
      if (variant_.parameters[p].name == name) {
        needs.level = std::max(needs.level, p + 1);
        needs.parameters |= bit(p);
      }
    for (size_t i = 0; i < lets_.size(); ++i)
      if (lets_[i].name == name) {
        needs.lets.push_back(i);
        needs.level = std::max(needs.level, lets_[i].level);
        needs.parameters |= lets_[i].parameters;
      }
  }
  return needs;
}

std::optional<CompiledExpression> Rules::compile(const std::string& expression) {
  auto made = CompiledExpression::make(expression, [this](const std::string& name) { return find_at(places_, name); });
  return made ? std::optional(std::move(*made)) : std::nullopt;
}

void Rules::set(size_t p, int64_t value) {
  if (*parameters_[p] == double(value)) return;
  *parameters_[p] = double(value);
  for (Let& let : lets_)
    if ((let.parameters & bit(p)) != 0) let.fresh = false;
}

void Rules::set(const Config& config) {
  for (size_t p = 0; p < parameters_.size(); ++p)
    if (const auto value = config.find(variant_.parameters[p].name); value != config.end()) set(p, value->second);
}

bool Rules::refresh(size_t index) {
  Let& let = lets_[index];
  if (let.fresh) return let.finite;
  let.fresh = true;
  let.finite = false;
  for (const size_t used : let.uses)
    if (!refresh(used)) return false;
  const auto value = let.value ? let.value->value() : std::nullopt;
  if (value) *let_places_[index] = *value;
  return let.finite = value.has_value();
}

bool Rules::met(const Constraint& c) {
  for (const size_t let : c.uses)
    if (!refresh(let)) return false;
  if (!c.require) return true;
  const auto value = c.require->value();
  return value && *value != 0;
}

std::optional<size_t> Rules::unmet() {
  for (size_t i = 0; i < constraints_.size(); ++i)
    if (!met(constraints_[i])) return i;
  return std::nullopt;
}

std::optional<size_t> Rules::unmet_at(size_t level) {
  for (size_t i = 0; i < constraints_.size(); ++i)
    if (constraints_[i].level == level && !met(constraints_[i])) return i;
  return std::nullopt;
}

size_t Rules::level_of(const std::string& expression, const std::map<std::string, std::string>& own) const {
  const auto names = names_below(expression, [&](const std::string& name) {
    const std::string* one = find_at(own, name);
    return one != nullptr ? one : find_at(variant_.manifest.let, name);
  });
  size_t level = variant_.parameters.size();
  while (names && level > 0 && !names->contains(variant_.parameters[level - 1].name)) --level;
  return level;
}

bool Rules::add_values(Names& names) {
  for (size_t p = 0; p < parameters_.size(); ++p) names[variant_.parameters[p].name] = *parameters_[p];
  for (size_t i = 0; i < lets_.size(); ++i) {
    if (!refresh(i)) return false;
    names[lets_[i].name] = *let_places_[i];
  }
  return lets_.size() == variant_.manifest.let.size();
}

}  // namespace attnscope
