#include "engine/record/flat.hpp"

namespace attnscope {

Result<Config> config_from_text(std::string_view text) {
  Config config;
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    // The last one: a name may hold anything, a value is an integer.
    const size_t equals = item.rfind('=');
    const std::string_view digits = equals == item.npos ? std::string_view() : item.substr(equals + 1);
    int64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (digits.empty() || equals == 0 || error != std::errc() || end != digits.data() + digits.size())
      return bad_input(fmt::format("'{}' is no parameter with its value, as in BLOCK_M=64", item));
    config[std::string(item.substr(0, equals))] = value;
    text.remove_prefix(std::min(text.size(), item.size() + 1));
  }
  return config;
}

}  // namespace attnscope
