#include "engine/session/rpc.hpp"
#include "engine/record/json_fields.hpp"
#include "engine/session/fields_session.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace attnscope;

namespace {

/// Everything that either side reads out of a message.
void read_all(const RpcMessage& message) {
  const auto read = [](const Json& params) {
    if (!params.is_object()) return;
    for (const auto& [key, value] : params.items()) {
      if (key == "request") (void)decode<RunRequest>(value, key), (void)decode<SpaceRequest>(value, key);
      if (key == "problem") (void)decode<Problem>(value, key);
      if (key == "config") (void)decode<Config>(value, key);
      if (key == "sources") (void)decode<std::vector<VariantSource>>(value, key);
      if (key == "record") (void)decode<Record>(value, key);
      if (key == "inspection") (void)decode<Inspection>(value, key);
      if (key == "variants") (void)decode<std::vector<VariantInfo>>(value, key);
      if (key == "device") (void)decode<DeviceInfo>(value, key);
      if (key == "batch") (void)decode<SpaceBatch>(value, key);
      if (key == "choice") (void)decode<ConfigChoice>(value, key);
      if (key == "request") (void)decode<ErrorMapRequest>(value, key);
      if (key == "answer") (void)decode<ErrorMapAnswer>(value, key);
    }
  };
  read(message.params);
  if (message.reply && *message.reply) read(**message.reply);
  (void)decode_event(message.method, message.params);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const size_t chunk = 1 + data[0];
  const std::string_view bytes = fuzz::text_of(data + 1, size - 1);
  LineSplitter lines;
  std::string line, all;
  for (size_t at = 0; at < bytes.size(); at += chunk) {
    lines.add(bytes.substr(at, chunk));
    while (lines.next(line)) {
      all += line + "\n";
      if (const auto message = parse_rpc(line)) read_all(*message);
    }
  }
  all += lines.take_rest();
  fuzz::must(all.size() <= bytes.size(), "lines add nothing");
  return 0;
}
