#include "engine/search/arms.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace attnscope::search {
namespace {

/// Configs of tuned neighbours that a search begins with.
constexpr size_t kMostNeighbours = 3;
constexpr const char* kAll = "all";

Result<const VariantInfo*> named(const Place& place, const std::string& name) {
  const auto it =
      std::find_if(place.variants.begin(), place.variants.end(), [&](const VariantInfo& v) { return v.name == name; });
  if (it == place.variants.end()) {
    std::string known = kAll;
    for (const VariantInfo& v : place.variants) known += ", " + v.name;
    return bad_input(fmt::format("there is no variant {}; there are: {}", name, known));
  }
  if (!it->error.empty()) return bad_input(fmt::format("{} does not load:\n{}", name, it->error));
  if (!it->why_not.empty())
    return unsupported(fmt::format("{} cannot run on {}: {}", name, place.device.name, it->why_not));
  return &*it;
}

}  // namespace

Result<std::vector<Competitor>> competitors(const SearchRequest& request, const Place& place,
                                            const TunedTables& tuned) {
  std::vector<const VariantInfo*> wanted;
  const auto add = [&](const VariantInfo* info) {
    if (std::find(wanted.begin(), wanted.end(), info) == wanted.end()) wanted.push_back(info);
  };
  bool all = request.variants.empty();
  for (const std::string& name : request.variants) {
    all |= name == kAll;
    if (name == kAll) continue;
    const Result<const VariantInfo*> info = named(place, name);
    if (!info) return info.error();
    add(*info);
  }
  if (all)
    for (const VariantInfo& v : place.variants)
      if (v.error.empty() && v.why_not.empty()) add(&v);

  std::vector<Competitor> out;
  std::string why_none;
  for (const VariantInfo* info : wanted) {
    const Result<ConfigChoice> choice = place.session->choose_config(request.problem, info->name, "default");
    if (!choice) return choice.error();
    if (choice->how == ConfigChoice::How::as_asked && !choice->because.empty()) {
      if (!all)
        return bad_input(fmt::format("{} cannot serve {}: {}", info->name, to_text(request.problem), choice->because));
      if (why_none.empty()) why_none = fmt::format("{}: {}", info->name, choice->because);
      continue;
    }
    Competitor c;
    c.info = info;
    c.arm.variant = info->name;
    c.arm.parameters = info->parameters;
    c.arm.seeds.push_back(choice->config);
    const tune::TunedQuery query{place.device, request.problem,        info->name,
                                 info->hash,   request.protocol.cache, request.protocol.launch};
    const auto near = tune::find_tuned(tuned.user.entries, tuned.shipped.entries, query);
    for (size_t n = 0; n < near.size() && n < kMostNeighbours; ++n) c.arm.seeds.push_back(near[n].entry.config);
    for (const NamedConfig& config : info->configs) c.arm.seeds.push_back(full_config(*info, config));
    out.push_back(std::move(c));
  }
  if (out.empty())
    return bad_input(fmt::format("No variant can serve {} on {}{}", to_text(request.problem), place.device.name,
                                 why_none.empty() ? "" : "; " + why_none));
  return out;
}

Result<void> check_variants(const SearchRequest& request, const Place& place) {
  const Result<std::vector<Competitor>> competing = competitors(request, place, {});
  return competing ? Result<void>() : competing.error();
}

}  // namespace attnscope::search
