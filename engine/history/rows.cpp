#include "engine/history/database.hpp"

#include "engine/record/json_fields.hpp"

namespace attnscope {
namespace {

constexpr auto kOfTheRun = std::to_array<std::string_view>({"shader_hash", "time_utc"});

constexpr bool shared(std::string_view name) {
  bool found = false;
  for_each_column<Environment>(nullptr, [&](const auto*, const Hint& hint) { found = found || name == hint.column; });
  return found && !contains(kOfTheRun, name);
}

// The columns beside the fields.
constexpr bool names_are_free() {
  bool free = true;
  const auto check = [&](std::string_view name) {
    for (const std::string_view own : {"id", "digest", "environment", "content", "run", "samples_ns"})
      free = free && name != own;
  };
  for_each_problem_column(Problem{}, [&](std::string_view name, const auto&) { check(name); });
  for_each_column<Record>(nullptr, [&](const auto*, const Hint& hint) { check(hint.column); });
  return free;
}
static_assert(names_are_free(), "no field is called as a column of the history's own");

template <class T>
CellKind kind_of() {
  using Bare = typename fields_detail::optional_of<T>::type;
  if constexpr (std::is_same_v<Bare, bool>)
    return CellKind::truth;
  else
    return std::is_arithmetic_v<Bare> ? CellKind::number : CellKind::text;
}

/// Calls visit(name, value) of each column of the table for these: nullptr = its struct is absent.
template <class Visit>
void visit_columns(const Record* record, const Visit& visit) {
  for_each_problem_column(record ? record->problem : Problem{},
                          [&](const char* name, const auto& part) { visit(name, &part); });
  for_each_column(record, [&](const auto* value, const Hint& hint) {
    if (!shared(hint.column)) visit(hint.column, value);
  });
}
template <class Visit>
void visit_columns(const Environment* environment, const Visit& visit) {
  for_each_column(environment, [&](const auto* value, const Hint& hint) {
    if (shared(hint.column)) visit(hint.column, value);
  });
}
template <class S>
std::vector<ColumnInfo> columns_of() {
  std::vector<ColumnInfo> all;
  visit_columns(static_cast<const S*>(nullptr), [&]<class T>(const char* name, const T*) {
    all.push_back({name, kind_of<T>()});
  });
  return all;
}
template <class S>
std::vector<Cell> cells_of(const S& object) {
  std::vector<Cell> cells;
  visit_columns(&object, [&](const char*, const auto* value) { cells.push_back(value ? cell_of(*value) : Cell()); });
  return cells;
}

bool nothing(const Json& x) {
  return x.is_null() || ((x.is_structured() || x.is_string()) && x.empty()) || x == Json(0) || x == Json(false) ||
         x == Json("");
}

/// Leaves what is not at its default. `defaults`: nullptr where the struct itself may be absent.
void prune(Json& json, const Json* defaults) {
  for (auto it = json.begin(); it != json.end();) {
    const Json* usual = nullptr;
    if (defaults)
      if (const auto at = defaults->find(it.key()); at != defaults->end()) usual = &*at;
    if (it->is_object()) prune(*it, usual && usual->is_object() ? usual : nullptr);
    const bool plain = usual && !usual->is_object() ? *it == *usual || it->is_null() : nothing(*it);
    it = plain ? json.erase(it) : std::next(it);
  }
}

}  // namespace

const std::vector<ColumnInfo>& run_columns() {
  static const std::vector<ColumnInfo> columns = columns_of<Record>();
  return columns;
}
const std::vector<ColumnInfo>& environment_columns() {
  static const std::vector<ColumnInfo> columns = columns_of<Environment>();
  return columns;
}
std::vector<Cell> run_cells(const Record& record) { return cells_of(record); }
std::vector<Cell> environment_cells(const Environment& environment) { return cells_of(environment); }

std::string shared_environment(const Environment& environment) {
  Json json = encode(environment);
  for (const std::string_view name : kOfTheRun) json.erase(std::string(name));
  return dump_line(json);
}

Result<Environment> environment_of(std::string_view content) {
  return decode<Environment>(TRY(parse_json(content, "environment")), "environment");
}

std::string content_of(const Record& record) {
  Json json = encode(record);
  json.erase("samples_ns");
  Json own = Json::object();
  for (const std::string_view name : kOfTheRun) own[std::string(name)] = json["environment"][std::string(name)];
  json["environment"] = std::move(own);
  return dump_line(json);
}

Result<Record> record_of(const Environment& shared, std::string_view content) {
  const Json json = TRY(parse_json(content, "what is kept of it"));
  Record record;
  record.environment = shared;
  try {
    Fields fields(json);
    for_each_field(record, [&](const char* name, auto& value, const Hint&) { fields.maybe(name, value); });
  } catch (const std::exception& e) {
    return bad_input(e.what());
  }
  return record;
}

std::string digest_of(const Record& record) {
  static const Json defaults = encode(Record{});
  Json json = encode(record);
  prune(json, &defaults);
  return long_hash(dump_line(json));
}

std::string long_hash(const std::string& text) { return content_hash(text) + content_hash("once more " + text); }

Result<std::vector<double>> samples_of(std::string_view bytes) {
  std::vector<double> samples(bytes.size() / sizeof(double));
  if (samples.size() * sizeof(double) != bytes.size()) return bad_input("its samples are cut off.");
  if (!samples.empty()) std::memcpy(samples.data(), bytes.data(), bytes.size());
  return samples;
}

}  // namespace attnscope
