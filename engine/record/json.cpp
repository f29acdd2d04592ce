// Text in and out, the two values that are not structs with a table, and JSON of every struct of this module with one.
#include "engine/record/json_of.hpp"
#include "engine/record/run.hpp"
#include "engine/visible.hpp"

namespace attnscope {
namespace {

const char* kind_text(ErrorKind kind) {
  return word_of(kind, {"bad_input", "unsupported", "device_lost", "out_of_memory", "cancelled", "internal"});
}

bool plain_numbers(const Json& json) {
  return json.is_array() && std::ranges::all_of(json, [](const Json& item) { return item.is_number(); });
}

/// What the text has too much of, or "". A look over its brackets: values within values end one within the other, on
/// the stack, and each takes many times the bytes of its text. Objects in the array under `items` go one by one.
std::string over_limit(std::string_view text, size_t most_values, std::optional<std::string_view> items = {}) {
  size_t depth = 0, values = 1, before_item = 0, string_at = 0;
  bool in_string = false, among_items = false;
  std::string_view last;  // string at depth 1: before a value, its key
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"';
      if (!in_string && depth == 1) last = text.substr(string_at, i - string_at);
    } else if (c == '"') {
      in_string = true;
      string_at = i + 1;
    } else if (c == '[' || c == '{') {
      if (depth == 1) among_items = c == '[' && last == items;
      if (depth == 2) before_item = c == '{' ? values : 0;
      ++values;
      if (++depth > kMaxJsonDepth)
        return fmt::format("is nested more than {} deep at byte {}; nothing of ours is", kMaxJsonDepth, i + 1);
    } else if (c == ',') {
      if (depth != 2 || !among_items || before_item == 0) ++values;
    } else if ((c == ']' || c == '}') && depth > 0) {
      if (--depth == 2 && among_items && before_item > 0) values = before_item;
    }
    if (values > most_values)
      return fmt::format("has more than {} values at byte {}; at most so many are read", most_values, i + 1);
  }
  return "";
}

Result<Json> parse(std::string_view text, std::string_view what, const Json::parser_callback_t& callback = nullptr) {
  try {
    return Json::parse(text, callback);
  } catch (const Json::parse_error& e) {
    // The library's text carries an id and a column; the byte is what a person can jump to.
    const size_t line =
        1 + size_t(std::count(text.begin(), text.begin() + ptrdiff_t(std::min(e.byte, text.size())), '\n'));
    return bad_input("{} is not JSON: it stops making sense at byte {} (line {}).", what, e.byte, line);
  } catch (const std::exception& e) {
    // "[json.exception.out_of_range.406] number overflow parsing '1e999'": its own name says nothing to a person.
    const std::string_view text_of = e.what();
    const size_t name_ends = text_of.starts_with('[') ? text_of.find("] ") : std::string_view::npos;
    return bad_input("{} cannot be read: {}.", what,
                     name_ends == std::string_view::npos ? text_of : text_of.substr(name_ends + 2));
  }
}

}  // namespace

void dump_into(std::string& out, const Json& json, size_t indent) {
  if (!json.is_structured() || json.empty() || plain_numbers(json)) {
    out += dump_line(json);
    return;
  }
  const std::string margin(indent + 2, ' ');
  out += json.is_object() ? "{\n" : "[\n";
  bool first = true;
  for (const auto& [key, item] : json.items()) {
    if (!first) out += ",\n";
    first = false;
    out += margin;
    if (json.is_object()) out += dump_line(Json(key)) + ": ";
    dump_into(out, item, indent + 2);
  }
  out += "\n" + std::string(indent, ' ') + (json.is_object() ? "}" : "]");
}

std::string join_place(std::string_view place, std::string_view rest) {
  return fmt::format("{}{}{}", place, (rest.starts_with('.') || rest.starts_with('[')) ? "" : ": ", rest);
}

Result<Json> parse_json(std::string_view text, std::string_view what) {
  if (text.size() > kMaxJsonBytes)
    return bad_input("{} has {} bytes; at most {} are read.", what, text.size(), kMaxJsonBytes);
  if (const std::string over = over_limit(text, kMaxJsonValues); !over.empty()) return bad_input("{} {}.", what, over);
  return parse(text, what);
}

Result<Json> parse_json_items(std::string_view text, std::string_view what, std::string_view key,
                              const std::function<void(Json&&)>& take, size_t most_values) {
  if (const std::string over = over_limit(text, most_values, key); !over.empty())
    return bad_input("{} {}.", what, over);
  bool under_key = false;
  return parse(text, what, [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (depth == 1 && event == Json::parse_event_t::key) under_key = parsed.get_ref<const std::string&>() == key;
    if (depth != 2 || event != Json::parse_event_t::object_end || !under_key) return true;
    take(std::move(parsed));
    return false;
  });
}

std::string dump_line(const Json& json) {
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  // The library escapes C0 alone; what else a terminal may obey can only stand within a string.
  return replace_controls(text, [](uint32_t c, size_t) {
    return c > 0xffff ? fmt::format("\\u{:04x}\\u{:04x}", 0xd800 + ((c - 0x10000) >> 10), 0xdc00 + (c & 0x3ff))
                      : fmt::format("\\u{:04x}", c);
  });
}

std::string dump_pretty(const Json& json) {
  std::string out;
  dump_into(out, json, 0);
  return out + "\n";
}

void to_json(Json& j, const Error& x) { j = Json{{"kind", kind_text(x.kind)}, {"message", x.message}}; }
void from_json(const Json& j, Error& x) {
  std::string kind;
  Fields(j).need("kind", kind).need("message", x.message);
  x.kind = ErrorKind::internal;
  for (size_t i = 0; i < kEnumerators<ErrorKind>; ++i)
    if (kind == kind_text(ErrorKind(i))) x.kind = ErrorKind(i);
}

void mend_older(const Json& j, Resources& x) {
  if (!j.contains("compile")) x.compile_ms.reset();
}

void mend_older(const Json&, Record& r) {
  if (const std::string why = impossible_time(r); !why.empty()) throw JsonError("." + why);
  enforce_verdict(r);
}

void to_json(Json& j, const Problem& x) { j = to_text(x); }
void from_json(const Json& j, Problem& x) {
  std::string text;
  read_json(j, text);
  auto problem = parse_problem(text);
  if (!problem) throw JsonError(problem.error().message);
  x = *std::move(problem);
}

template struct JsonOfEach<MatrixShape, MatrixLayout, CompileOnly, DeviceLimits, DeviceInfo, VariantSource, Parameter,
                           ConstraintDecl, NamedConfig, ParameterChoices, Precision, Verdict::Worst, NotFinite, Verdict,
                           Statistics, Comparison, Protocol, RawResource, Resources, Ceiling, Peaks, Floor, Telemetry,
                           LaunchFit, Advice, Environment, Record, ComparedSide, RowComparison>;

}  // namespace attnscope
