// One line: device, what is running, samples, frames, throttling, the newest message.
#include <fmt/format.h>

#include "app/gui/widgets.hpp"

namespace attnscope::gui {
namespace {

std::string running(const Workbench& bench) {
  const auto named = [&](const Ask& ask) { return fmt::format("{} on {}", bench.short_name(ask.variant, ask.config), to_text(ask.problem)); };
  if (bench.job.running)
    return fmt::format("measuring {} of {}{}", std::min(bench.job.done + 1, bench.job.total), bench.job.total,
                       bench.job.current ? ": " + named(*bench.job.current) : "");
  if (!bench.live.stage.empty()) return fmt::format("{}: {}", bench.live.stage == "sample" ? "sampling" : bench.live.stage, named(bench.live.ask));
  return bench.paused ? "paused" : "idle";
}

}  // namespace

void status_bar(Ui& ui) {
  const Workbench& bench = ui.bench;
  ImGui::PushFont(fonts.small);
  const auto item = [](ImU32 colour, const std::string& text) {
    text_in(fonts.small, colour, text);
    ImGui::SameLine(0, px(18));
  };
  if (!bench.device_failure.empty()) item(colours::bad, bench.device_failure);
  else item(colours::soft, bench.device ? bench.device->name : "opening the device\u2026");
  const std::string frames = fmt::format("{:.0f} frames/s  {:.0f} ms", ui.frame.fps, ui.frame.last_ms);
  const std::string samples = fmt::format("{} samples{}", count_text(bench.live.series.taken()),
                                          bench.live.series.disturbed()
                                              ? fmt::format(", {} left out", count_text(bench.live.series.disturbed()))
                                              : "");
  const float right = ImGui::CalcTextSize(frames.c_str()).x + ImGui::CalcTextSize(samples.c_str()).x + px(40);
  const float room = ImGui::GetWindowWidth() - right - px(20);
  const std::string now = running(bench);
  text_cut(now, std::min(room - ImGui::GetCursorPosX(), ImGui::CalcTextSize(now.c_str()).x + 1), colours::soft);
  ui.mark("status.running");
  ImGui::SameLine(0, px(18));
  if (bench.live.series.drifting()) {
    item(colours::warning, fmt::format("drifting {:+.0f} %: throttling?", bench.live.series.statistics()->drift * 100));
    if (ImGui::IsItemHovered()) tip_for_last("The newest third of the samples differs from the oldest: the device may be throttling. All samples are kept.");
  } else if (!bench.log.empty() && bench.log.back().level >= Level::warning && bench.now() - bench.log.back().at < 20) {
    text_cut(bench.log.back().text, room - ImGui::GetCursorPosX(), bench.log.back().level == Level::error ? colours::bad : colours::warning);
    ui.mark("status.message");
    ImGui::SameLine(0, px(18));
  }
  ImGui::SameLine(room);
  item(colours::soft, samples);
  if (bench.live.series.disturbed()) tip_for_last("Left out: batches during which the window had to draw.");
  text_in(fonts.small, colours::faint, frames);
  tip_for_last("Drawn with " + ui.frame.renderer);
  ImGui::PopFont();
}

}  // namespace attnscope::gui
