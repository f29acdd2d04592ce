#include "engine/variant/modules.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "engine/attention/options.hpp"

namespace attnscope {
namespace {

// A walk over a whole config space asks for more than anybody will ask for again.
constexpr size_t kFactsKept = 20000;
// Tens of kilobytes each, and as many as there are values of the defines.
constexpr size_t kModulesKept = 1024;

const std::string* find_file(const VariantSource& source, const std::string& path) {
  constexpr std::string_view kCommon = "common/";
  const bool common = path.starts_with(kCommon);
  const auto& files = common ? source.common : source.files;
  const auto found = files.find(common ? path.substr(kCommon.size()) : path);
  return found == files.end() ? nullptr : &found->second;
}

// The path that a line includes; empty when it includes nothing. By hand, since variants load in parallel and
// std::regex shares unsynchronized tables of the locale.
std::string_view included_path(std::string_view line) {
  const auto skip = [&](std::string_view blanks) {
    line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
  };
  skip(" \t");
  if (!line.starts_with('#')) return {};
  line.remove_prefix(1);
  skip(" \t");
  constexpr std::string_view kInclude = "include";
  if (!line.starts_with(kInclude)) return {};
  line.remove_prefix(kInclude.size());
  skip(" \t");
  if (!line.starts_with('"') && !line.starts_with('<')) return {};
  line.remove_prefix(1);
  const auto end = line.find_first_of("\">");
  return end == std::string_view::npos ? std::string_view{} : line.substr(0, end);
}

// By the problem's names, in which K and V are of one type.
bool asked(const ProblemOption& option, const Names& names) {
  const auto value = [&](std::string_view name) {
    const auto found = names.find(name);
    return found == names.end() ? 0.0 : found->second;
  };
  if (option.name == to_text(KvType::q8_0) || option.name == to_text(KvType::f8e4m3))
    return value("kvtype") != 0 && value("kvtype") == value(option.name);
  return value(option.name) != 0;
}

const char* dtype_define(DType dtype) {
  switch (dtype) {
    case DType::f16: return "DTYPE_F16";
    case DType::bf16: return "DTYPE_BF16";
    case DType::f32: break;
  }
  return "DTYPE_F32";
}

}  // namespace

Result<Module> ModuleCache::module(const std::string& key, const std::function<Result<Module>()>& make) {
  const std::lock_guard lock(mutex_);
  const auto found = modules_.find(key);
  if (found != modules_.end()) return found->second;
  if (modules_.size() >= kModulesKept) modules_.clear();
  return modules_.emplace(key, make()).first->second;
}

Result<Specialized> ModuleCache::facts(const std::string& key, const Spirv& spirv, const SpecValues& values) {
  auto id = std::make_pair(key, values);
  {
    const std::lock_guard lock(mutex_);
    const auto found = facts_.find(id);
    if (found != facts_.end()) return found->second;
  }
  Result<Specialized> made = specialize(spirv, values);
  const std::lock_guard lock(mutex_);
  if (facts_.size() >= kFactsKept) facts_.clear();
  facts_.emplace(std::move(id), made);
  return made;
}

std::map<std::string, std::string> reachable_files(const VariantSource& source, const std::string& shader) {
  std::map<std::string, std::string> out;
  std::vector<const std::string*> todo;
  if (const auto* text = find_file(source, shader)) todo.push_back(text);
  while (!todo.empty()) {
    std::string_view text = *todo.back();
    todo.pop_back();
    while (!text.empty()) {
      const auto line = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(line.size() + 1, text.size()));
      const std::string path(included_path(line));
      const auto* file = path.empty() ? nullptr : find_file(source, path);
      if (file && out.emplace(path, *file).second) todo.push_back(file);
    }
  }
  return out;
}

Result<ModuleRequest> module_request(const VariantSource& source, const PassDecl& pass, DType dtype,
                                     const Names& names) {
  ModuleRequest request;
  request.compile.name = source.name + "/" + pass.shader;
  const auto* text = find_file(source, pass.shader);
  if (!text) return bad_input(fmt::format("{}: pass '{}': there is no file '{}'", source.name, pass.name, pass.shader));
  request.compile.text = *text;
  request.compile.defines.emplace_back(dtype_define(dtype), "1");
  for (const ProblemOption& option : kProblemOptions)
    if (asked(option, names)) request.compile.defines.emplace_back(option.define, "1");
  for (const auto& [name, expression] : pass.defines) {
    const auto value = evaluate(expression, names);
    if (!value)
      return bad_input(fmt::format("{}/manifest.toml: pass '{}': define '{}': {}", source.name, pass.name, name,
                                   value.error().message));
    if (*value != std::floor(*value) || std::fabs(*value) >= 0x1p53)
      return bad_input(fmt::format("{}/manifest.toml: pass '{}': define '{}' is {}, not an integer", source.name,
                                   pass.name, name, *value));
    request.compile.defines.emplace_back(name, fmt::format("{:.0f}", *value));
  }
  request.key = pass.shader;
  for (const auto& [name, value] : request.compile.defines) request.key += fmt::format(" {}={}", name, value);
  return request;
}

Result<Module> get_module(const Variant& variant, const ModuleRequest& request, Compiler& compiler) {
  return variant.modules->module(request.key, [&]() -> Result<Module> {
    CompileRequest compile = request.compile;
    compile.includes = reachable_files(variant.source, compile.name.substr(variant.source.name.size() + 1));
    const auto spirv = compiler.compile(compile);
    if (!spirv) return spirv.error();
    const auto reflection = reflect(*spirv);
    if (!reflection) return Error{reflection.error().kind, compile.name + ": " + reflection.error().message};
    return Module{*spirv, *reflection};
  });
}

}  // namespace attnscope
