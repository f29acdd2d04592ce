#include "engine/variant/modules.hpp"

#include "engine/input/text.hpp"

namespace attnscope {
namespace {

// A walk over a whole config space asks for more than anybody will ask for again.
constexpr size_t kFactsKept = 20000;
// Tens of kilobytes each, and as many as there are values of the defines.
constexpr size_t kModulesKept = 1024;

/// The define's text; nullopt where it is not to be defined.
Result<std::optional<std::string>> text_of(const TextDefine& define, const Names& names) {
  if (define.pick.empty()) return define.of.front();
  const auto value = TRY(evaluate(define.pick, names));
  if (value != std::floor(value) || value < 0 || value >= double(define.of.size()))
    return bad_input("'pick' is {}; there are {} texts, the first is 0", grouped(value), define.of.size());
  return define.of[size_t(value)];
}

Result<Spirv> spirv_of(const std::string& base64, const std::string& name) {
  const auto bytes = from_base64(base64);
  if (!bytes || bytes->size() % 4 != 0 || bytes->empty())
    return bad_input("{}: this is not a SPIR-V module: its size is not one of whole words", name);
  std::vector<uint32_t> words(bytes->size() / 4);
  std::memcpy(words.data(), bytes->data(), bytes->size());
  return Spirv(std::make_shared<const std::vector<uint32_t>>(std::move(words)));
}

}  // namespace

Result<Module> ModuleCache::module(const std::string& key, const std::function<Result<Module>()>& make) {
  const std::lock_guard lock(mutex_);
  const auto found = modules_.find(key);
  if (found != modules_.end()) return found->second;
  if (modules_.size() >= kModulesKept) modules_.clear();
  return modules_.emplace(key, make()).first->second;
}

Result<ModuleFacts> ModuleCache::facts(const std::string& key, const Spirv& spirv, const SpecValues& values) {
  std::string id = key + '\0';  // packed: a map of the values would take several times the facts
  for (const auto& [constant, value] : values)
    for (const uint32_t word : {constant, value}) id.append(reinterpret_cast<const char*>(&word), sizeof word);
  {
    const std::lock_guard lock(mutex_);
    const auto found = facts_.find(id);
    if (found != facts_.end()) return found->second;
  }
  Result<ModuleFacts> made = specialize(spirv, values);
  const std::lock_guard lock(mutex_);
  if (facts_.size() >= kFactsKept) facts_.clear();
  facts_.emplace(std::move(id), made);
  return made;
}

bool is_spirv(std::string_view path) { return path.ends_with(".spv"); }

const std::string* find_source_file(const VariantSource& source, const std::string& path) {
  constexpr std::string_view kCommon = "common/";
  const bool common = path.starts_with(kCommon);
  const auto& files = common ? source.common : source.files;
  if (const auto found = files.find(common ? path.substr(kCommon.size()) : path); found != files.end())
    return &found->second;
  return find_at(source.outside, plain_path(path));
}

std::map<std::string, std::string> reachable_files(const VariantSource& source, const std::string& shader) {
  return *reachable_files(shader, [&](const std::string& path) { return find_source_file(source, path); });
}

Result<std::map<std::string, std::string>> reachable_files(
    const std::string& shader, const std::function<Result<const std::string*>(const std::string& path)>& find) {
  std::map<std::string, std::string> out;
  std::vector<std::string> todo{shader};  // paths
  while (!todo.empty()) {
    const std::string from = std::move(todo.back());
    todo.pop_back();
    const std::string* text = TRY(find(from));
    if (!text || is_spirv(from)) continue;
    for (const std::string& written : included_paths(*text))
      for (const std::string& path : include_candidates(folder_of(from), written)) {
        const std::string* file = TRY(find(path));
        if (!file) continue;
        if (out.emplace(path, *file).second) todo.push_back(path);
        break;
      }
  }
  return out;
}

Result<ModuleRequest> module_request(const VariantSource& source, const PassDecl& pass, DType dtype,
                                     const Names& names) {
  ModuleRequest request;
  request.compile.name = source.name + "/" + pass.shader;
  const auto* text = find_source_file(source, pass.shader);
  if (!text) return bad_input("{}: pass '{}': there is no file '{}'", source.name, pass.name, pass.shader);
  request.compile.text = *text;
  request.compile.defines.emplace_back(word_of(dtype, {"DTYPE_F32", "DTYPE_F16", "DTYPE_BF16"}), "1");
  for (const ProblemOption& option : kProblemOptions)
    if (at_or(names, option.name) != 0) request.compile.defines.emplace_back(option.define, "1");
  if (at_or(names, "packed_kv") != 0)
    for (const auto& [define, name] : {std::pair{"K_TYPE", "ktype"}, {"V_TYPE", "vtype"}})
      request.compile.defines.emplace_back(define, fmt::format("{:.0f}", at_or(names, name)));
  const std::string where = fmt::format("{}/manifest.toml: pass '{}'", source.name, pass.name);
  for (const auto& [name, expression] : pass.defines) {
    const std::string define = fmt::format("{}: define '{}'", where, name);
    const double value = TRY(within(define, evaluate(expression, names)));
    if (value != std::floor(value) || std::fabs(value) >= 0x1p53)
      return bad_input("{} is {}, not an integer", define, value);
    request.compile.defines.emplace_back(name, fmt::format("{:.0f}", value));
  }
  for (const auto& [name, define] : pass.texts) {
    const auto chosen = TRY(within(fmt::format("{}: texts.{}", where, name), text_of(define, names)));
    if (chosen) request.compile.defines.emplace_back(name, *chosen);
  }
  request.compile.folder = folder_of(pass.shader);
  request.compile.preamble = pass.preamble;
  request.key = pass.shader + pass.preamble;
  for (const auto& [name, value] : request.compile.defines) request.key += fmt::format(" {}={}", name, value);
  return request;
}

Result<Module> get_module(const Variant& variant, const ModuleRequest& request, Compiler& compiler) {
  return variant.modules->module(request.key, [&]() -> Result<Module> {
    const std::string shader = request.compile.name.substr(variant.source.name.size() + 1);
    const auto made = TRY([&]() -> Result<Spirv> {
      if (is_spirv(shader)) return spirv_of(request.compile.text, request.compile.name);
      CompileRequest compile = request.compile;
      compile.includes = reachable_files(variant.source, shader);
      return compiler.compile(compile);
    }());
    const Reflection reflection = TRY(within(request.compile.name, reflect(made)));
    return Module{made, reflection};
  });
}

}  // namespace attnscope
