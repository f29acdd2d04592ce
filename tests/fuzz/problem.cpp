#include "engine/attention/problem.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace attnscope;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto problem = parse_problem(fuzz::text_of(data, size));
  if (!problem) return 0;
  fuzz::must(bool(check_problem(*problem)), "a problem that parses is one");
  const auto again = parse_problem(to_text(*problem));
  fuzz::must(again && *again == *problem, "a problem's text is that problem");
  (void)problem_flops(*problem);
  (void)problem_bytes(*problem);
  return 0;
}
