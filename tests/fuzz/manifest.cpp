#include "engine/variant/manifest.hpp"
#include "engine/variant/expression.hpp"
#include "engine/variant/modules.hpp"
#include "engine/variant/tensor_slots.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace attnscope;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  VariantSource source{"toy", {{"manifest.toml", std::string(fuzz::text_of(data, size))}}, {}};
  // Whatever the shaders' names are, most manifests get past them with these.
  for (const char* shader :
       {"a.comp", "row.comp", "toy.comp", "flash.comp", "kernels/attend.comp", "kernels/combine.comp"})
    source.files[shader] = "void main() {}";
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
  for (const char* text : {"2x6x5x16:kv=2:f16", "varlen=3,5:2x8", "1x2x9x8:page=4:bf16"}) {
    const Problem problem = *parse_problem(text);
    (void)variant_names(*manifest, problem, DeviceInfo{});
    if (const auto forms = tensor_forms(*manifest, problem, names))
      for (const auto& [binding, form] : *forms) fuzz::must(form.elements > 0, "a form is a tensor's");
  }
  for (const PassDecl& pass : manifest->passes) {
    Names own = names;
    (void)resolve(pass.constants, own, "constant");
    for (const std::string& axis : pass.grid) (void)evaluate(axis, own);
    (void)module_request(source, pass, DType::f16, own);
    // Whatever a shader has: default bindings, of scratch buffers, of other sets.
    Reflection reflection;
    reflection.storage_bindings = {0, 1, 3, 8, 9, place_of(1, 2)};
    const auto slots = slots_of(*manifest, pass, reflection, {}, "a.comp");
    fuzz::must(!slots || slots->size() == 6, "every buffer has its slot");
  }
  return 0;
}
