// Shows the canvas in a window.
#pragma once

#include "app/gui/draw/canvas.hpp"

namespace attnscope::gui {

class Swapchain {
 public:
  Swapchain(Gpu& gpu, VkSurfaceKHR surface) : gpu_(gpu), surface_(surface) {}
  ~Swapchain();
  Swapchain(const Swapchain&) = delete;
  Swapchain& operator=(const Swapchain&) = delete;

  /// Draws `data` into the canvas and presents a copy of it, `width` x `height` pixels; makes itself anew when the
  /// window's size has changed.
  Result<void> show(Canvas&, ImDrawData* data, int width, int height);

 private:
  Result<void> make(int width, int height);
  void release_images() {
    for (VkSemaphore s : drawn_) vkDestroySemaphore(gpu_.device, s, nullptr);
    drawn_.clear();
    images_.clear();
  }
  Result<void> acquire(int width, int height, uint32_t& index, bool& ready);

  Gpu& gpu_;
  VkSurfaceKHR surface_;
  VkSwapchainKHR chain_ = VK_NULL_HANDLE;
  VkExtent2D extent_{};
  std::vector<VkImage> images_;
  std::vector<VkSemaphore> drawn_;  ///< one an image: its presentation may still wait on it
  VkSemaphore acquired_ = VK_NULL_HANDLE;
  int width_ = 0, height_ = 0;
  bool stale_ = true;
};

}  // namespace attnscope::gui
