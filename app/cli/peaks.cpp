// attnscope peaks: the device's own ceilings, measured once for each device and driver.

#include "app/cli/bench_report.hpp"
#include "engine/record/json_fields.hpp"

namespace attnscope::cli {
namespace {

void print_peaks(const Peaks& peaks) {
  print_out("{} ({}), measured {}\n", peaks.device, peaks.driver, peaks.time_utc);
  for (const Ceiling& c : peaks.ceilings) {
    const std::string name = c.m == 0 && c.kind == CeilingKind::matrix ? "matrix" : to_text(c);
    if (c.value)
      print_out("    {:<30} {:>8} {:<8} spread {:.1f} %\n", name, four_digits(*c.value), unit_of(c.kind),
                100 * c.spread);
    else
      print_out("    {:<30} {:>8}          {}\n", name, "-", c.why_not);
  }
}

struct PeaksOptions {
  CommonOptions common;
  PeaksRequest request;
};

int show_peaks(PeaksOptions& o) {
  std::vector<DeviceSession> devices = need(open_devices(o.common));
  catch_interrupts();
  std::vector<Peaks> all;
  for (DeviceSession& opened : devices) {
    all.push_back(need(known_peaks(opened, o.request, o.common.progress())));
    if (!o.common.json) print_peaks(all.back());
  }
  if (o.common.json) print_out("{}", dump_pretty(Json{{"peaks", encode(all)}}));
  return exit_ok;
}

}  // namespace

void add_peaks(CLI::App& app, Action& chosen) {
  auto [command, o] = add_command(
      app, chosen, "peaks",
      "Measure the device's ceilings: copy GB/s, FMA and matrix TFLOP/s, exp2, shared memory, launches", show_peaks);
  add_common_options(command, o.common);
  command.add_flag("--again", o.request.again, "Measure also where they are known for this device and driver");
}

}  // namespace attnscope::cli
