#include "app/gui/worker/selection.hpp"

#include <fmt/format.h>

namespace attnscope::gui {
std::string to_text(const Selection& selection) {
  const std::string config = attnscope::to_text(selection.config);
  return fmt::format("{}  {}{}{}", selection.variant, to_text(selection.problem), config.empty() ? "" : "  ", config);
}

// One policy for everybody: these only fix the type of variant that the window has.
Config default_config(const VariantInfo& variant) { return attnscope::default_config(ConfigSpace(variant)); }

Result<Config> parse_config(const VariantInfo& variant, const std::string& text) {
  return attnscope::parse_config(ConfigSpace(variant), text);
}

std::string config_name(const VariantInfo& variant, const Config& config) {
  return attnscope::config_name(ConfigSpace(variant), config);
}

std::string short_name(const VariantInfo* variant, const std::string& variant_name, const Config& config) {
  const std::string text = variant ? short_text(*variant, config) : attnscope::to_text(config);
  return variant_name + (text.empty() ? "" : " ") + text;
}

}  // namespace attnscope::gui
