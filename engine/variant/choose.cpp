#include "engine/variant/choose.hpp"

#include <algorithm>

namespace attnscope {

Result<ConfigChoice> choose_config(const Variant& variant, const Problem& problem, std::string_view text,
                                   const DeviceInfo& device, Compiler& compiler) {
  const Config config = TRY(parse_config(variant, text));
  ConfigChoice choice{config, config_name(variant, config), ConfigChoice::How::as_asked, {}};
  if (!asks_for_default(text)) return choice;
  if (const std::string suited = suited_config(variant, problem, device, compiler); !suited.empty()) {
    const auto& configs = variant.manifest.configs;
    const auto it = std::ranges::find_if(configs, [&](const auto& c) { return c.name == suited; });
    return ConfigChoice{full_config(variant, *it), suited, ConfigChoice::How::suited,
                        fmt::format("{} is for {}: {}", suited, it->purpose, it->suits)};
  }
  Nearest nearest = nearest_legal(variant, problem, config, device, compiler);
  choice.because = nearest.why.message;
  if (nearest.end != Nearest::End::found || nearest.config == config) return choice;
  choice.how = ConfigChoice::How::nearest;
  choice.name = config_name(variant, nearest.config);
  choice.config = std::move(nearest.config);
  return choice;
}

}  // namespace attnscope
