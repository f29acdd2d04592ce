// attnscope doctor: whether the driver does what variants rely on, as a page for a bug report.

#include "engine/doctor/doctor.hpp"
#include "app/cli/options.hpp"
#include "engine/record/json_fields.hpp"
#include "engine/session/fields_session.hpp"

namespace attnscope::cli {

std::vector<std::string> ruled_out(const CheckResult& result, const std::vector<VariantInfo>& variants) {
  std::vector<std::string> names;
  if (result.outcome != CheckOutcome::fail) return names;
  for (const VariantInfo& v : variants) {
    const auto in = [&](const std::string& feature) { return contains(v.features, feature); };
    const bool uses = result.needs.empty() || std::ranges::any_of(result.needs, in);
    // What the device lacks anyway is not an effect of the fault.
    if (uses && v.error.empty() && v.why_not.empty() && (result.dtype.empty() || contains(v.dtypes, result.dtype)))
      names.push_back(v.name);
  }
  return names;
}

namespace {

constexpr size_t kName = 44;

void print_head(const DeviceInfo& d) {
  print_out("attnscope doctor {}\n", ATTNSCOPE_VERSION);
  print_out("  device    {} ({}), Vulkan {}\n  driver    {}\n  host      {}\n", d.name, to_text(d.type), d.api_version,
            d.driver, stamp(d).host_os);
  print_out("  features  {}\n\n", joined(d.features, " "));
}

void print_result(const CheckResult& r, const std::vector<std::string>& out) {
  print_out("{:<13} {:<{}} {}\n", to_text(r.outcome), r.check, kName, r.text);
  if (r.outcome != CheckOutcome::fail) return;
  print_out("{:<13} rules out: {}\n", "", out.empty() ? "no variant that runs here" : joined(out));
}

int examine_devices(CommonOptions& o) {
  catch_interrupts();
  std::vector<DeviceSession> opened = need(open_sessions(o));
  size_t failed = 0;
  Json devices = Json::array();
  for (DeviceSession& device : opened) {
    if (!o.json) print_head(device.device);
    const std::vector<std::string> names = doctor::checks_of(device.device);
    ProgressLine progress(names.size(), o.progress(ProgressKind::bar));
    size_t counts[3] = {};
    Json checks = Json::array();
    for (const std::string& name : names) {
      if (interrupted()) break;
      progress.begin(name);
      Result<CheckResult> result = device.session->check(
          {name}, [](const Event&) {}, interrupted());
      if (!result && result.error().kind == ErrorKind::cancelled) break;
      // A check that ends its worker has failed; the next check gets a new worker.
      CheckResult r = result ? *result : doctor::failed(device.device, name, result.error().message);
      const std::vector<std::string> out = ruled_out(r, device.variants);
      ++counts[size_t(r.outcome)];
      progress.finished();
      progress.clear();
      if (!o.json) print_result(r, out);
      Json check = encode(r);
      check["rules_out"] = out;
      checks.push_back(check);
    }
    progress.clear();
    failed += counts[size_t(CheckOutcome::fail)];
    const size_t left = names.size() - checks.size();
    if (!o.json)
      print_out("\n{} passed, {} failed, {} not supported{}\n", counts[0], counts[1], counts[2],
                left == 0 ? "" : fmt::format(", {} not made: interrupted", left));
    devices.push_back({{"device", encode(device.device)}, {"checks", checks}, {"not_made", left}});
  }
  if (o.json) write_document(dump_pretty(Json{{"program_version", ATTNSCOPE_VERSION}, {"devices", devices}}));
  return interrupted() ? exit_interrupted : failed > 0 ? exit_failed : exit_ok;
}

}  // namespace

void add_doctor(CLI::App& app, Action& chosen) {
  auto [command, o] = add_command(app, chosen, "doctor",
                                  "Check what variants rely on of the driver: subgroups, matrices, f16, limits, "
                                  "timestamps, memory; exit code 1 when something failed",
                                  examine_devices);
  add_common_options(command, o);
}

}  // namespace attnscope::cli
