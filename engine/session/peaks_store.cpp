#include "engine/session/peaks_store.hpp"

#include "engine/input/file.hpp"
#include "engine/peaks/measure.hpp"
#include "engine/record/json_fields.hpp"
#include "engine/record/results.hpp"
#include "engine/shader/compiler.hpp"

namespace attnscope {
namespace {

constexpr int kPeaksSchema = 1;

Result<Peaks> parse(const std::string& text) {
  Json json = TRY(parse_json(text, "it"));
  if (!json.is_object() || !json.contains("schema") || json["schema"] != kPeaksSchema)
    return bad_input("it is not of schema {}", kPeaksSchema);
  if (!json.contains("peaks")) return bad_input("it has no \"peaks\"");
  return decode<Peaks>(json["peaks"], "peaks");
}

}  // namespace

std::filesystem::path PeaksStore::file_of(const DeviceInfo& device) const {
  const std::string who = device.device_uuid.empty() ? content_hash(device.name) : device.device_uuid;
  return dir_ / "peaks" / fmt::format("{}-{}.json", who, content_hash(device.driver));
}

std::optional<Peaks> PeaksStore::load(const DeviceInfo& device, std::string& note) const {
  if (dir_.empty()) return std::nullopt;
  const std::filesystem::path file = file_of(device);
  const Result<std::string> text = read_file(file, kMaxSourceBytes);
  if (!text) return std::nullopt;
  Result<Peaks> peaks = parse(*text);
  if (peaks && (peaks->device_uuid != device.device_uuid || peaks->driver != device.driver))
    peaks = bad_input("it is of {} under {}", peaks->device, peaks->driver);
  if (peaks) {
    // An earlier version had other kernels: measured again, without a note.
    if (peaks->kernels != peaks::kernels.hash()) return std::nullopt;
    return *peaks;
  }
  note = fmt::format("The stored peaks are not used: {}: {}.", file.string(), peaks.error().message);
  return std::nullopt;
}

std::string PeaksStore::store(const DeviceInfo& device, const Peaks& peaks) const {
  if (dir_.empty()) return {};
  const std::filesystem::path file = file_of(device);
  std::error_code error;
  std::filesystem::create_directories(file.parent_path(), error);
  const Result<void> written = write_text(file, dump_pretty(Json{{"schema", kPeaksSchema}, {"peaks", encode(peaks)}}));
  return written ? "" : "The peaks could not be stored: " + written.error().message;
}

}  // namespace attnscope
