// The modules that a variant's passes compile to, kept for as long as the variant is loaded.
#pragma once

#include <mutex>
#include <unordered_map>

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
  Result<ModuleFacts> facts(const std::string& key, const Spirv&, const SpecValues&);

 private:
  std::mutex mutex_;
  std::map<std::string, Result<Module>> modules_;
  std::unordered_map<std::string, Result<ModuleFacts>> facts_;  ///< by module and values
};

/// Identifies a compile of one pass: its shader, the dtype's define and the pass's own defines (values from `names`).
struct ModuleRequest {
  std::string key;
  CompileRequest compile;
};
Result<ModuleRequest> module_request(const VariantSource&, const PassDecl&, DType, const Names&);
/// CompiledExpression and reflected, through the variant's cache.
Result<Module> get_module(const Variant&, const ModuleRequest&, Compiler&);

/// A file of the variant by its path: "own.glsl", "common/x.glsl", else one of --sources; null when there is none.
const std::string* find_source_file(const VariantSource&, const std::string& path);
/// SPIR-V instead of GLSL, by the name.
bool is_spirv(std::string_view path);
/// Every file that a shader reaches by #include, by its path ("common/x.glsl", "own.glsl").
std::map<std::string, std::string> reachable_files(const VariantSource&, const std::string& shader);
/// The same where `find` gives the text of a path, or null where there is none; its error ends the search.
Result<std::map<std::string, std::string>> reachable_files(
    const std::string& shader, const std::function<Result<const std::string*>(const std::string& path)>& find);

}  // namespace attnscope
