// JSON of every value that travels to a worker or is stored in a file.
//
// encode(value) gives the JSON; decode<T>(json) gives a Result<T> whose error names the place ("record.verdict.nmse")
// and what was found there. Both take anything that has the functions below, and vectors, optionals and string-keyed
// maps of such. A type of another room joins by writing its own to_json / from_json in namespace attnscope with the
// help of json_fields.hpp. from_json throws (nlohmann's convention); only decode() may let it be called.
//
// Rules: 64-bit integers are exact. A number that is not finite is written as null. A null or missing field leaves the
// field's default. Unknown fields are ignored, so that a newer writer can be read. Field order is the order written.
#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json_fwd.hpp>

#include "engine/measure/compare.hpp"
#include "engine/record/record.hpp"
#include "engine/result.hpp"
#include "engine/variant/plan.hpp"

namespace attnscope {

using Json = nlohmann::ordered_json;

void to_json(Json&, const Error&);    ///< {"kind", "message"}
void to_json(Json&, const Problem&);  ///< its text form, a string
void to_json(Json&, const Precision&);
void to_json(Json&, const Verdict&);
void to_json(Json&, const Statistics&);
void to_json(Json&, const Comparison&);
void to_json(Json&, const Protocol&);
void to_json(Json&, const MatrixShape&);
void to_json(Json&, const FlexibleMatrix&);
void to_json(Json&, const DeviceLimits&);
void to_json(Json&, const DeviceInfo&);
void to_json(Json&, const VariantSource&);
void to_json(Json&, const Parameter&);
void to_json(Json&, const ConstraintDecl&);
void to_json(Json&, const NamedConfig&);
void to_json(Json&, const ParameterChoices&);
void to_json(Json&, const RawResource&);
void to_json(Json&, const Resources&);
void to_json(Json&, const Environment&);
void to_json(Json&, const Record&);

void from_json(const Json&, Error&);  ///< an Error is read within its message: there is no Result<Error>
void from_json(const Json&, Problem&);
void from_json(const Json&, Precision&);
void from_json(const Json&, Verdict&);
void from_json(const Json&, Statistics&);
void from_json(const Json&, Comparison&);
void from_json(const Json&, Protocol&);
void from_json(const Json&, MatrixShape&);
void from_json(const Json&, FlexibleMatrix&);
void from_json(const Json&, DeviceLimits&);
void from_json(const Json&, DeviceInfo&);
void from_json(const Json&, VariantSource&);
void from_json(const Json&, Parameter&);
void from_json(const Json&, ConstraintDecl&);
void from_json(const Json&, NamedConfig&);
void from_json(const Json&, ParameterChoices&);
void from_json(const Json&, RawResource&);
void from_json(const Json&, Resources&);
void from_json(const Json&, Environment&);
void from_json(const Json&, Record&);  ///< needs "problem" and "variant"; so other programs can write records too

/// Defined in json_fields.hpp, which callers of encode and decode include.
template <class T>
void read_json(const Json&, T&);
template <class T>
Json write_json(const T&);
/// "record" + ".verdict: text" or "record" + "text", put together for a message.
std::string join_place(std::string_view place, std::string_view rest);

template <class T>
auto encode(const T& value) {
  return write_json(value);
}

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

/// Parses text; the error says where it stops being JSON.
Result<Json> parse_json(std::string_view text, std::string_view what);
/// One line, as a JSON-RPC message needs; invalid UTF-8 is replaced rather than thrown about.
std::string dump_line(const Json&);
/// Indented, for files; arrays of plain numbers stay on one line.
std::string dump_pretty(const Json&);

}  // namespace attnscope
