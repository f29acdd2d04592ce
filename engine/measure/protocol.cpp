#include "engine/measure/protocol.hpp"

namespace attnscope {

std::string_view to_text(CacheMode mode) { return mode == CacheMode::hot ? "hot" : "cold"; }
std::string_view to_text(LaunchMode mode) { return mode == LaunchMode::isolated ? "isolated" : "back-to-back"; }

}  // namespace attnscope
