#include "engine/shader/compiler.hpp"

#include <mutex>
#include <sstream>
#include <unordered_map>

#include <glslang/Public/ResourceLimits.h>
#include <glslang/Public/ShaderLang.h>
#include <glslang/SPIRV/GlslangToSpv.h>
#include <glslang/SPIRV/disassemble.h>

#include "engine/platform/system.hpp"
#include "engine/repeater.hpp"
#include "engine/shader/file_cache.hpp"
#include "engine/words.hpp"

namespace attnscope {
namespace {

constexpr size_t kMemoryEntries = 512;  // modules are tens of kilobytes
constexpr size_t kMaxIncludeDepth = 32;
// Of one shader, each file counted as often as it is included: two that include each other twice double at each level.
constexpr size_t kMaxIncludes = 1024;
constexpr uint64_t kMaxIncludedBytes = uint64_t{8} << 20;

constexpr double kLookMs = 100;
/// Before, what the process grew by is as likely somebody else's: tensors of the CPU reference, another shader.
constexpr double kOwnGrowthAfter = 1;
/// The sanitizers' cost, mostly of allocations: the front end itself is not instrumented.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr double kSlower = 4;
#else
constexpr double kSlower = 1;
#endif

/// Watches over one compile of the calling thread.
class CompileWatch {
 public:
  /// Watches nothing where there is nobody to call. What it is given outlives it.
  CompileWatch(const std::string& name, const CompileBudget& budget, const OnEndlessCompile& on_endless)
      : name_(name), budget_(budget), on_endless_(on_endless) {
    if (!on_endless_ || !(clock_ = cpu_clock())) return;
    began_s_ = clock_();
    began_bytes_ = resident_bytes();
    watcher_.emplace([this] {
      const double spent_s = clock_() - began_s_;
      std::string why;
      if (spent_s > budget_.cpu_s * kSlower)
        why = fmt::format("compiling {} took more than {:g} s; do its macros or types double at each level?", name_,
                          budget_.cpu_s * kSlower);
      else if (spent_s > kOwnGrowthAfter && resident_bytes() > began_bytes_ + budget_.memory_bytes)
        why = fmt::format("compiling {} took more than {:.1f} GiB of memory; do its macros double at each level?",
                          name_, double(budget_.memory_bytes) / (1 << 30));
      if (why.empty()) return kLookMs;
      on_endless_(name_, why);
      return -1.0;
    });
  }

 private:
  const std::string& name_;
  const CompileBudget& budget_;
  const OnEndlessCompile& on_endless_;
  std::function<double()> clock_;  ///< of the compiling thread
  double began_s_ = 0;
  uint64_t began_bytes_ = 0;
  std::optional<Repeater> watcher_;  // last: it uses the others
};

/// Without the mark that some editors begin UTF-8 with.
std::string_view without_mark(std::string_view text) {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  return text.substr(text.starts_with(mark) ? mark.size() : 0);
}

/// Serves #include from the request's map; both "..." and <...> name a key of it.
class MapIncluder : public glslang::TShader::Includer {
 public:
  explicit MapIncluder(const CompileRequest& request) : request_(request), files_(request.includes) {}
  IncludeResult* includeLocal(const char* name, const char* from, size_t depth) override {
    return find(name, from, depth);
  }
  IncludeResult* includeSystem(const char* name, const char* from, size_t depth) override {
    return find(name, from, depth);
  }
  void releaseInclude(IncludeResult* result) override { delete result; }

 private:
  IncludeResult* refuse(std::string complaint) {
    complaint_ = std::move(complaint);
    return new IncludeResult("", complaint_.data(), complaint_.size(), nullptr);
  }
  IncludeResult* find(const char* name, const std::string& from, size_t depth) {
    if (++count_ > kMaxIncludes || bytes_ > kMaxIncludedBytes)
      return refuse(fmt::format("more than {} includes, or {} bytes of them; do files include each other twice?",
                                kMaxIncludes, kMaxIncludedBytes));
    if (depth > kMaxIncludeDepth)
      return refuse(
          fmt::format("includes are nested more than {} deep; does a file include itself?", kMaxIncludeDepth));
    for (const std::string& path : include_candidates(from == request_.name ? request_.folder : folder_of(from), name))
      if (const auto it = files_.find(path); it != files_.end()) {
        bytes_ += it->second.size();
        const std::string_view text = without_mark(it->second);
        return new IncludeResult(it->first, text.data(), text.size(), nullptr);
      }
    const std::string known = joined(files_, ", ", [](const auto& file) { return file.first; });
    return refuse(fmt::format("no such file; an #include may name: {}", known.empty() ? "nothing" : known));
  }
  const CompileRequest& request_;
  const std::map<std::string, std::string>& files_;
  size_t count_ = 0;
  uint64_t bytes_ = 0;
  std::string complaint_;
};

/// "unexpected LEFT_BRACE" as "unexpected '{'": glslang's grammar names its tokens.
std::string with_characters(std::string line) {
  constexpr std::pair<std::string_view, const char*> kTokens[] = {
      {"LEFT_PAREN", "("},     {"RIGHT_PAREN", ")"}, {"LEFT_BRACKET", "["}, {"RIGHT_BRACKET", "]"}, {"LEFT_BRACE", "{"},
      {"RIGHT_BRACE", "}"},    {"LEFT_ANGLE", "<"},  {"RIGHT_ANGLE", ">"},  {"SEMICOLON", ";"},     {"COMMA", ","},
      {"COLON", ":"},          {"DOT", "."},         {"EQUAL", "="},        {"PLUS", "+"},          {"DASH", "-"},
      {"STAR", "*"},           {"SLASH", "/"},       {"PERCENT", "%"},      {"BANG", "!"},          {"QUESTION", "?"},
      {"IDENTIFIER", "a name"}};
  size_t at = line.find("syntax error, ");
  while (at < line.size()) {
    const size_t end = std::min(line.find_first_of(" ,", at), line.size());
    const auto* token = std::ranges::find(kTokens, std::string_view(line).substr(at, end - at),
                                          &std::pair<std::string_view, const char*>::first);
    const std::string word = token == std::end(kTokens)       ? line.substr(at, end - at)
                             : std::strlen(token->second) > 1 ? token->second
                                                              : fmt::format("'{}'", token->second);
    line.replace(at, end - at, word);
    at += word.size() + 1;
  }
  return line;
}

/// glslang's log as `file:line: text` lines. Warnings, notes and its closing count of errors are left out.
std::string readable(std::string_view log, const std::string& name) {
  std::string out;
  for (std::string_view line : split(log, '\n')) {
    constexpr std::string_view prefix = "ERROR: ";
    if (!line.starts_with(prefix)) continue;
    line.remove_prefix(prefix.size());
    if (line.find("compilation errors.  No code generated") != line.npos) continue;
    // A message without a place is about the whole shader.
    const size_t colon = line.find(':');
    const bool placed =
        colon != line.npos && colon + 1 < line.size() && line[colon + 1] >= '0' && line[colon + 1] <= '9';
    if (!out.empty()) out += '\n';
    // String -1 is what stands before the shader's own text.
    out += with_characters(line.starts_with("-1:") ? fmt::format("{}: defines and preamble:{}", name, line.substr(3))
                           : placed                ? std::string(line)
                                                   : fmt::format("{}: {}", name, line));
  }
  return out.empty() ? name + ": the compiler gave no reason" : out;
}

std::string preamble_of(const CompileRequest& request) {
  std::string text = "#extension GL_GOOGLE_include_directive : enable\n";
  for (const auto& [name, value] : request.defines) text += fmt::format("#define {} {}\n", name, value);
  return text + request.preamble;
}

/// Everything that a module depends on, with lengths, so that no two requests read alike.
std::string request_key(const CompileRequest& request) {
  const auto version = glslang::GetVersion();
  std::string key = fmt::format("attnscope-spirv-1 glslang-{}.{}.{}", version.major, version.minor, version.patch);
  const auto add = [&](std::string_view part) { key += fmt::format("\n{}:", part.size()).append(part); };
  add(request.name);
  add(request.text);
  key += fmt::format("\nincludes {}", request.includes.size());
  for (const auto& [name, text] : request.includes) add(name), add(text);
  key += fmt::format("\ndefines {}", request.defines.size());
  for (const auto& [name, value] : request.defines) add(name), add(value);
  if (!request.folder.empty()) add(request.folder);
  if (!request.preamble.empty()) add("preamble " + request.preamble);
  return key;
}

Result<Spirv> compile_with_glslang(const CompileRequest& request) {
  static std::once_flag once;
  // Never finalized: other threads may compile until the process ends.
  std::call_once(once, [] { glslang::InitializeProcess(); });

  glslang::TShader shader(EShLangCompute);
  const std::string_view source = without_mark(request.text);
  const char* text = source.data();
  const int length = int(source.size());
  const char* name = request.name.c_str();
  const std::string preamble = preamble_of(request);
  shader.setStringsWithLengthsAndNames(&text, &length, &name, 1);
  shader.setPreamble(preamble.c_str());
  shader.setEnvInput(glslang::EShSourceGlsl, EShLangCompute, glslang::EShClientVulkan, 100);
  shader.setEnvClient(glslang::EShClientVulkan, glslang::EShTargetVulkan_1_3);
  shader.setEnvTarget(glslang::EShTargetSpv, glslang::EShTargetSpv_1_6);
  const auto messages = static_cast<EShMessages>(EShMsgDefault | EShMsgSpvRules | EShMsgVulkanRules);
  MapIncluder includer(request);
  if (!shader.parse(GetDefaultResources(), 460, false, messages, includer))
    return bad_input(readable(shader.getInfoLog(), request.name));
  glslang::TProgram program;
  program.addShader(&shader);
  if (!program.link(messages)) return bad_input(readable(program.getInfoLog(), request.name));

  std::vector<uint32_t> words;
  spv::SpvBuildLogger logger;
  glslang::SpvOptions options;
  options.disableOptimizer = true;  // drivers optimize; names and structure stay as written
  glslang::GlslangToSpv(*program.getIntermediate(EShLangCompute), words, &logger, &options);
  if (words.empty()) return bad_input(readable(logger.getAllMessages(), request.name));
  return Spirv(std::make_shared<const std::vector<uint32_t>>(std::move(words)));
}

/// The path that a line includes, if any. Not by std::regex, which shares unsynchronized tables of the locale.
std::string_view included_path(std::string_view line) {
  constexpr std::string_view kInclude = "include";
  line = trimmed(line);
  if (!line.starts_with('#')) return {};
  line = trimmed(line.substr(1));
  if (!line.starts_with(kInclude)) return {};
  line = trimmed(line.substr(kInclude.size()));
  if (!line.starts_with('"') && !line.starts_with('<')) return {};
  line.remove_prefix(1);
  const auto end = line.find_first_of("\">");
  return end == std::string_view::npos ? std::string_view{} : line.substr(0, end);
}

}  // namespace

struct Compiler::State {
  State(std::filesystem::path dir, OnEndlessCompile endless, CompileBudget most)
      : disk(std::move(dir)), on_endless(std::move(endless)), budget(most) {}
  const FileCache disk;
  const OnEndlessCompile on_endless;
  const CompileBudget budget;
  std::mutex mutex;
  std::unordered_map<std::string, Spirv> memory;  ///< by request_key
};

Compiler::Compiler(std::filesystem::path cache_dir, OnEndlessCompile on_endless, CompileBudget budget)
    : state_(std::make_unique<State>(std::move(cache_dir), std::move(on_endless), budget)) {}
Compiler::~Compiler() = default;

Result<Spirv> Compiler::compile(const CompileRequest& request) {
  std::string key = request_key(request);
  {
    const std::lock_guard lock(state_->mutex);
    if (const auto it = state_->memory.find(key); it != state_->memory.end()) return it->second;
  }
  const std::string file = content_hash(key) + ".spv";
  const uint64_t check = hash_bytes(key, 1);  // a second hash: two keys that share a file name do not share this
  Spirv spirv;
  if (auto stored = state_->disk.load(file, check); stored && stored->size() % 4 == 0) {
    std::vector<uint32_t> words(stored->size() / 4);
    std::memcpy(words.data(), stored->data(), stored->size());
    spirv = std::make_shared<const std::vector<uint32_t>>(std::move(words));
  } else {
    const CompileWatch watch(request.name, state_->budget, state_->on_endless);
    spirv = TRY(compile_with_glslang(request));
    state_->disk.store(file, check, bytes_of(spirv));
  }
  const std::lock_guard lock(state_->mutex);
  if (state_->memory.size() >= kMemoryEntries) state_->memory.clear();
  state_->memory.emplace(std::move(key), spirv);
  return spirv;
}

std::string content_hash(std::string_view bytes) { return fmt::format("{:016x}", hash_bytes(bytes)); }

std::string folder_of(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string() : std::string(path.substr(0, slash));
}

std::string plain_path(std::string_view path) {
  if (path.empty() || path.starts_with('/') || path.find('\0') != path.npos) return {};
  const std::string plain = std::filesystem::path(path).lexically_normal().generic_string();
  return plain == "." || plain == ".." || plain.starts_with("../") ? std::string() : plain;
}

std::vector<std::string> include_candidates(const std::string& folder, const std::string& written) {
  std::vector<std::string> out;
  const auto add = [&](std::string path) {
    if (!path.empty() && !contains(out, path)) out.push_back(std::move(path));
  };
  if (!folder.empty() && folder != "common") add(plain_path(folder + "/" + written));
  add(plain_path(written));
  return out;
}

std::vector<std::string> included_paths(std::string_view text) {
  std::vector<std::string> out;
  for (const std::string_view line : split(text, '\n'))
    if (const std::string_view path = included_path(line); !path.empty()) out.emplace_back(path);
  return out;
}

Result<std::string> disassemble(const Spirv& spirv) {
  // The disassembler ends the process over what is not a module.
  if (Result<Reflection> module = reflect(spirv); !module) return module.error();
  std::ostringstream text;
  spv::Disassemble(text, *spirv);
  return text.str();
}

}  // namespace attnscope
