// What every frame is drawn into: an image of our own, the same on screen and off. A window shows a copy of it, a
// picture is read back from it.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "app/gui/draw/gpu.hpp"

struct ImDrawData;

namespace attnscope::gui {

/// RGBA, 8 bits each, rows from the top.
struct Picture {
  int width = 0, height = 0;
  std::vector<uint8_t> rgba;
};

class Canvas {
 public:
  static constexpr VkFormat kFormat = VK_FORMAT_B8G8R8A8_UNORM;

  explicit Canvas(Gpu& gpu) : gpu_(gpu) {}
  ~Canvas();
  Canvas(const Canvas&) = delete;
  Canvas& operator=(const Canvas&) = delete;

  /// Command buffers, render pass and ImGui's own renderer; needs an ImGui context with its fonts added.
  Result<void> start();
  Result<void> resize(int width, int height);
  /// Other fonts were added: they are sent to the device with the next frame.
  void forget_fonts();
  /// Records, submits and waits until it is drawn (so that no drawing goes on when the next batch is sampled).
  /// `then` may append commands: the image is in TRANSFER_SRC_OPTIMAL. The semaphores may be null.
  Result<void> draw(ImDrawData*, const std::function<void(VkCommandBuffer)>& then = {},
                    VkSemaphore wait = VK_NULL_HANDLE, VkSemaphore signal = VK_NULL_HANDLE);
  /// The last frame drawn.
  Result<Picture> read_back();

  VkImage image() const { return image_; }
  int width() const { return width_; }
  int height() const { return height_; }

 private:
  void release_image();
  Result<void> submit(const std::function<void(VkCommandBuffer)>&, VkSemaphore wait, VkSemaphore signal);

  Gpu& gpu_;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;
  VkFence fence_ = VK_NULL_HANDLE;
  VkRenderPass pass_ = VK_NULL_HANDLE;
  VkDescriptorPool descriptors_ = VK_NULL_HANDLE;
  VkImage image_ = VK_NULL_HANDLE;
  VkImageView view_ = VK_NULL_HANDLE;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  VkFramebuffer framebuffer_ = VK_NULL_HANDLE;
  int width_ = 0, height_ = 0;
  bool renderer_ = false;
};

}  // namespace attnscope::gui
