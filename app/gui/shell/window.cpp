// The app in a real window.
#include <cstdlib>

#include <GLFW/glfw3.h>
#include <imgui_impl_glfw.h>
#include <imgui_impl_vulkan.h>
#include <imgui_internal.h>

#include "app/gui/shell/app.hpp"
#include "engine/platform/system.hpp"

// Declared by hand: GLFW declares it only after the Vulkan prototypes that are not used here.
extern "C" VkResult glfwCreateWindowSurface(VkInstance, GLFWwindow*, const VkAllocationCallbacks*, VkSurfaceKHR*);

namespace attnscope {

using namespace gui;

namespace {

struct AtEnd {
  std::function<void()> act;
  ~AtEnd() { act(); }
};

std::string glfw_error() {
  const char* text = nullptr;
  glfwGetError(&text);
  return text ? text : "no reason given";
}

std::string no_display() {
  const auto is_set = [](const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != 0;
  };
  const bool speaks_wayland = std::string_view(glfwGetVersionString()).find("Wayland") != std::string_view::npos;
  if (is_set("WAYLAND_DISPLAY") && !is_set("DISPLAY") && !speaks_wayland)
    return "the display is Wayland's, and this build's GLFW speaks X11 alone; Xwayland, which sets DISPLAY, serves it";
  return glfw_error();
}

/// Xlib ends the process with code 1, which is that of a failed verdict, when its server goes away, be it in the middle
/// of taking the window down. GLFW loads that library itself, and where it speaks to another system there is none.
class DisplayWatch {
 public:
  explicit DisplayWatch(std::function<void(const Error&)> abandon) {
    using Handler = int (*)(void*);
    const Library x11("libX11.so.6", true);
    if (!x11 || !abandon) return;
    then = std::move(abandon);
    Handler (*set)(Handler) = nullptr;
    x11.find(set, "XSetIOErrorHandler");
    if (set != nullptr) set(lost);
  }
  /// As long as it lives its pins and log are kept.
  static void keep(App* app) { kept = app; }

 private:
  static int lost(void*) {
    // In saving, too, a library may notice.
    if (App* app = std::exchange(kept, nullptr)) app->save();
    then({ErrorKind::device_lost,
          "The display went away: the connection to the X server broke. Pins, log and settings are kept."});
    return 0;
  }
  inline static App* kept = nullptr;
  inline static std::function<void(const Error&)> then;
};

/// Of a key that types: what a field takes of it is its character. ImGui gives a key and a character a frame each, so a
/// fast hand would be ahead of a slow renderer.
bool types(int key, int mods) {
  return key >= GLFW_KEY_SPACE && key < GLFW_KEY_ESCAPE && (mods & ~(GLFW_MOD_SHIFT | GLFW_MOD_CAPS_LOCK)) == 0;
}

bool input_seen = false;
std::vector<std::string> dropped;  ///< files, as the desktop named them

/// Pixels for a unit of the window's: more than 1 on a scaled monitor of Wayland and macOS, which count in units of
/// their own; everything is drawn, and the mouse told, in pixels.
float pixels_a_unit(GLFWwindow* window) {
  int units = 0, pixels = 0, high = 0;
  glfwGetWindowSize(window, &units, &high);
  glfwGetFramebufferSize(window, &pixels, &high);
  return units > 0 && pixels > 0 ? float(pixels) / float(units) : 1.f;
}

void watch_input(GLFWwindow* window) {
  glfwSetWindowFocusCallback(window, ImGui_ImplGlfw_WindowFocusCallback);
  glfwSetCursorEnterCallback(window, ImGui_ImplGlfw_CursorEnterCallback);
  glfwSetCursorPosCallback(window, [](GLFWwindow* w, double x, double y) {
    input_seen = true;
    const double pixels = pixels_a_unit(w);
    ImGui_ImplGlfw_CursorPosCallback(w, x * pixels, y * pixels);
  });
  glfwSetMouseButtonCallback(window, [](GLFWwindow* w, int button, int action, int mods) {
    input_seen = true;
    ImGui_ImplGlfw_MouseButtonCallback(w, button, action, mods);
  });
  glfwSetScrollCallback(window, [](GLFWwindow* w, double x, double y) {
    input_seen = true;
    ImGui_ImplGlfw_ScrollCallback(w, x, y);
  });
  glfwSetKeyCallback(window, [](GLFWwindow* w, int key, int scancode, int action, int mods) {
    input_seen = true;
    ImGuiIO& io = ImGui::GetIO();
    if (action == GLFW_PRESS && io.WantTextInput && types(key, mods)) return;
    // ImGui sees a modifier as it is after all events of a frame. Told anew with its key, it is let go of later.
    for (const auto& [bit, mod] : {std::pair{GLFW_MOD_CONTROL, ImGuiMod_Ctrl}, {GLFW_MOD_SHIFT, ImGuiMod_Shift}})
      for (const bool down : {false, true})
        if (action == GLFW_PRESS && key < GLFW_KEY_LEFT_SHIFT && (mods & bit) != 0) io.AddKeyEvent(mod, down);
    ImGui_ImplGlfw_KeyCallback(w, key, scancode, action, mods);
  });
  glfwSetCharCallback(window, [](GLFWwindow* w, unsigned c) {
    input_seen = true;
    ImGui_ImplGlfw_CharCallback(w, c);
  });
  glfwSetDropCallback(window, [](GLFWwindow*, int count, const char** paths) {
    input_seen = true;
    dropped.insert(dropped.end(), paths, paths + count);
  });
  glfwSetWindowRefreshCallback(window, [](GLFWwindow*) { input_seen = true; });
}

struct Scale {
  float drawn = 1, pixels = 1;  ///< pixels: for a unit of the window's
  float of_window() const { return drawn / pixels; }

  static Scale now(GLFWwindow* window, float asked) {
    float x = 1, y = 1;
    glfwGetWindowContentScale(window, &x, &y);
    return {asked > 0 ? asked : std::clamp(std::max(x, y), 1.f, 4.f), pixels_a_unit(window)};
  }
  bool operator==(const Scale&) const = default;
};

void limit_size(GLFWwindow* window, float scale, WindowSize most) {
  glfwSetWindowSizeLimits(window, std::min(int(800 * scale), most.width), std::min(int(500 * scale), most.height),
                          GLFW_DONT_CARE, GLFW_DONT_CARE);
}

/// The window may have come to another monitor: it keeps its size to the eye.
bool follow_monitor(App& app, GLFWwindow* window, Scale& scale, float asked) {
  const Scale now = Scale::now(window, asked);
  if (now == scale) return false;
  const float grows = now.of_window() / std::exchange(scale, now).of_window();
  app.set_scale(now.drawn, now.pixels);
  if (grows == 1) return true;
  WindowSize size{};
  glfwGetWindowSize(window, &size.width, &size.height);
  size = {int(std::lround(float(size.width) * grows)), int(std::lround(float(size.height) * grows))};
  limit_size(window, now.of_window(), size);
  glfwSetWindowSize(window, size.width, size.height);
  return true;
}

Result<void> draw_frame(App& app, Gpu& gpu, Canvas& canvas, Swapchain& swapchain, GLFWwindow* window, bool input) {
  int width = 0, height = 0;
  glfwGetFramebufferSize(window, &width, &height);
  if (width <= 0 || height <= 0) {
    app.links().resume();  // minimized: measuring goes on, there is nothing to draw on
    glfwWaitEventsTimeout(0.05);
    return {};
  }
  const double begin = app.now();
  TRY(canvas.resize(width, height));
  app.restyle(canvas);
  ImGui_ImplVulkan_NewFrame();
  ImGui_ImplGlfw_NewFrame();
  ImGui::GetIO().DisplaySize = {float(width), float(height)};
  ImGui::GetIO().DisplayFramebufferScale = {1, 1};
  app.build(gpu);
  TRY(swapchain.show(canvas, ImGui::GetDrawData(), width, height));
  return app.finish(canvas, gpu, begin, input);
}

Result<int> loop(App& app, Gpu& gpu, Canvas& canvas, Swapchain& swapchain, GLFWwindow* window, Scale scale,
                 const GuiOptions& options) {
  input_seen = true;
  std::string title;
  while (!glfwWindowShouldClose(window) && !app.wants_quit() && !(options.end && *options.end)) {
    glfwPollEvents();
    input_seen |= follow_monitor(app, window, scale, options.scale);
    for (const std::string& path : std::exchange(dropped, {})) app.open(path);
    app.pump();
    if (const std::string now = app.title(); now != title) glfwSetWindowTitle(window, (title = now).c_str());
    // ImGui takes the key of one chord a frame: what came after it has the next one.
    input_seen |= !ImGui::GetCurrentContext()->InputEventsQueue.empty();
    const Pacing::Step step = app.next(input_seen);
    if (step.draw) {
      const bool input = std::exchange(input_seen, false);
      TRY(draw_frame(app, gpu, canvas, swapchain, window, input));
    } else if (step.wait > 0) {
      // Ends at once with an event or with news, which posts one.
      glfwWaitEventsTimeout(step.wait);
    }
  }
  if (!gpu.validation_messages().empty())
    return internal_error("The validation layers object to the drawing: " + gpu.validation_messages().front());
  return app.has_script() && app.bench().live.newest.wrong() ? 1 : 0;
}

}  // namespace

Result<int> run_window(const GuiOptions& options) {
  constexpr const char* kInstead =
      "Without a display, `attnscope bench` measures and `attnscope screenshot OUT.png` draws this window into a file.";
  glfwInitHint(GLFW_JOYSTICK_HAT_BUTTONS, GLFW_FALSE);
  if (!glfwInit()) return unsupported(fmt::format("No window can be opened: {}. {}", no_display(), kInstead));
  const AtEnd terminate{glfwTerminate};
  if (!glfwVulkanSupported())
    return unsupported(
        fmt::format("No window can be opened: Vulkan cannot draw to this display ({}). {}", glfw_error(), kInstead));

  const DisplayWatch watch(options.abandon);
  Gpu gpu;
  VkSurfaceKHR surface = VK_NULL_HANDLE;
  const AtEnd destroy{[&] {
    if (surface) vkDestroySurfaceKHR(gpu.instance, surface, nullptr);
  }};
  App app(options, worker_links(options));
  const std::string settings = options.settings_path.empty()  ? default_settings_path()
                               : options.settings_path == "-" ? ""
                                                              : options.settings_path;
  TRY(app.start(settings));
  DisplayWatch::keep(&app);
  const AtEnd let_go{[] { DisplayWatch::keep(nullptr); }};

  glfwWindowHint(GLFW_CLIENT_API, GLFW_NO_API);
  glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_FALSE);
  glfwWindowHintString(GLFW_X11_CLASS_NAME, "attnscope");
#ifdef GLFW_WAYLAND_APP_ID
  glfwWindowHintString(GLFW_WAYLAND_APP_ID, "attnscope");
#endif
  glfwWindowHintString(GLFW_X11_INSTANCE_NAME, "attnscope");
  WindowSize size = app.wanted_size(options.scale > 0 ? options.scale : 1);
  GLFWwindow* window = glfwCreateWindow(size.width, size.height, "attnscope", nullptr, nullptr);
  if (!window) return unsupported(fmt::format("No window can be opened: {}. {}", glfw_error(), kInstead));
  const Scale scale = Scale::now(window, options.scale);
  size = app.wanted_size(scale.of_window());
  // What was remembered may be of a larger monitor: all of the window is to be on this one.
  int x = 0, y = 0, width = 0, height = 0, left = 0, top = 0, right = 0, bottom = 0;
  if (GLFWmonitor* monitor = glfwGetPrimaryMonitor()) glfwGetMonitorWorkarea(monitor, &x, &y, &width, &height);
  glfwGetWindowFrameSize(window, &left, &top, &right, &bottom);
  if (width > 0 && height > 0)
    size = {std::min(size.width, width - left - right), std::min(size.height, height - top - bottom)};
  glfwSetWindowSize(window, size.width, size.height);
  limit_size(window, scale.of_window(), size);

  uint32_t count = 0;
  const char** names = glfwGetRequiredInstanceExtensions(&count);
  TRY(gpu.make_instance({names, names + count}, options.session.validation));
  TRY(check(glfwCreateWindowSurface(gpu.instance, window, nullptr, &surface), "glfwCreateWindowSurface"));
  TRY(gpu.make_device(surface));
  app.set_scale(scale.drawn, scale.pixels);
  ImGui_ImplGlfw_InitForVulkan(window, false);
  watch_input(window);
  const AtEnd shut_down{ImGui_ImplGlfw_Shutdown};
  Canvas canvas(gpu);
  TRY(canvas.start());
  Swapchain swapchain(gpu, surface);
  app.on_news([] { glfwPostEmptyEvent(); });
  auto code = loop(app, gpu, canvas, swapchain, window, scale, options);
  app.on_news({});
  app.save();
  return code;
}

}  // namespace attnscope
