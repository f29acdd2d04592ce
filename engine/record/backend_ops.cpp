#include "engine/record/backend_ops.hpp"

#include "engine/attention/packed_types.hpp"
#include "engine/number.hpp"

namespace attnscope {
namespace {

constexpr std::string_view kCase = "FLASH_ATTN_EXT(";
constexpr size_t kMaxCases = 100000;
constexpr double kAlibi = 8;  ///< the max_bias whose slopes are those of MaskKind::alibi

using CaseFields = std::map<std::string, std::string, std::less<>>;

/// "a=1,b=[2,3]" by name.
CaseFields case_fields(std::string_view text) {
  CaseFields out;
  size_t begin = 0, depth = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '[') ++depth;
    if (i < text.size() && text[i] == ']' && depth > 0) --depth;
    if (i < text.size() && (text[i] != ',' || depth > 0)) continue;
    const std::string_view item = text.substr(begin, i - begin);
    if (const size_t equals = item.find('='); equals != item.npos)
      out.emplace(item.substr(0, equals), item.substr(equals + 1));
    begin = i + 1;
  }
  return out;
}

std::string value_of(const CaseFields& fields, std::string_view name, std::string_view otherwise = "") {
  const auto at = fields.find(name);
  return std::string(at == fields.end() ? otherwise : at->second);
}

double number_of(const CaseFields& fields, std::string_view name, double otherwise) {
  const Result<double> number = parse_number(value_of(fields, name), NumberRange<double>{0, 1e12});
  return number ? *number : otherwise;
}

/// The problem's text, or what it cannot say.
Result<std::string> problem_text(const CaseFields& f) {
  // Older versions print hs for both head dims, one repetition, and one type.
  const std::string hs = value_of(f, "hs"), both = value_of(f, "type_KV", "f16");
  const std::string k = value_of(f, "type_K", both), v = value_of(f, "type_V", both);
  const auto packed = [](std::string_view name) {
    return std::ranges::any_of(packed_types(), [&](const PackedType& type) { return type.name == name; });
  };
  // Beside a packed one f16, which is the dtype then.
  const std::string dtype = packed(k) ? packed(v) ? "f16" : v : k;
  if ((!packed(v) && v != dtype) || (dtype != "f16" && (packed(k) || packed(v))))
    return bad_input(fmt::format("type_K={} with type_V={}", k, v));
  if (dtype != "f32" && dtype != "f16" && dtype != "bf16") return bad_input("type_K=" + k);
  const double bias = number_of(f, "max_bias", 0);
  if (bias != 0 && bias != kAlibi) return bad_input("max_bias=" + value_of(f, "max_bias"));

  double repeat = number_of(f, "nr", 1), batch = 1;
  if (const std::string both_dims = value_of(f, "nr23"); !both_dims.empty()) {
    const size_t comma = std::min(both_dims.find(','), both_dims.size() - 1);
    const CaseFields dims{{"heads", both_dims.substr(1, comma - 1)},
                          {"batch", both_dims.substr(comma + 1, both_dims.find(']') - comma - 1)}};
    repeat = number_of(dims, "heads", 0);
    batch = number_of(dims, "batch", 0);
  }
  const double heads = number_of(f, "nh", 0);
  std::string text = fmt::format("{}x{}x{}x{}:q={}:kv={}:dv={}", batch, heads * repeat, value_of(f, "kv"),
                                 value_of(f, "hsk", hs), value_of(f, "nb"), heads, value_of(f, "hsv", hs));
  if (value_of(f, "mask") == "1") text += bias == kAlibi ? ":mask=alibi" : batch > 1 ? ":mask=batch" : ":mask";
  if (value_of(f, "sinks") == "1") text += ":sinks";
  if (const double softcap = number_of(f, "logit_softcap", 0); softcap > 0) text += fmt::format(":softcap={}", softcap);
  if (packed(k)) text += ":ktype=" + k;
  if (packed(v)) text += ":vtype=" + v;
  if (value_of(f, "v_is_view_of_k") == "1") text += ":mla";
  return text + ":" + dtype;
}

/// "0213" of "[0,2,1,3]"; "" for the usual order.
std::string order_of(const CaseFields& f) {
  std::string digits = value_of(f, "permute");
  std::erase_if(digits, [](char c) { return c < '0' || c > '9'; });
  return digits == "0123" ? "" : digits.substr(0, 4);
}

/// The time in "  131040 runs -     8.01 us/run - …".
double time_of(std::string_view line) {
  const size_t unit = line.find(" us/run");
  if (unit == line.npos) return 0;
  const std::string_view before = line.substr(0, unit);
  const size_t space = before.find_last_of(' ');
  const Result<double> us = parse_number(before.substr(space + 1), NumberRange<double>{1e-3, 1e9});
  return us ? 1e3 * *us : 0;
}

}  // namespace

bool is_backend_ops(std::string_view text) { return text.find(kCase) != text.npos; }

BackendOps parse_backend_ops(std::string_view text) {
  BackendOps out;
  for (size_t at = text.find(kCase); at != text.npos && out.cases.size() < kMaxCases; at = text.find(kCase)) {
    text.remove_prefix(at + kCase.size());
    const std::string_view line = text.substr(0, text.find('\n'));
    const size_t end = line.find(')');
    if (end == line.npos) {
      ++out.left_out["a line that is cut off"];
      continue;
    }
    const CaseFields fields = case_fields(line.substr(0, end));
    const Result<std::string> words = problem_text(fields);
    const Result<Problem> problem = words ? parse_problem(*words) : Result<Problem>(words.error());
    if (problem)
      out.cases.push_back({*problem, order_of(fields), time_of(line.substr(end))});
    else
      ++out.left_out[problem.error().message];
  }
  return out;
}

}  // namespace attnscope
