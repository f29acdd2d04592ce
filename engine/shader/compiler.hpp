// GLSL to SPIR-V, in process through glslang, with line-accurate errors and a cache.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "engine/shader/module.hpp"

namespace attnscope {

struct CompileRequest {
  std::string name;  ///< "tiled/flash.comp", for messages
  std::string text;
  std::map<std::string, std::string> includes;  ///< every file an #include may name, by the path written there
  std::vector<std::pair<std::string, std::string>> defines;
};

/// Thread-safe. The disk cache (one file a module, keyed by a hash of everything above and the compiler's version) is
/// used when `cache_dir` is not empty; a damaged or unwritable cache costs time, never correctness.
class Compiler {
 public:
  explicit Compiler(std::filesystem::path cache_dir = {});
  ~Compiler();
  Compiler(const Compiler&) = delete;
  Compiler& operator=(const Compiler&) = delete;
  /// Target: Vulkan 1.3, SPIR-V 1.6. The error lists each message as `file:line: text`, lines of the file as written.
  Result<Spirv> compile(const CompileRequest&);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Stable 64-bit hash as 16 hex digits, for cache keys and shader hashes in records.
std::string content_hash(std::string_view);

}  // namespace attnscope
