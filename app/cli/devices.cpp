// attnscope devices: every Vulkan device, with the limits and features that variants need.

#include "app/cli/options.hpp"
#include "engine/attention/parallel.hpp"
#include "engine/record/json_fields.hpp"

namespace attnscope::cli {
namespace {

/// "16x16x16 f16*f16+f32 (subgroup)": rows that differ only in types share a line.
std::string shapes_text(const DeviceInfo& d) {
  return joined(d.matrix_shapes, "", [](const MatrixShape& s) {
    return fmt::format("\n      {}x{}x{} {}*{}+{} -> {} ({})", s.m, s.n, s.k, s.a, s.b, s.c, s.result, s.scope);
  });
}

void print_device(const DeviceInfo& d) {
  const DeviceLimits& l = d.limits;
  print_out("{}  {} ({})\n", d.index, d.name, to_text(d.type));
  print_out("    driver            {}, Vulkan {}\n", d.driver, d.api_version);
  if (!d.unsuitable.empty()) {
    print_out("    cannot be used    {}\n", d.unsuitable);
    return;
  }
  const auto bytes = [](uint64_t n) { return n == 0 ? "not known" : bytes_text(double(n)); };
  if (d.use == DeviceUse::compile) print_out("    only              compiles: there is no such GPU here\n");
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
  print_out("    features          {}\n", d.features.empty() ? "none of the optional ones" : joined(d.features, " "));
  if (const std::string shapes = shapes_text(d); !shapes.empty()) print_out("    matrix shapes{}\n", shapes);
}

/// A GPU of the catalogue, and the device that stands for it here or why there is none.
struct CatalogueRow {
  const CatalogueGpu* gpu = nullptr;
  std::optional<DeviceInfo> device;
  std::string missing;
};

/// Whether a driver knows a GPU is only known by asking it, so each is opened.
std::vector<CatalogueRow> look_for_gpus(const CommonOptions& o, const GpuCatalogue& catalogue) {
  std::vector<CatalogueRow> rows(catalogue.gpus.size());
  parallel_for(rows.size(), 1, [&](size_t i, size_t) {
    if (interrupted()) return;
    rows[i].gpu = &catalogue.gpus[i];
    const Result<OpenGpu> open = open_gpu(o, catalogue, catalogue.gpus[i]);
    if (open)
      rows[i].device = open->device;
    else
      rows[i].missing = open.error().message;
  });
  return rows;
}

void print_catalogue(const std::vector<CatalogueRow>& rows) {
  print_out("\nGPUs that can be compiled for without one (attnscope compile --gpu NAME)\n");
  TextTable table;
  table.columns = {{"GPU"}, {"architecture"}, {"cores", true}, {"GB/s", true}, {"driver here"}};
  Ordered<std::string, std::vector<std::string>> missing;  // GPUs by the reason
  const auto number = [](double x) { return x > 0 ? fmt::format("{:g}", x) : ""; };
  for (const CatalogueRow& row : rows) {
    if (row.gpu == nullptr) continue;  // interrupted
    table.rows.push_back({row.gpu->name, row.gpu->architecture, number(row.gpu->cores), number(row.gpu->bandwidth_gbps),
                          row.device ? row.device->driver : "missing"});
    if (row.device) continue;
    missing[row.missing.substr(row.missing.find(": ") + 2)].push_back(row.gpu->name);
  }
  for (const auto& [reason, names] : missing) add_line(table.notes, "{}: {}", joined(names), reason);
  print_out("{}", render_terminal(table, output_width()));
}

struct DevicesOptions {
  CommonOptions common;
  bool all = false;
};

int list_devices(DevicesOptions& o) {
  std::vector<DeviceInfo> devices;
  if (!o.common.device.empty()) {
    // The session knows what the selector means.
    devices = {need(open_devices(o.common)).front().device};
  } else {
    for (const auto& session : need(make_sessions(o.common))) {
      std::vector<DeviceInfo> found = need(session->devices());
      devices.insert(devices.end(), found.begin(), found.end());
    }
  }
  if (o.all) catch_interrupts();
  const GpuCatalogue catalogue = o.all ? need(gpu_catalogue()) : GpuCatalogue();
  const std::vector<CatalogueRow> rows = look_for_gpus(o.common, catalogue);
  if (o.common.json) {
    Json document{{"devices", encode(devices)}};
    for (const CatalogueRow& row : rows)
      if (row.gpu)
        document["gpus"].push_back({{"name", row.gpu->name}, {"device", encode(row.device)}, {"missing", row.missing}});
    write_document(dump_pretty(document));
  } else {
    for (const DeviceInfo& d : devices) print_device(d);
    if (o.all) print_catalogue(rows);
  }
  if (o.all) return interrupted() ? exit_interrupted : exit_ok;
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
  auto [command, o] = add_command(app, chosen, "devices",
                                  "List every Vulkan device with the limits and features variants need", list_devices);
  o.common.executes = false;
  add_common_options(command, o.common);
  command.add_flag("--all", o.all, "Also GPUs that are not here and can be compiled for, or why not (docs/gpus.md)");
}

}  // namespace attnscope::cli
