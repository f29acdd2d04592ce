#include "app/gui/draw/canvas.hpp"

#include <cstdlib>

#include <imgui_impl_vulkan.h>

#include "app/gui/draw/theme.hpp"
#include "engine/record/results.hpp"

// The library's one implementation; its own code does not meet our warnings.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#pragma GCC diagnostic ignored "-Wunused-function"
#define STBI_WRITE_NO_STDIO
#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
// clang-format off: sorted, it would come before these.
#include <stb/stb_image_write.h>
// clang-format on
#pragma GCC diagnostic pop

namespace attnscope::gui {
namespace {

constexpr const char* kValidationLayer = "VK_LAYER_KHRONOS_validation";

VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                                          const VkDebugUtilsMessengerCallbackDataEXT* data, void* user) {
  static_cast<std::vector<std::string>*>(user)->push_back(data->pMessage);
  return VK_FALSE;
}

/// What draws best comes first.
int rank(VkPhysicalDeviceType type) {
  constexpr std::array kBest = {VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU,
                                VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU, VK_PHYSICAL_DEVICE_TYPE_CPU};
  return int(std::find(kBest.begin(), kBest.end(), type) - kBest.begin());
}

/// The index of a queue family that draws (and presents); -1 when there is none.
int drawing_family(VkPhysicalDevice physical, VkSurfaceKHR surface) {
  uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families.data());
  for (uint32_t i = 0; i < count; ++i) {
    if (!(families[i].queueFlags & VK_QUEUE_GRAPHICS_BIT)) continue;
    VkBool32 presents = surface == VK_NULL_HANDLE;
    if (surface && vkGetPhysicalDeviceSurfaceSupportKHR(physical, i, surface, &presents) != VK_SUCCESS) continue;
    if (presents) return int(i);
  }
  return -1;
}

/// Off screen there are no surface and swapchain functions. ImGui insists on finding them, for windows of its own that
/// it is never asked to make; it gets one that must not be reached.
void unreachable_function() { std::abort(); }

PFN_vkVoidFunction imgui_function(const char* name, void* instance) {
  const PFN_vkVoidFunction found = vkGetInstanceProcAddr(static_cast<VkInstance>(instance), name);
  return found || !std::string_view(name).ends_with("KHR") ? found : unreachable_function;
}

void transition(VkCommandBuffer commands, VkImage image, VkImageLayout from, VkImageLayout to, VkAccessFlags before,
                VkAccessFlags after, VkPipelineStageFlags last) {
  constexpr uint32_t same = VK_QUEUE_FAMILY_IGNORED;
  const VkImageMemoryBarrier barrier{
      VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER, nullptr, before, after, from, to, same, same, image,
      {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, last, 0, 0, nullptr, 0, nullptr, 1, &barrier);
}

}  // namespace

Result<void> check(VkResult result, const char* what) {
  const auto failed = [&](ErrorKind kind, const std::string& why) {
    return Error{kind, fmt::format("Drawing the window failed in {}: {}.", what, why)};
  };
  switch (result) {
    case VK_SUCCESS:
    case VK_SUBOPTIMAL_KHR: return {};
    case VK_ERROR_DEVICE_LOST: return failed(ErrorKind::device_lost, "the device that draws was lost");
    case VK_ERROR_SURFACE_LOST_KHR: return failed(ErrorKind::device_lost, "the display went away");
    case VK_ERROR_OUT_OF_HOST_MEMORY:
    case VK_ERROR_OUT_OF_DEVICE_MEMORY: return failed(ErrorKind::out_of_memory, "memory ran out");
    case VK_ERROR_INCOMPATIBLE_DRIVER:
      return unsupported(
          "No Vulkan driver was found, so nothing can be drawn. Install the graphics driver of your GPU, or Mesa's "
          "software device (package mesa-vulkan-drivers on Debian).");
    case VK_ERROR_EXTENSION_NOT_PRESENT:
    case VK_ERROR_LAYER_NOT_PRESENT:
    case VK_ERROR_FEATURE_NOT_PRESENT:
      return failed(ErrorKind::unsupported, "the Vulkan driver lacks what drawing here needs");
    case VK_ERROR_INITIALIZATION_FAILED: return failed(ErrorKind::unsupported, "the Vulkan driver did not start");
    default: return failed(ErrorKind::internal, fmt::format("VkResult {}", int(result)));
  }
}

Gpu::~Gpu() {
  if (device) vkDestroyDevice(device, nullptr);
  if (messenger_) vkDestroyDebugUtilsMessengerEXT(instance, messenger_, nullptr);
  if (instance) vkDestroyInstance(instance, nullptr);
}

Result<void> Gpu::make_instance(const std::vector<const char*>& instance_extensions, bool validation) {
  if (volkInitialize() != VK_SUCCESS)
    return unsupported("There is no Vulkan loader (libvulkan.so.1), so nothing can be drawn. Install libvulkan1.");
  std::vector<const char*> extensions = instance_extensions;
  if (validation) extensions.push_back(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
  auto app = made<VkApplicationInfo>(VK_STRUCTURE_TYPE_APPLICATION_INFO);
  app.pApplicationName = "attnscope";
  app.apiVersion = VK_API_VERSION_1_1;
  const VkValidationFeatureEnableEXT sync = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT;
  const VkValidationFeaturesEXT features{VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT, nullptr, 1, &sync, 0, nullptr};
  auto info = made<VkInstanceCreateInfo>(VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO);
  info.pNext = validation ? &features : nullptr;
  info.pApplicationInfo = &app;
  info.enabledExtensionCount = uint32_t(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  info.enabledLayerCount = validation ? 1 : 0;
  info.ppEnabledLayerNames = &kValidationLayer;
  const VkResult made_it = vkCreateInstance(&info, nullptr, &instance);
  if (made_it == VK_ERROR_LAYER_NOT_PRESENT)
    return unsupported("The Vulkan validation layers are not installed (vulkan-validationlayers).");
  TRY(check(made_it, "vkCreateInstance"));
  volkLoadInstance(instance);
  if (!validation) return {};
  auto messenger = made<VkDebugUtilsMessengerCreateInfoEXT>(VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT);
  messenger.messageSeverity =
      VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  messenger.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
  messenger.pfnUserCallback = on_message;
  messenger.pUserData = &messages_;
  return check(vkCreateDebugUtilsMessengerEXT(instance, &messenger, nullptr, &messenger_),
               "vkCreateDebugUtilsMessengerEXT");
}

Result<void> Gpu::make_device(VkSurfaceKHR surface) {
  uint32_t count = 0;
  TRY(check(vkEnumeratePhysicalDevices(instance, &count, nullptr), "vkEnumeratePhysicalDevices"));
  std::vector<VkPhysicalDevice> devices(count);
  TRY(check(vkEnumeratePhysicalDevices(instance, &count, devices.data()), "vkEnumeratePhysicalDevices"));
  int best = 5, chosen = -1;
  for (VkPhysicalDevice candidate : devices) {
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(candidate, &properties);
    const int f = drawing_family(candidate, surface);
    if (f < 0 || rank(properties.deviceType) >= best) continue;
    best = rank(properties.deviceType);
    chosen = f;
    physical = candidate;
    name = properties.deviceName;
    software = properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
    most_pixels = properties.limits.maxImageDimension2D;
  }
  if (chosen < 0)
    return unsupported(
        fmt::format("None of the {} Vulkan devices here can draw{}. The command line needs no drawing: "
                    "`attnscope bench`. Mesa's llvmpipe (mesa-vulkan-drivers) can draw everywhere.",
                    count, surface ? " to this display" : ""));
  family = uint32_t(chosen);
  const float priority = 1;
  const VkDeviceQueueCreateInfo queue_info{
      VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, nullptr, 0, family, 1, &priority};
  const char* swapchain = VK_KHR_SWAPCHAIN_EXTENSION_NAME;
  auto info = made<VkDeviceCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO);
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue_info;
  info.enabledExtensionCount = surface ? 1 : 0;
  info.ppEnabledExtensionNames = &swapchain;
  TRY(check(vkCreateDevice(physical, &info, nullptr, &device), "vkCreateDevice"));
  vkGetDeviceQueue(device, family, 0, &queue);
  return {};
}

Result<void> Gpu::allocate(const VkMemoryRequirements& needs, VkMemoryPropertyFlags flags, VkDeviceMemory& into) const {
  VkPhysicalDeviceMemoryProperties memory;
  vkGetPhysicalDeviceMemoryProperties(physical, &memory);
  for (uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
    if (!(needs.memoryTypeBits & (1u << i)) || (memory.memoryTypes[i].propertyFlags & flags) != flags) continue;
    const VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, needs.size, i};
    return check(vkAllocateMemory(device, &info, nullptr, &into), "vkAllocateMemory");
  }
  return unsupported(fmt::format("{} has no memory with property flags {:#x} to draw in.", name, flags));
}

Canvas::~Canvas() {
  if (!gpu_.device) return;
  vkDeviceWaitIdle(gpu_.device);
  if (renderer_) ImGui_ImplVulkan_Shutdown();
  release_image();
  if (descriptors_) vkDestroyDescriptorPool(gpu_.device, descriptors_, nullptr);
  if (pass_) vkDestroyRenderPass(gpu_.device, pass_, nullptr);
  if (fence_) vkDestroyFence(gpu_.device, fence_, nullptr);
  if (pool_) vkDestroyCommandPool(gpu_.device, pool_, nullptr);
}

void Canvas::release_image() {
  vkDestroyFramebuffer(gpu_.device, target_.framebuffer, nullptr);
  vkDestroyImageView(gpu_.device, target_.view, nullptr);
  vkDestroyImage(gpu_.device, target_.image, nullptr);
  vkFreeMemory(gpu_.device, target_.memory, nullptr);
  vkDestroyBuffer(gpu_.device, target_.pixels, nullptr);
  vkFreeMemory(gpu_.device, target_.pixels_memory, nullptr);
  target_ = {};
}

Result<void> Canvas::start() {
  const VkCommandPoolCreateInfo pool{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, nullptr,
                                     VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT, gpu_.family};
  TRY(check(vkCreateCommandPool(gpu_.device, &pool, nullptr, &pool_), "vkCreateCommandPool"));
  const VkCommandBufferAllocateInfo buffers{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, pool_,
                                            VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
  TRY(check(vkAllocateCommandBuffers(gpu_.device, &buffers, &commands_), "vkAllocateCommandBuffers"));
  const auto fence = made<VkFenceCreateInfo>(VK_STRUCTURE_TYPE_FENCE_CREATE_INFO);
  TRY(check(vkCreateFence(gpu_.device, &fence, nullptr, &fence_), "vkCreateFence"));

  VkAttachmentDescription colour{};
  colour.format = kFormat;
  colour.samples = VK_SAMPLE_COUNT_1_BIT;
  colour.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  colour.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
  colour.stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE;
  colour.stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE;
  colour.initialLayout = VK_IMAGE_LAYOUT_UNDEFINED;
  colour.finalLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
  const VkAttachmentReference reference{0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
  VkSubpassDescription subpass{};
  subpass.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS;
  subpass.colorAttachmentCount = 1;
  subpass.pColorAttachments = &reference;
  // The copy of the frame before must be over when this one is drawn, and this one's drawing before its copy.
  constexpr VkPipelineStageFlags copy = VK_PIPELINE_STAGE_TRANSFER_BIT,
                                 paint = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT;
  constexpr VkAccessFlags read = VK_ACCESS_TRANSFER_READ_BIT, write = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT;
  const VkSubpassDependency around[] = {{VK_SUBPASS_EXTERNAL, 0, copy | paint, paint, read, write, 0},
                                        {0, VK_SUBPASS_EXTERNAL, paint, copy, write, read, 0}};
  const VkRenderPassCreateInfo pass{
      VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO, nullptr, 0, 1, &colour, 1, &subpass, 2, around};
  TRY(check(vkCreateRenderPass(gpu_.device, &pass, nullptr, &pass_), "vkCreateRenderPass"));

  const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 16};
  auto descriptors = made<VkDescriptorPoolCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO);
  descriptors.flags = VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT;
  descriptors.maxSets = 16;
  descriptors.poolSizeCount = 1;
  descriptors.pPoolSizes = &size;
  TRY(check(vkCreateDescriptorPool(gpu_.device, &descriptors, nullptr, &descriptors_), "vkCreateDescriptorPool"));

  const bool loaded = ImGui_ImplVulkan_LoadFunctions(imgui_function, gpu_.instance);
  if (!loaded) return internal_error("ImGui's Vulkan renderer found a function missing in the Vulkan loader.");
  ImGui_ImplVulkan_InitInfo info{};
  info.Instance = gpu_.instance;
  info.PhysicalDevice = gpu_.physical;
  info.Device = gpu_.device;
  info.QueueFamily = gpu_.family;
  info.Queue = gpu_.queue;
  info.DescriptorPool = descriptors_;
  info.MinImageCount = 2;
  info.ImageCount = 2;
  info.MSAASamples = VK_SAMPLE_COUNT_1_BIT;
  if (!ImGui_ImplVulkan_Init(&info, pass_)) return internal_error("ImGui's Vulkan renderer did not start.");
  renderer_ = true;
  return {};
}

void Canvas::forget_fonts() {
  if (!renderer_) return;
  vkDeviceWaitIdle(gpu_.device);
  ImGui_ImplVulkan_DestroyFontsTexture();
}

Result<void> Canvas::resize(int width, int height) {
  if (width == width_ && height == height_) return {};
  if (width <= 0 || height <= 0 || uint32_t(std::max(width, height)) > gpu_.most_pixels)
    return unsupported(fmt::format("A window of {} x {} pixels cannot be drawn: {} draws 1 to {} along each side.",
                                   width, height, gpu_.name, gpu_.most_pixels));
  TRY(check(vkDeviceWaitIdle(gpu_.device), "vkDeviceWaitIdle"));
  release_image();
  width_ = width;
  height_ = height;
  auto info = made<VkImageCreateInfo>(VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO);
  info.imageType = VK_IMAGE_TYPE_2D;
  info.format = kFormat;
  info.extent = {uint32_t(width), uint32_t(height), 1};
  info.mipLevels = info.arrayLayers = 1;
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  info.tiling = VK_IMAGE_TILING_OPTIMAL;
  info.usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
  TRY(check(vkCreateImage(gpu_.device, &info, nullptr, &target_.image), "vkCreateImage"));
  VkMemoryRequirements needs;
  vkGetImageMemoryRequirements(gpu_.device, target_.image, &needs);
  TRY(gpu_.allocate(needs, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, target_.memory));
  TRY(check(vkBindImageMemory(gpu_.device, target_.image, target_.memory, 0), "vkBindImageMemory"));
  auto buffer = made<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
  buffer.size = VkDeviceSize(width) * VkDeviceSize(height) * 4;
  buffer.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  TRY(check(vkCreateBuffer(gpu_.device, &buffer, nullptr, &target_.pixels), "vkCreateBuffer"));
  vkGetBufferMemoryRequirements(gpu_.device, target_.pixels, &needs);
  TRY(gpu_.allocate(needs, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                    target_.pixels_memory));
  TRY(check(vkBindBufferMemory(gpu_.device, target_.pixels, target_.pixels_memory, 0), "vkBindBufferMemory"));
  TRY(check(vkMapMemory(gpu_.device, target_.pixels_memory, 0, VK_WHOLE_SIZE, 0, &target_.mapped), "vkMapMemory"));
  auto view = made<VkImageViewCreateInfo>(VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO);
  view.image = target_.image;
  view.viewType = VK_IMAGE_VIEW_TYPE_2D;
  view.format = kFormat;
  view.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  TRY(check(vkCreateImageView(gpu_.device, &view, nullptr, &target_.view), "vkCreateImageView"));
  auto frame = made<VkFramebufferCreateInfo>(VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO);
  frame.renderPass = pass_;
  frame.attachmentCount = 1;
  frame.pAttachments = &target_.view;
  frame.width = uint32_t(width);
  frame.height = uint32_t(height);
  frame.layers = 1;
  return check(vkCreateFramebuffer(gpu_.device, &frame, nullptr, &target_.framebuffer), "vkCreateFramebuffer");
}

Result<void> Canvas::submit(const std::function<void(VkCommandBuffer)>& record, VkSemaphore wait, VkSemaphore signal) {
  auto begin = made<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
  begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  TRY(check(vkBeginCommandBuffer(commands_, &begin), "vkBeginCommandBuffer"));
  record(commands_);
  TRY(check(vkEndCommandBuffer(commands_), "vkEndCommandBuffer"));
  const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_TRANSFER_BIT;
  auto info = made<VkSubmitInfo>(VK_STRUCTURE_TYPE_SUBMIT_INFO);
  info.commandBufferCount = 1;
  info.pCommandBuffers = &commands_;
  info.waitSemaphoreCount = wait ? 1 : 0;
  info.pWaitSemaphores = &wait;
  info.pWaitDstStageMask = &stage;
  info.signalSemaphoreCount = signal ? 1 : 0;
  info.pSignalSemaphores = &signal;
  TRY(check(vkResetFences(gpu_.device, 1, &fence_), "vkResetFences"));
  TRY(check(vkQueueSubmit(gpu_.queue, 1, &info, fence_), "vkQueueSubmit"));
  return check(vkWaitForFences(gpu_.device, 1, &fence_, VK_TRUE, UINT64_MAX), "vkWaitForFences");
}

Result<void> Canvas::draw(ImDrawData* data, const std::function<void(VkCommandBuffer)>& then, VkSemaphore wait,
                          VkSemaphore signal) {
  const auto record = [&](VkCommandBuffer commands) {
    const ImVec4 c = ImGui::ColorConvertU32ToFloat4(colours::window);
    const VkClearValue clear{{{c.x, c.y, c.z, 1}}};
    auto pass = made<VkRenderPassBeginInfo>(VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO);
    pass.renderPass = pass_;
    pass.framebuffer = target_.framebuffer;
    pass.renderArea.extent = {uint32_t(width_), uint32_t(height_)};
    pass.clearValueCount = 1;
    pass.pClearValues = &clear;
    vkCmdBeginRenderPass(commands, &pass, VK_SUBPASS_CONTENTS_INLINE);
    ImGui_ImplVulkan_RenderDrawData(data, commands);
    vkCmdEndRenderPass(commands);
    if (then) then(commands);
  };
  return submit(record, wait, signal);
}

Result<Picture> Canvas::read_back() {
  TRY(submit(
      [&](VkCommandBuffer commands) {
        VkBufferImageCopy region{};
        region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
        region.imageExtent = {uint32_t(width_), uint32_t(height_), 1};
        vkCmdCopyImageToBuffer(commands, target_.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, target_.pixels, 1,
                               &region);
        const VkMemoryBarrier visible{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_TRANSFER_WRITE_BIT,
                                      VK_ACCESS_HOST_READ_BIT};
        vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &visible, 0,
                             nullptr, 0, nullptr);
      },
      VK_NULL_HANDLE, VK_NULL_HANDLE));
  const size_t bytes = size_t(width_) * size_t(height_) * 4;
  Picture picture{width_, height_, std::vector<uint8_t>(bytes)};
  const auto* bgra = static_cast<const uint8_t*>(target_.mapped);
  for (size_t i = 0; i < bytes; i += 4) {
    picture.rgba[i] = bgra[i + 2];
    picture.rgba[i + 1] = bgra[i + 1];
    picture.rgba[i + 2] = bgra[i];
    picture.rgba[i + 3] = 255;
  }
  return picture;
}

Result<void> save_png(const Picture& picture, const std::filesystem::path& path) {
  if (picture.width <= 0 || picture.height <= 0) return bad_input("There is nothing to save: the picture is empty.");
  std::string bytes;
  const auto write = [](void* context, void* data, int size) {
    static_cast<std::string*>(context)->append(static_cast<const char*>(data), size_t(size));
  };
  if (!stbi_write_png_to_func(write, &bytes, picture.width, picture.height, 4, picture.rgba.data(), picture.width * 4))
    return internal_error("The picture could not be encoded as PNG.");
  return write_text(path, bytes);
}

Picture crop(const Picture& picture, int x, int y, int width, int height) {
  const int left = std::clamp(x, 0, picture.width), top = std::clamp(y, 0, picture.height);
  const int right = std::clamp(x + width, left, picture.width), bottom = std::clamp(y + height, top, picture.height);
  Picture part{right - left, bottom - top, {}};
  for (int row = top; row < bottom; ++row) {
    const auto* begin = picture.rgba.data() + (size_t(row) * size_t(picture.width) + size_t(left)) * 4;
    part.rgba.insert(part.rgba.end(), begin, begin + size_t(part.width) * 4);
  }
  return part;
}

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
  drawn_.resize(count);
  for (VkSemaphore& one : drawn_)
    TRY(check(vkCreateSemaphore(gpu_.device, &semaphore, nullptr, &one), "vkCreateSemaphore"));
  if (!acquired_) TRY(check(vkCreateSemaphore(gpu_.device, &semaphore, nullptr, &acquired_), "vkCreateSemaphore"));
  width_ = width;
  height_ = height;
  stale_ = false;
  return {};
}

Result<void> Swapchain::show(Canvas& canvas, ImDrawData* data, int width, int height) {
  if (stale_ || width != width_ || height != height_) TRY(make(width, height));
  if (extent_.width == 0 || extent_.height == 0) return canvas.draw(data);
  uint32_t index = 0;
  const VkResult got = vkAcquireNextImageKHR(gpu_.device, chain_, 1'000'000'000, acquired_, VK_NULL_HANDLE, &index);
  stale_ |= got == VK_ERROR_OUT_OF_DATE_KHR;  // made anew with the next frame
  if (got == VK_ERROR_OUT_OF_DATE_KHR || got == VK_TIMEOUT || got == VK_NOT_READY) return canvas.draw(data);
  TRY(check(got, "vkAcquireNextImageKHR"));
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
  const VkPresentInfoKHR present{
      VK_STRUCTURE_TYPE_PRESENT_INFO_KHR, nullptr, 1, &drawn_[index], 1, &chain_, &index, nullptr};
  const VkResult shown = vkQueuePresentKHR(gpu_.queue, &present);
  if (shown == VK_ERROR_OUT_OF_DATE_KHR || shown == VK_SUBOPTIMAL_KHR) {
    stale_ = true;
    return {};
  }
  return check(shown, "vkQueuePresentKHR");
}

}  // namespace attnscope::gui
