// JSON of every value that is sent to a worker or stored in a file.
//
// encode(value) gives the JSON; decode<T>(json) gives a Result<T> whose error names the place ("record.verdict.nmse")
// and what was found there. Both take every struct with a table of fields, enums by their to_text(), and vectors,
// optionals and string-keyed maps of such. A struct of another module joins with a table (fields.hpp) and an instance
// of JsonOf. from_json throws (nlohmann's convention); only decode() may let it be called.
//
// Rules: 64-bit integers are exact. A number that is not finite is written as null. A null or missing field leaves the
// field's default. Unknown fields are ignored, so that a newer writer can be read. Field order is the order written.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "engine/record/fields_record.hpp"

namespace attnscope {

using Json = nlohmann::ordered_json;

void to_json(Json&, const Error&);    ///< {"kind", "message"}
void to_json(Json&, const Problem&);  ///< its text form, a string
void from_json(const Json&, Error&);  ///< an Error is read within its message: there is no Result<Error>
void from_json(const Json&, Problem&);

/// Older files have a compile time whatever answered, most often a driver's cache: it is not taken.
void mend_older(const Json&, Resources&);
/// A record is held to what ours are by how they are made (run.hpp). Throws a JsonError.
void mend_older(const Json&, Record&);

/// JSON by the table of T's fields; instantiated in one place (json.cpp), since it is slow to compile. `void
/// mend_older(const Json&, T&)`, declared here, mends what fields meant in older files.
template <Declared T>
struct JsonOf {
  static void write(Json&, const T&);
  static void read(const Json&, T&);
};
template <Declared T>
void to_json(Json& json, const T& value) {
  JsonOf<T>::write(json, value);
}
template <Declared T>
void from_json(const Json& json, T& value) {
  JsonOf<T>::read(json, value);
}

/// Defined in json_fields.hpp, which callers of encode and decode include.
template <class T>
void read_json(const Json&, T&);
template <class T>
Json encode(const T&);
/// "record" + ".verdict: text" or "record" + "text", put together for a message.
std::string join_place(std::string_view place, std::string_view rest);

/// `what` names the value in the error: "record", "params".
template <class T>
Result<T> decode(const Json& json, std::string_view what) {
  try {
    T value{};
    read_json(json, value);
    return value;
  } catch (const std::exception& e) {
    return bad_input(join_place(what, e.what()));
  }
}

/// Bounds of what is parsed here, the one place where JSON comes in. The deepest of ours, a record's run in a message,
/// is 10 deep; a sample of ours takes more than four bytes, so that what has few enough bytes has few enough values.
inline constexpr size_t kMaxJsonBytes = size_t{256} << 20, kMaxJsonDepth = 64, kMaxJsonValues = kMaxJsonBytes / 4;

/// Parses text; the error says where it stops being JSON.
Result<Json> parse_json(std::string_view text, std::string_view what);
/// The same of an object with a long array under `key`: each item of it that is an object goes to `take`, in order, and
/// is not in what comes back. However long the text is: kMaxJsonValues holds for the rest with one item at a time.
Result<Json> parse_json_items(std::string_view text, std::string_view what, std::string_view key,
                              const std::function<void(Json&&)>& take, size_t most_values = kMaxJsonValues);
/// One line, as a JSON-RPC message needs; invalid UTF-8 is replaced rather than thrown about.
std::string dump_line(const Json&);
/// Indented, for files; arrays of plain numbers stay on one line.
std::string dump_pretty(const Json&);
/// The same as a part of something larger: the lines after the first begin with `indent` spaces, and none ends it.
void dump_into(std::string& out, const Json&, size_t indent);

}  // namespace attnscope
