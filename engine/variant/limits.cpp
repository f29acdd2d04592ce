#include "engine/variant/plan.hpp"

namespace attnscope {
namespace {

std::optional<Refusal> refusal(std::optional<LimitFault> over, const std::string& pass, size_t index) {
  if (!over) return std::nullopt;
  Refusal out{std::move(over->error), fmt::format("{} of {}", to_text(over->limit), pass)};
  const bool counts =
      over->limit == Limit::shared_memory || over->limit == Limit::private_memory || over->limit == Limit::invocations;
  if (counts && over->asked > over->allowed) out.limit = over->limit;
  out.pass = index;
  out.asked = over->asked;
  out.allowed = over->allowed;
  return out;
}

std::string quoted(const std::string& pass) { return fmt::format("pass '{}'", pass); }

}  // namespace

std::optional<Refusal> check_pass(const PlanPass& pass, const Reflection& reflection, size_t index,
                                  const DeviceInfo& device) {
  const std::string name = quoted(pass.name);
  return refusal(check_module({name, reflection, pass.facts, pass.subgroup_size}, device), name, index);
}

std::optional<Refusal> check_pass_grid(const std::string& pass, size_t index, const std::array<uint64_t, 3>& grid,
                                       const DeviceInfo& device) {
  return refusal(check_grid(quoted(pass), grid, device), quoted(pass), index);
}

std::optional<Refusal> check_buffers(const Problem& problem, const TensorForms& forms,
                                     const std::vector<PlanScratch>& scratch, const DeviceInfo& device) {
  const uint64_t element = dtype_bytes(problem.dtype);
  std::vector<std::pair<std::string, uint64_t>> buffers{
      {"Q", problem.q_elements() * element},
      {"K", problem.k_bytes()},
      {"V", problem.v_bytes()},
      {"O", problem.o_elements() * element},
      {"the sequence offsets", problem.varlen.empty() ? 0 : 4 * (uint64_t{problem.varlen.size()} + 1)},
      {"the page table", 4 * uint64_t{problem.batch} * problem.pages()},
      {"the lists of keys", 4 * problem.list_elements()}};
  if (problem.sinks) buffers.emplace_back("the sinks", 4 * uint64_t{problem.heads_q});
  if (problem.mask != MaskKind::none) buffers.emplace_back("the mask", 2 * problem.mask_elements());
  for (const auto& [binding, form] : forms)
    if (form.home == binding)
      buffers.emplace_back(fmt::format("{} as {}", find_role(binding)->text, to_text(form.dtype)),
                           form_bytes(problem, binding, forms));
  for (const auto& s : scratch) buffers.emplace_back(fmt::format("scratch '{}'", s.name), s.bytes);
  // Of four and five bits a buffer of 4 GiB has more elements than a shader's numbers count.
  for (const auto& [name, count] : {std::pair("K", problem.k_elements()), std::pair("V", problem.v_elements())})
    if (count > UINT32_MAX)
      return Refusal{bad_input(fmt::format("elements: {} has {}; a shader counts up to {} of a tensor. Use a smaller "
                                           "problem.",
                                           name, grouped(count), grouped(UINT32_MAX))),
                     fmt::format("elements of {}", name)};
  uint64_t sum = 0;
  for (const auto& [name, bytes] : buffers) {
    const uint64_t taken = guarded_bytes(bytes);
    const auto over = [&, &name = name, &bytes = bytes](const char* kind, uint64_t allowed, const char* in) {
      return Refusal{
          bad_input(fmt::format(
              "{}: {} needs {}{}; {} allows {} in one {}. Use a smaller problem{}.", kind, name,
              bytes_beside(bytes, allowed),
              bytes > allowed ? "" : fmt::format(" and {} for guards", bytes_text(double(taken - bytes))), device.name,
              bytes_beside(allowed, bytes), in, name.starts_with("scratch") ? " or a variant without it" : "")),
          fmt::format("{} of {}", kind, name)};
    };
    if (taken > device.limits.max_storage_buffer_bytes)
      return over("storage buffer", device.limits.max_storage_buffer_bytes, "buffer");
    if (device.limits.max_allocation_bytes != 0 && taken > device.limits.max_allocation_bytes)
      return over("allocation", device.limits.max_allocation_bytes, "allocation");
    sum += taken;
  }
  if (device.limits.device_memory_bytes != 0 && sum > device.limits.device_memory_bytes)
    return Refusal{bad_input(fmt::format(
                       "device memory: the tensors and scratch buffers need {}; {} has {}. Use a smaller problem.",
                       bytes_beside(sum, device.limits.device_memory_bytes), device.name,
                       bytes_beside(device.limits.device_memory_bytes, sum))),
                   "device memory"};
  return std::nullopt;
}

}  // namespace attnscope
