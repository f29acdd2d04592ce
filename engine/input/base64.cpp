#include "engine/input/base64.hpp"

namespace attnscope {
namespace {

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string to_base64(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t at = 0; at < bytes.size(); at += 3) {
    const auto byte = [&](size_t i) {
      return at + i < bytes.size() ? uint32_t{static_cast<unsigned char>(bytes[at + i])} : 0u;
    };
    const uint32_t word = byte(0) << 16 | byte(1) << 8 | byte(2);
    const size_t left = bytes.size() - at;
    for (size_t i = 0; i < 4; ++i) out += i > left ? '=' : kDigits[word >> (18 - 6 * i) & 63];
  }
  return out;
}

std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::string out;
  out.reserve(text.size() / 4 * 3);
  for (size_t at = 0; at < text.size(); at += 4) {
    const bool last = at + 4 == text.size();
    const size_t padding = !last ? 0 : text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
    uint32_t word = 0;
    for (size_t i = 0; i < 4; ++i) {
      const size_t digit = i + padding >= 4 ? 0 : kDigits.find(text[at + i]);
      if (digit == std::string_view::npos) return std::nullopt;
      word = word << 6 | static_cast<uint32_t>(digit);
    }
    for (size_t i = 0; i + padding < 3; ++i) out += static_cast<char>(word >> (16 - 8 * i) & 0xff);
  }
  return out;
}

}  // namespace attnscope
