// The modules that a variant's passes compile to, kept for as long as the variant is loaded.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "engine/variant/expression.hpp"
#include "engine/variant/variant.hpp"

namespace attnscope {

struct Module {
  Spirv spirv;
  Reflection reflection;
};

/// Errors are kept too: a shader that does not compile is compiled once, not once for every config tried.
class ModuleCache {
 public:
  Result<Module> module(const std::string& key, const std::function<Result<Module>()>& make);
  /// specialize(), remembered by module and values.
  Result<Specialized> facts(const std::string& key, const Spirv&, const SpecValues&);

 private:
  std::mutex mutex_;
  std::map<std::string, Result<Module>> modules_;
  std::map<std::pair<std::string, SpecValues>, Result<Specialized>> facts_;
};

/// Identifies a compile of one pass: its shader, the dtype's define and the pass's own defines (values from `names`).
struct ModuleRequest {
  std::string key;
  CompileRequest compile;
};
Result<ModuleRequest> module_request(const VariantSource&, const PassDecl&, DType, const Names&);
/// CompiledExpression and reflected, through the variant's cache.
Result<Module> get_module(const Variant&, const ModuleRequest&, Compiler&);

/// Every file that the passes' shaders reach by #include, by the path written there ("common/x.glsl", "own.glsl").
std::map<std::string, std::string> reachable_files(const VariantSource&, const std::string& shader);

}  // namespace attnscope
