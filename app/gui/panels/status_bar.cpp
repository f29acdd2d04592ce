// One line: device, what is running, samples, frames, throttling, the newest message.
#include <fmt/format.h>

#include "app/gui/panels/dump.hpp"
#include "app/gui/widgets.hpp"

namespace attnscope::gui {
namespace {

std::string running(const Workbench& bench) {
  const auto named = [&](const Ask& ask) { return fmt::format("{} on {}", bench.short_name(ask.variant, ask.config), to_text(ask.problem)); };
  const JobState& job = bench.across.job;
  if (job.running)
    return fmt::format("measuring {} of {}{}", std::min(job.done + 1, job.total), job.total,
                       job.current ? ": " + named(*job.current) : "");
  const Live& live = bench.running();
  if (!live.stage.empty()) return fmt::format("{}: {}", live.stage == "sample" ? "sampling" : live.stage, named(live.ask));
  return bench.asked.paused ? "paused" : "idle";
}

void draw(Ui& ui) {
  const Workbench& bench = ui.bench;
  ImGui::PushFont(fonts.small);
  const auto item = [](ImU32 colour, const std::string& text) {
    text_in(fonts.small, colour, text);
    ImGui::SameLine(0, px(18));
  };
  if (!bench.known.device_failure.empty()) item(colours::bad, bench.known.device_failure);
  else item(colours::soft, bench.known.device ? bench.known.device->name : "opening the device\u2026");
  const Live* timed = bench.timed();
  const uint64_t taken = timed ? timed->series.taken() : 0, disturbed = timed ? timed->series.disturbed() : 0;
  const std::string frames = fmt::format("{:.0f} frames/s  {:.0f} ms", ui.frame.fps, ui.frame.last_ms);
  const std::string samples = fmt::format("{} samples{}", count_text(taken),
                                          disturbed ? fmt::format(", {} left out", count_text(disturbed)) : "");
  const float right = ImGui::CalcTextSize(frames.c_str()).x + ImGui::CalcTextSize(samples.c_str()).x + px(40);
  const float room = ImGui::GetWindowWidth() - right - px(20);
  const std::string now = running(bench);
  text_cut(now, std::min(room - ImGui::GetCursorPosX(), ImGui::CalcTextSize(now.c_str()).x + 1), colours::soft);
  ui.mark("status.running");
  ImGui::SameLine(0, px(18));
  if (timed && timed->series.drifting()) {
    item(colours::warning, fmt::format("drifting {:+.0f} %: throttling?", timed->series.statistics()->drift * 100));
    if (ImGui::IsItemHovered()) tip_for_last("The newest third of the samples differs from the oldest: the device may be throttling. All samples are kept.");
  } else if (const LogLine* alarm = bench.messages.alarm(bench.now())) {
    text_cut(alarm->text, room - ImGui::GetCursorPosX(), alarm->level == Level::error ? colours::bad : colours::warning);
    ui.mark("status.message");
    ImGui::SameLine(0, px(18));
  }
  ImGui::SameLine(room);
  item(colours::soft, samples);
  if (disturbed) tip_for_last("Left out: batches during which the window had to draw.");
  text_in(fonts.small, colours::faint, frames);
  tip_for_last("Drawn with " + ui.frame.renderer);
  ImGui::PopFont();
}

}  // namespace

const Panel status_bar = {"status", "", Place::status, draw, nullptr};

}  // namespace attnscope::gui
