// One line: device, what is running, samples, frames, throttling, the newest message.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/gui/panels/dump.hpp"
#include "app/gui/panels/search_bits.hpp"
#include "app/gui/widgets.hpp"

namespace attnscope::gui {
namespace {

std::string running(const Workbench& bench) {
  const auto named = [&](const Ask& ask) {
    const bool automatic = bench.automatic() && !bench.why_automatic().empty() && ask == bench.asked.ask;
    return fmt::format("{}{} on {}", automatic ? "auto: " : "", bench.short_name(ask.variant, ask.config),
                       to_text(ask.problem));
  };
  const JobState& job = bench.across.job;
  if (job.running)
    return fmt::format("measuring {} of {}{}", std::min(job.done + 1, job.total), job.total,
                       job.current ? ": " + named(*job.current) : "");
  if (bench.searched.measuring()) return search_line(bench);
  const Live& live = bench.running();
  if (!live.stage.empty())
    return fmt::format("{}: {}", live.stage == "sample" ? "sampling" : live.stage, named(live.ask));
  return bench.asked.paused ? "paused" : "idle";
}

std::string drift_text(double drift, bool software) {
  // A software device has no clock of its own to rise or to be held down.
  if (software)
    return fmt::format("{} by {:.0f} %: other programs?", drift > 0 ? "slowing" : "speeding up", std::abs(drift) * 100);
  return drift > 0 ? fmt::format("slowing by {:.0f} %: throttling?", drift * 100)
                   : fmt::format("speeding up by {:.0f} %: still warming up?", -drift * 100);
}

void draw(Ui& ui) {
  const Workbench& bench = ui.bench;
  const float gap = px(18), whole = ImGui::GetContentRegionAvail().x, left = ImGui::GetCursorPosX();
  const Live* timed = bench.timed();
  const uint64_t taken = timed ? timed->series.taken() : 0, disturbed = timed ? timed->series.disturbed() : 0;
  const std::string frames = fmt::format("{:.0f} frames/s  {:.0f} ms", ui.frame.fps, ui.frame.last_ms);
  const std::string samples = fmt::format("{} samples{}", count_text(taken),
                                          disturbed ? fmt::format(", {} left out", count_text(disturbed)) : "");
  // How the window itself does is the first to go where it is narrow.
  const float framed = whole > px(900) ? width_of(fonts.small, frames) + gap : 0;
  const float end = left + whole - framed - width_of(fonts.small, samples) - gap;
  const auto cut = [&](ImU32 colour, const std::string& text, float most) {
    const float room = std::min(most, end - ImGui::GetCursorPosX());
    if (room < px(40)) return false;
    text_cut(text, std::min(room, width_of(fonts.small, text) + 1), colour, fonts.small);
    return true;
  };
  const bool failed = !bench.known.device_failure.empty();
  if (cut(failed ? colours::bad : colours::soft,
          failed               ? bench.known.device_failure
          : bench.known.device ? bench.known.device->name
                               : "opening the device\u2026",
          failed ? whole : whole * 0.3f))
    ImGui::SameLine(0, gap);
  // What is wrong needs the room more than what goes on.
  const LogLine* alarm = bench.messages.alarm(bench.now());
  const bool drifting = timed && timed->series.drifting() && !bench.across.job.running;
  if (cut(colours::soft, running(bench), alarm && !drifting ? whole * 0.3f : whole)) {
    ui.mark("status.running");
    ImGui::SameLine(0, gap);
  }
  if (drifting) {
    const bool software = bench.known.device && bench.known.device->type == DeviceType::software;
    if (cut(colours::warning, drift_text(timed->series.statistics()->drift, software), whole)) {
      tip_for_last(fmt::format("The newest third of the samples differs from the oldest: {}. All samples are kept.",
                               software ? "this device shares its processors with all else that runs here"
                                        : "the device may be throttling"));
      ImGui::SameLine(0, gap);
    }
  } else if (alarm && cut(alarm->level == Level::error ? colours::bad : colours::warning, alarm->text, whole)) {
    ui.mark("status.message");
    ImGui::SameLine(0, gap);
  }
  ImGui::SetCursorPosX(std::max(left, end + gap));
  text_in(fonts.small, colours::soft, samples);
  tip_for_last(disturbed ? "Samples of the config shown. Left out: batches during which the window had to draw."
                         : "Samples of the config shown.");
  if (framed == 0) return;
  ImGui::SameLine(0, gap);
  text_in(fonts.small, colours::faint, frames);
  tip_for_last("Drawn with " + ui.frame.renderer);
}

}  // namespace

const Panel status_bar = {"status", "", Place::status, draw, nullptr};

}  // namespace attnscope::gui
