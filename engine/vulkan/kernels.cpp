#include "engine/vulkan/kernels.hpp"

#include "engine/shader/compiler.hpp"

namespace attnscope::vulkan {

std::string_view KernelTexts::operator()(std::string_view name) const {
  const auto* known = find_by(all, name, &std::pair<std::string_view, std::string_view>::first);
  return known == nullptr ? std::string_view() : known->second;
}

std::string KernelTexts::hash() const {
  std::string texts;
  for (const auto& [name, text] : all) (texts += name) += text;
  return content_hash(texts);
}

Result<Pipeline> make_pipeline(const Device& device, const KernelSource& source) {
  Compiler compiler;
  Spirv spirv =
      TRY(compiler.compile({source.name + ".comp", std::string(source.text), source.includes, source.defines}));
  return Pipeline::create(device, {.name = source.name,
                                   .spirv = spirv,
                                   .constants = source.constants,
                                   .subgroup_size = source.subgroup_size,
                                   .full_subgroups = source.subgroup_size > 0,
                                   .sliceable = source.sliceable});
}

const MatrixType* matrix_type(std::string_view name) {
  static constexpr MatrixType kTypes[] = {
      {"f16", "float16_t", false, true}, {"f32", "float", false, true},  {"bf16", "float16_t", false, true},
      {"s8", "int8_t", true, true},      {"u8", "uint8_t", true, false}, {"s16", "int16_t", true, true},
      {"u16", "uint16_t", true, false},  {"s32", "int32_t", true, true}, {"u32", "uint32_t", true, false},
  };
  return find_by(kTypes, name, &MatrixType::name);
}

void set_matrix_sizes(KernelSource& kernel, const MatrixShape& shape, uint32_t first) {
  const bool bfloat = shape.a == "bf16";
  kernel.defines.emplace_back("BFLOAT", bfloat ? "1" : "0");
  for (const auto& [name, size] : {std::pair{"BFLOAT_M", shape.m}, {"BFLOAT_N", shape.n}, {"BFLOAT_K", shape.k}})
    if (bfloat)
      kernel.defines.emplace_back(name, std::to_string(size));
    else
      kernel.constants[first++] = size;
}

Result<Execution> Kernels::prepare(const KernelSource& source, const std::array<uint32_t, 3>& grid,
                                   std::vector<std::byte> push, std::vector<BoundBuffer> buffers) {
  auto known = pipelines_.find(source.name);
  if (known == pipelines_.end()) known = pipelines_.emplace(source.name, TRY(make_pipeline(device_, source))).first;
  return Execution::create(device_, {{known->second, grid, std::move(push), std::move(buffers)}});
}

Result<void> Kernels::run(const KernelSource& source, const std::array<uint32_t, 3>& grid, std::vector<std::byte> push,
                          std::vector<BoundBuffer> buffers, const Wait& wait) {
  const Execution execution = TRY(prepare(source, grid, std::move(push), std::move(buffers)));
  TRY(execution.run(wait));
  return {};
}

Result<Buffer> Kernels::results() {
  if (!results_) results_ = TRY(Buffer::create(device_, 16384, true));
  return *results_;
}

}  // namespace attnscope::vulkan
