#include "engine/record/columns.hpp"

namespace attnscope {

TimeUnit choose_time_unit(std::span<const Record> records) {
  std::vector<double> medians;
  for (const Record& r : records)
    if (r.statistics) medians.push_back(r.statistics->median);
  return choose_time_unit(medians);
}

std::string rows_text(const Record& r) {
  if (!r.verdict || r.verdict->rows_total == 0) return "";
  const Verdict& v = *r.verdict;
  if (v.rows_checked > 0 && v.rows_checked >= v.rows_total) return "all";
  if (v.all_on_device) return fmt::format("all ({} CPU)", grouped(v.rows_checked));
  return fmt::format("{} of {}", grouped(v.rows_checked), grouped(v.rows_total));
}

std::string predicted_text(const PredictedTime& p) {
  constexpr size_t kDay = 10, kTime = 20;  // of "2026-11-24T04:17:41Z, driver 580.1"
  const std::string more = p.model.size() > kTime ? p.model.substr(kTime) : "";
  return fmt::format("predicted {} by the model of {}{}", time_text(p.ns, 3),
                     p.model.empty() ? "this device" : p.model.substr(0, kDay), more);
}

std::string verdict_word(const Record& r) {
  if (r.verdict) return r.verdict->pass ? "pass" : "FAIL";
  if (r.outcome == Outcome::measured || r.outcome == Outcome::verified) return "not verified";
  return r.outcome == Outcome::failed_verdict ? "FAIL" : std::string(to_text(r.outcome));
}

namespace {

std::string count(const std::optional<uint64_t>& x) { return x ? fmt::format("{}", *x) : ""; }
std::string bytes_of(double x) { return x > 0 ? bytes_text(x) : ""; }
bool planned(const Record& r) { return r.outcome != Outcome::refused && r.outcome != Outcome::error; }
std::string yes(bool x) { return x ? "yes" : "no"; }

template <double Verdict::*member>
std::string difference(const Record& r) {
  return r.verdict && r.verdict->rows_checked > 0 ? error_text((*r.verdict).*member) : "";
}
template <auto member>
std::string resource(const Record& r) {
  return count(r.resources.*member);
}
template <auto member>
std::string number_of(const Record& r) {
  return fmt::format("{}", r.problem.*member);
}

/// FLOP a byte; `more`: beyond what has to be moved.
std::string intensity(const Record& r, double more) {
  const double x = planned(r) && r.bytes > 0 ? r.flops / (r.bytes + more) : 0;
  return x > 0 ? four_digits(x) : "";
}

std::string occupancy(const Record& r) {
  if (!r.resources.registers) return "";
  const auto estimate =
      estimate_occupancy(r.environment.device, r.resources.workgroup_invocations, r.resources.registers);
  return estimate ? fmt::format("{:.0f} %", 100 * estimate->fraction) : "";
}

std::string instructions(const Record& r) {
  return r.resources.mix.contains("all") ? fmt::format("{}", r.resources.mix.at("all")) : "";
}

/// Rows of K together with as many of V.
std::string kv_rows(const Record& r) {
  constexpr uint64_t shared = 48 * 1024;
  return fmt::format("{}", shared / (uint64_t(r.problem.head_dim + r.problem.v_dim) * dtype_bytes(r.problem.dtype)));
}

using Use = RecordColumn::Use;
using TextOf = std::string (*)(const Record&);

constexpr RecordColumn words(std::string_view name, Use use, TextOf text) {
  return {.name = name, .use = use, .text = text, .title = name, .right = false};
}
constexpr RecordColumn value(std::string_view name, TextOf text, std::string_view title = {}) {
  return {.name = name, .use = Use::value, .text = text, .title = title};
}
template <std::optional<double> Telemetry::*member>
constexpr RecordColumn sensor(std::string_view name, std::string_view title) {
  const auto reading = [](const Record& r) {
    const auto& t = r.environment.telemetry;
    return t && (*t).*member ? four_digits(*((*t).*member)) : "";
  };
  return value(name, reading, title);
}
constexpr RecordColumn field_of(std::string_view name, TextOf text) { return words(name, Use::field, text); }
constexpr RecordColumn time_of(std::string_view name, double Statistics::*statistic) {
  return {.name = name, .use = Use::value, .statistic = statistic, .title = name};
}
constexpr RecordColumn rate_of(std::string_view name, RateUnit TableUnits::*unit, double (*rate)(const Record&)) {
  return {.name = name, .use = Use::value, .rate = rate, .rates = unit};
}

/// The named config and its values: "default BLOCK_M=32,BLOCK_N=32".
std::string long_config_text(const Record& r) {
  const std::string values = to_text(r.config);
  return r.config_name.empty() ? values : r.config_name + (values.empty() ? "" : " " + values);
}

constexpr auto kColumns = std::to_array<RecordColumn>(
    {time_of("median", &Statistics::median),
     time_of("mean", &Statistics::mean),
     time_of("min", &Statistics::min),
     time_of("max", &Statistics::max),
     time_of("p20", &Statistics::p20),
     time_of("p80", &Statistics::p80),
     {.name = "predicted",
      .use = Use::value,
      .time = [](const Record& r) { return r.predicted ? r.predicted->ns : 0.0; },
      .title = "predicted"},
     words("verdict", Use::value, verdict_word),
     value("max_abs", difference<&Verdict::max_abs>, "max abs"),
     value("mean_abs", difference<&Verdict::mean_abs>),
     value("nmse", difference<&Verdict::nmse>, "NMSE"),
     rate_of("tflops", &TableUnits::flops, [](const Record& r) { return r.tflops * 1e12; }),
     rate_of("gbps", &TableUnits::bytes, [](const Record& r) { return r.gbps * 1e9; }),
     value("bytes", [](const Record& r) { return planned(r) ? bytes_of(r.bytes) : ""; }),
     value("bytes_moved", [](const Record& r) { return planned(r) ? bytes_of(r.bytes + r.extra_bytes) : ""; }),
     value("scratch", [](const Record& r) { return planned(r) ? bytes_text(double(r.scratch_bytes)) : ""; }),
     value("intensity", [](const Record& r) { return intensity(r, 0); }),
     value("intensity_moved", [](const Record& r) { return intensity(r, r.extra_bytes); }),
     value("registers", resource<&Resources::registers>, "regs"),
     value("spill", resource<&Resources::spill_bytes>, "spill B"),
     value("spills", resource<&Resources::spills>, "spills"),
     value("stack", resource<&Resources::stack_bytes>, "stack B"),
     value("subgroups", resource<&Resources::subgroups>, "subgroups"),
     value("cycles", resource<&Resources::cycles>, "cycles (compiler's estimate)"),
     value("instructions", instructions, "instructions"),
     value(
         "shared", [](const Record& r) { return planned(r) ? count(r.resources.shared_bytes) : ""; }, "shared B"),
     value("compile",
           [](const Record& r) { return r.resources.compile_ms ? four_digits(*r.resources.compile_ms) : ""; }),
     value("code", resource<&Resources::code_bytes>, "code B"),
     value("occupancy", occupancy),
     value("kv_rows_in_48k", kv_rows),
     sensor<&Telemetry::watts>("watts", "W"),
     sensor<&Telemetry::joules>("joules", "J/execution"),
     sensor<&Telemetry::clock_mhz>("clock", "MHz"),
     sensor<&Telemetry::memory_clock_mhz>("memory_clock", "memory MHz"),
     sensor<&Telemetry::celsius>("temperature", "°C"),
     value(
         "throttled",
         [](const Record& r) { return r.environment.telemetry ? throttled_text(*r.environment.telemetry) : ""; },
         "throttled"),
     // In the order in which they tell rows of a grid apart that would share a cell.
     field_of("device", [](const Record& r) { return r.environment.device.name; }),
     field_of("variant", [](const Record& r) { return r.variant; }),
     field_of("cache", [](const Record& r) { return std::string(to_text(r.protocol.cache)); }),
     field_of("launch", [](const Record& r) { return std::string(to_text(r.protocol.launch)); }),
     field_of("dtype", [](const Record& r) { return std::string(to_text(r.problem.dtype)); }),
     field_of("causal", [](const Record& r) { return yes(r.problem.causal); }),
     field_of("inputs", [](const Record& r) { return std::string(to_text(r.problem.inputs)); }),
     field_of("batch", number_of<&Problem::batch>),
     field_of("heads_q", number_of<&Problem::heads_q>),
     field_of("heads_kv", number_of<&Problem::heads_kv>),
     field_of("head_dim", number_of<&Problem::head_dim>),
     field_of("v_dim", number_of<&Problem::v_dim>),
     field_of("seq_kv", number_of<&Problem::seq_kv>),
     field_of("seq_q", number_of<&Problem::seq_q>),
     field_of("page_size", number_of<&Problem::page_size>),
     field_of("scale", [](const Record& r) { return fmt::format("{}", r.problem.softmax_scale()); }),
     field_of("window", number_of<&Problem::window>),
     field_of("softcap", number_of<&Problem::softcap>),
     field_of("sinks", [](const Record& r) { return yes(r.problem.sinks); }),
     field_of("mask", [](const Record& r) { return std::string(to_text(r.problem.mask)); }),
     field_of("kvtype",
              [](const Record& r) {
                const std::string k(to_text(r.problem.k_type)), v(to_text(r.problem.v_type));
                return k == v ? k : k + " " + v;
              }),
     field_of("topk", number_of<&Problem::topk>),
     field_of("varlen", [](const Record& r) { return joined(r.problem.varlen, " "); }),
     field_of("problem", [](const Record& r) { return to_text(r.problem); }),
     field_of("config", [](const Record& r) { return r.config_name.empty() ? to_text(r.config) : r.config_name; }),
     words("config", Use::table, long_config_text),
     {.name = "rows", .text = rows_text, .title = "rows"},
     {.name = "spread", .title = "p20–p80"}});

using VariantAndName = std::pair<std::string, std::string>;

std::string default_name(const ConfigName& c) {
  return c.name.empty() && !c.config.empty() && c.config == c.defaults ? "default" : c.name;
}

bool differs(const Config& config, const std::string& parameter, int64_t value) {
  const auto at = config.find(parameter);
  return at == config.end() || at->second != value;
}

/// By variant, the parameters in which its configs differ.
std::set<VariantAndName> differing(std::span<const ConfigName> configs) {
  std::map<std::string, const Config*> first;
  std::set<VariantAndName> out;
  for (const ConfigName& c : configs) {
    const Config& other = *first.emplace(c.variant, &c.config).first->second;
    for (const auto& [one, two] : {std::pair(&c.config, &other), std::pair(&other, &c.config)})
      for (const auto& [parameter, value] : *one)
        if (differs(*two, parameter, value)) out.emplace(c.variant, parameter);
  }
  return out;
}

}  // namespace

std::vector<std::string> with_columns(std::vector<std::string> names, RecordColumn::Use use) {
  for (const RecordColumn& c : kColumns)
    if (c.use == use) names.emplace_back(c.name);
  return names;
}

const RecordColumn* find_column(std::string_view name, RecordColumn::Use use) {
  const auto at = std::ranges::find_if(kColumns, [&](const RecordColumn& c) { return c.name == name && c.use == use; });
  return at == kColumns.end() ? nullptr : &*at;
}

std::string column_text(const RecordColumn& c, const Record& r, const TableUnits& units) {
  if (c.text != nullptr) return c.text(r);
  const auto in_unit = [&](double ns) { return four_digits(ns / units.time.ns); };
  if (c.time != nullptr) return c.time(r) > 0 ? in_unit(c.time(r)) : "";
  if (c.rate != nullptr) return c.rate(r) > 0 ? four_digits(c.rate(r) / (units.*c.rates).size) : "";
  if (!r.statistics) return c.name == "median" && r.outcome == Outcome::measured ? "no accepted samples" : "";
  if (c.statistic != nullptr) return in_unit((*r.statistics).*c.statistic);
  return in_unit(r.statistics->p20) + "–" + in_unit(r.statistics->p80);
}

TextTable table_of(std::span<const ColumnPlace> places, std::span<const Record* const> records,
                   const TableUnits& units) {
  TextTable table;
  std::vector<const RecordColumn*> columns;
  for (const ColumnPlace& place : places) {
    const RecordColumn* c = nullptr;
    for (const Use use : {Use::table, Use::value, Use::field})
      if (c == nullptr) c = find_column(place.name, use);
    std::string title(c->title);
    if (c->statistic != nullptr || c->time != nullptr) title += fmt::format(" {}", units.time.name);
    if (c->rate != nullptr) title = (units.*c->rates).name;
    columns.push_back(c);
    table.columns.push_back({title, c->right, place.expendable, place.least});
  }
  for (const Record* r : records) {
    std::vector<std::string>& row = table.rows.emplace_back();
    for (const RecordColumn* c : columns) row.push_back(column_text(*c, *r, units));
  }
  return table;
}

ConfigName config_name(const Record& record, const Config& defaults) {
  return {record.variant, record.config, record.config_name, defaults};
}

std::string long_name(const ConfigName& c) {
  const std::string text = c.name.empty() ? to_text(c.config) : c.name;
  return text.empty() ? c.variant : c.variant + " " + text;
}

std::vector<std::string> short_config_labels(std::span<const ConfigName> configs) {
  const std::set<VariantAndName> varying = differing(configs);
  std::vector<std::string> labels;
  std::map<VariantAndName, std::set<Config>> taken;
  for (const ConfigName& c : configs) {
    std::string label = default_name(c);
    if (label.empty()) {
      Config telling;
      for (const auto& [parameter, value] : c.config)
        if (c.defaults.empty() ? varying.contains({c.variant, parameter}) : differs(c.defaults, parameter, value))
          telling[parameter] = value;
      label = to_text(telling.empty() ? c.config : telling);
    }
    taken[{c.variant, label}].insert(c.config);
    labels.push_back(std::move(label));
  }
  for (size_t i = 0; i < configs.size(); ++i)
    if (taken[{configs[i].variant, labels[i]}].size() > 1) labels[i] = to_text(configs[i].config);
  return labels;
}

std::vector<std::string> short_labels(std::span<const ConfigName> configs) {
  std::vector<std::string> labels = short_config_labels(configs);
  for (size_t i = 0; i < configs.size(); ++i)
    labels[i] = labels[i].empty() ? configs[i].variant : configs[i].variant + " " + labels[i];
  return labels;
}

}  // namespace attnscope
