// GLSL to SPIR-V, in process through glslang, with line-accurate errors and a cache.
#pragma once

#include <filesystem>

#include "engine/shader/module.hpp"

namespace attnscope {

struct CompileRequest {
  std::string name;  ///< "tiled/flash.comp", for messages
  std::string text;
  std::map<std::string, std::string> includes;  ///< every file an #include may name, by the path written there
  std::vector<std::pair<std::string, std::string>> defines;
  std::string preamble = {};  ///< GLSL between the defines and the text
  std::string folder = {};    ///< of the shader, as the paths of `includes` have it: "" = where they begin
};

/// Bounds of one compile, far beyond what a person writes; macros or includes that double do come near.
struct CompileBudget {
  double cpu_s = 3;  ///< of the compiling thread, whatever else the machine does
  /// By which the process grew, where one compile has taken a second already.
  uint64_t memory_bytes = uint64_t{3} << 29;
};

/// A front end cannot be stopped from outside: who is called here, from another thread, with the shader's name and what
/// it took too much of, has to end the process. Where there is nobody to call, the compile goes on.
using OnEndlessCompile = std::function<void(const std::string& name, const std::string& why)>;

/// Thread-safe. The disk cache (a file a module, by all of the request and the compiler's version) needs a `cache_dir`.
class Compiler {
 public:
  explicit Compiler(std::filesystem::path cache_dir = {}, OnEndlessCompile on_endless = {}, CompileBudget = {});
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

/// "" for "a.glsl", "sub" for "sub/a.glsl".
std::string folder_of(std::string_view path);
/// Without "." and ".." parts; "" for a path that is absolute or leads out of where paths begin.
std::string plain_path(std::string_view path);
/// What `written` in a file of `folder` may name, in order: beside that file, then from where paths begin.
std::vector<std::string> include_candidates(const std::string& folder, const std::string& written);

std::vector<std::string> included_paths(std::string_view text);

}  // namespace attnscope
