// attnscope devices: every Vulkan device, with the limits and features that variants need.
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/commands.hpp"
#include "app/cli/exit_code.hpp"
#include "app/cli/options.hpp"
#include "app/cli/print.hpp"
#include "engine/record/json_fields.hpp"
#include "engine/record/units.hpp"

namespace attnscope::cli {
namespace {

const char* type_text(DeviceType type) {
  switch (type) {
    case DeviceType::discrete_gpu: return "discrete GPU";
    case DeviceType::integrated_gpu: return "integrated GPU";
    case DeviceType::virtual_gpu: return "virtual GPU";
    case DeviceType::software: return "software";
    case DeviceType::other: break;
  }
  return "other";
}

/// "16x16x16 f16*f16+f32 (subgroup)": rows that differ only in types share a line.
std::string shapes_text(const DeviceInfo& d) {
  std::string text;
  for (const MatrixShape& s : d.matrix_shapes)
    text += fmt::format("\n      {}x{}x{} {}*{}+{} -> {} ({})", s.m, s.n, s.k, s.a, s.b, s.c, s.result, s.scope);
  for (const FlexibleMatrix& f : d.flexible_matrices)
    text += fmt::format("\n      multiples of {}x{}x{} {}*{}+{} -> {} ({}, {} invocations)", f.m_granularity,
                        f.n_granularity, f.k_granularity, f.a, f.b, f.c, f.result, f.scope, f.workgroup_invocations);
  return text;
}

void print_device(const DeviceInfo& d) {
  const DeviceLimits& l = d.limits;
  print_out("{}  {} ({})\n", d.index, d.name, type_text(d.type));
  print_out("    driver            {}, Vulkan {}\n", d.driver, d.api_version);
  if (!d.unsuitable.empty()) {
    print_out("    cannot be used    {}\n", d.unsuitable);
    return;
  }
  const auto bytes = [](uint64_t n) { return bytes_text(static_cast<double>(n)); };
  print_out("    memory            {}; largest allocation {}, storage buffer {}\n", bytes(l.device_memory_bytes),
            bytes(l.max_allocation_bytes), bytes(l.max_storage_buffer_bytes));
  print_out("    workgroup         {} B shared memory, {} invocations, {} x {} x {}\n", l.max_shared_bytes,
            l.max_workgroup_invocations, l.max_workgroup_size[0], l.max_workgroup_size[1], l.max_workgroup_size[2]);
  print_out("    grid              {} x {} x {}\n", l.max_workgroup_count[0], l.max_workgroup_count[1],
            l.max_workgroup_count[2]);
  print_out("    subgroup          {} ({} to {})\n", l.subgroup_size, l.min_subgroup_size, l.max_subgroup_size);
  if (l.core_count != 0) print_out("    cores             {} with {} subgroups each\n", l.core_count, l.warps_per_core);
  print_out("    push constants    {} B\n", l.max_push_constant_bytes);
  print_out("    timestamps        {} ns, {} bits\n", l.timestamp_period_ns, l.timestamp_valid_bits);
  std::string features;
  for (const std::string& f : d.features) features += (features.empty() ? "" : " ") + f;
  print_out("    features          {}\n", features.empty() ? "none of the optional ones" : features);
  if (const std::string shapes = shapes_text(d); !shapes.empty()) print_out("    matrix shapes{}\n", shapes);
}

int list_devices(const CommonOptions& o) {
  Result<std::vector<std::unique_ptr<Session>>> sessions = make_sessions(o);
  if (!sessions) return fail(o, sessions.error());
  std::vector<DeviceInfo> devices;
  for (const auto& session : *sessions) {
    Result<std::vector<DeviceInfo>> found = session->devices();
    if (!found) return fail(o, found.error());
    devices.insert(devices.end(), found->begin(), found->end());
  }
  if (!o.device.empty()) {
    // The session knows what the selector means.
    Result<DeviceInfo> one = sessions->front()->open(o.device);
    if (!one) return fail(o, about("--device", o.device, one.error()));
    devices = {*one};
  }
  if (o.json) {
    write_document(dump_pretty(Json{{"devices", encode(devices)}}));
  } else {
    for (const DeviceInfo& d : devices) print_device(d);
  }
  for (const DeviceInfo& d : devices)
    if (d.unsuitable.empty()) return exit_ok;
  const char* why = devices.empty()
                        ? "there is no Vulkan device here. Install a driver; llvmpipe (mesa-vulkan-drivers) is "
                          "one that needs no GPU"
                        : "none of these devices can be used";
  print_err("attnscope devices: {}\n", why);
  return exit_no_device;
}

}  // namespace

void add_devices(CLI::App& app, Action& chosen) {
  CLI::App* command =
      app.add_subcommand("devices", "List every Vulkan device with the limits and features variants need");
  auto options = std::make_shared<CommonOptions>();
  options->command = "devices";
  add_device_options(*command, *options);
  add_output_options(*command, *options);
  command->callback([options, &chosen] { chosen = [options] { return list_devices(*options); }; });
}

}  // namespace attnscope::cli
