#include "engine/record/preset.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "engine/record/preset_table.hpp"
#include "engine/record/results.hpp"

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

Result<Preset> read_preset(const toml::table& table) {
  constexpr std::array<std::string_view, 7> known{"title", "purpose", "problems", "variants", "configs", "table", "row"};
  for (const auto& [key, node] : table)
    if (std::find(known.begin(), known.end(), key.str()) == known.end())
      return bad_input(fmt::format("line {}: key '{}' is not known; the keys are {}", node.source().begin.line,
                                   key.str(), fmt::join(known, ", ")));
  Preset preset;
  preset.title = table["title"].value_or(std::string());
  preset.purpose = table["purpose"].value_or(std::string());
  const auto problems = strings(table, "problems");
  const auto variants = strings(table, "variants");
  const auto configs = strings(table, "configs");
  for (const auto* list : {&problems, &variants, &configs})
    if (!*list) return list->error();
  for (const std::string& text : *problems) {
    const auto problem = parse_problem(text);
    if (!problem) return problem.error();
    preset.problems.push_back(*problem);
  }
  if (preset.title.empty()) return bad_input("title is missing or empty");
  if (preset.problems.empty()) return bad_input("problems is missing or empty");
  auto system = read_system_table(table);
  if (!system) return system.error();
  preset.table = *std::move(system);
  preset.variants = *variants;
  preset.configs = *configs;
  return preset;
}

}  // namespace

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
  const auto text = read_text(path);
  if (!text) return text.error();
  try {
    const toml::table table = toml::parse(*text);
    auto preset = read_preset(table);
    if (!preset) return bad_input(fmt::format("preset '{}': {}", path.string(), preset.error().message));
    preset->name = name;
    return preset;
  } catch (const toml::parse_error& e) {
    return bad_input(
        fmt::format("preset '{}', line {}: {}.", path.string(), e.source().begin.line, std::string(e.description())));
  }
}

}  // namespace attnscope
