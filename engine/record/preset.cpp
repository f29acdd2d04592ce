#include "engine/record/preset.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "engine/input/file.hpp"
#include "engine/input/toml.hpp"
#include "engine/record/preset_section.hpp"
#include "engine/record/preset_table.hpp"

namespace attnscope {

namespace {

/// The strings of an array, or what is wrong with it.
Result<std::vector<std::string>> strings(const toml::table& table, std::string_view key) {
  std::vector<std::string> out;
  const toml::node* node = table.get(key);
  if (!node) return out;
  const toml::array* array = node->as_array();
  if (!array) return bad_input(fmt::format("line {}: {} must be an array of strings", node->source().begin.line, key));
  for (const toml::node& item : *array) {
    const auto text = item.value<std::string>();
    if (!text || !item.is_string())
      return bad_input(fmt::format("line {}: {} must hold strings alone", item.source().begin.line, key));
    out.push_back(*text);
  }
  return out;
}

SoftwareTerms read_software(const toml::node& node) {
  const preset::Section s(node, "[software]", {"budget_s", "protocol"});
  SoftwareTerms terms;
  terms.budget_s = s.number("budget_s").value_or(0);
  const toml::node* protocol = s.find("protocol");
  if (!protocol) return terms;
  const preset::Section p(
      *protocol, "protocol",
      {"warmup_ms", "warmup_cap_ms", "min_ms", "max_ms", "min_samples", "max_samples", "target_noise"});
  const auto count = [&](std::string_view key) -> std::optional<uint32_t> {
    const auto number = p.number(key);
    if (!number) return std::nullopt;
    constexpr auto range = protocol_range::samples;
    if (!(*number >= range.least && *number <= range.most) || *number != std::floor(*number))
      throw preset::Bad(*p.find(key), fmt::format("{} must be {}", key, range_text(range)));
    return uint32_t(*number);
  };
  ProtocolChange& change = terms.protocol;
  change.warmup_ms = p.number("warmup_ms");
  change.warmup_cap_ms = p.number("warmup_cap_ms");
  change.min_ms = p.number("min_ms");
  change.max_ms = p.number("max_ms");
  change.min_samples = count("min_samples");
  change.max_samples = count("max_samples");
  change.target_noise = p.number("target_noise");
  if (const Result<void> ok = check_protocol(changed(Protocol(), change)); !ok)
    throw preset::Bad(*protocol, ok.error().message);
  return terms;
}

Result<Preset> read_preset(const toml::table& table) {
  constexpr std::array<std::string_view, 8> known{"title",   "purpose",  "problems", "variants",
                                                  "configs", "software", "table",    "row"};
  for (const auto& [key, node] : table)
    if (std::find(known.begin(), known.end(), key.str()) == known.end())
      return bad_input(fmt::format("line {}: key '{}' is not known; the keys are {}", node.source().begin.line,
                                   key.str(), fmt::join(known, ", ")));
  Preset preset;
  preset.title = table["title"].value_or(std::string());
  preset.purpose = table["purpose"].value_or(std::string());
  const auto variants = strings(table, "variants");
  const auto configs = strings(table, "configs");
  for (const auto* list : {&variants, &configs})
    if (!*list) return list->error();
  try {
    if (const toml::node* problems = table.get("problems"))
      for (preset::NamedProblem& one : preset::named_problems(*problems, "problems")) {
        preset.problems.push_back(std::move(one.problem));
        preset.whose.push_back(std::move(one.whose));
      }
    if (preset.title.empty()) return bad_input("title is missing or empty");
    if (preset.problems.empty()) return bad_input("problems is missing or empty");
    if (const toml::node* software = table.get("software")) preset.software = read_software(*software);
  } catch (const preset::Bad& bad) {
    return bad_input(bad.what());
  }
  auto system = read_system_table(table);
  if (!system) return system.error();
  preset.table = *std::move(system);
  preset.variants = *variants;
  preset.configs = *configs;
  return preset;
}

}  // namespace

Result<Preset> parse_preset(std::string_view text) {
  const auto parsed = parse_toml(text);
  if (const auto* fault = std::get_if<TomlFault>(&parsed))
    return bad_input(fmt::format("line {}: {}.", fault->line, fault->what));
  return read_preset(std::get<toml::table>(parsed));
}

Result<std::vector<std::string>> list_presets(const std::filesystem::path& dir) {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator it(dir, error), end; !error && it != end; it.increment(error))
    if (it->path().extension() == ".toml") names.push_back(it->path().stem().string());
  if (error)
    return bad_input(fmt::format("The folder of presets '{}' cannot be read: {}.", dir.string(), error.message()));
  std::sort(names.begin(), names.end());
  return names;
}

Result<Preset> load_preset(const std::filesystem::path& dir, const std::string& name) {
  const auto names = list_presets(dir);
  if (!names) return names.error();
  if (std::find(names->begin(), names->end(), name) == names->end())
    return bad_input(fmt::format("preset '{}' is not known; the presets in '{}' are {}.", name, dir.string(),
                                 names->empty() ? "none" : fmt::format("{}", fmt::join(*names, ", "))));
  const auto path = dir / (name + ".toml");
  const auto text = read_file(path, kMaxSourceBytes);
  if (!text) return text.error();
  auto preset = parse_preset(*text);
  if (!preset) return bad_input(fmt::format("preset '{}': {}", path.string(), preset.error().message));
  preset->name = name;
  return preset;
}

}  // namespace attnscope
