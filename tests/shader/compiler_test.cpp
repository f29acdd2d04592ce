// The compiler: messages at the line as written, includes, defines, threads, and a cache that damage cannot poison.
#include "engine/shader/compiler.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "shader_test.hpp"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

constexpr const char* kGood = "#version 460\nlayout(local_size_x = 8) in;\nvoid main() {}\n";

struct TemporaryDir {
  fs::path path = fs::temp_directory_path() / ("attnscope-test-" + std::to_string(getpid()));
  TemporaryDir() { fs::remove_all(path); }
  ~TemporaryDir() { fs::remove_all(path); }
  std::vector<fs::path> files() const {
    std::vector<fs::path> out;
    if (fs::exists(path))
      for (const auto& entry : fs::directory_iterator(path)) out.push_back(entry.path());
    return out;
  }
};

std::string error_of(const CompileRequest& request) {
  Compiler compiler;
  auto result = compiler.compile(request);
  EXPECT_FALSE(result);
  if (result) return "";
  EXPECT_EQ(result.error().kind, ErrorKind::bad_input);
  return result.error().message;
}

TEST(Compiler, ErrorNamesFileAndLineAsWritten) {
  const std::string text = "#version 460\nlayout(local_size_x = 8) in;\nvoid main() {\n  float x = nowhere;\n}\n";
  // Defines come in a preamble, which must not shift lines.
  EXPECT_TRUE(
      error_of({"tiled/flash.comp", text, {}, {{"A", "1"}, {"B", "2"}}}).starts_with("tiled/flash.comp:4: 'nowhere'"))
      << error_of({"tiled/flash.comp", text, {}, {{"A", "1"}, {"B", "2"}}});
}

TEST(Compiler, ErrorInsideAnIncludeNamesThatFile) {
  const std::string text = "#version 460\n#include \"common/a.glsl\"\nvoid main() { f(); }\n";
  const std::string message = error_of({"v/x.comp", text, {{"common/a.glsl", "\n\nvoid f() { missing(); }\n"}}, {}});
  EXPECT_NE(message.find("common/a.glsl:3: "), std::string::npos) << message;
}

TEST(Compiler, LinesAfterAnIncludeCountOn) {
  const std::string text = "#version 460\n#include \"a.glsl\"\nvoid main() {\n  f();\n  oops();\n}\n";
  const std::string message = error_of({"v/x.comp", text, {{"a.glsl", "void f() {}\n\n\n\n"}}, {}});
  EXPECT_NE(message.find("v/x.comp:5: "), std::string::npos) << message;
}

TEST(Compiler, UnknownIncludeListsWhatThereIs) {
  const std::string message =
      error_of({"v/x.comp", "#version 460\n\n#include \"b.glsl\"\nvoid main() {}\n", {{"a.glsl", ""}}, {}});
  EXPECT_NE(message.find("v/x.comp:3:"), std::string::npos) << message;
  EXPECT_NE(message.find("a.glsl"), std::string::npos) << message;
}

TEST(Compiler, IncludeOfItselfEnds) {
  EXPECT_NE(error_of({"v/x.comp",
                      "#version 460\n#include \"a.glsl\"\nvoid main() {}\n",
                      {{"a.glsl", "#include \"a.glsl\"\n"}},
                      {}})
                .find("nested"),
            std::string::npos);
}

TEST(Compiler, DefinesReachTheShader) {
  const std::string text = "#version 460\n#if FAST != 3\n#error not three\n#endif\nvoid main() {}\n";
  EXPECT_TRUE(compiled(text, {}, {{"FAST", "3"}}));
  EXPECT_NE(error_of({"x.comp", text, {}, {{"FAST", "2"}}}).find("not three"), std::string::npos);
}

TEST(Compiler, KnowsCooperativeMatrices) {
  EXPECT_TRUE(compiled(R"(#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_NV_cooperative_matrix2 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer B { float16_t x[]; };
void main() {
  coopmat<float16_t, gl_ScopeWorkgroup, 64, 32, gl_MatrixUseA> m;
  coopMatLoad(m, x, 0, 32, gl_CooperativeMatrixLayoutRowMajor);
  coopMatStore(m, x, 0, 32, gl_CooperativeMatrixLayoutRowMajor);
}
)"));
}

TEST(Compiler, DiskCacheServesASecondCompilerAndSurvivesDamage) {
  TemporaryDir dir;
  const CompileRequest request{"x.comp", kGood, {}, {}};
  Spirv first;
  {
    Compiler compiler(dir.path);
    auto spirv = compiler.compile(request);
    ASSERT_TRUE(spirv);
    first = *spirv;
  }
  ASSERT_EQ(dir.files().size(), 1u);
  const fs::path entry = dir.files()[0];

  // A miss would compile and write the entry anew, so an untouched file shows the hit.
  const auto written = fs::last_write_time(entry);
  auto again = Compiler(dir.path).compile(request);
  ASSERT_TRUE(again);
  EXPECT_EQ(**again, *first);
  EXPECT_EQ(fs::last_write_time(entry), written);

  const auto size = fs::file_size(entry);
  for (const uintmax_t at : {uintmax_t{0}, uintmax_t{9}, uintmax_t{17}, uintmax_t{40}, size - 1}) {
    std::fstream file(entry, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(at));
    const char old = static_cast<char>(file.get());
    file.seekp(static_cast<std::streamoff>(at));
    file.put(static_cast<char>(old ^ 0x5a));
    file.close();
    auto spirv = Compiler(dir.path).compile(request);
    ASSERT_TRUE(spirv) << "byte " << at;
    EXPECT_EQ(**spirv, *first) << "byte " << at;
  }
  fs::resize_file(entry, size / 2);
  auto spirv = Compiler(dir.path).compile(request);
  ASSERT_TRUE(spirv);
  EXPECT_EQ(**spirv, *first);
  EXPECT_EQ(fs::file_size(entry), size) << "the damaged entry is replaced";
}

TEST(Compiler, EveryPartOfTheRequestKeysTheCache) {
  TemporaryDir dir;
  Compiler compiler(dir.path);
  const std::string text = "#version 460\n#include \"a.glsl\"\nvoid main() { f(); }\n";
  ASSERT_TRUE(compiler.compile({"x.comp", text, {{"a.glsl", "void f() {}"}}, {}}));
  ASSERT_TRUE(compiler.compile({"x.comp", text, {{"a.glsl", "void f() { barrier(); }"}}, {}}));
  ASSERT_TRUE(compiler.compile({"x.comp", text, {{"a.glsl", "void f() {}"}}, {{"A", "1"}}}));
  EXPECT_EQ(dir.files().size(), 3u);
}

TEST(Compiler, UnwritableCacheStillCompiles) {
  EXPECT_TRUE(Compiler("/proc/nowhere").compile({"x.comp", kGood, {}, {}}));
}

TEST(Compiler, ThreadsCompileAtOnce) {
  Compiler compiler;
  std::vector<std::thread> threads;
  std::atomic<int> good{0};
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 4; ++i)
        if (compiler.compile({"x.comp", kGood, {}, {{"N", std::to_string(t * 2 + i)}}})) ++good;
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(good, 32);
}

TEST(ContentHash, IsStableAndSensitive) {
  EXPECT_EQ(content_hash("").size(), 16u);
  EXPECT_EQ(content_hash("attention"), content_hash("attention"));
  EXPECT_NE(content_hash("attention"), content_hash("Attention"));
  EXPECT_NE(content_hash("ab"), content_hash("ba"));
}

}  // namespace
}  // namespace attnscope
