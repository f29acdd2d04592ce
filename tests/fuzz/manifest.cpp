#include "engine/variant/manifest.hpp"
#include "engine/variant/expression.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace attnscope;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  VariantSource source{"toy", {{"manifest.toml", std::string(fuzz::text_of(data, size))}}, {}};
  // Whatever the shaders' names are, most manifests get past them with these.
  for (const char* shader : {"a.comp", "row.comp", "toy.comp", "flash.comp"}) source.files[shader] = "void main() {}";
  const auto manifest = parse_manifest(source);
  if (!manifest) {
    fuzz::must(!manifest.error().message.empty(), "a refusal has a reason");
    return 0;
  }
  Names names = problem_names(Problem{}, DeviceInfo{});
  for (const ParameterDecl& p : manifest->parameters) names[p.name] = static_cast<double>(p.values.front());
  (void)resolve(manifest->let, names, "let");
  for (const auto* list : {&manifest->supports, &manifest->constraints})
    for (const ConstraintDecl& c : *list) {
      (void)evaluate(c.require, names);
      (void)fill_in(c.because, names);
    }
  for (const PassDecl& pass : manifest->passes) {
    Names own = names;
    (void)resolve(pass.constants, own, "constant");
    for (const std::string& axis : pass.grid) (void)evaluate(axis, own);
  }
  return 0;
}
