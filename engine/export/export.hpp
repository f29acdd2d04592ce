// A config taken home: its SPIR-V, what a program needs to dispatch it, and an example that does.
#pragma once

#include "engine/variant/variant.hpp"

namespace attnscope::exporting {

struct ExportRequest {
  VariantSource source;
  Problem problem;
  Config config;
  DeviceInfo device;           ///< that it is planned for
  std::string chosen = {};     ///< how variant and config were chosen, for a person; "" = they were asked for
  std::string verified = {};   ///< the newest verdict of these on the device, for a person
  std::string cache_dir = {};  ///< of compiled SPIR-V; "" = none
  bool general = false;        ///< in dispatch.c it also serves problems of other head dims, up to kGeneralDim
};
inline constexpr uint32_t kGeneralDim = 1024;
struct ExportedFile {
  std::string name, content;  ///< bytes, for a .spv
};

/// Why the text cannot be a prefix; "" where it can.
std::string not_a_prefix(std::string_view, bool rust = false);

/// attention.json, and for each pass PASS.spv (its constants final) and PASS.constants.spv (its constants still open,
/// their defaults this config's). Nothing is written. The errors are those of loading the variant and of planning.
Result<std::vector<ExportedFile>> export_config(const ExportRequest&);
/// dispatch.h and dispatch.c: all of these with a function that plans any problem, and no data in the header;
/// example.c, with example.h, runs the first by it. The requests are for one device. `prefix`: what every C name begins
/// with, a C identifier in lower case; "" = attn_, the first one's variant and a hash of its problem and config.
Result<std::vector<ExportedFile>> export_dispatch(std::span<const ExportRequest>, const std::string& prefix);
/// The same as a Rust crate, named by the prefix: Cargo.toml, src/lib.rs with the modules beside it, examples/run.rs.
Result<std::vector<ExportedFile>> export_crate(std::span<const ExportRequest>, const std::string& prefix);
Result<void> check_export(const ExportRequest&);

}  // namespace attnscope::exporting
