// Recording, submitting and waiting; errors of VkResults, with a remedy.

#include "engine/clock.hpp"
#include "engine/vulkan/state.hpp"

namespace attnscope::vulkan {
namespace {

std::string_view name_of(VkResult result) {
  switch (result) {
    case VK_NOT_READY: return "VK_NOT_READY";
    case VK_TIMEOUT: return "VK_TIMEOUT";
    case VK_INCOMPLETE: return "VK_INCOMPLETE";
    case VK_ERROR_OUT_OF_HOST_MEMORY: return "VK_ERROR_OUT_OF_HOST_MEMORY";
    case VK_ERROR_OUT_OF_DEVICE_MEMORY: return "VK_ERROR_OUT_OF_DEVICE_MEMORY";
    case VK_ERROR_INITIALIZATION_FAILED: return "VK_ERROR_INITIALIZATION_FAILED";
    case VK_ERROR_DEVICE_LOST: return "VK_ERROR_DEVICE_LOST";
    case VK_ERROR_MEMORY_MAP_FAILED: return "VK_ERROR_MEMORY_MAP_FAILED";
    case VK_ERROR_LAYER_NOT_PRESENT: return "VK_ERROR_LAYER_NOT_PRESENT";
    case VK_ERROR_EXTENSION_NOT_PRESENT: return "VK_ERROR_EXTENSION_NOT_PRESENT";
    case VK_ERROR_FEATURE_NOT_PRESENT: return "VK_ERROR_FEATURE_NOT_PRESENT";
    case VK_ERROR_INCOMPATIBLE_DRIVER: return "VK_ERROR_INCOMPATIBLE_DRIVER";
    case VK_ERROR_TOO_MANY_OBJECTS: return "VK_ERROR_TOO_MANY_OBJECTS";
    case VK_ERROR_FRAGMENTED_POOL: return "VK_ERROR_FRAGMENTED_POOL";
    case VK_ERROR_OUT_OF_POOL_MEMORY: return "VK_ERROR_OUT_OF_POOL_MEMORY";
    case VK_ERROR_INVALID_SHADER_NV: return "VK_ERROR_INVALID_SHADER_NV";
    case VK_ERROR_UNKNOWN: return "VK_ERROR_UNKNOWN";
    default: return "";
  }
}

// How often a wait looks up. Short enough that a cancel is answered at once after the submit in flight.
constexpr uint64_t kStepNs = 20'000'000;

Error abandoned_error() {
  return device_lost("The device did not finish earlier work in time and is no longer used; open it again.");
}

}  // namespace

Error vulkan_error(VkResult result, std::string_view doing) {
  const std::string_view name = name_of(result);
  const std::string text = name.empty() ? fmt::format("VkResult {}", int(result)) : std::string(name);
  switch (result) {
    case VK_ERROR_DEVICE_LOST:
      return device_lost(
          "The device was lost while {} ({}). A kernel may have run too long "
          "or touched memory that is not its own; open the device again.",
          doing, text);
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
    case VK_ERROR_OUT_OF_HOST_MEMORY:
    case VK_ERROR_OUT_OF_POOL_MEMORY:
      return {ErrorKind::out_of_memory,
              fmt::format("Memory ran out while {} ({}). Use a smaller problem.", doing, text)};
    case VK_ERROR_LAYER_NOT_PRESENT:
    case VK_ERROR_EXTENSION_NOT_PRESENT:
    case VK_ERROR_FEATURE_NOT_PRESENT:
    case VK_ERROR_INCOMPATIBLE_DRIVER: return unsupported("The Vulkan driver does not support {} ({}).", doing, text);
    case VK_ERROR_UNKNOWN:
    case VK_ERROR_INVALID_SHADER_NV:
      return internal_error(
          "Vulkan failed while {} ({}). Where no module was at hand, the driver failed or memory ran out; "
          "if it was a module made elsewhere, `spirv-val` tells whether it is valid.",
          doing, text);
    default: return internal_error("Vulkan failed while {} ({}).", doing, text);
  }
}

void barrier(const LogicalDevice& device, VkCommandBuffer commands, const Access& before, const Access& after) {
  const VkMemoryBarrier2 memory{
      VK_STRUCTURE_TYPE_MEMORY_BARRIER_2, nullptr, before.stage, before.access, after.stage, after.access};
  auto info = vk_struct<VkDependencyInfo>(VK_STRUCTURE_TYPE_DEPENDENCY_INFO);
  info.memoryBarrierCount = 1;
  info.pMemoryBarriers = &memory;
  device.vk.vkCmdPipelineBarrier2(commands, &info);
}

void full_barrier(const LogicalDevice& device, VkCommandBuffer commands) {
  constexpr Access all{VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
                       VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT};
  barrier(device, commands, all, all);
}

Result<std::unique_ptr<Commands>> Commands::create(LogicalDevice& device) {
  std::unique_ptr<Commands> out(new Commands(device));
  auto pool = vk_struct<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
  pool.queueFamilyIndex = device.queue_family;
  TRY(device.check(device.vk.vkCreateCommandPool(device.device, &pool, nullptr, &out->pool_),
                   "creating a command pool"));
  const VkCommandBufferAllocateInfo buffer{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, out->pool_,
                                           VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
  TRY(device.check(device.vk.vkAllocateCommandBuffers(device.device, &buffer, &out->buffer_),
                   "creating a command buffer"));
  const auto fence = vk_struct<VkFenceCreateInfo>(VK_STRUCTURE_TYPE_FENCE_CREATE_INFO);
  TRY(device.check(device.vk.vkCreateFence(device.device, &fence, nullptr, &out->fence_), "creating a fence"));
  return out;
}

Commands::~Commands() {
  if (device_.abandoned) return;
  if (fence_) device_.vk.vkDestroyFence(device_.device, fence_, nullptr);
  if (pool_) device_.vk.vkDestroyCommandPool(device_.device, pool_, nullptr);
}

Result<VkCommandBuffer> Commands::begin() {
  if (device_.abandoned) return abandoned_error();
  TRY(device_.check(device_.vk.vkResetCommandPool(device_.device, pool_, 0), "resetting a command buffer"));
  auto info = vk_struct<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
  info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  TRY(device_.check(device_.vk.vkBeginCommandBuffer(buffer_, &info), "starting a command buffer"));
  full_barrier(device_, buffer_);
  return VkCommandBuffer(buffer_);
}

Result<void> Commands::submit_and_wait(const Wait& wait) {
  TRY(device_.check(device_.vk.vkEndCommandBuffer(buffer_), "ending a command buffer"));
  TRY(device_.check(device_.vk.vkResetFences(device_.device, 1, &fence_), "resetting a fence"));
  auto commands = vk_struct<VkCommandBufferSubmitInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO);
  commands.commandBuffer = buffer_;
  auto submit = vk_struct<VkSubmitInfo2>(VK_STRUCTURE_TYPE_SUBMIT_INFO_2);
  submit.commandBufferInfoCount = 1;
  submit.pCommandBufferInfos = &commands;
  {
    const std::lock_guard lock(device_.queue_mutex);
    if (device_.abandoned) return abandoned_error();
    TRY(device_.check(device_.vk.vkQueueSubmit2(device_.queue, 1, &submit, fence_), "submitting work"));
  }
  // A software device compiles inside a shader's first submit, and shares its cores with whatever else runs.
  const double limit_s = wait.timeout_s * (device_.info.type == DeviceType::software ? 10 : 1);
  const auto start = Clock::now();
  for (;;) {
    const VkResult r = device_.vk.vkWaitForFences(device_.device, 1, &fence_, VK_TRUE, kStepNs);
    if (r == VK_SUCCESS) break;
    if (r != VK_TIMEOUT) return device_.error(r, "waiting for the device");
    if (seconds_since(start) > limit_s) {
      device_.lost = true;
      device_.abandoned = true;
      return device_lost(
          "The device did not finish one submit within {:.1f} s. The kernel may never end, or the "
          "work needs to be cut into more slices.",
          limit_s);
    }
  }
  if (wait.between && *wait.between) (*wait.between)();
  if (wait.cancel && wait.cancel->load()) return cancelled_error("Cancelled.");
  return {};
}

}  // namespace attnscope::vulkan
