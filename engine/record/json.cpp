// Text in and out, and the values of the problem, the verdict and the measurement.
#include "engine/record/json_fields.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace attnscope {

namespace {

constexpr std::array kErrorKinds{
    std::pair{ErrorKind::bad_input, "bad_input"},     std::pair{ErrorKind::unsupported, "unsupported"},
    std::pair{ErrorKind::device_lost, "device_lost"}, std::pair{ErrorKind::out_of_memory, "out_of_memory"},
    std::pair{ErrorKind::cancelled, "cancelled"},     std::pair{ErrorKind::internal, "internal"}};

bool plain_numbers(const Json& json) {
  return json.is_array() && std::all_of(json.begin(), json.end(), [](const Json& item) { return item.is_number(); });
}

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

}  // namespace

std::string join_place(std::string_view place, std::string_view rest) {
  const bool continues = rest.starts_with('.') || rest.starts_with('[');
  return fmt::format("{}{}{}", place, continues ? "" : ": ", rest);
}

Result<Json> parse_json(std::string_view text, std::string_view what) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& e) {
    // The library's text carries an id and a column; the byte is what a person can jump to.
    const size_t line =
        1 + size_t(std::count(text.begin(), text.begin() + std::ptrdiff_t(std::min(e.byte, text.size())), '\n'));
    return bad_input(fmt::format("{} is not JSON: it stops making sense at byte {} (line {}).", what, e.byte, line));
  } catch (const std::exception& e) {
    return bad_input(fmt::format("{} is not JSON: {}.", what, e.what()));
  }
}

std::string dump_line(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string dump_pretty(const Json& json) {
  std::string out;
  dump_into(out, json, 0);
  return out + "\n";
}

void to_json(Json& j, const Error& x) {
  const char* kind = "internal";
  for (const auto& [value, name] : kErrorKinds)
    if (value == x.kind) kind = name;
  j = Json{{"kind", kind}, {"message", x.message}};
}
void from_json(const Json& j, Error& x) {
  std::string kind;
  Fields(j).need("kind", kind).need("message", x.message);
  x.kind = ErrorKind::internal;
  for (const auto& [value, name] : kErrorKinds)
    if (kind == name) x.kind = value;
}

void to_json(Json& j, const Problem& x) { j = to_text(x); }
void from_json(const Json& j, Problem& x) {
  std::string text;
  read_json(j, text);
  auto problem = parse_problem(text);
  if (!problem) throw JsonError(problem.error().message);
  x = *std::move(problem);
}

void to_json(Json& j, const Precision& x) {
  j = Json{{"accumulate", to_text(x.accumulate)}, {"probabilities", to_text(x.probabilities)},
           {"f16_pairs", x.f16_pairs}};
}
void from_json(const Json& j, Precision& x) {
  constexpr std::array types{DType::f32, DType::f16, DType::bf16};
  Fields(j)
      .maybe_enum("accumulate", x.accumulate, types)
      .maybe_enum("probabilities", x.probabilities, types)
      .maybe("f16_pairs", x.f16_pairs);
}

void to_json(Json& j, const Verdict& x) {
  j = Json{{"pass", x.pass},
           {"reason", x.reason},
           {"rows_checked", x.rows_checked},
           {"rows_total", x.rows_total},
           {"nan_count", x.nan_count},
           {"unwritten_count", x.unwritten_count},
           {"guard_intact", x.guard_intact},
           {"max_abs", write_json(x.max_abs)},
           {"mean_abs", write_json(x.mean_abs)},
           {"nmse", write_json(x.nmse)},
           {"allowed_max_abs", write_json(x.allowed_max_abs)},
           {"allowed_nmse", write_json(x.allowed_nmse)},
           {"worst", nullptr}};
  if (x.worst)
    j["worst"] =
        Json{{"batch", x.worst->batch}, {"head", x.worst->head},           {"query", x.worst->query},
             {"dim", x.worst->dim},     {"got", write_json(x.worst->got)}, {"expected", write_json(x.worst->expected)}};
}
void from_json(const Json& j, Verdict& x) {
  Fields(j)
      .need("pass", x.pass)
      .maybe("reason", x.reason)
      .maybe("rows_checked", x.rows_checked)
      .maybe("rows_total", x.rows_total)
      .maybe("nan_count", x.nan_count)
      .maybe("unwritten_count", x.unwritten_count)
      .maybe("guard_intact", x.guard_intact)
      .maybe("max_abs", x.max_abs)
      .maybe("mean_abs", x.mean_abs)
      .maybe("nmse", x.nmse)
      .maybe("allowed_max_abs", x.allowed_max_abs)
      .maybe("allowed_nmse", x.allowed_nmse);
  if (const auto it = j.find("worst"); it != j.end() && !it->is_null()) {
    x.worst.emplace();
    Fields(*it)
        .maybe("batch", x.worst->batch)
        .maybe("head", x.worst->head)
        .maybe("query", x.worst->query)
        .maybe("dim", x.worst->dim)
        .maybe("got", x.worst->got)
        .maybe("expected", x.worst->expected);
  }
}

void to_json(Json& j, const Statistics& x) {
  j = Json{{"count", x.count},
           {"median", write_json(x.median)},
           {"min", write_json(x.min)},
           {"max", write_json(x.max)},
           {"mean", write_json(x.mean)},
           {"p20", write_json(x.p20)},
           {"p80", write_json(x.p80)},
           {"stddev", write_json(x.stddev)},
           {"noise", write_json(x.noise)},
           {"drift", write_json(x.drift)}};
}
void from_json(const Json& j, Statistics& x) {
  Fields(j)
      .maybe("count", x.count)
      .need("median", x.median)
      .maybe("min", x.min)
      .maybe("max", x.max)
      .maybe("mean", x.mean)
      .maybe("p20", x.p20)
      .maybe("p80", x.p80)
      .maybe("stddev", x.stddev)
      .maybe("noise", x.noise)
      .maybe("drift", x.drift);
}

void to_json(Json& j, const Comparison& x) {
  j = Json{{"relation", to_text(x.relation)},
           {"ratio", write_json(x.ratio)},
           {"low", write_json(x.low)},
           {"high", write_json(x.high)},
           {"reason", x.reason}};
}
void from_json(const Json& j, Comparison& x) {
  Fields(j)
      .maybe_enum("relation", x.relation,
                  std::array{Relation::faster, Relation::slower, Relation::same, Relation::unsure})
      .maybe("ratio", x.ratio)
      .maybe("low", x.low)
      .maybe("high", x.high)
      .maybe("reason", x.reason);
}

void to_json(Json& j, const Protocol& x) {
  j = Json{{"cache", to_text(x.cache)},
           {"launch", to_text(x.launch)},
           {"warmup_ms", write_json(x.warmup_ms)},
           {"warmup_cap_ms", write_json(x.warmup_cap_ms)},
           {"min_ms", write_json(x.min_ms)},
           {"max_ms", write_json(x.max_ms)},
           {"min_samples", x.min_samples},
           {"max_samples", x.max_samples},
           {"target_noise", write_json(x.target_noise)},
           {"min_sample_us", write_json(x.min_sample_us)}};
}
void from_json(const Json& j, Protocol& x) {
  Fields(j)
      .maybe_enum("cache", x.cache, std::array{CacheMode::hot, CacheMode::cold})
      .maybe_enum("launch", x.launch, std::array{LaunchMode::isolated, LaunchMode::back_to_back})
      .maybe("warmup_ms", x.warmup_ms)
      .maybe("warmup_cap_ms", x.warmup_cap_ms)
      .maybe("min_ms", x.min_ms)
      .maybe("max_ms", x.max_ms)
      .maybe("min_samples", x.min_samples)
      .maybe("max_samples", x.max_samples)
      .maybe("target_noise", x.target_noise)
      .maybe("min_sample_us", x.min_sample_us);
}

}  // namespace attnscope
