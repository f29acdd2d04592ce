#include "engine/record/results.hpp"
#include "engine/record/report.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace attnscope;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto results = results_from_json(fuzz::text_of(data, size), "it");
  if (!results) return 0;
  const std::string text = results_to_json(*results);
  const auto again = results_from_json(text, "it");
  fuzz::must(bool(again), "what is written can be read");
  fuzz::must(results_to_json(*again) == text, "what is read is written again as it was");
  (void)to_csv(results->records);
  (void)to_markdown(results->records);
  return 0;
}
