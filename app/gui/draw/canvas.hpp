// The Vulkan device that the window is drawn with. It measures nothing: the measured device lives in the worker.
#pragma once

#include <filesystem>

#include <volk.h>

#include "engine/result.hpp"

struct ImDrawData;

namespace attnscope::gui {

/// An Error when `result` is no success; `what` names the call.
Result<void> check(VkResult result, const char* what);

/// A Vulkan structure, zero but for its type.
template <class T>
T made(VkStructureType type) {
  T value{};
  value.sType = type;
  return value;
}

class Gpu {
 public:
  Gpu() = default;
  ~Gpu();
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  /// `instance_extensions`: those that a window needs; none to draw off screen. With `validation`, the validation
  /// layers' messages are collected (unsupported when the layers are not installed).
  Result<void> make_instance(const std::vector<const char*>& instance_extensions, bool validation);
  /// The first of: discrete GPU, integrated, virtual, software, that can draw, and present to `surface` where given.
  Result<void> make_device(VkSurfaceKHR surface);

  VkInstance instance = VK_NULL_HANDLE;
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  VkQueue queue = VK_NULL_HANDLE;
  uint32_t family = 0;
  std::string name;
  uint32_t most_pixels = 0;  ///< along a side of an image
  bool software = false;

  /// Memory of a type with all of `flags`, or an Error that names them; the caller's.
  Result<void> allocate(const VkMemoryRequirements&, VkMemoryPropertyFlags flags, VkDeviceMemory& into) const;
  const std::vector<std::string>& validation_messages() const { return messages_; }

 private:
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
  std::vector<std::string> messages_;
};

// What every frame is drawn into, on screen and off. A window shows a copy of it, a picture is read back from it.

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
  Result<Picture> read_back();

  VkImage image() const { return target_.image; }
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
  /// What is made anew with the size.
  struct Target {
    VkImage image = VK_NULL_HANDLE;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    VkImageView view = VK_NULL_HANDLE;
    VkFramebuffer framebuffer = VK_NULL_HANDLE;
    VkBuffer pixels = VK_NULL_HANDLE;  ///< that a picture is read back to
    VkDeviceMemory pixels_memory = VK_NULL_HANDLE;
    void* mapped = nullptr;
  } target_;
  int width_ = 0, height_ = 0;
  bool renderer_ = false;
};

/// As PNG, atomically (a reader sees the old file or the new one); the error names the path and why (bad_input).
Result<void> save_png(const Picture&, const std::filesystem::path&);
/// The part that lies in both.
Picture crop(const Picture&, int x, int y, int width, int height);

/// Shows the canvas in a window.
class Swapchain {
 public:
  Swapchain(Gpu& gpu, VkSurfaceKHR surface) : gpu_(gpu), surface_(surface) {}
  ~Swapchain();
  Swapchain(const Swapchain&) = delete;
  Swapchain& operator=(const Swapchain&) = delete;

  /// Draws `data` into the canvas and presents a copy of it; makes itself anew when the window's size has changed.
  Result<void> show(Canvas&, ImDrawData* data, int width, int height);

 private:
  Result<void> make(int width, int height);
  void release_images() {
    for (VkSemaphore s : drawn_) vkDestroySemaphore(gpu_.device, s, nullptr);
    drawn_.clear();
    images_.clear();
  }

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
