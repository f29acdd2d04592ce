#include "engine/platform/process.hpp"

namespace attnscope {

std::string command_text(const std::vector<std::string>& argv) {
  std::string text;
  for (const std::string& a : argv) {
    if (!text.empty()) text += ' ';
    const bool plain = !a.empty() && a.find_first_of(" \t\n'\"\\$`;&|<>()*?") == std::string::npos;
    text += plain ? a : "'" + a + "'";
  }
  return text;
}

}  // namespace attnscope
