// The app without a display: the same frames, drawn into an image of their own.

#include <imgui_impl_vulkan.h>

#include "app/gui/shell/app.hpp"

namespace attnscope {

using namespace gui;

namespace {

/// Enough to see what a config does, when no script says what to wait for.
constexpr const char* kDefaultScript =
    "wait ready\n"
    "wait samples 20\n";
constexpr const char* kStillScript = "wait ready\n";
constexpr int kSettlingFrames = 3;  ///< layout that depends on the frame before has come to rest

Result<void> draw_frame(App& app, Gpu& gpu, Canvas& canvas, double& clock) {
  const double begin = app.now();
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = {float(canvas.width()), float(canvas.height())};
  io.DeltaTime = float(std::max(1e-4, begin - clock));
  clock = begin;
  app.restyle(canvas);
  ImGui_ImplVulkan_NewFrame();
  app.build(gpu);
  TRY(canvas.draw(ImGui::GetDrawData()));
  return app.finish(canvas, gpu, begin, false);
}

}  // namespace

namespace gui {

Result<void> render_offscreen(const GuiOptions& given, std::vector<WorkerThreadOptions> links,
                              const std::filesystem::path& out_png) {
  TRY(check_writable(out_png));
  Gpu gpu;
  TRY(gpu.make_instance({}, given.session.validation));
  TRY(gpu.make_device(VK_NULL_HANDLE));
  App app(given, std::move(links));
  const float scale = given.scale > 0 ? given.scale : 1;
  TRY(app.start(given.settings_path == "-" ? "" : given.settings_path));
  if (!app.has_script()) app.use_script(given.measure ? kDefaultScript : kStillScript);
  app.set_scale(scale);
  const WindowSize size = app.wanted_size(scale);
  Canvas canvas(gpu);
  TRY(canvas.start());
  TRY(canvas.resize(size.width, size.height));

  double clock = app.now();
  for (int settled = 0; settled < kSettlingFrames && !app.wants_quit();) {
    app.pump();
    const Pacing::Step step = app.next(false);
    if (!step.draw) {
      std::this_thread::sleep_for(std::chrono::duration<double>(std::min(step.wait, 0.002)));
      continue;
    }
    TRY(draw_frame(app, gpu, canvas, clock));
    if (app.script_done()) ++settled;
  }
  auto picture = TRY(canvas.read_back());
  app.save();
  if (!gpu.validation_messages().empty())
    return internal_error("The validation layers object to the drawing: " + gpu.validation_messages().front());
  return save_png(picture, out_png);
}

}  // namespace gui

Result<void> render_screenshot(const GuiOptions& options, const std::filesystem::path& out_png) {
  return render_offscreen(options, worker_links(options), out_png);
}

}  // namespace attnscope
