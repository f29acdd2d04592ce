#include "app/gui/draw/swapchain.hpp"

#include <imgui_impl_vulkan.h>

namespace attnscope::gui {
namespace {

void transition(VkCommandBuffer commands, VkImage image, VkImageLayout from, VkImageLayout to, VkAccessFlags before,
                VkAccessFlags after, VkPipelineStageFlags last) {
  auto barrier = made<VkImageMemoryBarrier>(VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER);
  barrier.srcAccessMask = before;
  barrier.dstAccessMask = after;
  barrier.oldLayout = from;
  barrier.newLayout = to;
  barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.image = image;
  barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, last, 0, 0, nullptr, 0, nullptr, 1, &barrier);
}

}  // namespace

Swapchain::~Swapchain() {
  if (!gpu_.device) return;
  vkDeviceWaitIdle(gpu_.device);
  release_images();
  if (acquired_) vkDestroySemaphore(gpu_.device, acquired_, nullptr);
  if (chain_) vkDestroySwapchainKHR(gpu_.device, chain_, nullptr);
}

Result<void> Swapchain::make(int width, int height) {
  TRY(check(vkDeviceWaitIdle(gpu_.device), "vkDeviceWaitIdle"));
  VkSurfaceCapabilitiesKHR caps;
  TRY(check(vkGetPhysicalDeviceSurfaceCapabilitiesKHR(gpu_.physical, surface_, &caps),
            "vkGetPhysicalDeviceSurfaceCapabilitiesKHR"));
  uint32_t count = 0;
  constexpr VkFormat kFormat = Canvas::kFormat;
  const VkSurfaceFormatKHR format =
      ImGui_ImplVulkanH_SelectSurfaceFormat(gpu_.physical, surface_, &kFormat, 1, VK_COLOR_SPACE_SRGB_NONLINEAR_KHR);
  // Frames are paced by the app: waiting for the monitor too would only make them late. FIFO is always there.
  constexpr VkPresentModeKHR kModes[] = {VK_PRESENT_MODE_MAILBOX_KHR, VK_PRESENT_MODE_FIFO_KHR};
  const VkPresentModeKHR mode = ImGui_ImplVulkanH_SelectPresentMode(gpu_.physical, surface_, kModes, 2);
  extent_ = caps.currentExtent;
  if (extent_.width == UINT32_MAX) {
    extent_.width = std::clamp(uint32_t(width), caps.minImageExtent.width, caps.maxImageExtent.width);
    extent_.height = std::clamp(uint32_t(height), caps.minImageExtent.height, caps.maxImageExtent.height);
  }
  if (extent_.width == 0 || extent_.height == 0) return {};  // minimized
  auto info = made<VkSwapchainCreateInfoKHR>(VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR);
  info.surface = surface_;
  info.minImageCount = std::max(3u, caps.minImageCount);
  if (caps.maxImageCount) info.minImageCount = std::min(info.minImageCount, caps.maxImageCount);
  info.imageFormat = format.format;
  info.imageColorSpace = format.colorSpace;
  info.imageExtent = extent_;
  info.imageArrayLayers = 1;
  info.imageUsage = VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  info.imageSharingMode = VK_SHARING_MODE_EXCLUSIVE;
  info.preTransform = caps.currentTransform;
  info.compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR;
  info.presentMode = mode;
  info.clipped = VK_TRUE;
  info.oldSwapchain = chain_;
  VkSwapchainKHR chain = VK_NULL_HANDLE;
  TRY(check(vkCreateSwapchainKHR(gpu_.device, &info, nullptr, &chain), "vkCreateSwapchainKHR"));
  release_images();
  if (chain_) vkDestroySwapchainKHR(gpu_.device, chain_, nullptr);
  chain_ = chain;
  TRY(check(vkGetSwapchainImagesKHR(gpu_.device, chain_, &count, nullptr), "vkGetSwapchainImagesKHR"));
  images_.resize(count);
  TRY(check(vkGetSwapchainImagesKHR(gpu_.device, chain_, &count, images_.data()), "vkGetSwapchainImagesKHR"));
  const auto semaphore = made<VkSemaphoreCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO);
  for (uint32_t i = 0; i < count; ++i) {
    drawn_.push_back(VK_NULL_HANDLE);
    TRY(check(vkCreateSemaphore(gpu_.device, &semaphore, nullptr, &drawn_.back()), "vkCreateSemaphore"));
  }
  if (!acquired_) TRY(check(vkCreateSemaphore(gpu_.device, &semaphore, nullptr, &acquired_), "vkCreateSemaphore"));
  width_ = width;
  height_ = height;
  stale_ = false;
  return {};
}

Result<void> Swapchain::acquire(int width, int height, uint32_t& index, bool& ready) {
  ready = false;
  if (stale_ || width != width_ || height != height_) TRY(make(width, height));
  if (extent_.width == 0 || extent_.height == 0) return {};
  const VkResult got = vkAcquireNextImageKHR(gpu_.device, chain_, 1'000'000'000, acquired_, VK_NULL_HANDLE, &index);
  stale_ |= got == VK_ERROR_OUT_OF_DATE_KHR;  // made anew with the next frame
  if (got == VK_ERROR_OUT_OF_DATE_KHR || got == VK_TIMEOUT || got == VK_NOT_READY) return {};
  TRY(check(got, "vkAcquireNextImageKHR"));
  ready = true;
  return {};
}

Result<void> Swapchain::show(Canvas& canvas, ImDrawData* data, int width, int height) {
  uint32_t index = 0;
  bool ready = false;
  TRY(acquire(width, height, index, ready));
  if (!ready) return canvas.draw(data);
  const VkImage target = images_[index];
  const auto copy = [&](VkCommandBuffer commands) {
    transition(commands, target, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 0,
               VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT);
    VkImageBlit blit{};
    blit.srcSubresource = blit.dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    blit.srcOffsets[1] = {canvas.width(), canvas.height(), 1};
    blit.dstOffsets[1] = {int32_t(extent_.width), int32_t(extent_.height), 1};
    vkCmdBlitImage(commands, canvas.image(), VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, target,
                   VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &blit, VK_FILTER_NEAREST);
    transition(commands, target, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR,
               VK_ACCESS_TRANSFER_WRITE_BIT, 0, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT);
  };
  TRY(canvas.draw(data, copy, acquired_, drawn_[index]));
  auto present = made<VkPresentInfoKHR>(VK_STRUCTURE_TYPE_PRESENT_INFO_KHR);
  present.waitSemaphoreCount = 1;
  present.pWaitSemaphores = &drawn_[index];
  present.swapchainCount = 1;
  present.pSwapchains = &chain_;
  present.pImageIndices = &index;
  const VkResult shown = vkQueuePresentKHR(gpu_.queue, &present);
  if (shown == VK_ERROR_OUT_OF_DATE_KHR || shown == VK_SUBOPTIMAL_KHR) {
    stale_ = true;
    return {};
  }
  return check(shown, "vkQueuePresentKHR");
}

}  // namespace attnscope::gui
