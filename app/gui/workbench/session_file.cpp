#include "app/gui/workbench/session_file.hpp"

#include <cerrno>

#include "engine/record/json_fields.hpp"
#include "engine/record/results.hpp"

namespace attnscope::gui {
namespace {

constexpr int kSchema = 1;

struct KeptPin {
  size_t slot = 0;
  bool shown = true, baseline = false;
  std::string dataset;
  Record record;
};

void from_json(const Json& j, KeptPin& p) {
  Fields(j)
      .maybe("slot", p.slot)
      .maybe("shown", p.shown)
      .maybe("dataset", p.dataset)
      .maybe("baseline", p.baseline)
      .need("record", p.record);
}

}  // namespace

void from_json(const Json& j, Remark& r) { Fields(j).maybe("name", r.name).maybe("note", r.note); }

SessionCopy session_of(const Workbench& bench) {
  return {bench.pins.all(), bench.log.entries(), bench.log.remarks.all(), {}, bench.editor.kept(), bench.pins.baseline};
}

bool is_session(const std::string& text) {
  const auto json = parse_json(text, "it");
  return json && json->is_object() && json->contains("schema") && json->contains("pins") && json->contains("log");
}

std::string session_path(const std::string& settings_path) {
  std::filesystem::path path(settings_path);
  return path.replace_extension(".session.json").string();
}

OwnSession own_session(const std::string& settings_path) {
  constexpr int kMostWindows = 100;
  const std::filesystem::path first = session_path(settings_path);
  std::error_code error;
  if (first.has_parent_path()) std::filesystem::create_directories(first.parent_path(), error);
  for (int i = 1; i <= kMostWindows; ++i) {
    std::filesystem::path path = settings_path;
    if (i > 1) path.replace_extension(fmt::format(".{}.json", i));
    OwnSession own{session_path(path.string())};
    // A window that was killed a moment ago may still be ending.
    const auto most = std::chrono::milliseconds(i == 1 ? 2000 : 0);
    auto lock = std::make_unique<FileLock>(own.path + ".lock", Waiting{}, most);
    if (lock->error() == EWOULDBLOCK) continue;
    if (lock->error() == 0) own.lock = std::move(lock);
    own.number = i;
    return own;
  }
  return {first.string()};
}

std::string put_aside(const std::string& what, const std::string& path, const std::string& why) {
  const std::string aside = set_aside(path);
  return aside.empty() ? fmt::format("{} in {} cannot be read: {}", what, path, why)
                       : fmt::format("{} put aside: {}, since {}", what, aside, why);
}

Result<void> save_session(const std::string& path, const SessionCopy& session, uint64_t most_bytes) {
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
  Json j = {{"schema", kSchema}, {"pins", Json::array()}, {"log", Json::array()}};
  for (const Pin& p : session.pins)
    j["pins"].push_back({{"slot", p.slot},
                         {"shown", p.shown},
                         {"dataset", p.dataset},
                         {"baseline", p.id == session.baseline},
                         {"record", encode(*p.record)}});
  for (const SessionLog::Entry& t : session.tried) {
    Record slim = *t.record;
    slim.samples_ns.clear();
    j["log"].push_back(encode(slim));
  }
  for (const UnsavedText& t : session.unsaved) j["unsaved"].push_back(to_json(t));
  for (const auto& [key, r] : session.remarks) j["remarks"][key] = {{"name", r.name}, {"note", r.note}};
  if (auto settings = parse_json(session.settings, "settings")) j["settings"] = *settings;
  const std::string text = dump_pretty(j);
  if (text.size() > most_bytes)
    return bad_input(
        fmt::format("it has {} bytes, and {} are the most that is read again. Pins keep all their samples: remove some "
                    "of the {}; {} stays as it was",
                    text.size(), most_bytes, session.pins.size(), path));
  return write_text(path, text);
}

std::string restore_session(const std::string& path, Workbench& bench) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return "";
  const auto text = read_text(path);
  const auto back = text ? session_from(*text, bench) : Result<std::string>(text.error());
  if (back) return "";
  return put_aside("Last session", path, back.error().message);
}

Result<std::string> session_from(const std::string& text, Workbench& bench, bool replace) {
  const auto json = TRY(parse_json(text, "it"));
  std::vector<KeptPin> pins;
  std::vector<Record> tried;
  std::map<std::string, Remark> remarks;
  std::vector<UnsavedText> unsaved;
  try {
    int schema = 0;
    Fields(json)
        .need("schema", schema)
        .maybe("pins", pins)
        .maybe("log", tried)
        .maybe("remarks", remarks)
        .maybe("unsaved", unsaved);
    if (schema != kSchema) return bad_input(fmt::format("it has schema {}, this version reads {}", schema, kSchema));
  } catch (const std::exception& e) {
    return bad_input(e.what());
  }
  if (replace) bench.clear_session();
  for (const KeptPin& p : pins) {
    const Pin& pin = bench.pins.add(p.record, p.slot, p.shown, p.dataset);
    if (p.baseline) bench.pins.baseline = pin.id;
  }
  if (!unsaved.empty())
    bench.messages.say(Level::warning, fmt::format("{} with edits of the last session that were not saved.",
                                                   counted(unsaved.size(), "file")));
  bench.editor.restore_unsaved(std::move(unsaved));
  for (const Record& r : tried) bench.log.note(r, true);
  for (const auto& [key, remark] : remarks) bench.log.remarks.set(key, remark);
  if (!pins.empty() || !tried.empty())
    bench.messages.say(Level::info, fmt::format("From the {} session: {}, {} of the log.", replace ? "opened" : "last",
                                                counted(pins.size(), "pin"), counted(tried.size(), "line")));
  const auto settings = json.find("settings");
  return settings == json.end() || !settings->is_object() ? std::string() : dump_pretty(*settings);
}

}  // namespace attnscope::gui
