// The compiler: messages at the line as written, includes, defines, threads, and a cache that damage cannot poison.
#include <sys/stat.h>
#include <unistd.h>
#include <cstdio>

#include "engine/shader/file_cache.hpp"
#include "shader_test.hpp"

namespace attnscope::compiler_test {

constexpr const char* kGood = "#version 460\nlayout(local_size_x = 8) in;\nvoid main() {}\n";

std::vector<fs::path> files_in(const TempDir& dir) {
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(dir.path())) out.push_back(entry.path());
  return out;
}

std::string error_of(const CompileRequest& request) {
  const auto result = Compiler().compile(request);
  EXPECT_TRUE(fails(result, ErrorKind::bad_input));
  return refusal(result);
}

TEST(Compiler, ErrorsNameFileAndLineAsWritten) {
  const std::string head = "#version 460\n", include = head + "#include \"a.glsl\"\n";
  struct Case {
    std::string text, included, says;
  };
  for (const Case& c :
       std::vector<Case>{// Defines come in a preamble, which must not shift lines.
                         {head + "layout(local_size_x = 8) in;\nvoid main() {\n  float x = nowhere;\n}\n", "",
                          "v/x.comp:4: 'nowhere'"},
                         {include + "void main() { f(); }\n", "\n\nvoid f() { missing(); }\n", "a.glsl:3: "},
                         {include + "void main() {\n  f();\n  oops();\n}\n", "void f() {}\n\n\n\n", "v/x.comp:5: "},
                         {head + "void main({ }\n", "", "unexpected '{', expecting ')'"},
                         {include + "void main() {}\n", "#include \"a.glsl\"\n", "nested"}})
    EXPECT_TRUE(has(error_of({"v/x.comp", c.text, {{"a.glsl", c.included}}, {{"A", "1"}, {"B", "2"}}}), c.says));
  EXPECT_TRUE(has(error_of({"v/x.comp", head + "\n#include \"b.glsl\"\nvoid main() {}\n", {{"a.glsl", ""}}, {}}),
                  "v/x.comp:3:", "a.glsl"));
}

TEST(Compiler, TakesTheMarkThatEditorsPutInFrontAndDefines) {
  const std::string mark = "\xEF\xBB\xBF";
  EXPECT_TRUE(Compiler().compile({"x.comp",
                                  mark + "#version 460\n#include \"a.glsl\"\nvoid main() { f(); }\n",
                                  {{"a.glsl", mark + "void f() {}\n"}},
                                  {}}));
  const std::string text = "#version 460\n#if FAST != 3\n#error not three\n#endif\nvoid main() {}\n";
  EXPECT_TRUE(compiled(text, {}, {{"FAST", "3"}}));
  EXPECT_TRUE(has(error_of({"x.comp", text, {}, {{"FAST", "2"}}}), "not three"));
}

TEST(Compiler, DiskCacheServesASecondCompilerAndSurvivesDamage) {
  const TempDir dir;
  const CompileRequest request{"x.comp", kGood, {}, {}};
  const Spirv first = *must(Compiler(dir.path()).compile(request));
  const fs::path entry = only(files_in(dir));

  // A miss would compile and write the entry anew, so an untouched file shows the hit.
  const auto written = fs::last_write_time(entry);
  EXPECT_EQ(**must(Compiler(dir.path()).compile(request)), *first);
  EXPECT_EQ(fs::last_write_time(entry), written);

  const auto size = fs::file_size(entry);
  for (const uintmax_t at : {uintmax_t{0}, uintmax_t{9}, uintmax_t{17}, uintmax_t{40}, size - 1}) {
    std::fstream file(entry, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(at));
    const char old = static_cast<char>(file.get());
    file.seekp(static_cast<std::streamoff>(at));
    file.put(static_cast<char>(old ^ 0x5a));
    file.close();
    EXPECT_EQ(**must(Compiler(dir.path()).compile(request)), *first) << "byte " << at;
  }
  fs::resize_file(entry, size / 2);
  EXPECT_EQ(**must(Compiler(dir.path()).compile(request)), *first);
  EXPECT_EQ(fs::file_size(entry), size) << "the damaged entry is replaced";
}

TEST(FileCache, OfTooManyFilesTheOldestGo) {
  const TempDir dir;
  const FileCache cache(dir.path());
  const auto now = fs::file_time_type::clock::now();
  for (int i = 0; i < 8; ++i) {
    ASSERT_TRUE(cache.store(std::to_string(i), 1, "x"));
    fs::last_write_time(dir / std::to_string(i), now - std::chrono::hours(i));
  }
  cache.prune(8);
  EXPECT_TRUE(cache.load("7", 1)) << "so many may be there";
  cache.prune(4);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(cache.load(std::to_string(i), 1).has_value(), i < 3) << i;
  FileCache({}).prune(0);
}

TEST(Compiler, EveryPartOfTheRequestKeysTheCache) {
  const TempDir dir;
  Compiler compiler(dir.path());
  const std::string text = "#version 460\n#include \"a.glsl\"\nvoid main() { f(); }\n";
  ASSERT_TRUE(compiler.compile({"x.comp", text, {{"a.glsl", "void f() {}"}}, {}}));
  ASSERT_TRUE(compiler.compile({"x.comp", text, {{"a.glsl", "void f() { barrier(); }"}}, {}}));
  ASSERT_TRUE(compiler.compile({"x.comp", text, {{"a.glsl", "void f() {}"}}, {{"A", "1"}}}));
  EXPECT_EQ(files_in(dir).size(), 3u);
}

TEST(Compiler, UnwritableCacheStillCompilesAndThreadsDoAtOnce) {
  EXPECT_TRUE(Compiler("/proc/nowhere").compile({"x.comp", kGood, {}, {}}));
  Compiler compiler;
  std::atomic<int> good{0};
  at_once(8, [&](int t) {
    for (int i = 0; i < 4; ++i)
      if (compiler.compile({"x.comp", kGood, {}, {{"N", std::to_string(t * 2 + i)}}})) ++good;
  });
  EXPECT_EQ(good, 32);
}

/// `levels` files that each include the next twice.
CompileRequest include_bomb(int levels) {
  CompileRequest request{"v/x.comp", "#version 460\n#include \"f0\"\nvoid main() {}\n", {}, {}};
  for (int i = 0; i < levels; ++i) {
    const std::string next = "#include \"f" + std::to_string(i + 1) + "\"\n";
    request.includes["f" + std::to_string(i)] = next + "\n" + next;
  }
  request.includes["f" + std::to_string(levels)] = "// nothing\n";
  return request;
}

TEST(Compiler, IncludesThatDoubleAreRefused) {
  EXPECT_TRUE(has(error_of(include_bomb(25)), "more than 1024 includes"));
  EXPECT_TRUE(Compiler().compile(include_bomb(5)));
  CompileRequest large = include_bomb(8);
  large.includes["f8"] = "//" + std::string(1 << 18, ' ') + "\n";
  EXPECT_TRUE(has(error_of(large), "8388608 bytes"));
}

TEST(CompilerDeathTest, OneThatDoesNotEndCallsWhoEndsIt) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        Compiler compiler({},
                          [](const std::string& name, const std::string& why) {
                            std::fprintf(stderr, "[%s] %s\n", name.c_str(), why.c_str());
                            ::_exit(7);
                          },
                          {.cpu_s = 0.2});
        (void)compiler.compile({"v/x.comp",
                                "#version 460\n" + macro_bomb() +
                                    "layout(binding = 0) buffer B { float x; };\nvoid main() { x = A39 1.0; }\n",
                                {},
                                {}});
      },
      testing::ExitedWithCode(7), "\\[v/x.comp\\] compiling v/x.comp took more than ");
  // One that ends is left alone.
  bool called = false;
  Compiler compiler({}, [&](const std::string&, const std::string&) { called = true; });
  EXPECT_TRUE(compiler.compile({"x.comp", kGood, {}, {}}));
  EXPECT_FALSE(called);
}

TEST(Compiler, WhatIsNoFileInTheCacheIsPassedOver) {
  const TempDir dir;
  const CompileRequest request{"x.comp", kGood, {}, {}};
  ASSERT_TRUE(Compiler(dir.path()).compile(request));
  const fs::path entry = files_in(dir)[0];
  fs::remove(entry);
  ASSERT_EQ(::mkfifo(entry.c_str(), 0600), 0);
  ASSERT_TRUE(Compiler(dir.path()).compile(request)) << "a FIFO is not waited for";
  EXPECT_TRUE(fs::is_regular_file(entry)) << "and it is replaced";
}

}  // namespace attnscope::compiler_test
