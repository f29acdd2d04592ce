#include "engine/vulkan/buffer.hpp"

#include "engine/number.hpp"
#include "engine/vulkan/state.hpp"

namespace attnscope::vulkan {
namespace {

constexpr uint64_t kStagingBytes = uint64_t{16} << 20;

/// The staging buffer, which is made when first needed, is the holder's alone.
Result<std::unique_lock<std::mutex>> take_staging(LogicalDevice& device) {
  std::unique_lock lock(device.staging_mutex);
  if (device.staging) return lock;
  auto info = vk_struct<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
  info.size = kStagingBytes;
  info.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  VmaAllocationCreateInfo how{};
  how.usage = VMA_MEMORY_USAGE_AUTO_PREFER_HOST;
  // Random access asks for cached memory: reading back from write-combined memory is slower by an order of magnitude.
  how.flags = VMA_ALLOCATION_CREATE_HOST_ACCESS_RANDOM_BIT | VMA_ALLOCATION_CREATE_MAPPED_BIT;
  auto commands = TRY(Commands::create(device));
  TRY(device.check(
      vmaCreateBuffer(device.allocator, &info, &how, &device.staging, &device.staging_allocation, &device.staging_info),
      "creating the staging buffer"));
  device.staging_commands = std::move(commands);
  return lock;
}

Result<void> check_range(const BufferState& buffer, uint64_t offset, uint64_t bytes) {
  if (offset <= buffer.bytes && bytes <= buffer.bytes - offset) return {};
  return internal_error("A transfer of {} bytes at {} does not fit a buffer of {} bytes.", bytes, offset, buffer.bytes);
}

/// Copies one chunk between two buffers, of which one may be staging.
Result<void> copy_chunk(LogicalDevice& device, VkBuffer from, uint64_t from_at, VkBuffer to, uint64_t to_at,
                        uint64_t bytes, const Wait& wait) {
  auto commands = TRY(device.staging_commands->begin());
  const VkBufferCopy region{from_at, to_at, bytes};
  device.vk.vkCmdCopyBuffer(commands, from, to, 1, &region);
  barrier(device, commands, {VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT},
          {VK_PIPELINE_STAGE_2_HOST_BIT, VK_ACCESS_2_HOST_READ_BIT});
  return device.staging_commands->submit_and_wait(wait);
}

}  // namespace

BufferState::~BufferState() {
  if (buffer && !device->abandoned) vmaDestroyBuffer(device->allocator, buffer, allocation);
}

Result<Buffer> Buffer::create(const Device& device, uint64_t bytes, bool apart, BufferUse use) {
  const DeviceLimits& limits = device.info().limits;
  const uint64_t rounded = std::max<uint64_t>((bytes + 3) / 4 * 4, 4);
  for (const auto& [most, what] :
       {std::pair{limits.max_storage_buffer_bytes, "a storage buffer"}, {limits.max_allocation_bytes, "an allocation"}})
    if (bytes > most)
      return bad_input("A buffer of {} was asked for; {} allows {} {}. Use a smaller problem.",
                       bytes_beside(bytes, most), device.info().name, bytes_beside(most, bytes), what);
  const auto no_memory = [&] {
    return Error{
        ErrorKind::out_of_memory,
        fmt::format("A buffer of {} does not fit the memory of {} ({} in all, part of it in use). Use a "
                    "smaller problem.",
                    bytes_text(double(bytes)), device.info().name, bytes_text(double(limits.device_memory_bytes)))};
  };
  if (bytes > limits.device_memory_bytes) return no_memory();
  auto state = std::make_shared<BufferState>();
  state->device = device.state();
  state->bytes = rounded;
  auto info = vk_struct<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
  info.size = rounded;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  if (use == BufferUse::uniform) info.usage |= VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT;
  if (use == BufferUse::addressed) info.usage |= VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  VmaAllocationCreateInfo how{};
  how.usage = VMA_MEMORY_USAGE_AUTO_PREFER_DEVICE;
  how.requiredFlags = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;  // never silently in host memory
  if (apart) how.flags = VMA_ALLOCATION_CREATE_DEDICATED_MEMORY_BIT;
  const VkResult r =
      vmaCreateBuffer(state->device->allocator, &info, &how, &state->buffer, &state->allocation, nullptr);
  if (r == VK_ERROR_OUT_OF_DEVICE_MEMORY || r == VK_ERROR_OUT_OF_HOST_MEMORY) return no_memory();
  if (r != VK_SUCCESS) return state->device->error(r, fmt::format("creating a buffer of {} bytes", bytes));
  return Buffer(std::move(state));
}

uint64_t Buffer::bytes() const { return state_->bytes; }

uint64_t Buffer::address() const {
  auto info = vk_struct<VkBufferDeviceAddressInfo>(VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO);
  info.buffer = state_->buffer;
  return state_->device->vk.vkGetBufferDeviceAddress(state_->device->device, &info);
}

Result<void> Buffer::upload(std::span<const std::byte> data, uint64_t offset, const Wait& wait) const {
  TRY(check_range(*state_, offset, data.size()));
  LogicalDevice& device = *state_->device;
  const auto lock = TRY(take_staging(device));
  for (uint64_t at = 0; at < data.size(); at += kStagingBytes) {
    const uint64_t bytes = std::min<uint64_t>(kStagingBytes, data.size() - at);
    std::memcpy(device.staging_info.pMappedData, data.data() + at, bytes);
    TRY(device.check(vmaFlushAllocation(device.allocator, device.staging_allocation, 0, bytes),
                     "writing to the staging buffer"));
    TRY(copy_chunk(device, device.staging, 0, state_->buffer, offset + at, bytes, wait));
  }
  return {};
}

Result<void> Buffer::download(std::span<std::byte> data, uint64_t offset, const Wait& wait) const {
  TRY(check_range(*state_, offset, data.size()));
  LogicalDevice& device = *state_->device;
  const auto lock = TRY(take_staging(device));
  for (uint64_t at = 0; at < data.size(); at += kStagingBytes) {
    const uint64_t bytes = std::min<uint64_t>(kStagingBytes, data.size() - at);
    TRY(copy_chunk(device, state_->buffer, offset + at, device.staging, 0, bytes, wait));
    TRY(device.check(vmaInvalidateAllocation(device.allocator, device.staging_allocation, 0, bytes),
                     "reading the staging buffer"));
    std::memcpy(data.data() + at, device.staging_info.pMappedData, bytes);
  }
  return {};
}

Result<void> Buffer::copy_from(const Buffer& other, uint64_t offset, uint64_t bytes, const Wait& wait) const {
  TRY(check_range(*state_, offset, bytes));
  TRY(check_range(*other.state_, offset, bytes));
  LogicalDevice& device = *state_->device;
  const auto lock = TRY(take_staging(device));
  return copy_chunk(device, other.state_->buffer, offset, state_->buffer, offset, bytes, wait);
}

Result<void> Buffer::fill(uint32_t word, const Wait& wait) const {
  LogicalDevice& device = *state_->device;
  const auto lock = TRY(take_staging(device));
  auto commands = TRY(device.staging_commands->begin());
  device.vk.vkCmdFillBuffer(commands, state_->buffer, 0, state_->bytes, word);
  return device.staging_commands->submit_and_wait(wait);
}

}  // namespace attnscope::vulkan
